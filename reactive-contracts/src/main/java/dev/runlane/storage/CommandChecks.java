package dev.runlane.storage;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every storage checks first, before it looks at anything stored: each method throws {@code
 * ValidationFailed} when the command's input is malformed. Whether an append, claim, heartbeat or
 * reservation is consistent in itself is another question, asked after its sequence was compared; see
 * {@link CommandConsistency}.
 */
public final class CommandChecks {
  private static final int MOST_IDS = 10_000;

  private CommandChecks() {}

  /** Checks ids, keys, sequence and claim duration. */
  public static void check(AppendRunEvents command) {
    requireRun(command.environment(), command.runId(), command.expectedSequence());
    requirePolicy(command.queuePolicy());
    requireDuration("claimOutboxFor", command.claimOutboxFor());
    for (RunEvent event : command.events()) {
      if (event instanceof RunEvent.Created created) {
        requireCreated(created);
      }
    }
  }

  /** Checks ids. */
  public static void check(GetRun query) {
    requireRun(query.environment(), query.runId(), 0);
  }

  /** Checks ids and their number. */
  public static void check(GetRuns query) {
    Identifiers.requireEnvironment(query.environment());
    requireIds("runIds", query.runIds());
  }

  /** Checks ids and key. */
  public static void check(GetRunByIdempotencyKey query) {
    requireKey(query.environment(), query.taskId(), query.idempotencyKey());
  }

  /** Checks ids and key. */
  public static void check(ResetIdempotencyKey command) {
    requireKey(command.environment(), command.taskId(), command.idempotencyKey());
  }

  /** Checks ids and limit. The cursor is checked where it is decoded, by {@link Cursors}. */
  public static void check(ListRuns query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    RunFilter filter = query.filter();
    requireIds("taskIds", filter.taskIds());
    requireIds("queues", filter.queues());
    Identifiers.requireKeyOrNull("concurrencyKey", filter.concurrencyKey());
    Identifiers.requireKeyOrNull("idempotencyKey", filter.idempotencyKey());
    Identifiers.requireKeyOrNull("singletonKey", filter.singletonKey());
  }

  /** Checks ids and limit, and that sorting by sequence names a run. */
  public static void check(ListRunEvents query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    String runId = query.filter().runId();
    if (runId != null) {
      Identifiers.requireId("runId", runId);
    } else if (query.sort().field() == RunEventSort.Field.SEQUENCE) {
      throw RunlaneException.validationFailed("sorting events by sequence needs a run id");
    }
  }

  /** Checks ids and limit. */
  public static void check(ListRunnableRuns query) {
    requireScan(query.environment(), query.limit(), query.queues());
    requireIds("taskIds", query.taskIds());
  }

  /** Checks ids and limit, and that every queue is bounded. */
  public static void check(ListRunsNeedingDispatch query) {
    requireScan(query.environment(), query.limit(), query.queues());
    query.queues().forEach(CommandChecks::requireBounded);
  }

  /** Checks ids and limit. */
  public static void check(ListRunsNeedingCancellationFinalization query) {
    requireScan(query.environment(), query.limit(), List.of());
  }

  /** Checks ids and limit. */
  public static void check(ListRunsNeedingDelivery query) {
    requireScan(query.environment(), query.limit(), List.of());
    requireIds("queues", query.queues());
  }

  /** Checks ids and sequence, and that the queue is bounded. */
  public static void check(ReserveRunDispatch command) {
    requireRun(command.environment(), command.runId(), command.expectedSequence());
    requirePolicy(command.queuePolicy());
    requireBounded(command.queuePolicy());
  }

  /** Checks ids and sequence. */
  public static void check(ClaimRunLease command) {
    requireRun(command.environment(), command.runId(), command.expectedSequence());
    requirePolicy(command.queuePolicy());
  }

  /** Checks ids and sequence. */
  public static void check(HeartbeatRunLease command) {
    requireRun(command.environment(), command.runId(), command.expectedSequence());
  }

  /** Checks ids. */
  public static void check(ReleaseRunLease command) {
    requireRun(command.environment(), command.runId(), 0);
    Identifiers.requireId("leaseToken", command.leaseToken());
    Identifiers.requireId("workerId", command.workerId());
  }

  /** Checks ids and claim duration. */
  public static void check(ClaimScheduleOccurrence command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("scheduleId", command.scheduleId());
    Identifiers.requireId("occurrenceId", command.occurrenceId());
    requireDuration("claimFor", command.claimFor());
  }

  /** Checks ids. */
  public static void check(CompleteScheduleOccurrence command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("occurrenceId", command.occurrenceId());
    Identifiers.requireId("claimToken", command.claimToken());
    requireIds("runIds", command.runIds());
  }

  /** Checks ids, limit and claim duration. */
  public static void check(ClaimOutboxMessages command) {
    requireScan(command.environment(), command.limit(), List.of());
    requireDuration("claimFor", command.claimFor());
    if (command.outboxMessageIds() != null) {
      requireIds("outboxMessageIds", command.outboxMessageIds());
    }
  }

  /** Checks ids. */
  public static void check(MarkOutboxMessagesPublished command) {
    Identifiers.requireEnvironment(command.environment());
    command.messages().forEach(each -> requireClaim(each.outboxMessageId(), each.claimToken()));
  }

  /** Checks ids. */
  public static void check(MarkOutboxMessagesFailed command) {
    Identifiers.requireEnvironment(command.environment());
    command.messages().forEach(each -> requireClaim(each.outboxMessageId(), each.claimToken()));
  }

  /** Checks ids. */
  public static void check(MarkOutboxMessagesDeadLettered command) {
    Identifiers.requireEnvironment(command.environment());
    command.messages().forEach(each -> requireClaim(each.outboxMessageId(), each.claimToken()));
  }

  /** Checks limit, and that every status is terminal. */
  public static void check(PruneRuns command) {
    Identifiers.requireEnvironment(command.environment());
    requireLimitOrNull(command.limit());
    for (RunStatus status : command.statuses()) {
      if (!status.isTerminal()) {
        throw RunlaneException.validationFailed(
            "only terminal runs can be pruned, but %s is active", status.value());
      }
    }
  }

  /** Checks ids, limit and lease duration. */
  public static void check(ClaimRuns command) {
    requireScan(command.environment(), command.limit(), command.queues());
    requireIds("taskIds", command.taskIds());
    Identifiers.requireId("workerId", command.workerId());
    Identifiers.requireId("leaseToken", command.leaseToken());
    requireDuration("leaseFor", command.leaseFor());
  }

  /** The rows a page holds: the limit given, the default for null, never more than the maximum. */
  public static int pageLimit(@Nullable Integer limit) {
    return limit == null
        ? ContractDefaults.PAGE_LIMIT
        : Math.min(limit, ContractDefaults.MAX_PAGE_LIMIT);
  }

  private static void requireRun(Environment environment, String runId, long expectedSequence) {
    Identifiers.requireEnvironment(environment);
    Identifiers.requireId("runId", runId);
    if (expectedSequence < 0 || expectedSequence > ContractDefaults.MAX_EVENT_SEQUENCE) {
      throw RunlaneException.validationFailed(
          "expectedSequence must be between 0 and %d, but is %d",
          ContractDefaults.MAX_EVENT_SEQUENCE, expectedSequence);
    }
  }

  private static void requireCreated(RunEvent.Created created) {
    Identifiers.requireId("taskId", created.taskId());
    Identifiers.requireId("queue", created.queue());
    RunKeys keys = created.keys();
    Identifiers.requireKeyOrNull("concurrencyKey", keys.concurrencyKey());
    Identifiers.requireKeyOrNull("idempotencyKey", keys.idempotencyKey());
    Identifiers.requireKeyOrNull("singletonKey", keys.singletonKey());
    if ((keys.idempotencyKey() == null) != (keys.idempotencyTtl() == null)) {
      throw RunlaneException.validationFailed(
          "an idempotency key and its TTL must be given together");
    }
    requireDuration(
        "idempotencyKeyTTL",
        keys.idempotencyTtl() == null ? null : keys.idempotencyTtl().retention());
  }

  private static void requireKey(Environment environment, String taskId, String key) {
    Identifiers.requireEnvironment(environment);
    Identifiers.requireId("taskId", taskId);
    Identifiers.requireKeyOrNull("idempotencyKey", key);
  }

  private static void requireClaim(String outboxMessageId, String claimToken) {
    Identifiers.requireId("outboxMessageId", outboxMessageId);
    Identifiers.requireId("claimToken", claimToken);
  }

  private static void requireScan(Environment environment, int limit, List<QueuePolicy> queues) {
    Identifiers.requireEnvironment(environment);
    requireLimitOrNull(limit);
    queues.forEach(CommandChecks::requirePolicy);
  }

  private static void requirePolicy(@Nullable QueuePolicy policy) {
    if (policy == null) {
      return;
    }
    Identifiers.requireId("queue", policy.queue());
    if (policy.concurrencyLimit() != null && policy.concurrencyLimit() < 1) {
      throw RunlaneException.validationFailed(
          "the concurrency limit of queue %s must be at least 1, but is %d",
          policy.queue(), policy.concurrencyLimit());
    }
  }

  private static void requireBounded(QueuePolicy policy) {
    if (!policy.isBounded()) {
      throw RunlaneException.validationFailed("queue %s has no concurrency limit", policy.queue());
    }
  }

  private static void requireLimitOrNull(@Nullable Integer limit) {
    if (limit != null && limit < 1) {
      throw RunlaneException.validationFailed("limit must be at least 1, but is %d", limit);
    }
  }

  private static void requireDuration(String what, @Nullable Duration duration) {
    if (duration != null && (duration.isNegative() || duration.isZero())) {
      throw RunlaneException.validationFailed("%s must be positive, but is %s", what, duration);
    }
  }

  private static void requireIds(String what, Collection<String> ids) {
    if (ids.size() > MOST_IDS) {
      throw RunlaneException.validationFailed(
          "%s must hold at most %d ids, but holds %d", what, MOST_IDS, ids.size());
    }
    ids.forEach(id -> Identifiers.requireId(what, id));
  }
}
