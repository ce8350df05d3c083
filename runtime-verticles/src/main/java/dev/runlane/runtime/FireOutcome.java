package dev.runlane.runtime;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ClaimedOccurrence;
import org.jspecify.annotations.Nullable;

/** What became of one look at one fire. */
sealed interface FireOutcome {
  /** The occurrence is completed, by this process. */
  FireOutcome SETTLED = new Settled();

  /** The occurrence is completed or somebody else's. */
  FireOutcome HELD = new Held();

  /** See {@link #SETTLED}. */
  record Settled() implements FireOutcome {}

  /** See {@link #HELD}. */
  record Held() implements FireOutcome {}

  /**
   * The occurrence is not completed.
   *
   * @param claim under which this process may go on while it lasts, or null
   */
  record Broken(@Nullable ClaimedOccurrence claim, Throwable failure) implements FireOutcome {
    /** Whether trying again at once may succeed. */
    boolean mayGoAway() {
      return failure instanceof RunlaneException known && known.isRetryable();
    }
  }
}
