package dev.runlane.conformance.model;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about runs and events: single ones, pages, and the scans of the periodic roles. */
public final class ModelReads {
  /** More runs than this in one batch claim may come in an order of the storage's = 16. */
  private static final int ORDERED_CLAIMS = 16;

  private static final Comparator<RunnableRunRef> LONGEST_DUE_FIRST = Comparator.comparing(
          RunnableRunRef::availableAt)
      .thenComparing(RunnableRunRef::runId, Identifiers.ORDER);

  private final StorageModel model;
  private final Names names;
  private final ModelPages pages;

  public ModelReads(StorageModel model, Names names) {
    this.model = model;
    this.names = names;
    this.pages = new ModelPages(names);
  }

  public Optional<RunRecord> run(GetRun query) {
    CommandChecks.check(query);
    return model.find(query.environment(), query.runId()).map(run -> run.record);
  }

  public List<RunRecord> runs(GetRuns query) {
    CommandChecks.check(query);
    return query.runIds().stream()
        .flatMap(id -> model.find(query.environment(), id).stream())
        .map(run -> run.record)
        .toList();
  }

  public Page<RunSummary> list(ListRuns query) {
    CommandChecks.check(query);
    boolean byCreation = query.sort().field() == RunSort.Field.CREATED_AT;
    Comparator<RunSummary> order = Comparator.comparing(
            (RunSummary run) -> byCreation ? run.createdAt() : run.updatedAt())
        .thenComparing(RunSummary::id, Identifiers.ORDER);
    RunFilter filter = query.filter();
    List<Object> list = List.of(query.environment(), essence(filter), query.sort());
    return pages.page(
        list,
        model
            .runs(query.environment())
            .map(run -> run.record)
            .filter(run -> isWanted(run, filter))
            .map(RunSummary::of),
        query.sort().direction() == SortDirection.ASC ? order : order.reversed(),
        query.limit(),
        query.cursor());
  }

  public Page<RunEventRecord> list(ListRunEvents query) {
    CommandChecks.check(query);
    Comparator<RunEventRecord> order = query.sort().field() == RunEventSort.Field.SEQUENCE
        ? Comparator.comparing(RunEventRecord::sequence)
        : Comparator.comparing((RunEventRecord row) -> row.event().header().occurredAt())
            .thenComparing(RunEventRecord::id, names.eventOrder());
    return pages.page(
        List.of(query.environment(), query.filter(), query.sort()),
        model
            .runs(query.environment())
            .flatMap(run -> run.history.stream())
            .filter(row -> isWanted(row, query.filter())),
        query.sort().direction() == SortDirection.ASC ? order : order.reversed(),
        query.limit(),
        query.cursor());
  }

  public List<RunnableRunRef> runnable(ListRunnableRuns query) {
    CommandChecks.check(query);
    return scan(
            query.environment(),
            query.queues(),
            run -> query.taskIds().contains(run.record.taskId())
                ? claimableFrom(run, query.queues(), query.now())
                : Optional.empty(),
            query.now())
        .limit(query.limit())
        .toList();
  }

  /** Whether a batch claim left out what it could have claimed but for a competitor that may have held it. */
  boolean passesOver(ClaimRuns command, ClaimedRuns answer) {
    return claimable(command, answer, run -> true).stream()
        .anyMatch(run ->
            model.isHeldByOthers(run) && !model.hasLapsedForOthers(run) && !isIn(answer, run));
  }

  /** Each of them may take a place of the limit though it is passed over. */
  int heldByOthers(ClaimRuns command) {
    return (int) model.runs(command.environment()).filter(model::isHeldByOthers).count();
  }

  private static boolean isIn(ClaimedRuns answer, ModelRun run) {
    return answer.runs().stream().anyMatch(each -> each.before().id().equals(run.record.id()));
  }

  /** Runs that a batch claim may claim, each with a slot of its own. */
  public List<ModelRun> claimable(ClaimRuns command, @Nullable ClaimedRuns answer) {
    return claimable(
        command, answer, run -> answer == null || !model.isHeldByOthers(run) || isIn(answer, run));
  }

  private List<ModelRun> claimable(
      ClaimRuns command, @Nullable ClaimedRuns answer, Predicate<ModelRun> found) {
    Instant leaseEnd = command.now().plus(command.leaseFor()).truncatedTo(ChronoUnit.MICROS);
    Stream<ModelRun> due = scan(
            command.environment(),
            command.queues(),
            run -> command.taskIds().contains(run.record.taskId())
                    && (command.runIds() == null || command.runIds().contains(run.record.id()))
                    && run.record.updatedAt().isBefore(leaseEnd)
                    && found.test(run)
                ? claimableFrom(run, command.queues(), command.now())
                : Optional.empty(),
            command.now())
        .map(ref -> model.find(command.environment(), ref.runId()).orElseThrow());
    if (answer == null || command.limit() <= ORDERED_CLAIMS) {
      return due.toList();
    }
    List<String> answered =
        answer.runs().stream().map(each -> each.before().id()).toList();
    return due.sorted(Comparator.comparing(run -> {
          int index = answered.indexOf(run.record.id());
          return index < 0 ? answered.size() : index;
        }))
        .toList();
  }

  /** In a bounded queue a run whose reservation has expired waits until it is reserved anew. */
  private static Optional<Instant> claimableFrom(
      ModelRun run, List<QueuePolicy> queues, Instant now) {
    boolean bounded =
        policyOf(run.record, queues).filter(QueuePolicy::isBounded).isPresent();
    return bounded && run.lostItsReservationAt(now)
        ? Optional.empty()
        : RunDueTimes.runnableAvailableAt(run.record);
  }

  public List<RunnableRunRef> needingDispatch(ListRunsNeedingDispatch query) {
    CommandChecks.check(query);
    return scan(
            query.environment(),
            query.queues(),
            run -> run.record.hasLiveReservationAt(query.now())
                ? Optional.empty()
                : dispatchableFrom(run.record),
            query.now())
        .limit(query.limit())
        .toList();
  }

  /** A run whose reservation has expired is due from that expiry on. */
  private static Optional<Instant> dispatchableFrom(RunRecord run) {
    Optional<Instant> from = RunDueTimes.runnableAvailableAt(run);
    DispatchReservation reservation = run.reservation();
    return reservation == null ? from : from.map(due -> reservation.expiresAt());
  }

  public List<RunnableRunRef> needingDelivery(ListRunsNeedingDelivery query) {
    CommandChecks.check(query);
    return scan(
            query.environment(),
            query.queues().stream().map(QueuePolicy::unbounded).toList(),
            run -> RunDueTimes.deliveryRecoveryAvailableAt(run.record)
                .filter(from -> run.record.status() != RunStatus.SCHEDULED
                    || !from.plus(ContractDefaults.SCHEDULED_RECOVERY_DELAY).isAfter(query.now())),
            query.now())
        .limit(query.limit())
        .toList();
  }

  public List<RunnableRunRef> needingCancellation(ListRunsNeedingCancellationFinalization query) {
    CommandChecks.check(query);
    return due(
            query.environment(),
            run -> RunDueTimes.cancellationFinalizationAvailableAt(run.record),
            query.now())
        .limit(query.limit())
        .toList();
  }

  /** Due runs of these queues, those due longest first, as many of each partition as there are slots for. */
  private Stream<RunnableRunRef> scan(
      Environment environment,
      List<QueuePolicy> queues,
      Function<ModelRun, Optional<Instant>> from,
      Instant now) {
    List<RunnableRunRef> found = new ArrayList<>();
    List<RunRecord> seated = new ArrayList<>(); // those of them that need a slot
    for (RunnableRunRef ref : due(environment, from, now).toList()) {
      RunRecord run = model.find(environment, ref.runId()).orElseThrow().record;
      Optional<QueuePolicy> policy = policyOf(run, queues);
      if (policy.isPresent() && run.occupiesSlotAt(now)) {
        found.add(ref);
      } else if (policy.isPresent()
          && model.freeSlots(run, policy.get(), now)
              > seated.stream()
                  .filter(each -> StorageModel.isOfSamePartition(each, run))
                  .count()) {
        found.add(ref);
        seated.add(run);
      }
    }
    return found.stream();
  }

  private static Optional<QueuePolicy> policyOf(RunRecord run, List<QueuePolicy> queues) {
    return queues.stream().filter(queue -> queue.queue().equals(run.queue())).findFirst();
  }

  private Stream<RunnableRunRef> due(
      Environment environment, Function<ModelRun, Optional<Instant>> from, Instant now) {
    return model
        .runs(environment)
        .flatMap(run -> from
            .apply(run)
            .filter(instant -> !instant.isAfter(now))
            .map(instant -> ref(run.record, instant))
            .stream())
        .sorted(LONGEST_DUE_FIRST);
  }

  /** A run that waits, and since when. */
  static RunnableRunRef refWhenDue(RunRecord run) {
    return ref(run, RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt()));
  }

  private static RunnableRunRef ref(RunRecord run, Instant from) {
    return new RunnableRunRef(
        run.id(),
        run.taskId(),
        run.queue(),
        run.keys().concurrencyKey(),
        run.status(),
        run.eventSequence(),
        from);
  }

  /** What makes a filter another one: tasks and queues may be named in any order. */
  static List<Object> essence(RunFilter filter) {
    return List.of(
        filter.withTaskIds(List.of()).withQueues(List.of()),
        Set.copyOf(filter.taskIds()),
        Set.copyOf(filter.queues()));
  }

  /** Whether a list with this filter has the run. */
  static boolean isWanted(RunRecord run, RunFilter filter) {
    return (filter.statuses().isEmpty() || filter.statuses().contains(run.status()))
        && (filter.taskIds().isEmpty() || filter.taskIds().contains(run.taskId()))
        && (filter.queues().isEmpty() || filter.queues().contains(run.queue()))
        && isAnyOr(filter.concurrencyKey(), run.keys().concurrencyKey())
        && isAnyOr(filter.idempotencyKey(), run.keys().idempotencyKey())
        && isAnyOr(filter.singletonKey(), run.keys().singletonKey())
        && (filter.createdFrom() == null || !run.createdAt().isBefore(filter.createdFrom()))
        && (filter.createdBefore() == null || run.createdAt().isBefore(filter.createdBefore()));
  }

  private static boolean isWanted(RunEventRecord row, RunEventFilter filter) {
    Instant at = row.event().header().occurredAt();
    return isAnyOr(filter.runId(), row.event().header().runId())
        && (filter.types().isEmpty() || filter.types().contains(row.event().type()))
        && (filter.occurredFrom() == null || !at.isBefore(filter.occurredFrom()))
        && (filter.occurredBefore() == null || at.isBefore(filter.occurredBefore()));
  }

  private static boolean isAnyOr(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }
}
