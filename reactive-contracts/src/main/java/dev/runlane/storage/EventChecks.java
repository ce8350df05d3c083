package dev.runlane.storage;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunTags;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * What an event may say: valid ids and keys, text that can be stored, instants and durations that can
 * be reckoned with. Throws {@code ValidationFailed}. Whether the event belongs to the command is
 * another question, asked by {@link CommandConsistency}. Each method answers the event it was given.
 */
final class EventChecks implements RunEvent.Visitor<RunEvent> {
  private static final EventChecks CHECKS = new EventChecks();
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final int MOST_JITTER_PERCENT = 99;

  private EventChecks() {}

  static void check(RunEvent event) {
    EventHeader header = event.header();
    StorableText.require("the actor's id", header.actor().id());
    StorableText.require("traceCarrier", header.traceCarrier());
    InputRules.requireInstant("occurredAt", header.occurredAt());
    event.accept(CHECKS);
  }

  @Override
  public RunEvent created(RunEvent.Created event) {
    Identifiers.requireId("taskId", event.taskId());
    Identifiers.requireId("queue", event.queue());
    InputRules.requireInstant("runAt", event.runAt());
    requireKeys(event.keys());
    RunTags.require(event.tags());
    RunSource source = event.source();
    StorableText.require("sourceRunId", source.sourceRunId());
    StorableText.require("scheduleId", source.scheduleId());
    StorableText.require("occurrenceId", source.occurrenceId());
    InputRules.requireInstant("fireAt", source.fireAt());
    return event;
  }

  @Override
  public RunEvent deliveryRequested(RunEvent.DeliveryRequested event) {
    DeliveryIntent delivery = event.delivery();
    InputRules.requireInstant("requestedAt", delivery.requestedAt());
    InputRules.requireInstant("availableAt", delivery.availableAt());
    InputRules.requireInstant("dispatchExpiresAt", delivery.dispatchExpiresAt());
    StorableText.require("traceCarrier", delivery.traceCarrier());
    return event;
  }

  @Override
  public RunEvent leaseClaimed(RunEvent.LeaseClaimed event) {
    requireLease(event.lease());
    return event;
  }

  @Override
  public RunEvent leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    requireLease(event.lease());
    return event;
  }

  @Override
  public RunEvent started(RunEvent.Started event) {
    return event;
  }

  @Override
  public RunEvent succeeded(RunEvent.Succeeded event) {
    return event;
  }

  @Override
  public RunEvent failed(RunEvent.Failed event) {
    StorableText.require("the failure's message", event.failure().message());
    return event;
  }

  @Override
  public RunEvent retryScheduled(RunEvent.RetryScheduled event) {
    StorableText.require("the failure's message", event.failure().message());
    InputRules.requireInstant("retryAt", event.retryAt());
    return event;
  }

  @Override
  public RunEvent released(RunEvent.Released event) {
    StorableText.require("reason", event.reason());
    InputRules.requireInstant("resumeAt", event.resumeAt());
    return event;
  }

  @Override
  public RunEvent stepRequested(RunEvent.StepRequested event) {
    requireStep(event, event.stepId());
    requireName("a step's name", event.name());
    if (event.group() != null) {
      requireName("a step's group", event.group());
    }
    requireAtLeast(1, "a step's attempt", event.attempt());
    InputRules.requireInstant("dueAt", event.dueAt());
    if (event.dispatch() != null) {
      requireDispatch(event, event.dispatch());
    }
    return event;
  }

  @Override
  public RunEvent stepCompleted(RunEvent.StepCompleted event) {
    requireStep(event, event.stepId());
    requireAtLeast(0, "a step's tries", event.tries());
    InputRules.requireInstant("startedAt", event.startedAt());
    InputRules.requireInstant("dispatchedAt", event.dispatchedAt());
    if (event.failure() != null) {
      StorableText.require("the failure's message", event.failure().message());
    }
    return event;
  }

  @Override
  public RunEvent cancellationRequested(RunEvent.CancellationRequested event) {
    StorableText.require("reason", event.reason());
    return event;
  }

  @Override
  public RunEvent cancelled(RunEvent.Cancelled event) {
    StorableText.require("reason", event.reason());
    return event;
  }

  /** With the longest run id and the last position, a step id is far below the limit of its length. */
  private static void requireStep(RunEvent event, String stepId) {
    OptionalInt position = StepIds.position(event.header().runId(), stepId);
    if (position.isEmpty() || position.getAsInt() >= ContractDefaults.MAX_STEPS) {
      throw RunlaneException.validationFailed(
          "a step id of run %s must be %s to %s, but is %s",
          event.header().runId(),
          StepIds.of(event.header().runId(), 0),
          StepIds.of(event.header().runId(), ContractDefaults.MAX_STEPS - 1),
          stepId);
    }
  }

  private static void requireDispatch(RunEvent.StepRequested event, StepDispatch dispatch) {
    if (event.group() == null || event.dueAt() != null) {
      throw RunlaneException.validationFailed(
          "remote step %s must have a group and is no sleep", event.stepId());
    }
    InputRules.requireInstant("deadlineAt", dispatch.deadlineAt());
    requireAtLeast(1, "a step's maxAttempts", dispatch.maxAttempts());
    requireMillis("firstPause", dispatch.firstPause());
    requireMillis("longestPause", dispatch.longestPause());
    requireAtLeast(0, "a step's jitterPercent", dispatch.jitterPercent());
    if (dispatch.longestPause().compareTo(dispatch.firstPause()) < 0
        || dispatch.jitterPercent() > MOST_JITTER_PERCENT) {
      throw RunlaneException.validationFailed(
          "the pauses of remote step %s must grow, with at most %d percent of jitter, but are %s to %s"
              + " with %d",
          event.stepId(),
          MOST_JITTER_PERCENT,
          dispatch.firstPause(),
          dispatch.longestPause(),
          dispatch.jitterPercent());
    }
  }

  private static void requireName(String what, String name) {
    if (name.isEmpty() || name.length() > ContractDefaults.MAX_STEP_NAME_CHARACTERS) {
      throw RunlaneException.validationFailed(
          "%s must have 1 to %d characters, but has %d",
          what, ContractDefaults.MAX_STEP_NAME_CHARACTERS, name.length());
    }
    StorableText.require(what, name);
  }

  private static void requireAtLeast(int least, String what, int value) {
    if (value < least) {
      throw RunlaneException.validationFailed(
          "%s must be at least %d, but is %d", what, least, value);
    }
  }

  private static void requireKeys(RunKeys keys) {
    Identifiers.requireKeyOrNull("concurrencyKey", keys.concurrencyKey());
    Identifiers.requireKeyOrNull("idempotencyKey", keys.idempotencyKey());
    Identifiers.requireKeyOrNull("singletonKey", keys.singletonKey());
    IdempotencyTtl ttl = keys.idempotencyTtl();
    Duration retention = ttl == null ? null : ttl.retention();
    if (retention != null) {
      requireMillis("idempotencyKeyTTL", retention);
    }
  }

  static void requireMillis(String what, Duration duration) {
    InputRules.requireDuration(what, duration);
    if (duration.toNanosPart() % NANOS_PER_MILLI != 0) {
      throw RunlaneException.validationFailed(
          "%s must be whole milliseconds, but is %s", what, duration);
    }
  }

  static void requireLease(Lease lease) {
    Identifiers.requireId("leaseToken", lease.token());
    Identifiers.requireId("workerId", lease.workerId());
    InputRules.requireInstant("expiresAt", lease.expiresAt());
  }
}
