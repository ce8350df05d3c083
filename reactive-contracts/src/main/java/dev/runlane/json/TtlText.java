package dev.runlane.json;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.timing.Durations;
import java.time.Duration;

/** How long an idempotency key is kept, as it is written: {@code active}, or a duration such as {@code 30d}. */
public final class TtlText {
  private static final String ACTIVE = "active";

  private TtlText() {}

  /** The text of one. Fails with {@code ValidationFailed} for a retention that {@link Durations#format} refuses. */
  public static String format(IdempotencyTtl ttl) {
    Duration retention = ttl.retention();
    return retention == null ? ACTIVE : Durations.format(retention);
  }

  /** What {@link #format} wrote. Fails with {@code ValidationFailed} for anything that is neither. */
  public static IdempotencyTtl parse(String text) {
    return text.equals(ACTIVE) ? IdempotencyTtl.ACTIVE : IdempotencyTtl.of(Durations.parse(text));
  }
}
