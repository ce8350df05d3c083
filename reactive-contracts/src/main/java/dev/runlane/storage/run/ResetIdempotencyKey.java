package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Clears a terminal run's ownership of an idempotency key.
 *
 * @param environment scope
 * @param taskId the task the key belongs to
 * @param idempotencyKey the key
 * @param now the caller's time
 */
public record ResetIdempotencyKey(
    Environment environment, String taskId, String idempotencyKey, Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public ResetIdempotencyKey {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(idempotencyKey);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
