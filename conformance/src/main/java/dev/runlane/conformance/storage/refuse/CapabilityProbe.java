package dev.runlane.conformance.storage.refuse;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.storage.StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES;
import static dev.runlane.storage.StorageCapability.ENFORCES_IDEMPOTENCY;
import static dev.runlane.storage.StorageCapability.ENFORCES_QUEUE_CONCURRENCY;
import static dev.runlane.storage.StorageCapability.ENFORCES_SINGLETON;
import static dev.runlane.storage.StorageCapability.LEASES_RUNS;
import static dev.runlane.storage.StorageCapability.PERSISTS_OUTBOX;
import static dev.runlane.storage.StorageCapability.PERSISTS_STEPS;
import static dev.runlane.storage.StorageCapability.PRUNES_RUNS;
import static dev.runlane.storage.StorageCapability.READS_RUN_HISTORY;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.storage.batch.BatchConformance;
import dev.runlane.conformance.storage.step.PendingStepScene;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.run.Actor;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageStatus;
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
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A correct use of a storage and the capabilities it needs: with all of them it succeeds, without any
 * one of them it is refused.
 *
 * @param name the method, and what makes the use special
 * @param needs the capabilities that guard it
 * @param use the calls; only the last one is guarded
 */
record CapabilityProbe(String name, Set<StorageCapability> needs, MalformedCommands.Call use) {
  private static final QueuePolicy ONE = bounded(1);
  private static final ScheduleName NIGHTLY = new ScheduleName(TASK, "nightly");
  private static final Set<StorageCapability> BOUNDED_LEASES =
      Set.of(LEASES_RUNS, ENFORCES_QUEUE_CONCURRENCY);

  /** Uses of every method, and of what needs a capability in those optional parts that the storage has. */
  static List<CapabilityProbe> of(StorageAdapter storage) {
    List<CapabilityProbe> probes = new ArrayList<>();
    addRuns(probes);
    addKeys(probes);
    addReads(probes);
    addLeases(probes);
    addQueues(probes);
    addOutbox(probes);
    addSchedules(probes);
    if (storage.batch().isPresent()) {
      addBatches(probes);
    }
    if (storage.outbox().isPresent()) {
      addOutboxView(probes);
    }
    addSteps(probes);
    if (storage.steps().isPresent()) {
      addPendingSteps(probes);
    }
    if (storage.schedules().isPresent()) {
      addScheduleStorage(probes);
    }
    if (storage.operator().isPresent()) {
      addOperator(probes);
      if (storage.schedules().isPresent()) {
        addPauses(probes);
      }
    }
    return probes;
  }

  private static void addRuns(List<CapabilityProbe> probes) {
    add(probes, "appendRunEvents", Set.of(), s -> create(s, queued("append")));
    add(probes, "getRun", Set.of(), s -> s.getRun(new GetRun(ENVIRONMENT, "append")));
    add(probes, "getRuns", Set.of(), s -> s.getRuns(new GetRuns(ENVIRONMENT, List.of("append"))));
    add(
        probes,
        "getRunSummaries",
        Set.of(),
        s -> s.getRunSummaries(new GetRuns(ENVIRONMENT, List.of("append"))));
    add(
        probes,
        "pruneRuns",
        Set.of(PRUNES_RUNS),
        s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), minutes(-5), NOON, 1, null)));
  }

  private static void addKeys(List<CapabilityProbe> probes) {
    add(
        probes,
        "creation with an idempotency key",
        Set.of(ENFORCES_IDEMPOTENCY),
        s -> create(s, queued("idempotent").idempotencyKey("key", TTL_HOUR)));
    add(
        probes,
        "creation with a singleton key",
        Set.of(ENFORCES_SINGLETON),
        s -> create(s, queued("singleton").singletonKey("one")));
    add(
        probes,
        "getRunByIdempotencyKey",
        Set.of(ENFORCES_IDEMPOTENCY),
        s -> s.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(ENVIRONMENT, TASK, "unknown", NOON)));
    add(
        probes,
        "resetIdempotencyKey",
        Set.of(ENFORCES_IDEMPOTENCY),
        s -> s.resetIdempotencyKey(new ResetIdempotencyKey(ENVIRONMENT, TASK, "unknown", NOON)));
  }

  private static void addReads(List<CapabilityProbe> probes) {
    add(
        probes,
        "listRuns",
        Set.of(READS_RUN_HISTORY),
        s ->
            s.listRuns(new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, null, null)));
    add(
        probes,
        "listRunEvents",
        Set.of(READS_RUN_HISTORY),
        s -> s.listRunEvents(new ListRunEvents(
            ENVIRONMENT, RunEventFilter.ofRun("append"), RunEventSort.HISTORY, null, null)));
  }

  private static void addLeases(List<CapabilityProbe> probes) {
    add(
        probes,
        "listRunnableRuns",
        Set.of(LEASES_RUNS),
        s -> s.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(UNBOUNDED), TASKS, NOON, 1)));
    add(
        probes,
        "listRunnableRuns with a limit",
        BOUNDED_LEASES,
        s -> s.listRunnableRuns(new ListRunnableRuns(ENVIRONMENT, List.of(ONE), TASKS, NOON, 1)));
    add(
        probes,
        "listRunsNeedingCancellationFinalization",
        Set.of(LEASES_RUNS),
        s -> s.listRunsNeedingCancellationFinalization(
            new ListRunsNeedingCancellationFinalization(ENVIRONMENT, NOON, 1)));
    add(probes, "claimRunLease", Set.of(LEASES_RUNS), s -> create(s, queued("claimed"))
        .compose(run -> claim(s, run, UNBOUNDED)));
    add(probes, "claimRunLease with a limit", BOUNDED_LEASES, s -> create(
            s, queued("claimed_in_one").queue(ONE))
        .compose(run -> claim(s, run, ONE)));
    add(probes, "heartbeatRunLease", Set.of(LEASES_RUNS), s -> s.appendRunEvents(
            queued("beating").creationWithLease(lease("tok", minutes(1))))
        .compose(
            created -> s.heartbeatRunLease(Commands.heartbeat(created.run(), minutes(2), NOON))));
    add(
        probes,
        "releaseRunLease",
        Set.of(LEASES_RUNS),
        s -> s.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, "append", "tok", Given.WORKER)));
  }

  private static void addQueues(List<CapabilityProbe> probes) {
    add(
        probes,
        "creation with a lease and a limit",
        Set.of(ENFORCES_QUEUE_CONCURRENCY),
        s -> s.appendRunEvents(queued("leased_in_one")
            .queue(ONE)
            .concurrencyKey("a")
            .creationWithLease(lease("tok", minutes(1)))));
    add(
        probes,
        "listRunsNeedingDispatch",
        Set.of(ENFORCES_QUEUE_CONCURRENCY),
        s -> s.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(ONE), NOON, 1)));
    add(probes, "reserveRunDispatch", Set.of(ENFORCES_QUEUE_CONCURRENCY), s -> create(
            s, queued("reserved").queue(ONE).concurrencyKey("b"))
        .compose(run -> s.reserveRunDispatch(Commands.reserve(run, ONE, minutes(1), NOON))));
  }

  private static void addOutbox(List<CapabilityProbe> probes) {
    add(
        probes,
        "appendRunEvents that claims its outbox messages",
        Set.of(PERSISTS_OUTBOX),
        s -> s.appendRunEvents(queued("published").creation().claimingOutboxFor(MINUTE)));
    add(
        probes,
        "listRunsNeedingDelivery",
        Set.of(PERSISTS_OUTBOX),
        s -> s.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(ENVIRONMENT, List.of("default"), NOON, 1)));
    add(
        probes,
        "claimOutboxMessages",
        Set.of(PERSISTS_OUTBOX),
        s -> s.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, 1, null)));
    add(
        probes,
        "markOutboxMessagesPublished",
        Set.of(PERSISTS_OUTBOX),
        s -> s.markOutboxMessagesPublished(
            new MarkOutboxMessagesPublished(ENVIRONMENT, List.of(), NOON)));
    add(
        probes,
        "markOutboxMessagesFailed",
        Set.of(PERSISTS_OUTBOX),
        s ->
            s.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(ENVIRONMENT, List.of(), NOON)));
    add(
        probes,
        "markOutboxMessagesDeadLettered",
        Set.of(PERSISTS_OUTBOX),
        s -> s.markOutboxMessagesDeadLettered(
            new MarkOutboxMessagesDeadLettered(ENVIRONMENT, List.of(), NOON)));
  }

  private static void addSchedules(List<CapabilityProbe> probes) {
    add(
        probes,
        "claimScheduleOccurrence",
        Set.of(CLAIMS_SCHEDULE_OCCURRENCES),
        s -> s.claimScheduleOccurrence(occurrence("occ_1")));
    add(
        probes,
        "completeScheduleOccurrence",
        Set.of(CLAIMS_SCHEDULE_OCCURRENCES),
        s -> s.capabilities().contains(CLAIMS_SCHEDULE_OCCURRENCES)
            ? s.claimScheduleOccurrence(occurrence("occ_2"))
                .compose(claimed -> complete(s, claimed.orElseThrow().claimToken()))
            : complete(s, "tok"));
  }

  private static void addBatches(List<CapabilityProbe> probes) {
    add(probes, "claimRuns", Set.of(LEASES_RUNS), s -> BatchConformance.batchOf(s)
        .claimRuns(claimRuns(UNBOUNDED)));
    add(probes, "claimRuns with a limit", BOUNDED_LEASES, s -> BatchConformance.batchOf(s)
        .claimRuns(claimRuns(ONE)));
    add(
        probes,
        "appendAll with a singleton key",
        Set.of(ENFORCES_SINGLETON),
        s -> BatchConformance.batchOf(s)
            .appendAll(List.of(queued("in_batch").singletonKey("two").creation()))
            .compose(
                outcomes -> outcomes.get(0) instanceof CommandOutcome.Failed<AppendedRun> failed
                    ? Future.failedFuture(failed.failure())
                    : Future.succeededFuture()));
  }

  private static void addOutboxView(List<CapabilityProbe> probes) {
    add(probes, "outboxMessagesOf", Set.of(PERSISTS_OUTBOX), s -> s.outbox()
        .orElseThrow(() -> new AssertionError("the storage showed its outbox before"))
        .outboxMessagesOf(new GetRun(ENVIRONMENT, "append")));
  }

  private static void addSteps(List<CapabilityProbe> probes) {
    add(probes, "a remote step", Set.of(PERSISTS_STEPS), s -> s.appendRunEvents(
            queued("asking").creationWithLease(lease("tok", minutes(1))))
        .compose(created -> s.appendRunEvents(
            Commands.append(created.run(), NOON, Events.started(created.run(), NOON))))
        .compose(started -> s.appendRunEvents(Commands.append(
            started.run(), NOON, PendingStepScene.request(started.run(), 0, NOON)))));
  }

  private static void addPendingSteps(List<CapabilityProbe> probes) {
    addPending(
        probes,
        "claimDueSteps",
        steps -> steps.claimDueSteps(new ClaimDueSteps(ENVIRONMENT, minutes(-5), MINUTE, 1)));
    addPending(
        probes,
        "reschedulePendingSteps",
        steps -> steps.reschedulePendingSteps(new ReschedulePendingSteps(ENVIRONMENT, List.of())));
    addPending(
        probes,
        "removePendingSteps",
        steps -> steps.removePendingSteps(new RemovePendingSteps(ENVIRONMENT, List.of())));
    addPending(
        probes,
        "retryStep",
        steps -> steps.retryStep(new RetryStep(ENVIRONMENT, "append", "append:0", 1, NOON, NOON)));
    addPending(
        probes,
        "listPendingSteps",
        steps -> steps.listPendingSteps(new ListPendingSteps(ENVIRONMENT, "append", null)));
  }

  private static void addPending(
      List<CapabilityProbe> probes, String name, Function<StepStorage, Future<?>> use) {
    add(
        probes,
        name,
        Set.of(PERSISTS_STEPS),
        s -> use.apply(s.steps()
            .orElseThrow(() -> new AssertionError("the storage kept pending steps before"))));
  }

  private static void addScheduleStorage(List<CapabilityProbe> probes) {
    addScheduled(probes, "registerSchedules", CapabilityProbe::register);
    addScheduled(
        probes,
        "getScheduleOccurrence",
        schedules ->
            schedules.getScheduleOccurrence(new GetScheduleOccurrence(ENVIRONMENT, "unknown")));
    addScheduled(
        probes,
        "pruneOccurrences",
        schedules -> schedules.pruneOccurrences(new PruneOccurrences(ENVIRONMENT, NOON, 1)));
  }

  private static void addScheduled(
      List<CapabilityProbe> probes, String name, Function<ScheduleStorage, Future<?>> use) {
    add(probes, name, Set.of(CLAIMS_SCHEDULE_OCCURRENCES), s -> use.apply(schedulesOf(s)));
  }

  private static ScheduleStorage schedulesOf(StorageAdapter storage) {
    return storage
        .schedules()
        .orElseThrow(() -> new AssertionError("the storage kept schedules before"));
  }

  private static Future<?> register(ScheduleStorage schedules) {
    return schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(
            new RegisterSchedules.Definition(NIGHTLY.taskId(), NIGHTLY.scheduleId(), "0 3 * * *")),
        NOON,
        MINUTE));
  }

  private static void addOperator(List<CapabilityProbe> probes) {
    addOperated(
        probes,
        "leasesOf",
        LEASES_RUNS,
        operator -> operator.leasesOf(new LeasesOf(ENVIRONMENT, "unknown", NOON, 1)));
    addOperated(
        probes,
        "listSteps",
        PERSISTS_STEPS,
        operator -> operator.listSteps(new ListSteps(ENVIRONMENT, null, null, null, null)));
    addOperated(
        probes,
        "listStepGroups",
        PERSISTS_STEPS,
        operator -> operator.listStepGroups(new ListStepGroups(ENVIRONMENT)));
    addOperated(
        probes,
        "listOutbox",
        PERSISTS_OUTBOX,
        operator -> operator.listOutbox(
            new ListOutbox(ENVIRONMENT, OutboxMessageStatus.DEAD_LETTERED, null, null)));
    addOperated(
        probes,
        "redriveOutbox",
        PERSISTS_OUTBOX,
        operator -> operator.redriveOutbox(new RedriveOutbox(ENVIRONMENT, null, 1, NOON)));
    addOperated(
        probes,
        "listSchedules",
        CLAIMS_SCHEDULE_OCCURRENCES,
        operator -> operator.listSchedules(new ListSchedules(ENVIRONMENT, null, null)));
    addOperated(
        probes,
        "findSchedules",
        CLAIMS_SCHEDULE_OCCURRENCES,
        operator -> operator.findSchedules(new FindSchedules(ENVIRONMENT, List.of(NIGHTLY))));
  }

  private static void addOperated(
      List<CapabilityProbe> probes,
      String name,
      StorageCapability needs,
      Function<OperatorStore, Future<?>> use) {
    add(probes, name, Set.of(needs), s -> use.apply(operatorOf(s)));
  }

  private static OperatorStore operatorOf(StorageAdapter storage) {
    return storage
        .operator()
        .orElseThrow(() -> new AssertionError("the storage kept something for operators before"));
  }

  private static void addPauses(List<CapabilityProbe> probes) {
    addPause(
        probes,
        "pauseSchedule",
        operator -> operator.pauseSchedule(
            new PauseSchedule(ENVIRONMENT, NIGHTLY, Actor.operator("anna"), null, NOON)));
    addPause(
        probes,
        "resumeSchedule",
        operator -> operator.resumeSchedule(new ResumeSchedule(ENVIRONMENT, NIGHTLY, NOON)));
  }

  /** Of a schedule that was registered, where that is possible. */
  private static void addPause(
      List<CapabilityProbe> probes, String name, Function<OperatorStore, Future<?>> use) {
    add(
        probes,
        name,
        Set.of(CLAIMS_SCHEDULE_OCCURRENCES),
        s -> s.capabilities().contains(CLAIMS_SCHEDULE_OCCURRENCES)
            ? register(schedulesOf(s)).compose(registered -> use.apply(operatorOf(s)))
            : use.apply(operatorOf(s)));
  }

  private static Future<RunRecord> create(StorageAdapter storage, TestRun run) {
    return storage.appendRunEvents(run.creation()).map(AppendedRun::run);
  }

  private static Future<?> claim(StorageAdapter storage, RunRecord run, QueuePolicy queue) {
    return storage.claimRunLease(Commands.claim(run, queue, lease("tok", minutes(1)), NOON));
  }

  private static ClaimScheduleOccurrence occurrence(String id) {
    return new ClaimScheduleOccurrence(ENVIRONMENT, "nightly", id, NOON, NOON, MINUTE);
  }

  private static Future<Void> complete(StorageAdapter storage, String token) {
    return storage.completeScheduleOccurrence(
        new CompleteScheduleOccurrence(ENVIRONMENT, "occ_2", token, List.of(), NOON));
  }

  private static ClaimRuns claimRuns(QueuePolicy queue) {
    return new ClaimRuns(
        ENVIRONMENT, List.of(queue), List.of("unknown"), Given.WORKER, "tok", MINUTE, NOON, 1);
  }

  private static void add(
      List<CapabilityProbe> probes,
      String name,
      Set<StorageCapability> needs,
      MalformedCommands.Call use) {
    probes.add(new CapabilityProbe(name, needs, use));
  }
}
