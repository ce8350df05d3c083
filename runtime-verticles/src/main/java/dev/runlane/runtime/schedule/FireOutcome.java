package dev.runlane.runtime.schedule;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The outcome of processing one fire. */
sealed interface FireOutcome {
  /** The occurrence is completed, by this process. */
  FireOutcome SETTLED = new Settled();

  /** The occurrence was completed by somebody else, for ever. */
  FireOutcome OVER = new Over();

  /** The occurrence is completed or somebody else's, and nobody can tell which. */
  FireOutcome HELD = new Held(null);

  /** See {@link #SETTLED}. */
  record Settled() implements FireOutcome {}

  /** See {@link #OVER}. */
  record Over() implements FireOutcome {}

  /**
   * The occurrence is somebody else's, as far as anybody can tell.
   *
   * @param until when their claim ends; null: unknown, and it may be completed as well
   */
  record Held(@Nullable Instant until) implements FireOutcome {}

  /**
   * The occurrence is not completed.
   *
   * @param claim under which this process may continue while it lasts, or null
   */
  record Broken(@Nullable ClaimedOccurrence claim, Throwable failure) implements FireOutcome {
    /** Whether trying again at once may succeed. */
    boolean mayGoAway() {
      return failure instanceof RunlaneException known && known.isRetryable();
    }
  }
}
