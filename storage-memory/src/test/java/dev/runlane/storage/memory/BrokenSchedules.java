package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Storages that remember schedules wrongly. */
final class BrokenSchedules {
  private static final Instant LATER = Instant.parse("2027-01-01T00:00:00Z");

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "counts every schedule from when it was told of last",
          seeing((real, command) -> real.registerSchedules(command).map(known -> known.stream()
              .map(each -> new KnownSchedule(
                  each.taskId(),
                  each.scheduleId(),
                  each.definition(),
                  each.firstSeen(),
                  command.now(),
                  each.lastFire()))
              .toList())),
          "KnownSchedules.a_known_schedule_goes_on_counting_from_when_it_did",
          "KnownSchedules.definitions_told_in_turn_do_not_reset_one_another"),
      that(
          "takes every return of a definition for an edit",
          seeing((real, command) -> real.registerSchedules(new RegisterSchedules(
              command.environment(), command.schedules(), command.now(), Duration.ofNanos(1_000)))),
          "KnownSchedules.definitions_told_in_turn_do_not_reset_one_another",
          "KnownSchedules.an_edit_back_counts_from_then_once_the_definition_was_away_for_long_enough"),
      that(
          "takes no return of a definition for an edit",
          seeing((real, command) -> real.registerSchedules(new RegisterSchedules(
              command.environment(), command.schedules(), command.now(), Duration.ofDays(10_000)))),
          "KnownSchedules.an_edit_back_counts_from_then_once_the_definition_was_away_for_long_enough"),
      that(
          "knows one schedule of an id, whatever its task",
          seeing((real, command) -> real.registerSchedules(new RegisterSchedules(
              command.environment(),
              command.schedules().stream()
                  .map(each -> new RegisterSchedules.Definition(
                      "any.task", each.scheduleId(), each.definition()))
                  .distinct()
                  .toList(),
              command.now(),
              command.goneAfter()))),
          "KnownSchedules.schedules_tasks_and_environments_are_independent"),
      that(
          "forgets for which task a fire was completed",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
              return real.completeScheduleOccurrence(new CompleteScheduleOccurrence(
                  command.environment(),
                  command.occurrenceId(),
                  command.claimToken(),
                  command.runIds(),
                  command.now()));
            }
          },
          "Occurrences.a_completed_occurrence_shows_for_which_task_and_what_was_made_of_it",
          "KnownSchedules.the_latest_completed_fire_of_the_task_is_remembered",
          "KnownSchedules.fires_of_another_task_do_not_count"),
      that(
          "hides claimed occurrences",
          showing((real, query) -> real.getScheduleOccurrence(query)
              .map(found -> found.filter(ScheduleOccurrence::completed))),
          "Occurrences.a_claimed_occurrence_shows_when_the_claim_ends"),
      that(
          "shows what cannot be as not there",
          showing((real, query) -> real.getScheduleOccurrence(query).otherwise(Optional.empty())),
          "Occurrences.a_malformed_query_is_refused"),
      that(
          "removes no occurrence",
          pruning((real, command) -> Future.succeededFuture(0)),
          "Pruning.old_occurrences_before_the_latest_fire_are_removed_and_the_latest_stays",
          "Pruning.a_removed_occurrence_is_never_claimed_again",
          "Pruning.a_schedule_that_nobody_told_of_since_holds_nothing_back",
          "Pruning.each_call_removes_at_most_the_limit_the_earliest_fires_first",
          "Pruning.whoever_prunes_and_claims_at_once_no_completed_fire_is_given_again",
          "Pruning.malformed_commands_are_refused"),
      that(
          "removes as many occurrences as there are",
          pruning((real, command) -> prune(real, command, command.olderThan(), 10_000)),
          "Pruning.each_call_removes_at_most_the_limit_the_earliest_fires_first"),
      that(
          "removes occurrences that were completed lately",
          pruning((real, command) ->
              prune(real, command, command.olderThan().plus(Duration.ofDays(1)), command.limit())),
          "Pruning.what_was_completed_lately_stays_however_old_its_fire",
          "Pruning.a_fire_that_was_completed_before_its_time_stays_until_that_is_over"),
      that(
          "takes every fire for one of a task that has fired since",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
              return real.completeScheduleOccurrence(command)
                  .compose(done -> fire(real, command, command.occurrenceId() + "_since"));
            }
          },
          "Pruning.old_occurrences_before_the_latest_fire_are_removed_and_the_latest_stays",
          "Pruning.the_latest_fire_of_each_task_with_a_schedule_of_the_id_stays"),
      that(
          "gives removed occurrences again",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
                ClaimScheduleOccurrence command) {
              return real.claimScheduleOccurrence(command)
                  .compose(claimed -> claimed.isPresent()
                      ? Future.succeededFuture(claimed)
                      : real.claimScheduleOccurrence(new ClaimScheduleOccurrence(
                          command.environment(),
                          command.scheduleId(),
                          command.occurrenceId(),
                          LATER,
                          command.now(),
                          command.claimFor())));
            }
          },
          "Pruning.a_removed_occurrence_is_never_claimed_again"));

  private BrokenSchedules() {}

  /** A fire that is later than all others, completed for the same task. */
  private static Future<Void> fire(
      StorageAdapter real, CompleteScheduleOccurrence like, String occurrenceId) {
    return real.claimScheduleOccurrence(new ClaimScheduleOccurrence(
            like.environment(), "nightly", occurrenceId, LATER, like.now(), Duration.ofMinutes(1)))
        .compose(claimed -> real.completeScheduleOccurrence(new CompleteScheduleOccurrence(
            like.environment(),
            occurrenceId,
            claimed.orElseThrow().claimToken(),
            like.runIds(),
            like.now(),
            like.taskId())));
  }

  private static UnaryOperator<StorageAdapter> seeing(
      BiFunction<ScheduleStorage, RegisterSchedules, Future<List<KnownSchedule>>> breaking) {
    return broken(
        breaking, ScheduleStorage::getScheduleOccurrence, ScheduleStorage::pruneOccurrences);
  }

  private static UnaryOperator<StorageAdapter> showing(
      BiFunction<ScheduleStorage, GetScheduleOccurrence, Future<Optional<ScheduleOccurrence>>>
          breaking) {
    return broken(ScheduleStorage::registerSchedules, breaking, ScheduleStorage::pruneOccurrences);
  }

  private static UnaryOperator<StorageAdapter> pruning(
      BiFunction<ScheduleStorage, PruneOccurrences, Future<Integer>> breaking) {
    return broken(
        ScheduleStorage::registerSchedules, ScheduleStorage::getScheduleOccurrence, breaking);
  }

  private static Future<Integer> prune(
      ScheduleStorage real, PruneOccurrences command, Instant olderThan, int limit) {
    return real.pruneOccurrences(new PruneOccurrences(command.environment(), olderThan, limit));
  }

  private static UnaryOperator<StorageAdapter> broken(
      BiFunction<ScheduleStorage, RegisterSchedules, Future<List<KnownSchedule>>> see,
      BiFunction<ScheduleStorage, GetScheduleOccurrence, Future<Optional<ScheduleOccurrence>>> show,
      BiFunction<ScheduleStorage, PruneOccurrences, Future<Integer>> prune) {
    return real -> new ForwardingStorage(real) {
      @Override
      public Optional<ScheduleStorage> schedules() {
        ScheduleStorage schedules = real.schedules().orElseThrow();
        return Optional.of(new ScheduleStorage() {
          @Override
          public Future<List<KnownSchedule>> registerSchedules(RegisterSchedules command) {
            return see.apply(schedules, command);
          }

          @Override
          public Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(
              GetScheduleOccurrence query) {
            return show.apply(schedules, query);
          }

          @Override
          public Future<Integer> pruneOccurrences(PruneOccurrences command) {
            return prune.apply(schedules, command);
          }
        });
      }
    };
  }
}
