package dev.runlane.storage.memory.command;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.memory.run.DueScan;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.ClaimRuns;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The scans for runs that need somebody. */
public final class Scans {
  private final Runs runs;

  public Scans(Runs runs) {
    this.runs = runs;
  }

  public List<RunnableRunRef> runnable(ListRunnableRuns query) {
    Instant now = query.now();
    return refs(
        first(
            query.queues(),
            query.taskIds(),
            new DueScan(runs.slots(), (run, policy) -> claimNeeds(run, policy, now), now),
            query.limit()),
        RunDueTimes::runnableAvailableAt);
  }

  /** The first {@code limit} runs that the command may claim for a lease of this end; it may claim all of them. */
  List<RunRecord> claimable(ClaimRuns command, Instant leaseEnd, int limit) {
    if (command.runIds() != null) {
      return named(command, command.runIds(), leaseEnd).limit(limit).toList();
    }
    Instant now = command.now();
    DueScan.Rule rule = (run, policy) -> run.updatedAt().isBefore(leaseEnd)
        ? claimNeeds(run, policy, now)
        : DueScan.Need.ANOTHER_SCAN;
    return first(command.queues(), command.taskIds(), new DueScan(runs.slots(), rule, now), limit);
  }

  /** Each needs no slot, since its queue has no limit. */
  private Stream<RunRecord> named(ClaimRuns command, List<String> runIds, Instant leaseEnd) {
    Set<String> queues =
        command.queues().stream().map(QueuePolicy::queue).collect(Collectors.toUnmodifiableSet());
    return runIds.stream()
        .distinct()
        .flatMap(runId -> Stream.ofNullable(runs.get(runId)))
        .filter(run -> queues.contains(run.queue())
            && command.taskIds().contains(run.taskId())
            && run.updatedAt().isBefore(leaseEnd)
            && RunDueTimes.isRunnableAt(run, command.now()))
        .sorted(Comparator.comparing(Scans::dueAt).thenComparing(RunRecord::id, Identifiers.ORDER));
  }

  private static Instant dueAt(RunRecord run) {
    return RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt());
  }

  private List<RunRecord> first(
      List<QueuePolicy> queues, Collection<String> taskIds, DueScan scan, int limit) {
    for (QueuePolicy policy : queues) {
      runs.due().of(policy.queue(), taskIds).forEach(waiting -> scan.over(policy, waiting));
    }
    return scan.first(limit);
  }

  public List<RunnableRunRef> needingDispatch(ListRunsNeedingDispatch query) {
    Instant now = query.now();
    DueScan scan = new DueScan(runs.slots(), (run, policy) -> dispatchNeeds(run, now), now);
    for (QueuePolicy policy : query.queues()) {
      runs.dispatchable().of(policy.queue()).forEach(waiting -> scan.over(policy, waiting));
    }
    return refs(scan.first(query.limit()), Runs::dispatchableFrom);
  }

  /** A scheduled run owns an outbox message, which gets its chance first. */
  public List<RunnableRunRef> needingDelivery(ListRunsNeedingDelivery query) {
    Instant now = query.now();
    Instant scheduledBefore = now.minus(ContractDefaults.SCHEDULED_RECOVERY_DELAY);
    List<RunRecord> due = new LinkedHashSet<>(query.queues())
        .stream()
            .flatMap(queue -> Stream.concat(
                runs.recoverable().dueAt(queue, now, query.limit()).stream(),
                runs.scheduled().dueAt(queue, scheduledBefore, query.limit()).stream()))
            .toList();
    return refs(due, RunDueTimes::deliveryRecoveryAvailableAt).stream()
        .sorted(Comparator.comparing(RunnableRunRef::availableAt)
            .thenComparing(RunnableRunRef::runId, Identifiers.ORDER))
        .limit(query.limit())
        .toList();
  }

  public List<RunnableRunRef> needingCancellationFinalization(
      ListRunsNeedingCancellationFinalization query) {
    return refs(
        runs.cancelling().dueAt(query.now(), query.limit()),
        RunDueTimes::cancellationFinalizationAvailableAt);
  }

  private static DueScan.Need claimNeeds(RunRecord run, QueuePolicy policy, Instant now) {
    if (run.occupiesSlotAt(now)) {
      return DueScan.Need.NOTHING;
    }
    return Leases.isReservationLost(run, policy, now)
        ? DueScan.Need.ANOTHER_SCAN
        : DueScan.Need.A_SLOT;
  }

  private static DueScan.Need dispatchNeeds(RunRecord run, Instant now) {
    if (run.hasLiveReservationAt(now)) {
      return DueScan.Need.ANOTHER_SCAN;
    }
    return run.status().isLeased() ? DueScan.Need.NOTHING : DueScan.Need.A_SLOT;
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
