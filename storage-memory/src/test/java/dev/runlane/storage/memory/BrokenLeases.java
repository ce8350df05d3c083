package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Storages that get the ownership of runs wrong. */
final class BrokenLeases {
  private static final Instant MUCH_LATER = Instant.parse("2999-01-01T00:00:00Z");

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "fails a claim that lost its race",
          FailingClaim::new,
          "LeaseClaim.a_stale_claim_is_empty_and_changes_nothing",
          "LeaseClaim.a_claim_is_empty_once_the_dispatch_reservation_has_expired",
          "QueueCapacity.a_claim_in_a_full_partition_is_empty_and_changes_nothing"),
      that(
          "lets a claim take a leased run",
          StealingClaim::new,
          "LeaseClaim.a_leased_run_cannot_be_claimed_until_its_lease_has_expired",
          "LeaseClaim.a_run_cannot_be_claimed_before_it_is_due"),
      that(
          "lets a claim use an expired reservation",
          LateClaim::new,
          "LeaseClaim.a_claim_is_empty_once_the_dispatch_reservation_has_expired"),
      that(
          "does not compare the sequence of a claim",
          StaleClaim::new,
          "LeaseClaim.a_stale_claim_is_empty_and_changes_nothing"),
      that(
          "lets any token extend a lease",
          AnyToken::new,
          "Heartbeat.a_heartbeat_with_another_token_has_lost_the_lease",
          "Heartbeat.a_heartbeat_of_another_worker_has_lost_the_lease",
          "Heartbeat.a_heartbeat_after_a_takeover_has_lost_the_lease"),
      that(
          "refuses to extend an expired lease that nobody took",
          StrictHeartbeat::new,
          "Heartbeat.a_heartbeat_on_an_expired_lease_that_nobody_took_is_accepted"),
      that(
          "refuses an outcome after the end of its lease",
          StrictOutcome::new,
          "Append.an_outcome_after_the_end_of_its_lease_is_stored_if_nobody_took_the_run_over"),
      that(
          "does not compare the sequence of a heartbeat",
          StaleHeartbeat::new,
          "Heartbeat.a_stale_heartbeat_of_the_owner_is_a_sequence_conflict"),
      that(
          "says stale to whoever lost the lease",
          SequenceFirst::new,
          "Heartbeat.a_heartbeat_after_a_takeover_has_lost_the_lease",
          "Heartbeat.a_heartbeat_after_the_end_of_the_attempt_has_lost_the_lease"),
      that(
          "releases whoever owns the lease",
          ReleasingOthers::new,
          "LeaseRelease.releasing_does_not_touch_the_lease_of_whoever_took_the_run_over",
          "LeaseRelease.releasing_needs_both_the_token_and_the_worker_of_the_lease"));

  private BrokenLeases() {}

  private static ClaimRunLease at(ClaimRunLease claim, Instant now, QueuePolicy policy) {
    return new ClaimRunLease(
        claim.environment(),
        claim.runId(),
        claim.expectedSequence(),
        claim.events(),
        claim.projectedRun(),
        policy,
        now);
  }

  private static HeartbeatRunLease with(HeartbeatRunLease heartbeat, long sequence, Lease lease) {
    return new HeartbeatRunLease(
        heartbeat.environment(),
        heartbeat.runId(),
        sequence,
        new RunEvent.LeaseHeartbeat(heartbeat.event().header(), lease),
        heartbeat.projectedRun().toBuilder()
            .eventSequence(sequence + 1)
            .lease(lease)
            .build(),
        heartbeat.now());
  }

  private static final class FailingClaim extends ForwardingStorage {
    FailingClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.claimRunLease(command)
          .compose(claimed -> claimed.isPresent()
              ? Future.succeededFuture(claimed)
              : Future.failedFuture(
                  RunlaneException.conflict(StorageConflictKind.LEASE_OWNERSHIP, "too late")));
    }
  }

  private static final class StealingClaim extends ForwardingStorage {
    StealingClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.claimRunLease(at(command, MUCH_LATER, command.queuePolicy()));
    }
  }

  private static final class LateClaim extends ForwardingStorage {
    LateClaim(StorageAdapter real) {
      super(real);
    }

    /** Says it is the instant at which the reservation was made. */
    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> real.claimRunLease(run.map(RunRecord::reservation)
              .map(reservation -> at(command, reservation.dispatchedAt(), command.queuePolicy()))
              .orElse(command)));
    }
  }

  private static final class StaleClaim extends ForwardingStorage {
    StaleClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .map(run -> run.map(RunRecord::eventSequence).orElse(command.expectedSequence()))
          .compose(sequence -> real.claimRunLease(new ClaimRunLease(
              command.environment(),
              command.runId(),
              sequence,
              command.events(),
              command.projectedRun().toBuilder()
                  .eventSequence(sequence + command.events().size())
                  .build(),
              command.queuePolicy(),
              command.now())));
    }
  }

  private static final class AnyToken extends ForwardingStorage {
    AnyToken(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> real.heartbeatRunLease(run.map(RunRecord::lease)
              .map(lease -> with(
                  command,
                  command.expectedSequence(),
                  lease.until(command.event().lease().expiresAt())))
              .orElse(command)));
    }
  }

  private static final class StrictHeartbeat extends ForwardingStorage {
    StrictHeartbeat(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> run.map(RunRecord::lease)
                  .filter(lease -> lease.isExpiredAt(command.now()))
                  .isPresent()
              ? Future.failedFuture(
                  RunlaneException.conflict(StorageConflictKind.LEASE_OWNERSHIP, "expired"))
              : real.heartbeatRunLease(command));
    }
  }

  private static final class StrictOutcome extends ForwardingStorage {
    StrictOutcome(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.getRun(new GetRun(
              command.projectedRun().environment(), command.projectedRun().id()))
          .compose(run -> run.map(RunRecord::lease)
                  .filter(lease -> lease.isExpiredAt(command.now()))
                  .isPresent()
              ? Future.failedFuture(
                  RunlaneException.conflict(StorageConflictKind.LEASE_OWNERSHIP, "expired"))
              : real.appendRunEvents(command));
    }
  }

  private static final class StaleHeartbeat extends ForwardingStorage {
    StaleHeartbeat(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .map(run -> run.map(RunRecord::eventSequence).orElse(command.expectedSequence()))
          .compose(sequence ->
              real.heartbeatRunLease(with(command, sequence, command.event().lease())));
    }
  }

  private static final class SequenceFirst extends ForwardingStorage {
    SequenceFirst(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
      return real.heartbeatRunLease(command)
          .recover(failure -> Future.failedFuture(
              ((RunlaneException) failure).isConflict(StorageConflictKind.LEASE_OWNERSHIP)
                  ? RunlaneException.conflict(StorageConflictKind.EVENT_SEQUENCE, "stale")
                  : failure));
    }
  }

  /** Hides the lease of a run from the moment at which anybody released it. */
  private static final class ReleasingOthers extends ForwardingStorage {
    private final Set<String> released = ConcurrentHashMap.newKeySet();

    ReleasingOthers(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> releaseRunLease(ReleaseRunLease command) {
      released.add(command.runId());
      return real.releaseRunLease(command);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return real.getRun(query).map(run -> run.map(this::hidden));
    }

    @Override
    public Future<List<RunRecord>> getRuns(GetRuns query) {
      return real.getRuns(query).map(runs -> runs.stream().map(this::hidden).toList());
    }

    private RunRecord hidden(RunRecord run) {
      return released.contains(run.id()) ? run.toBuilder().lease(null).build() : run;
    }
  }
}
