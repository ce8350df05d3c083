package dev.runlane.conformance.storage.refuse;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.HOUR;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Environment;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
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
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;

/** For every method of a storage, calls that are malformed whatever is stored. */
final class MalformedCommands {
  private static final String BAD = "a:b";
  private static final Environment BAD_SCOPE = new Environment(BAD);
  private static final QueuePolicy ZERO = new QueuePolicy("bounded", 0, null);

  private MalformedCommands() {}

  static Stream<Named<Call>> all() {
    List<Named<Call>> calls = new ArrayList<>();
    addAppends(calls);
    addReads(calls);
    addLists(calls);
    addScans(calls);
    addLeases(calls);
    addSchedules(calls);
    addOutbox(calls);
    addPrunes(calls);
    return calls.stream();
  }

  private static void addAppends(List<Named<Call>> calls) {
    add(calls, "appendRunEvents, environment", creating(queued("run_1").environment(BAD_SCOPE)));
    add(calls, "appendRunEvents, run id", creating(queued(BAD)));
    add(calls, "appendRunEvents, task id", creating(queued("run_1").task(BAD)));
    add(
        calls,
        "appendRunEvents, queue",
        creating(queued("run_1").queue(QueuePolicy.unbounded(BAD))));
    add(calls, "appendRunEvents, concurrency key", creating(queued("run_1").concurrencyKey(BAD)));
    add(calls, "appendRunEvents, singleton key", creating(queued("run_1").singletonKey("")));
    add(
        calls,
        "appendRunEvents, idempotency key",
        creating(queued("run_1").idempotencyKey(BAD, IdempotencyTtl.ACTIVE)));
    add(
        calls,
        "appendRunEvents, negative TTL",
        creating(queued("run_1").idempotencyKey("key", IdempotencyTtl.of(HOUR.negated()))));
    add(
        calls,
        "appendRunEvents, claim duration",
        s -> s.appendRunEvents(queued("run_1").creation().claimingOutboxFor(Duration.ZERO)));
    add(
        calls,
        "appendRunEvents, limit",
        s -> s.appendRunEvents(queued("run_1").creation().in(ZERO)));
    add(calls, "appendRunEvents, sequence", s -> {
      AppendRunEvents creation = queued("run_1").creation();
      return s.appendRunEvents(new AppendRunEvents(
          ENVIRONMENT, "run_1", -1, creation.events(), creation.projectedRun(), null, NOON, null));
    });
  }

  private static void addReads(List<Named<Call>> calls) {
    add(calls, "getRun, environment", s -> s.getRun(new GetRun(BAD_SCOPE, "run_1")));
    add(calls, "getRun, run id", s -> s.getRun(new GetRun(ENVIRONMENT, BAD)));
    add(calls, "getRuns, run id", s -> s.getRuns(new GetRuns(ENVIRONMENT, List.of("run_1", BAD))));
    add(
        calls,
        "getRunSummaries, run id",
        s -> s.getRunSummaries(new GetRuns(ENVIRONMENT, List.of("run_1", BAD))));
    add(
        calls,
        "getRunByIdempotencyKey, task id",
        s -> s.getRunByIdempotencyKey(new GetRunByIdempotencyKey(ENVIRONMENT, BAD, "key", NOON)));
    add(
        calls,
        "getRunByIdempotencyKey, key",
        s -> s.getRunByIdempotencyKey(new GetRunByIdempotencyKey(ENVIRONMENT, TASK, BAD, NOON)));
    add(
        calls,
        "resetIdempotencyKey, key",
        s -> s.resetIdempotencyKey(new ResetIdempotencyKey(ENVIRONMENT, TASK, BAD, NOON)));
  }

  private static void addLists(List<Named<Call>> calls) {
    add(calls, "listRuns, limit 0", s -> s.listRuns(runs(RunFilter.ALL, 0)));
    add(calls, "listRuns, limit -1", s -> s.listRuns(runs(RunFilter.ALL, -1)));
    add(
        calls,
        "listRuns, filter",
        s -> s.listRuns(runs(RunFilter.ALL.withTaskIds(List.of(BAD)), null)));
    add(
        calls,
        "listRunEvents, limit 0",
        s -> s.listRunEvents(events(RunEventFilter.ofRun("run_1"), 0)));
    add(
        calls,
        "listRunEvents, bytes 0",
        s -> s.listRunEvents(new ListRunEvents(
            ENVIRONMENT, RunEventFilter.ofRun("run_1"), RunEventSort.HISTORY, null, null, 0)));
    add(
        calls,
        "listRunEvents, run id",
        s -> s.listRunEvents(events(RunEventFilter.ofRun(BAD), null)));
    add(
        calls,
        "listRunEvents, by sequence without a run id",
        s -> s.listRunEvents(events(new RunEventFilter(null, Set.of(), null, null), null)));
  }

  private static void addScans(List<Named<Call>> calls) {
    add(
        calls,
        "listRunnableRuns, limit",
        s -> s.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(UNBOUNDED), TASKS, NOON, 0)));
    add(
        calls,
        "listRunnableRuns, task id",
        s -> s.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(UNBOUNDED), List.of(BAD), NOON, 1)));
    add(
        calls,
        "listRunnableRuns, concurrency limit",
        s -> s.listRunnableRuns(new ListRunnableRuns(ENVIRONMENT, List.of(ZERO), TASKS, NOON, 1)));
    add(
        calls,
        "listRunsNeedingDispatch, unbounded queue",
        s -> s.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(UNBOUNDED), NOON, 1)));
    add(
        calls,
        "listRunsNeedingDelivery, queue",
        s -> s.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(ENVIRONMENT, List.of(BAD), NOON, 1)));
    add(
        calls,
        "listRunsNeedingCancellationFinalization, limit",
        s -> s.listRunsNeedingCancellationFinalization(
            new ListRunsNeedingCancellationFinalization(ENVIRONMENT, NOON, -3)));
  }

  private static void addLeases(List<Named<Call>> calls) {
    RunRecord run = queued(BAD).creation().projectedRun();
    RunRecord leased = queued(BAD).creationWithLease(lease("tok", minutes(1))).projectedRun();
    QueuePolicy one = Given.bounded(1);
    RunRecord bounded = queued(BAD).queue(one).creation().projectedRun();
    RunRecord waiting = queued("run_1").creation().projectedRun();
    add(
        calls,
        "claimRunLease, run id",
        s -> s.claimRunLease(Commands.claim(run, UNBOUNDED, lease("tok", minutes(1)), NOON)));
    add(
        calls,
        "heartbeatRunLease, run id",
        s -> s.heartbeatRunLease(Commands.heartbeat(leased, minutes(2), NOON)));
    add(
        calls,
        "reserveRunDispatch, run id",
        s -> s.reserveRunDispatch(Commands.reserve(bounded, one, minutes(1), NOON)));
    add(
        calls,
        "reserveRunDispatch, unbounded queue",
        s -> s.reserveRunDispatch(Commands.reserve(waiting, UNBOUNDED, minutes(1), NOON)));
    add(
        calls,
        "releaseRunLease, token",
        s -> s.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, "run_1", BAD, "worker_1")));
    add(
        calls,
        "releaseRunLease, worker",
        s -> s.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, "run_1", "tok", BAD)));
  }

  private static void addSchedules(List<Named<Call>> calls) {
    add(
        calls,
        "claimScheduleOccurrence, schedule id",
        s -> s.claimScheduleOccurrence(
            new ClaimScheduleOccurrence(ENVIRONMENT, BAD, "occ_1", NOON, NOON, MINUTE)));
    add(
        calls,
        "claimScheduleOccurrence, duration",
        s -> s.claimScheduleOccurrence(new ClaimScheduleOccurrence(
            ENVIRONMENT, "nightly", "occ_1", NOON, NOON, Duration.ZERO)));
    add(
        calls,
        "completeScheduleOccurrence, run id",
        s -> s.completeScheduleOccurrence(
            new CompleteScheduleOccurrence(ENVIRONMENT, "occ_1", "tok", List.of(BAD), NOON)));
  }

  private static void addOutbox(List<Named<Call>> calls) {
    add(
        calls,
        "claimOutboxMessages, limit",
        s -> s.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, 0, null)));
    add(
        calls,
        "claimOutboxMessages, duration",
        s -> s.claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE.negated(), 1, null)));
    add(
        calls,
        "claimOutboxMessages, message id",
        s -> s.claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, 1, List.of(BAD))));
    add(
        calls,
        "markOutboxMessagesPublished, message id",
        s -> s.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesPublished.Published(BAD, "tok", null)),
            NOON)));
    add(
        calls,
        "markOutboxMessagesFailed, token",
        s -> s.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesFailed.Failed("msg_1", BAD, FAILURE, null)),
            NOON)));
    add(
        calls,
        "markOutboxMessagesDeadLettered, environment",
        s -> s.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
            BAD_SCOPE,
            List.of(new MarkOutboxMessagesDeadLettered.DeadLettered("msg_1", "tok", FAILURE)),
            NOON)));
  }

  private static void addPrunes(List<Named<Call>> calls) {
    add(
        calls,
        "pruneRuns, limit",
        s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NOON, NOON, 0, null)));
    add(
        calls,
        "pruneRuns, cursor",
        s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NOON, NOON, 1, "no cursor")));
    for (RunStatus status : RunStatus.values()) {
      if (status.isActive()) {
        add(
            calls,
            "pruneRuns, status " + status.value(),
            s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(status), NOON, NOON, 1, null)));
      }
    }
  }

  private static Call creating(TestRun run) {
    AppendRunEvents creation = run.creation();
    return storage -> storage.appendRunEvents(creation);
  }

  private static ListRuns runs(RunFilter filter, @Nullable Integer limit) {
    return new ListRuns(ENVIRONMENT, filter, RunSort.NEWEST_FIRST, limit, null);
  }

  private static ListRunEvents events(RunEventFilter filter, @Nullable Integer limit) {
    return new ListRunEvents(ENVIRONMENT, filter, RunEventSort.HISTORY, limit, null);
  }

  private static void add(List<Named<Call>> calls, String name, Call call) {
    calls.add(Named.of(name, call));
  }

  /** A call of a storage. */
  interface Call {
    Future<?> on(StorageAdapter storage);
  }
}
