package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Race;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.run.PartitionKey;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Storages that count the slots of bounded queues wrongly. */
final class BrokenCapacity {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "ignores capacity in claims",
          FreeClaims::new,
          "QueueCapacity.a_claim_in_a_full_partition_is_empty_and_changes_nothing",
          "QueueCapacity.competing_claims_of_many_runs_never_exceed_the_limit",
          "QueueCapacity.runs_without_a_concurrency_key_share_one_partition"),
      that(
          "ignores capacity in reservations",
          FreeReservations::new,
          "DispatchReservation.a_reservation_in_a_full_partition_is_empty_and_changes_nothing",
          "DispatchReservation.competing_reservations_of_many_runs_never_exceed_the_limit"),
      that(
          "ignores capacity where a run is reserved again",
          ReservedForEver::new,
          "DispatchReservation"
              + ".a_run_whose_reservation_has_expired_needs_a_free_slot_to_be_reserved_again"),
      that(
          "counts reservations that have expired",
          real -> new Miscounting(real, BrokenCapacity::isExpiredReservation, 1),
          "QueueCapacity.a_live_reservation_takes_a_slot_and_an_expired_one_does_not"),
      that(
          "does not count reservations",
          real -> new Miscounting(real, (run, now) -> run.hasLiveReservationAt(now), -1),
          "QueueCapacity.a_live_reservation_takes_a_slot_and_an_expired_one_does_not",
          "DispatchReservation.reservations_count_against_each_other"),
      that(
          "does not count runs whose lease has expired",
          real -> new Miscounting(
              real, (run, now) -> run.lease() != null && run.lease().isExpiredAt(now), -1),
          "QueueCapacity.a_run_with_an_expired_lease_keeps_its_slot_until_it_is_taken_over"),
      that(
          "does not count runs that were asked to cancel",
          real -> new Miscounting(
              real, (run, now) -> run.status() == RunStatus.CANCELLATION_REQUESTED, -1),
          "QueueCapacity.a_run_that_was_asked_to_cancel_keeps_its_slot_even_past_its_lease"),
      that(
          "wants a second slot for a run that holds one",
          SecondSlot::new,
          "QueueCapacity.a_reserved_run_needs_no_second_slot_to_be_claimed"),
      that(
          "takes a partition for full once somebody has ended one of its runs",
          BusyIsFull::new,
          "FirstLease.a_partition_with_free_slots_is_not_full_while_others_end_its_runs"),
      that(
          "fails a reservation that lost its race",
          FailingReservation::new,
          "DispatchReservation.a_stale_reservation_is_empty_and_changes_nothing",
          "DispatchReservation.a_run_that_is_not_due_cannot_be_reserved",
          "DispatchReservation.a_reservation_in_a_full_partition_is_empty_and_changes_nothing"));

  private BrokenCapacity() {}

  private static boolean isExpiredReservation(RunRecord run, Instant now) {
    return run.reservation() != null && run.reservation().isExpiredAt(now);
  }

  static ClaimRunLease in(ClaimRunLease claim, QueuePolicy policy) {
    return new ClaimRunLease(
        claim.environment(),
        claim.runId(),
        claim.expectedSequence(),
        claim.events(),
        claim.projectedRun(),
        policy,
        claim.now());
  }

  private static ReserveRunDispatch in(ReserveRunDispatch reservation, QueuePolicy policy) {
    return new ReserveRunDispatch(
        reservation.environment(),
        reservation.runId(),
        reservation.expectedSequence(),
        reservation.event(),
        reservation.projectedRun(),
        policy,
        reservation.now());
  }

  private static final class FreeClaims extends ForwardingStorage {
    FreeClaims(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.claimRunLease(
          in(command, QueuePolicy.bounded(command.queuePolicy().queue(), Integer.MAX_VALUE)));
    }
  }

  private static final class FreeReservations extends ForwardingStorage {
    FreeReservations(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      return real.reserveRunDispatch(
          in(command, QueuePolicy.bounded(command.queuePolicy().queue(), Integer.MAX_VALUE)));
    }
  }

  /** A run that held a slot once is given another one, whoever has them. */
  private static final class ReservedForEver extends ForwardingStorage {
    ReservedForEver(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      QueuePolicy free = QueuePolicy.bounded(command.queuePolicy().queue(), Integer.MAX_VALUE);
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> real.reserveRunDispatch(
              run.filter(found -> found.reservation() != null).isPresent()
                  ? in(command, free)
                  : command));
    }
  }

  /** Counts some runs of a partition once more, or not at all. */
  private static final class Miscounting extends ForwardingStorage {
    private final BiPredicate<RunRecord, Instant> which;
    private final int weight;

    Miscounting(StorageAdapter real, BiPredicate<RunRecord, Instant> which, int weight) {
      super(real);
      this.which = which;
      this.weight = weight;
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      QueuePolicy policy = command.queuePolicy();
      return wrongLimit(command.projectedRun(), policy, command.now())
          .compose(limit -> limit < 1
              ? Future.succeededFuture(Optional.empty())
              : real.claimRunLease(in(command, policy(policy, limit))));
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      QueuePolicy policy = command.queuePolicy();
      return wrongLimit(command.projectedRun(), policy, command.now())
          .compose(limit -> limit < 1
              ? Future.succeededFuture(Optional.empty())
              : real.reserveRunDispatch(in(command, policy(policy, limit))));
    }

    private static QueuePolicy policy(QueuePolicy policy, int limit) {
      return policy.isBounded() ? QueuePolicy.bounded(policy.queue(), limit) : policy;
    }

    private Future<Integer> wrongLimit(RunRecord run, QueuePolicy policy, Instant now) {
      if (policy.concurrencyLimit() == null) {
        return Future.succeededFuture(1);
      }
      RunFilter queue = RunFilter.ALL.withQueues(List.of(run.queue()));
      return real.listRuns(new ListRuns(run.environment(), queue, RunSort.NEWEST_FIRST, 200, null))
          .compose(page -> real.getRuns(new GetRuns(
              run.environment(), page.data().stream().map(RunSummary::id).toList())))
          .map(runs -> runs.stream()
              .filter(other -> !other.id().equals(run.id())
                  && PartitionKey.of(other).equals(PartitionKey.of(run))
                  && which.test(other, now))
              .count())
          .map(counted -> policy.concurrencyLimit() - weight * counted.intValue());
    }
  }

  private static final class SecondSlot extends ForwardingStorage {
    SecondSlot(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      Integer limit = command.queuePolicy().concurrencyLimit();
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> limit != null
                  && limit == 1
                  && run.filter(each -> each.occupiesSlotAt(command.now())).isPresent()
              ? Future.succeededFuture(Optional.empty())
              : real.claimRunLease(command));
    }
  }

  private static final class FailingReservation extends ForwardingStorage {
    FailingReservation(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      return real.reserveRunDispatch(command)
          .compose(reserved -> reserved.isPresent()
              ? Future.succeededFuture(reserved)
              : Future.failedFuture(
                  RunlaneException.conflict(StorageConflictKind.QUEUE_CAPACITY, "no slot")));
    }
  }

  private static final class BusyIsFull extends ForwardingStorage {
    private volatile boolean busy;

    BusyIsFull(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      if (command.projectedRun().status().isTerminal()) {
        busy = true;
      }
      return command.projectedRun().lease() == null
          ? real.appendRunEvents(command)
          : Race.allStarted()
              .compose(started -> busy
                  ? Future.failedFuture(
                      RunlaneException.conflict(StorageConflictKind.QUEUE_CAPACITY, "no slot"))
                  : real.appendRunEvents(command));
    }
  }
}
