package dev.runlane.storage.memory;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.ListRunnableRuns;
import dev.runlane.storage.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.ListRunsNeedingDelivery;
import dev.runlane.storage.ListRunsNeedingDispatch;
import dev.runlane.storage.RunnableRunRef;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The scans for runs that need somebody. */
final class Scans {
  private final Runs runs;

  Scans(Runs runs) {
    this.runs = runs;
  }

  List<RunnableRunRef> runnable(ListRunnableRuns query) {
    return refs(
        runnable(query.queues(), query.taskIds(), query.now(), query.limit()),
        RunDueTimes::runnableAvailableAt);
  }

  /** The first {@code limit} runs a worker may claim; it may claim all of them. */
  List<RunRecord> runnable(
      List<QueuePolicy> queues, Collection<String> taskIds, Instant now, int limit) {
    DueScan scan = new DueScan(runs.slots(), run -> claimNeeds(run, now), now);
    for (QueuePolicy policy : onceEach(queues)) {
      runs.due().of(policy.queue(), taskIds).forEach(waiting -> scan.over(policy, waiting));
    }
    return scan.first(limit);
  }

  List<RunnableRunRef> needingDispatch(ListRunsNeedingDispatch query) {
    Instant now = query.now();
    DueScan scan = new DueScan(runs.slots(), run -> dispatchNeeds(run, now), now);
    for (QueuePolicy policy : onceEach(query.queues())) {
      runs.due().of(policy.queue()).forEach(waiting -> scan.over(policy, waiting));
    }
    return refs(scan.first(query.limit()), RunDueTimes::runnableAvailableAt);
  }

  List<RunnableRunRef> needingDelivery(ListRunsNeedingDelivery query) {
    List<RunRecord> due = new LinkedHashSet<>(query.queues())
        .stream()
            .flatMap(queue -> runs.recoverable().dueAt(queue, query.now(), query.limit()).stream())
            .toList();
    return refs(due, RunDueTimes::deliveryRecoveryAvailableAt).stream()
        .sorted(
            Comparator.comparing(RunnableRunRef::availableAt).thenComparing(RunnableRunRef::runId))
        .limit(query.limit())
        .toList();
  }

  List<RunnableRunRef> needingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return refs(
        runs.cancelling().dueAt(query.now(), query.limit()),
        RunDueTimes::cancellationFinalizationAvailableAt);
  }

  private static DueScan.Need claimNeeds(RunRecord run, Instant now) {
    if (run.occupiesSlotAt(now)) {
      return DueScan.Need.NOTHING;
    }
    return Leases.isReservationLost(run, now) ? DueScan.Need.ANOTHER_SCAN : DueScan.Need.A_SLOT;
  }

  private static DueScan.Need dispatchNeeds(RunRecord run, Instant now) {
    if (run.hasLiveReservationAt(now)) {
      return DueScan.Need.ANOTHER_SCAN;
    }
    return run.status().isLeased() ? DueScan.Need.NOTHING : DueScan.Need.A_SLOT;
  }

  private static Collection<QueuePolicy> onceEach(List<QueuePolicy> queues) {
    Map<String, QueuePolicy> policies = new LinkedHashMap<>();
    queues.forEach(policy -> policies.putIfAbsent(policy.queue(), policy));
    return policies.values();
  }

  private static List<RunnableRunRef> refs(
      List<RunRecord> found, Function<RunRecord, Optional<Instant>> availableAt) {
    return found.stream()
        .map(run -> new RunnableRunRef(
            run.id(),
            run.taskId(),
            run.queue(),
            run.keys().concurrencyKey(),
            run.status(),
            run.eventSequence(),
            availableAt.apply(run).orElse(run.updatedAt())))
        .toList();
  }
}
