package dev.runlane.storage;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether command, events and projection fit together. A storage asks after it has found the sequence to
 * be current: a stale command is a lost race, whatever else is wrong with it. Each method answers the
 * {@code AdapterContractViolation} to fail with, or empty.
 */
public final class CommandConsistency {
  private CommandConsistency() {}

  /** Checks scope, sequence, creation and the place of a first lease. */
  public static Optional<RunlaneException> violation(AppendRunEvents command) {
    return firstOf(() -> {
      requireProjection(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          command.events(),
          command.projectedRun());
      requireCreation(command);
      requireQueue(command.queuePolicy(), command.projectedRun());
    });
  }

  /** Checks scope, sequence, the order of events and the lease. */
  public static Optional<RunlaneException> violation(ClaimRunLease command) {
    return firstOf(() -> {
      requireProjection(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          command.events(),
          command.projectedRun());
      requireQueue(command.queuePolicy(), command.projectedRun());
      List<RunEventType> types = command.events().stream().map(RunEvent::type).toList();
      require(
          types.equals(List.of(RunEventType.LEASE_CLAIMED))
              || types.equals(List.of(RunEventType.LEASE_CLAIMED, RunEventType.STARTED)),
          "a claim of run %s must carry run.lease_claimed and at most run.started, but carries %s",
          command.runId(),
          types);
      requireLease(
          command.projectedRun(), ((RunEvent.LeaseClaimed) command.events().get(0)).lease());
    });
  }

  /** Checks scope, sequence and the lease. */
  public static Optional<RunlaneException> violation(HeartbeatRunLease command) {
    return firstOf(() -> {
      requireProjection(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          List.of(command.event()),
          command.projectedRun());
      requireLease(command.projectedRun(), command.event().lease());
    });
  }

  /** Checks scope, sequence and the reservation. */
  public static Optional<RunlaneException> violation(ReserveRunDispatch command) {
    return firstOf(() -> {
      requireProjection(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          List.of(command.event()),
          command.projectedRun());
      requireQueue(command.queuePolicy(), command.projectedRun());
      require(
          command.event().delivery().dispatchExpiresAt() != null
              && command.projectedRun().reservation() != null,
          "a reservation of run %s must carry dispatchExpiresAt in its event and its projection",
          command.runId());
    });
  }

  private static void requireProjection(
      Environment environment,
      String runId,
      long expectedSequence,
      List<? extends RunEvent> events,
      RunRecord projected) {
    require(!events.isEmpty(), "a command for run %s must carry events, but carries none", runId);
    requireScope(environment, runId, "the projection", projected.environment(), projected.id());
    for (RunEvent event : events) {
      requireScope(
          environment,
          runId,
          event.type().value(),
          event.header().environment(),
          event.header().runId());
      if (event instanceof RunEvent.DeliveryRequested requested) {
        requireDelivery(requested.delivery(), projected);
      }
    }
    long finalSequence = expectedSequence + events.size();
    require(
        projected.eventSequence() == finalSequence,
        "the projection of run %s must be at sequence %d, but is at %d",
        runId,
        finalSequence,
        projected.eventSequence());
  }

  private static void requireScope(
      Environment environment,
      String runId,
      String what,
      Environment foundEnvironment,
      String foundRunId) {
    require(
        environment.equals(foundEnvironment) && runId.equals(foundRunId),
        "a command for run %s in %s carries %s of run %s in %s",
        runId,
        environment.name(),
        what,
        foundRunId,
        foundEnvironment.name());
  }

  /** An outbox message is made of the delivery, so it must wake this run and no other. */
  private static void requireDelivery(DeliveryIntent delivery, RunRecord projected) {
    requireScope(
        projected.environment(),
        projected.id(),
        "a delivery",
        delivery.environment(),
        delivery.runId());
    require(
        delivery.queue().equals(projected.queue()),
        "run %s is in queue %s, but a delivery of it names %s",
        projected.id(),
        projected.queue(),
        delivery.queue());
  }

  private static void requireCreation(AppendRunEvents command) {
    boolean creates = command.expectedSequence() == 0;
    require(
        !creates
            || command.events().stream()
                .noneMatch(
                    event -> event instanceof RunEvent.StepRequested step && step.isRemote()),
        "a creation of run %s must not request a remote step",
        command.runId());
    for (int index = 0; index < command.events().size(); index++) {
      RunEventType type = command.events().get(index).type();
      require(
          (type == RunEventType.CREATED) == (creates && index == 0),
          "run.created must be the first event of run %s and nothing else; found %s at sequence %d",
          command.runId(),
          type.value(),
          command.expectedSequence() + index + 1);
      boolean firstLease = type == RunEventType.LEASE_CLAIMED;
      require(
          !firstLease || (creates && index == 1),
          "an append to run %s may claim a lease only directly after run.created",
          command.runId());
      require(
          !firstLease || command.queuePolicy() != null,
          "a creation of run %s with a lease must carry its queue's policy",
          command.runId());
    }
  }

  private static void requireQueue(@Nullable QueuePolicy policy, RunRecord projected) {
    require(
        policy == null || policy.queue().equals(projected.queue()),
        "run %s is in queue %s, but the command carries the policy of another",
        projected.id(),
        projected.queue());
  }

  private static void requireLease(RunRecord projected, Lease lease) {
    require(
        lease.equals(projected.lease()),
        "the projection of run %s must carry the lease of its event",
        projected.id());
  }

  private static void require(boolean holds, String format, Object... args) {
    if (!holds) {
      throw RunlaneException.adapterContractViolation(format, args);
    }
  }

  private static Optional<RunlaneException> firstOf(Runnable checks) {
    try {
      checks.run();
      return Optional.empty();
    } catch (RunlaneException violation) {
      return Optional.of(violation);
    }
  }
}
