package dev.runlane.operator.outbox;

import dev.runlane.run.FailureRecord;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An outbox message.
 *
 * @param id the message
 * @param runId whose wakeup it is
 * @param queue the run's queue
 * @param status where it is in its life
 * @param availableAt when it becomes or became due; without meaning once it is dead-lettered
 * @param claimExpiresAt when a publisher's claim ends; null unless claimed
 * @param failedPublishes how often publishing it failed
 * @param failure the last failure, or null
 */
public record OutboxEntry(
    String id,
    String runId,
    String queue,
    OutboxMessageStatus status,
    Instant availableAt,
    @Nullable Instant claimExpiresAt,
    int failedPublishes,
    @Nullable FailureRecord failure) {
  /** Refuses null and cuts instants to microseconds. */
  public OutboxEntry {
    Objects.requireNonNull(id);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(status);
    availableAt = availableAt.truncatedTo(ChronoUnit.MICROS);
    claimExpiresAt = claimExpiresAt == null ? null : claimExpiresAt.truncatedTo(ChronoUnit.MICROS);
  }
}
