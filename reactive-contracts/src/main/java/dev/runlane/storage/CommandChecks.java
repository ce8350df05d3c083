package dev.runlane.storage;

import static dev.runlane.storage.InputRules.requireBounded;
import static dev.runlane.storage.InputRules.requireClaim;
import static dev.runlane.storage.InputRules.requireClaimFor;
import static dev.runlane.storage.InputRules.requireCount;
import static dev.runlane.storage.InputRules.requireIds;
import static dev.runlane.storage.InputRules.requireInstant;
import static dev.runlane.storage.InputRules.requireKey;
import static dev.runlane.storage.InputRules.requireLimitOrNull;
import static dev.runlane.storage.InputRules.requirePolicies;
import static dev.runlane.storage.InputRules.requirePolicy;
import static dev.runlane.storage.InputRules.requireRun;
import static dev.runlane.storage.InputRules.requireSequence;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepIds;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every storage checks first, before it looks at anything stored: each method throws {@code
 * ValidationFailed} when the command's input is malformed. Whether an append, claim, heartbeat or
 * reservation is consistent in itself is another question, asked after its sequence was compared; see
 * {@link CommandConsistency}.
 *
 * <p>In every command: ids and keys follow {@link Identifiers}, free text holds neither NUL nor half a
 * surrogate pair, instants are in the years 1 to 9999, and so is the end of every claim, durations are at
 * least a microsecond and at most 36 500 days, and no list holds more than 10 000 entries. Projections are not
 * looked at, nor are syntax and size of JSON: {@link dev.runlane.json.JsonValues} has checked the first, and the
 * second is an option of the runtime, which a storage cannot know. A check costs one pass over ids and free text
 * and allocates no more than ids need.
 */
public final class CommandChecks {
  /** Most characters of a schedule's definition. */
  public static final int MOST_DEFINITION_LENGTH = 500;

  private CommandChecks() {}

  /**
   * Checks ids, sequence and claim duration, what each event says, and that no lease is to be in force of a run that is
   * created.
   */
  public static void check(AppendRunEvents command) {
    requireRun(command.environment(), command.runId());
    requireSequence(command.expectedSequence());
    requirePolicy(command.queuePolicy());
    requireInstant("now", command.now());
    if (command.claimOutboxFor() != null) {
      requireClaimFor("claimOutboxFor", command.now(), command.claimOutboxFor());
    }
    if (command.heldLease() != null) {
      EventChecks.requireLease(command.heldLease());
      if (command.expectedSequence() == 0) {
        throw RunlaneException.validationFailed(
            "run %s is created, and so has no lease yet that could be held", command.runId());
      }
    }
    requireCount("events", command.events());
    command.events().forEach(EventChecks::check);
  }

  /** Checks ids. */
  public static void check(GetRun query) {
    requireRun(query.environment(), query.runId());
  }

  /** Checks ids and their number. */
  public static void check(GetRuns query) {
    Identifiers.requireEnvironment(query.environment());
    requireIds("runIds", query.runIds());
  }

  /** Checks ids and key. */
  public static void check(GetRunByIdempotencyKey query) {
    requireKey(query.environment(), query.taskId(), query.idempotencyKey());
    requireInstant("now", query.now());
  }

  /** Checks ids and key. */
  public static void check(ResetIdempotencyKey command) {
    requireKey(command.environment(), command.taskId(), command.idempotencyKey());
    requireInstant("now", command.now());
  }

  /** Checks ids, keys, instants and limit. The cursor is checked where it is decoded, by {@link Cursors}. */
  public static void check(ListRuns query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    RunFilter filter = query.filter();
    requireIds("taskIds", filter.taskIds());
    requireIds("queues", filter.queues());
    Identifiers.requireKeyOrNull("concurrencyKey", filter.concurrencyKey());
    Identifiers.requireKeyOrNull("idempotencyKey", filter.idempotencyKey());
    Identifiers.requireKeyOrNull("singletonKey", filter.singletonKey());
    requireInstant("createdFrom", filter.createdFrom());
    requireInstant("createdBefore", filter.createdBefore());
  }

  /** Checks ids, instants and limit, and that sorting by sequence names a run. */
  public static void check(ListRunEvents query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    if (query.bytes() != null && query.bytes() < 1) {
      throw RunlaneException.validationFailed(
          "bytes must be at least 1, but are %d", query.bytes());
    }
    RunEventFilter filter = query.filter();
    requireInstant("occurredFrom", filter.occurredFrom());
    requireInstant("occurredBefore", filter.occurredBefore());
    String runId = filter.runId();
    if (runId != null) {
      Identifiers.requireId("runId", runId);
    } else if (query.sort().field() == RunEventSort.Field.SEQUENCE) {
      throw RunlaneException.validationFailed("sorting events by sequence needs a run id");
    }
  }

  /** Checks ids, concurrency limits and limit. */
  public static void check(ListRunnableRuns query) {
    requireScan(query.environment(), query.now(), query.limit());
    requirePolicies(query.queues());
    requireIds("taskIds", query.taskIds());
  }

  /** Checks ids and limit, and that every queue is bounded. */
  public static void check(ListRunsNeedingDispatch query) {
    requireScan(query.environment(), query.now(), query.limit());
    requirePolicies(query.queues());
    query.queues().forEach(InputRules::requireBounded);
  }

  /** Checks environment and limit. */
  public static void check(ListRunsNeedingCancellationFinalization query) {
    requireScan(query.environment(), query.now(), query.limit());
  }

  /** Checks ids and limit. */
  public static void check(ListRunsNeedingDelivery query) {
    requireScan(query.environment(), query.now(), query.limit());
    requireIds("queues", query.queues());
  }

  /** Checks ids and sequence, what the event says, and that the queue is bounded. */
  public static void check(ReserveRunDispatch command) {
    requireRun(command.environment(), command.runId());
    requireSequence(command.expectedSequence());
    requirePolicy(command.queuePolicy());
    requireBounded(command.queuePolicy());
    requireInstant("now", command.now());
    EventChecks.check(command.event());
  }

  /** Checks ids and sequence, and what each event says. */
  public static void check(ClaimRunLease command) {
    requireRun(command.environment(), command.runId());
    requireSequence(command.expectedSequence());
    requirePolicy(command.queuePolicy());
    requireInstant("now", command.now());
    requireCount("events", command.events());
    command.events().forEach(EventChecks::check);
  }

  /** Checks ids and sequence, and what the event says. */
  public static void check(HeartbeatRunLease command) {
    requireRun(command.environment(), command.runId());
    requireSequence(command.expectedSequence());
    requireInstant("now", command.now());
    EventChecks.check(command.event());
  }

  /** Checks ids. */
  public static void check(ReleaseRunLease command) {
    requireRun(command.environment(), command.runId());
    Identifiers.requireId("leaseToken", command.leaseToken());
    Identifiers.requireId("workerId", command.workerId());
  }

  /** Checks ids and claim duration. */
  public static void check(ClaimScheduleOccurrence command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("scheduleId", command.scheduleId());
    Identifiers.requireId("occurrenceId", command.occurrenceId());
    requireInstant("fireAt", command.fireAt());
    requireClaimFor("claimFor", command.now(), command.claimFor());
  }

  /** Checks ids. */
  public static void check(CompleteScheduleOccurrence command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("occurrenceId", command.occurrenceId());
    Identifiers.requireId("claimToken", command.claimToken());
    requireIds("runIds", command.runIds());
    requireInstant("now", command.now());
    if (command.taskId() != null) {
      Identifiers.requireId("taskId", command.taskId());
    }
  }

  /** Checks ids, definitions and durations, and that each schedule is named once. */
  public static void check(RegisterSchedules command) {
    Identifiers.requireEnvironment(command.environment());
    requireClaimFor("goneAfter", command.now(), command.goneAfter());
    command.schedules().forEach(schedule -> {
      Identifiers.requireId("taskId", schedule.taskId());
      Identifiers.requireId("scheduleId", schedule.scheduleId());
      requireDefinition(schedule.definition());
    });
    requireDistinct(
        "schedules", command.schedules(), each -> each.taskId() + ":" + each.scheduleId());
  }

  /** Checks ids. */
  public static void check(GetScheduleOccurrence query) {
    Identifiers.requireEnvironment(query.environment());
    Identifiers.requireId("occurrenceId", query.occurrenceId());
  }

  /** Checks the environment, the instant and the limit. */
  public static void check(PruneOccurrences command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("olderThan", command.olderThan());
    requireLimitOrNull(command.limit());
  }

  /** Checks ids and policies, and that each queue is named once. */
  public static void check(PublishQueues command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("processId", command.processId());
    requireClaimFor("validFor", command.now(), command.validFor());
    requirePolicies(command.queues());
    requireDistinct("queues", command.queues(), QueuePolicy::queue);
  }

  /** Checks scope and names. */
  public static void check(ListPublishedQueues query) {
    Identifiers.requireEnvironment(query.environment());
    requireInstant("now", query.now());
    requireIds("queues", query.queues());
  }

  /** Checks ids, limit and claim duration. */
  public static void check(ClaimOutboxMessages command) {
    requireScan(command.environment(), command.now(), command.limit());
    requireClaimFor("claimFor", command.now(), command.claimFor());
    if (command.outboxMessageIds() != null) {
      requireIds("outboxMessageIds", command.outboxMessageIds());
    }
  }

  /** Checks ids and the provider's names. */
  public static void check(MarkOutboxMessagesPublished command) {
    requireMarks(command.environment(), command.now(), command.messages());
    command.messages().forEach(each -> {
      requireClaim(each.outboxMessageId(), each.claimToken());
      StorableText.require("providerMessageId", each.providerMessageId());
    });
  }

  /** Checks ids and failures. */
  public static void check(MarkOutboxMessagesFailed command) {
    requireMarks(command.environment(), command.now(), command.messages());
    command.messages().forEach(each -> {
      requireClaim(each.outboxMessageId(), each.claimToken());
      StorableText.require("the failure's message", each.failure().message());
      requireInstant("nextAvailableAt", each.nextAvailableAt());
    });
  }

  /** Checks ids and failures. */
  public static void check(MarkOutboxMessagesDeadLettered command) {
    requireMarks(command.environment(), command.now(), command.messages());
    command.messages().forEach(each -> {
      requireClaim(each.outboxMessageId(), each.claimToken());
      StorableText.require("the failure's message", each.failure().message());
    });
  }

  /** Checks cutoff and limit, and that every status is terminal. */
  public static void check(PruneRuns command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("olderThan", command.olderThan());
    requireInstant("now", command.now());
    requireLimitOrNull(command.limit());
    for (RunStatus status : command.statuses()) {
      if (!status.isTerminal()) {
        throw RunlaneException.validationFailed(
            "only terminal runs can be pruned, but %s is active", status.value());
      }
    }
  }

  /** Checks ids, limits and lease duration, and that no queue of named runs has a limit. */
  public static void check(ClaimRuns command) {
    requireScan(command.environment(), command.now(), command.limit());
    requirePolicies(command.queues());
    requireIds("taskIds", command.taskIds());
    Identifiers.requireId("workerId", command.workerId());
    Identifiers.requireId("leaseToken", command.leaseToken());
    requireClaimFor("leaseFor", command.now(), command.leaseFor());
    if (command.runIds() != null) {
      requireIds("runIds", command.runIds());
      command.queues().forEach(InputRules::requireUnbounded);
    }
  }

  /** Checks limit and claim duration. */
  public static void check(ClaimDueSteps command) {
    requireScan(command.environment(), command.now(), command.limit());
    requireClaimFor("claimFor", command.now(), command.claimFor());
  }

  /** Checks ids and instants, and that no step is named twice. */
  public static void check(ReschedulePendingSteps command) {
    Identifiers.requireEnvironment(command.environment());
    requireDistinct("moves", command.moves(), ReschedulePendingSteps.NextCheck::stepId);
    command.moves().forEach(each -> {
      requireStep(each.runId(), each.stepId());
      Identifiers.requireId("token", each.token());
      requireInstant("checkAt", each.checkAt());
      requireInstant("dispatchedAt", each.dispatchedAt());
    });
  }

  /** Checks ids, and that no step is named twice. */
  public static void check(RemovePendingSteps command) {
    Identifiers.requireEnvironment(command.environment());
    requireDistinct("steps", command.steps(), RemovePendingSteps.Removal::stepId);
    command.steps().forEach(each -> {
      requireStep(each.runId(), each.stepId());
      Identifiers.requireId("token", each.token());
    });
  }

  /** Checks ids, attempt and instants. */
  public static void check(RetryStep command) {
    Identifiers.requireEnvironment(command.environment());
    requireStep(command.runId(), command.stepId());
    requireInstant("resultAt", command.resultAt());
    requireInstant("nextAt", command.nextAt());
    if (command.attempt() < 1) {
      throw RunlaneException.validationFailed(
          "attempt must be at least 1, but is %d", command.attempt());
    }
  }

  /** Checks ids. */
  public static void check(ListPendingSteps query) {
    requireRun(query.environment(), query.runId());
    if (query.stepId() != null) {
      requireStep(query.runId(), query.stepId());
    }
  }

  /** The rows a page holds: the limit given, the default for null, never more than the maximum. */
  public static int pageLimit(@Nullable Integer limit) {
    return limit == null
        ? ContractDefaults.PAGE_LIMIT
        : Math.min(limit, ContractDefaults.MAX_PAGE_LIMIT);
  }

  private static void requireDefinition(String definition) {
    StorableText.require("definition", definition);
    if (definition.isEmpty() || definition.length() > MOST_DEFINITION_LENGTH) {
      throw RunlaneException.validationFailed(
          "a schedule's definition must have 1 to %d characters, but has %d",
          MOST_DEFINITION_LENGTH, definition.length());
    }
  }

  private static void requireMarks(Environment environment, Instant now, Collection<?> messages) {
    Identifiers.requireEnvironment(environment);
    requireInstant("now", now);
    requireCount("messages", messages);
  }

  private static void requireScan(Environment environment, Instant now, int limit) {
    Identifiers.requireEnvironment(environment);
    requireInstant("now", now);
    requireLimitOrNull(limit);
  }

  private static void requireStep(String runId, String stepId) {
    Identifiers.requireId("runId", runId);
    if (StepIds.position(runId, stepId).isEmpty()) {
      throw RunlaneException.validationFailed("run %s has no step %s", runId, stepId);
    }
  }

  private static <T> void requireDistinct(String what, List<T> entries, Function<T, String> id) {
    requireCount(what, entries);
    Set<String> ids = new HashSet<>();
    for (T entry : entries) {
      if (!ids.add(id.apply(entry))) {
        throw RunlaneException.validationFailed("%s must not name %s twice", what, id.apply(entry));
      }
    }
  }
}
