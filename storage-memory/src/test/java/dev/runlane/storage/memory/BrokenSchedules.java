package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.BrokenAdapter.that;

import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.GetScheduleOccurrence;
import dev.runlane.storage.KnownSchedule;
import dev.runlane.storage.ScheduleOccurrence;
import dev.runlane.storage.ScheduleStorage;
import dev.runlane.storage.SeeSchedules;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Storages that remember schedules wrongly. */
final class BrokenSchedules {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "counts every schedule from when it was told of last",
          seeing((real, command) -> real.seeSchedules(command).map(known -> known.stream()
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
          seeing((real, command) -> real.seeSchedules(new SeeSchedules(
              command.environment(), command.schedules(), command.now(), Duration.ofNanos(1_000)))),
          "KnownSchedules.definitions_told_in_turn_do_not_reset_one_another",
          "KnownSchedules.an_edit_back_counts_from_then_once_the_definition_was_away_for_long_enough"),
      that(
          "takes no return of a definition for an edit",
          seeing((real, command) -> real.seeSchedules(new SeeSchedules(
              command.environment(), command.schedules(), command.now(), Duration.ofDays(10_000)))),
          "KnownSchedules.an_edit_back_counts_from_then_once_the_definition_was_away_for_long_enough"),
      that(
          "knows one schedule of an id, whatever its task",
          seeing((real, command) -> real.seeSchedules(new SeeSchedules(
              command.environment(),
              command.schedules().stream()
                  .map(each ->
                      new SeeSchedules.Definition("any.task", each.scheduleId(), each.definition()))
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
          "Occurrences.a_malformed_query_is_refused"));

  private BrokenSchedules() {}

  private static UnaryOperator<StorageAdapter> seeing(
      BiFunction<ScheduleStorage, SeeSchedules, Future<List<KnownSchedule>>> breaking) {
    return broken(
        (real, command) -> breaking.apply(real, command), ScheduleStorage::getScheduleOccurrence);
  }

  private static UnaryOperator<StorageAdapter> showing(
      BiFunction<ScheduleStorage, GetScheduleOccurrence, Future<Optional<ScheduleOccurrence>>>
          breaking) {
    return broken(ScheduleStorage::seeSchedules, breaking);
  }

  private static UnaryOperator<StorageAdapter> broken(
      BiFunction<ScheduleStorage, SeeSchedules, Future<List<KnownSchedule>>> see,
      BiFunction<ScheduleStorage, GetScheduleOccurrence, Future<Optional<ScheduleOccurrence>>>
          show) {
    return real -> new ForwardingStorage(real) {
      @Override
      public Optional<ScheduleStorage> schedules() {
        ScheduleStorage schedules = real.schedules().orElseThrow();
        return Optional.of(new ScheduleStorage() {
          @Override
          public Future<List<KnownSchedule>> seeSchedules(SeeSchedules command) {
            return see.apply(schedules, command);
          }

          @Override
          public Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(
              GetScheduleOccurrence query) {
            return show.apply(schedules, query);
          }
        });
      }
    };
  }
}
