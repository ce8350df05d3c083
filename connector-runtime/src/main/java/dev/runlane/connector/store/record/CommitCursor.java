package dev.runlane.connector.store.record;

import dev.runlane.connector.store.key.RunFence;
import java.time.Instant;
import java.util.Objects;

/**
 * Stores one cursor of a run that succeeded.
 *
 * @param fence what the run writes with
 * @param scope whose cursor
 * @param cursor the cursor
 * @param now the caller's time
 */
public record CommitCursor(RunFence fence, StateScope scope, StagedCursor cursor, Instant now) {
  /** Refuses null. */
  public CommitCursor {
    Objects.requireNonNull(fence);
    Objects.requireNonNull(scope);
    Objects.requireNonNull(cursor);
    Objects.requireNonNull(now);
  }
}
