package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Looks up the owner of an idempotency key.
 *
 * @param environment scope
 * @param taskId the task the key belongs to
 * @param idempotencyKey the key
 * @param now the caller's time, which decides whether a terminal owner's retention has passed
 */
public record GetRunByIdempotencyKey(
    Environment environment, String taskId, String idempotencyKey, Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public GetRunByIdempotencyKey {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(idempotencyKey);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
