package dev.runlane.storage.pg.write;

import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.HeartbeatRunLease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events for a run that exists.
 *
 * @param runId the run
 * @param expected its sequence before them
 * @param events at least one
 * @param run the run after them
 * @param leaseToken the lease that must be in force; null: whichever
 * @param leaseWorker its worker; null exactly when the token is
 * @param now the caller's time
 * @param claimOutboxFor claims the due outbox messages at once for so long, or null
 */
public record Append(
    String runId,
    long expected,
    List<? extends RunEvent> events,
    RunRecord run,
    @Nullable String leaseToken,
    @Nullable String leaseWorker,
    Instant now,
    @Nullable Duration claimOutboxFor) {
  public static Append of(AppendRunEvents command) {
    Lease held = command.heldLease();
    return new Append(
        command.runId(),
        command.expectedSequence(),
        command.events(),
        command.projectedRun(),
        held == null ? null : held.token(),
        held == null ? null : held.workerId(),
        command.now(),
        command.claimOutboxFor());
  }

  public static Append of(HeartbeatRunLease command) {
    return new Append(
        command.runId(),
        command.expectedSequence(),
        List.of(command.event()),
        command.projectedRun(),
        command.event().lease().token(),
        command.event().lease().workerId(),
        command.now(),
        null);
  }

  /** Whether the run ends with these events. */
  boolean isEnd() {
    return run.status().isTerminal();
  }

  /** Whether nothing but the run's end is to be written. */
  boolean isPlainEnd() {
    return isEnd()
        && events.stream()
            .noneMatch(event -> event instanceof RunEvent.DeliveryRequested
                || event instanceof RunEvent.StepCompleted);
  }
}
