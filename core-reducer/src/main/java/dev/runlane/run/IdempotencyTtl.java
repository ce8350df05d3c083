package dev.runlane.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a terminal run keeps its idempotency key, captured when the run is created. An active run
 * keeps its key however long it takes; a failed one loses it at once.
 *
 * @param retention counted from the run's creation and looked at only once the run is terminal; null
 *     releases the key at any terminal status
 */
public record IdempotencyTtl(@Nullable Duration retention) {
  /** The key is owned while its run is active and not a moment longer. */
  public static final IdempotencyTtl ACTIVE = new IdempotencyTtl(null);

  /** A succeeded or cancelled run keeps its key until this long after its creation. */
  public static IdempotencyTtl of(Duration retention) {
    return new IdempotencyTtl(retention);
  }
}
