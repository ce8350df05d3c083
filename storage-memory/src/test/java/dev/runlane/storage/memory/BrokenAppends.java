package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Storages that append wrongly. */
final class BrokenAppends {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "does not compare sequences",
          NoSequence::new,
          "Sequence.a_stale_append_is_a_conflict_and_stores_nothing",
          "Sequence.an_append_ahead_of_the_stored_sequence_is_a_conflict_too",
          "Sequence.creating_a_run_that_exists_is_a_conflict_and_leaves_it_alone",
          "Sequence.of_competing_appends_for_one_sequence_exactly_one_wins"),
      that(
          "looks at consistency before the sequence",
          ConsistencyFirst::new,
          "Sequence.a_stale_append_is_a_conflict_even_if_its_projection_is_inconsistent"),
      that(
          "does not look at the lease that an append needs",
          real -> new Rewriting(real, Records::withoutLease),
          "Append.an_append_that_names_another_lease_is_a_conflict_also_at_the_same_sequence",
          "Append.an_append_of_who_was_overtaken_is_a_conflict_over_the_lease"),
      that(
          "does not look at consistency",
          NoConsistency::new,
          "Consistency.a_projection_whose_sequence_does_not_fit_the_events_is_a_contract_violation"),
      that(
          "returns events with other ids than it stores",
          OtherIds::new,
          "Append.returned_events_are_the_very_rows_of_the_history"),
      that(
          "stores what it refuses because of a key",
          PartialCommit::new,
          "Idempotency.a_second_run_with_a_live_key_is_refused_with_its_owner_and_stores_nothing",
          "Idempotency.a_creation_that_wins_one_key_and_loses_the_other_leaves_nothing_behind",
          "Singleton.every_active_run_keeps_others_with_its_key_out"),
      that(
          "gives a first lease without a free slot",
          real -> new Rewriting(
              real,
              command -> command.queuePolicy() == null
                  ? command
                  : command.in(QueuePolicy.unbounded(command.queuePolicy().queue()))),
          "FirstLease.creation_with_a_lease_in_a_full_partition_is_a_capacity_conflict_and_stores_nothing",
          "FirstLease.reservations_leave_no_room_for_a_first_lease"),
      that(
          "does not claim outbox messages at once",
          real -> new Rewriting(real, Records::withoutClaim),
          "OutboxAtBirth.an_append_claims_its_due_message_when_asked_to",
          "OutboxAtBirth.the_token_of_a_message_claimed_at_birth_settles_it"),
      that(
          "forgets what a released run awaits",
          real -> new Rewriting(real, BrokenAppends::awaitingNothing),
          "StepHistory.a_run_that_awaits_steps_is_due_with_the_first_result",
          "StepHistory.a_result_lets_a_run_of_a_bounded_queue_be_dispatched",
          "StoredValue.every_type_of_event_is_kept_with_everything_it_says"),
      that(
          "does not store that a result makes a run due",
          real -> new Rewriting(real, BrokenAppends::dueAsBefore),
          "StepHistory.a_run_that_awaits_steps_is_due_with_the_first_result"),
      that(
          "numbers events from zero",
          FromZero::new,
          "Append.a_created_run_is_stored_from_sequence_one_as_the_reducer_projected_it",
          "Append.the_events_of_one_command_get_consecutive_sequences"),
      that(
          "returns the run as it was before",
          StaleAnswer::new,
          "Append.the_events_of_one_command_get_consecutive_sequences"));

  private BrokenAppends() {}

  /** The command with the projection of a run that awaits nothing. */
  private static AppendRunEvents awaitingNothing(AppendRunEvents command) {
    RunRecord projected = command.projectedRun();
    return Records.with(command, projected.toBuilder().awaiting(null).build());
  }

  /** The command with a projection that is due in an hour instead of with a step's result. */
  private static AppendRunEvents dueAsBefore(AppendRunEvents command) {
    boolean result =
        command.events().stream().anyMatch(event -> event.type() == RunEventType.STEP_COMPLETED);
    RunRecord projected = command.projectedRun();
    return result && projected.awaiting() != null
        ? Records.with(
            command,
            projected.toBuilder().runAt(command.now().plus(Duration.ofHours(1))).build())
        : command;
  }

  private static AppendRunEvents at(AppendRunEvents command, long sequence) {
    return new AppendRunEvents(
        command.environment(),
        command.runId(),
        sequence,
        command.events(),
        command.projectedRun().toBuilder()
            .eventSequence(sequence + command.events().size())
            .build(),
        command.queuePolicy(),
        command.now(),
        command.claimOutboxFor());
  }

  private static final class Rewriting extends ForwardingStorage {
    private final UnaryOperator<AppendRunEvents> rewriting;

    Rewriting(StorageAdapter real, UnaryOperator<AppendRunEvents> rewriting) {
      super(real);
      this.rewriting = rewriting;
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(rewriting.apply(command));
    }
  }

  private static final class NoSequence extends ForwardingStorage {
    NoSequence(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .map(run -> run.map(RunRecord::eventSequence).orElse(command.expectedSequence()))
          .compose(sequence -> real.appendRunEvents(at(command, sequence)));
    }
  }

  private static final class ConsistencyFirst extends ForwardingStorage {
    ConsistencyFirst(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return CommandConsistency.violation(command)
          .<Future<AppendedRun>>map(Future::failedFuture)
          .orElseGet(() -> real.appendRunEvents(command));
    }
  }

  /** Mends what is inconsistent instead of refusing it. */
  private static final class NoConsistency extends ForwardingStorage {
    NoConsistency(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(
          command.projectedRun().id().equals(command.runId())
              ? at(command, command.expectedSequence())
              : command);
    }
  }

  private static final class OtherIds extends ForwardingStorage {
    OtherIds(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command)
          .map(stored -> new AppendedRun(
              stored.run(),
              stored.events().stream()
                  .map(row -> new RunEventRecord("9" + row.id(), row.sequence(), row.event()))
                  .toList(),
              stored.claimedOutbox()));
    }
  }

  private static final class PartialCommit extends ForwardingStorage {
    PartialCommit(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command)
          .recover(failure -> isKeyConflict(failure)
              ? real.appendRunEvents(Records.withKeys(command, RunKeys.NONE))
                  .compose(stored -> Future.failedFuture(failure))
              : Future.failedFuture(failure));
    }

    private static boolean isKeyConflict(Throwable failure) {
      Optional<StorageConflictKind> kind = ((RunlaneException) failure).conflictKind();
      return kind.equals(Optional.of(StorageConflictKind.IDEMPOTENCY_KEY))
          || kind.equals(Optional.of(StorageConflictKind.SINGLETON_KEY));
    }
  }

  private static final class FromZero extends ForwardingStorage {
    FromZero(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command)
          .map(stored -> new AppendedRun(
              stored.run(),
              stored.events().stream()
                  .map(row -> new RunEventRecord(row.id(), row.sequence() - 1, row.event()))
                  .toList(),
              stored.claimedOutbox()));
    }
  }

  private static final class StaleAnswer extends ForwardingStorage {
    StaleAnswer(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(before -> real.appendRunEvents(command)
              .map(stored -> new AppendedRun(
                  before.orElse(stored.run()), stored.events(), stored.claimedOutbox())));
    }
  }
}
