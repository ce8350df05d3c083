package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Storages that get the fires of schedules wrong. */
final class BrokenOccurrences {
  private static final Duration A_CENTURY = Duration.ofDays(36_500);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "lets claims of occurrences last for ever",
          EternalClaim::new,
          "Schedule.a_claimed_occurrence_is_not_claimed_again_before_the_claim_expires"),
      that(
          "lets completed occurrences be claimed again",
          Reclaiming::new,
          "Schedule.a_completed_occurrence_is_never_claimed_again"),
      that(
          "lets an occurrence be claimed while it is",
          SharedClaim::new,
          "Schedule.a_claimed_occurrence_is_not_claimed_again_before_the_claim_expires",
          "Schedule.of_competing_claimers_exactly_one_wins"),
      that(
          "lets any token complete an occurrence",
          AnyToken::new,
          "Schedule.completing_with_another_token_is_a_conflict_and_completes_nothing"),
      that(
          "completes occurrences that do not exist",
          Inventing::new,
          "Schedule.completing_an_occurrence_that_nobody_claimed_finds_none"));

  private BrokenOccurrences() {}

  private static ClaimScheduleOccurrence of(ClaimScheduleOccurrence claim, String id) {
    return new ClaimScheduleOccurrence(
        claim.environment(), claim.scheduleId(), id, claim.fireAt(), claim.now(), claim.claimFor());
  }

  private static final class EternalClaim extends ForwardingStorage {
    EternalClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
        ClaimScheduleOccurrence command) {
      return real.claimScheduleOccurrence(new ClaimScheduleOccurrence(
          command.environment(),
          command.scheduleId(),
          command.occurrenceId(),
          command.fireAt(),
          command.now(),
          A_CENTURY));
    }
  }

  private static final class Reclaiming extends ForwardingStorage {
    Reclaiming(StorageAdapter real) {
      super(real);
    }

    /** Only checks the claim, so that it expires some day. */
    @Override
    public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
      CompleteScheduleOccurrence wrong = new CompleteScheduleOccurrence(
          command.environment(), command.occurrenceId(), "tok_wrong", List.of(), command.now());
      return real.completeScheduleOccurrence(wrong)
          .recover(failure ->
              ((RunlaneException) failure).isConflict(StorageConflictKind.SCHEDULE_OCCURRENCE)
                  ? Future.succeededFuture()
                  : Future.failedFuture(failure));
    }
  }

  private static final class SharedClaim extends ForwardingStorage {
    SharedClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
        ClaimScheduleOccurrence command) {
      return real.claimScheduleOccurrence(command)
          .compose(claimed -> claimed.isPresent()
              ? Future.succeededFuture(claimed)
              : real.claimScheduleOccurrence(of(command, command.occurrenceId() + "_again")));
    }
  }

  private static final class AnyToken extends ForwardingStorage {
    AnyToken(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
      return real.completeScheduleOccurrence(command)
          .recover(failure -> ((RunlaneException) failure).code() == ErrorCode.STORAGE_CONFLICT
              ? Future.succeededFuture()
              : Future.failedFuture(failure));
    }
  }

  private static final class Inventing extends ForwardingStorage {
    Inventing(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
      return real.completeScheduleOccurrence(command)
          .recover(failure -> ((RunlaneException) failure).code() == ErrorCode.SCHEDULE_NOT_FOUND
              ? Future.succeededFuture()
              : Future.failedFuture(failure));
    }
  }
}
