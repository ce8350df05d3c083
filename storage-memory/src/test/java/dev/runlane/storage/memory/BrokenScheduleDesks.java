package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/** Storages that keep the pauses of schedules wrongly. */
final class BrokenScheduleDesks {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "tells neither who paused a schedule nor its last fire",
          shown(state -> new ScheduleState(
              state.name(),
              state.definition(),
              state.firstSeen(),
              state.lastSeen(),
              state.countsFrom(),
              null,
              state.resumedAt(),
              state.pause() == null
                  ? null
                  : new SchedulePause(
                      Actor.operator("somebody"), null, state.pause().pausedAt()))),
          "SchedulePauses.a_schedule_tells_its_latest_completed_fire",
          "SchedulePauses.a_paused_schedule_tells_who_paused_it_why_and_when"),
      that(
          "tells a definition that was edited since",
          shown(state -> new ScheduleState(
              state.name(),
              "every PT1H",
              state.firstSeen(),
              state.lastSeen(),
              state.countsFrom(),
              state.lastFire(),
              state.resumedAt(),
              state.pause())),
          "SchedulePauses.a_schedule_is_listed_with_its_last_definition_and_when_it_was_registered"),
      that(
          "tells an edited schedule as if it had always fired so",
          shown(state -> new ScheduleState(
              state.name(),
              state.definition(),
              state.firstSeen(),
              state.lastSeen(),
              state.firstSeen(),
              state.lastFire(),
              state.resumedAt(),
              state.pause())),
          "SchedulePauses.a_schedule_is_listed_with_its_last_definition_and_when_it_was_registered",
          "SchedulePauses.a_resumed_schedule_is_not_paused_and_tells_since_when"),
      that(
          "lists schedules in no order",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
              return super.listSchedules(query)
                  .map(page -> new Page<>(reversed(page.data()), page.nextCursor()));
            }

            @Override
            public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
              return super.findSchedules(query).map(BrokenScheduleDesks::reversed);
            }
          }),
          "SchedulePauses.schedules_are_listed_by_task_and_id_in_pages",
          "SchedulePauses.schedules_are_found_by_name_and_unknown_ones_left_out"),
      that(
          "pauses a paused schedule again",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Boolean> pauseSchedule(PauseSchedule command) {
              return super.resumeSchedule(
                      new ResumeSchedule(command.environment(), command.name(), command.now()))
                  .compose(resumed -> super.pauseSchedule(command));
            }
          }),
          "SchedulePauses.a_schedule_that_is_paused_already_keeps_who_paused_it",
          "SchedulePauses.of_many_that_pause_a_schedule_at_once_one_does"),
      that(
          "says that it resumes and does not",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Boolean> resumeSchedule(ResumeSchedule command) {
              return Future.succeededFuture(true);
            }
          }),
          "SchedulePauses.a_resumed_schedule_is_not_paused_and_tells_since_when",
          "SchedulePauses.every_definition_of_a_resumed_schedule_counts_from_the_resume",
          "SchedulePauses.malformed_commands_are_refused"),
      that(
          "resumes as of long ago",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Boolean> resumeSchedule(ResumeSchedule command) {
              return super.resumeSchedule(new ResumeSchedule(
                  command.environment(), command.name(), command.now().minusSeconds(86_400)));
            }
          }),
          "SchedulePauses.a_resumed_schedule_is_not_paused_and_tells_since_when",
          "SchedulePauses.every_definition_of_a_resumed_schedule_counts_from_the_resume"),
      that(
          "forgets the pause of a schedule that has run on",
          shown(state -> new ScheduleState(
              state.name(),
              state.definition(),
              state.firstSeen(),
              state.lastSeen(),
              state.countsFrom(),
              state.lastFire(),
              state.resumedAt(),
              state.lastSeen().isAfter(state.firstSeen()) ? null : state.pause())),
          "SchedulePauses.a_pause_outlives_registrations_and_edits"),
      that(
          "pauses what was never registered",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Boolean> pauseSchedule(PauseSchedule command) {
              return super.pauseSchedule(command).recover(BrokenScheduleDesks::unlessUnknown);
            }

            @Override
            public Future<Boolean> resumeSchedule(ResumeSchedule command) {
              return super.resumeSchedule(command).recover(BrokenScheduleDesks::unlessUnknown);
            }
          }),
          "SchedulePauses.a_schedule_that_was_never_registered_cannot_be_paused_or_resumed",
          "SchedulePauses.environments_have_their_own_schedules"),
      that(
          "keeps the schedules of all environments together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
              return super.listSchedules(
                  new ListSchedules(Given.ENVIRONMENT, query.limit(), query.cursor()));
            }
          }),
          "SchedulePauses.environments_have_their_own_schedules"));

  private BrokenScheduleDesks() {}

  private static <T> List<T> reversed(List<T> all) {
    List<T> copy = new ArrayList<>(all);
    Collections.reverse(copy);
    return copy;
  }

  private static Future<Boolean> unlessUnknown(Throwable failure) {
    return failure instanceof RunlaneException known && known.code() == ErrorCode.SCHEDULE_NOT_FOUND
        ? Future.succeededFuture(true)
        : Future.failedFuture(failure);
  }

  private static UnaryOperator<StorageAdapter> shown(UnaryOperator<ScheduleState> breaking) {
    return store(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
        return super.listSchedules(query)
            .map(
                page -> new Page<>(page.data().stream().map(breaking).toList(), page.nextCursor()));
      }

      @Override
      public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
        return super.findSchedules(query)
            .map(found -> found.stream().map(breaking).toList());
      }
    });
  }
}
