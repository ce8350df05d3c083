package dev.runlane.storage;

import dev.runlane.json.StorableText;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an event may say: valid ids and keys, text that can be stored, instants and durations that can
 * be reckoned with. Throws {@code ValidationFailed}. Whether the event belongs to the command is
 * another question, asked by {@link CommandConsistency}.
 */
@SuppressWarnings("NullAway") // does not see that Visitor<@Nullable Void> answers null
final class EventChecks implements RunEvent.Visitor<@Nullable Void> {
  private static final EventChecks CHECKS = new EventChecks();
  private static final int NANOS_PER_MILLI = 1_000_000;

  private EventChecks() {}

  static void check(RunEvent event) {
    EventHeader header = event.header();
    StorableText.require("the actor's id", header.actor().id());
    StorableText.require("traceCarrier", header.traceCarrier());
    InputRules.requireInstant("occurredAt", header.occurredAt());
    event.accept(CHECKS);
  }

  @Override
  public @Nullable Void created(RunEvent.Created event) {
    Identifiers.requireId("taskId", event.taskId());
    Identifiers.requireId("queue", event.queue());
    InputRules.requireInstant("runAt", event.runAt());
    requireKeys(event.keys());
    RunSource source = event.source();
    StorableText.require("sourceRunId", source.sourceRunId());
    StorableText.require("scheduleId", source.scheduleId());
    StorableText.require("occurrenceId", source.occurrenceId());
    InputRules.requireInstant("fireAt", source.fireAt());
    return null;
  }

  @Override
  public @Nullable Void deliveryRequested(RunEvent.DeliveryRequested event) {
    DeliveryIntent delivery = event.delivery();
    InputRules.requireInstant("requestedAt", delivery.requestedAt());
    InputRules.requireInstant("availableAt", delivery.availableAt());
    InputRules.requireInstant("dispatchExpiresAt", delivery.dispatchExpiresAt());
    StorableText.require("traceCarrier", delivery.traceCarrier());
    return null;
  }

  @Override
  public @Nullable Void leaseClaimed(RunEvent.LeaseClaimed event) {
    return requireLease(event.lease());
  }

  @Override
  public @Nullable Void leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return requireLease(event.lease());
  }

  @Override
  public @Nullable Void started(RunEvent.Started event) {
    return null;
  }

  @Override
  public @Nullable Void succeeded(RunEvent.Succeeded event) {
    return null;
  }

  @Override
  public @Nullable Void failed(RunEvent.Failed event) {
    StorableText.require("the failure's message", event.failure().message());
    return null;
  }

  @Override
  public @Nullable Void retryScheduled(RunEvent.RetryScheduled event) {
    StorableText.require("the failure's message", event.failure().message());
    InputRules.requireInstant("retryAt", event.retryAt());
    return null;
  }

  @Override
  public @Nullable Void released(RunEvent.Released event) {
    StorableText.require("reason", event.reason());
    InputRules.requireInstant("resumeAt", event.resumeAt());
    return null;
  }

  @Override
  public @Nullable Void cancellationRequested(RunEvent.CancellationRequested event) {
    StorableText.require("reason", event.reason());
    return null;
  }

  @Override
  public @Nullable Void cancelled(RunEvent.Cancelled event) {
    StorableText.require("reason", event.reason());
    return null;
  }

  private static void requireKeys(RunKeys keys) {
    Identifiers.requireKeyOrNull("concurrencyKey", keys.concurrencyKey());
    Identifiers.requireKeyOrNull("idempotencyKey", keys.idempotencyKey());
    Identifiers.requireKeyOrNull("singletonKey", keys.singletonKey());
    IdempotencyTtl ttl = keys.idempotencyTtl();
    Duration retention = ttl == null ? null : ttl.retention();
    if (retention != null) {
      InputRules.requireDuration("idempotencyKeyTTL", retention);
      if (retention.getNano() % NANOS_PER_MILLI != 0) {
        throw RunlaneException.validationFailed(
            "idempotencyKeyTTL must be whole milliseconds, but is %s", retention);
      }
    }
  }

  private static @Nullable Void requireLease(Lease lease) {
    Identifiers.requireId("leaseToken", lease.token());
    Identifiers.requireId("workerId", lease.workerId());
    InputRules.requireInstant("expiresAt", lease.expiresAt());
    return null;
  }
}
