package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Storages whose scans find the wrong runs. */
final class BrokenScans {
  private static final Duration A_YEAR = Duration.ofDays(365);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "limits runnable runs before it looks at capacity",
          LimitFirst::new,
          "RunnableScan.a_full_partition_does_not_starve_another_within_a_small_limit"),
      that(
          "ignores capacity in scans",
          real -> new Rewriting(
              real, query -> with(query, unlimited(query.queues()), query.taskIds(), query.now())),
          "RunnableScan.a_full_partition_does_not_starve_another_within_a_small_limit"),
      that(
          "calls runs runnable that are not due",
          real -> new Rewriting(
              real,
              query -> with(query, query.queues(), query.taskIds(), query.now().plus(A_YEAR))),
          "RunnableScan.runs_that_are_not_due_leased_cancelling_or_terminal_are_not_shown"),
      that(
          "calls runs runnable whose task the worker does not have",
          AnyTask::new,
          "RunnableScan.only_the_named_queues_tasks_and_environment_are_shown"),
      that(
          "lists runnable runs in any order",
          Backwards::new,
          "RunnableScan.due_runs_of_every_waiting_status_and_expired_leases_are_shown_by_the_instant_they_are_due"),
      that(
          "ignores the limit of a scan",
          real -> new Rewriting(
              real,
              query -> new ListRunnableRuns(
                  query.environment(), query.queues(), query.taskIds(), query.now(), 1_000)),
          "RunnableScan.no_more_than_the_limit_is_shown_and_those_longest_due_first"),
      that(
          "recovers the delivery of queued runs",
          RecoveringQueued::new,
          "DeliveryScan.queued_leased_cancelling_and_terminal_runs_are_not_shown"),
      that(
          "recovers scheduled runs at once",
          Impatient::new,
          "DeliveryScan.scheduled_runs_which_own_an_outbox_message_are_left_to_it_for_five_seconds"),
      that(
          "recovers runs of any queue",
          AnyQueue::new,
          "DeliveryScan.only_the_named_queues_and_environment_are_shown"),
      that(
          "dispatches runs that hold a reservation",
          Redispatching::new,
          "DispatchScan.a_live_reservation_hides_a_run_and_an_expired_one_does_not"),
      that(
          "dispatches into full partitions",
          Overdispatching::new,
          "DispatchScan.a_full_partition_does_not_starve_another_within_a_small_limit"),
      that(
          "dispatches no runs with an expired lease",
          NoTakeover::new,
          "DispatchScan.a_run_with_an_expired_lease_is_shown_in_the_slot_it_holds"),
      that(
          "limits a scan for deliveries before it orders it",
          HastyLimit::new,
          "DeliveryScan.a_limited_scan_shows_those_due_longest_also_where_a_scheduled_one_had_to_wait"),
      that(
          "calls a run whose reservation has expired due from before it was reserved",
          EarlyDispatch::new,
          "DispatchScan.a_run_whose_reservation_has_expired_is_due_from_then_on"),
      that(
          "orders ids by their UTF-16",
          Utf16Order::new,
          "RunnableScan.equal_instants_are_told_apart_by_the_code_points_of_ids"),
      that(
          "finalizes cancellations before the lease has expired",
          EarlyFinalization::new,
          "CancellationScan.cancelling_runs_are_shown_once_their_lease_has_expired"));

  private BrokenScans() {}

  private static ListRunnableRuns with(
      ListRunnableRuns query, List<QueuePolicy> queues, List<String> taskIds, Instant now) {
    return new ListRunnableRuns(query.environment(), queues, taskIds, now, query.limit());
  }

  private static List<QueuePolicy> unlimited(List<QueuePolicy> queues) {
    return queues.stream()
        .map(policy ->
            policy.isBounded() ? QueuePolicy.bounded(policy.queue(), Integer.MAX_VALUE) : policy)
        .toList();
  }

  private static RunnableRunRef ref(RunRecord run) {
    return new RunnableRunRef(
        run.id(),
        run.taskId(),
        run.queue(),
        run.keys().concurrencyKey(),
        run.status(),
        run.eventSequence(),
        RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt()));
  }

  /** A storage that adds what a scan must not hold. */
  private abstract static class Adding extends ForwardingStorage {
    Adding(StorageAdapter real) {
      super(real);
    }

    Future<List<RunnableRunRef>> plus(
        Future<List<RunnableRunRef>> found,
        Environment environment,
        RunFilter filter,
        Predicate<RunRecord> wrongly) {
      return found.compose(
          right -> real.listRuns(new ListRuns(environment, filter, RunSort.NEWEST_FIRST, 200, null))
              .compose(page -> real.getRuns(new GetRuns(
                  environment, page.data().stream().map(RunSummary::id).toList())))
              .map(runs -> Stream.concat(
                      right.stream(), runs.stream().filter(wrongly).map(BrokenScans::ref))
                  .toList()));
    }
  }

  private static final class Rewriting extends ForwardingStorage {
    private final UnaryOperator<ListRunnableRuns> rewriting;

    Rewriting(StorageAdapter real, UnaryOperator<ListRunnableRuns> rewriting) {
      super(real);
      this.rewriting = rewriting;
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      return real.listRunnableRuns(rewriting.apply(query));
    }
  }

  private static final class LimitFirst extends ForwardingStorage {
    LimitFirst(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      ListRunnableRuns all = new ListRunnableRuns(
          query.environment(), query.queues(), query.taskIds(), query.now(), 1_000);
      return real.listRunnableRuns(
              with(query, unlimited(query.queues()), query.taskIds(), query.now()))
          .compose(first -> real.listRunnableRuns(all)
              .map(able -> first.stream().filter(able::contains).toList()));
    }
  }

  private static final class AnyTask extends Adding {
    AnyTask(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      return plus(
          real.listRunnableRuns(query),
          query.environment(),
          RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED)),
          run -> !query.taskIds().contains(run.taskId()));
    }
  }

  private static final class Backwards extends ForwardingStorage {
    Backwards(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      return real.listRunnableRuns(query).map(found -> {
        List<RunnableRunRef> reversed = new ArrayList<>(found);
        Collections.reverse(reversed);
        return reversed;
      });
    }
  }

  private static final class RecoveringQueued extends Adding {
    RecoveringQueued(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
      return plus(
          real.listRunsNeedingDelivery(query),
          query.environment(),
          RunFilter.ALL.withQueues(query.queues()).withStatuses(Set.of(RunStatus.QUEUED)),
          run -> true);
    }
  }

  private static final class Impatient extends ForwardingStorage {
    Impatient(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
      return real.listRunsNeedingDelivery(new ListRunsNeedingDelivery(
              query.environment(), query.queues(), query.now().plusSeconds(5), query.limit()))
          .map(found -> found.stream()
              .filter(run -> !run.availableAt().isAfter(query.now()))
              .toList());
    }
  }

  private static final class AnyQueue extends Adding {
    AnyQueue(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
      return plus(
          real.listRunsNeedingDelivery(query),
          query.environment(),
          RunFilter.ALL.withStatuses(Set.of(RunStatus.RETRYING, RunStatus.RELEASED)),
          run -> !query.queues().contains(run.queue()));
    }
  }

  private static final class Redispatching extends Adding {
    Redispatching(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
      return plus(
          real.listRunsNeedingDispatch(query),
          query.environment(),
          RunFilter.ALL,
          run -> run.hasLiveReservationAt(query.now()));
    }
  }

  private static final class Overdispatching extends ForwardingStorage {
    Overdispatching(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
      return real.listRunsNeedingDispatch(new ListRunsNeedingDispatch(
          query.environment(), unlimited(query.queues()), query.now(), query.limit()));
    }
  }

  private static final class NoTakeover extends ForwardingStorage {
    NoTakeover(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
      return real.listRunsNeedingDispatch(query)
          .map(found ->
              found.stream().filter(run -> run.status() != RunStatus.RUNNING).toList());
    }
  }

  private static final class EarlyFinalization extends ForwardingStorage {
    EarlyFinalization(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
        ListRunsNeedingCancellationFinalization query) {
      return real.listRunsNeedingCancellationFinalization(
          new ListRunsNeedingCancellationFinalization(
              query.environment(), query.now().plus(A_YEAR), query.limit()));
    }
  }

  private static final class HastyLimit extends ForwardingStorage {
    HastyLimit(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
      return real.listRunsNeedingDelivery(
              new ListRunsNeedingDelivery(query.environment(), query.queues(), query.now(), 1_000))
          .map(found -> found.stream()
              .sorted(Comparator.comparing(ref -> ref.status() == RunStatus.SCHEDULED))
              .limit(query.limit())
              .toList());
    }
  }

  private static final class EarlyDispatch extends ForwardingStorage {
    EarlyDispatch(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
      return real.listRunsNeedingDispatch(query).compose(found -> real.getRuns(new GetRuns(
              query.environment(), found.stream().map(RunnableRunRef::runId).toList()))
          .map(runs -> runs.stream()
              .map(BrokenScans::ref)
              .sorted(Comparator.comparing(RunnableRunRef::availableAt))
              .toList()));
    }
  }

  private static final class Utf16Order extends ForwardingStorage {
    Utf16Order(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      return real.listRunnableRuns(query).map(found -> found.stream()
          .sorted(Comparator.comparing(RunnableRunRef::availableAt)
              .thenComparing(RunnableRunRef::runId))
          .toList());
    }
  }
}
