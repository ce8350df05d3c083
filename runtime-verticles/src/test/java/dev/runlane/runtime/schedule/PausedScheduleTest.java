package dev.runlane.runtime.schedule;

import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.operate.ListedSchedule;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A paused schedule makes no runs, and a resumed one none of the time of its pause. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PausedScheduleTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String TASK = "test.scheduled";
  private static final RunActionOptions ANNA =
      RunActionOptions.by("anna").setReason("the bank is away");
  private static final Schedule HOURLY = Schedule.every("hourly", HOUR)
      .payload("tick")
      .queue(MaintenanceFleet.BOUNDED)
      .missedFires(MissedFires.all(100));

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = process(HOURLY);
  private final Runlane runlane = process.runlane();
  private final Scheduler scheduler = new Scheduler(process.context(), new SchedulerOptions());

  @Test
  void a_paused_schedule_makes_no_runs_in_any_process() {
    Scheduler other = new Scheduler(process(HOURLY).context(), new SchedulerOptions());
    sweep(scheduler, other);
    assertThat(pause()).isTrue();

    pass(3, scheduler, other);

    assertThat(fleet.runs()).hasSize(1);
  }

  @Test
  void a_resumed_schedule_goes_on_with_its_next_fire() {
    sweep(scheduler);
    pause();
    pass(3, scheduler);

    assertThat(resume()).isTrue();
    sweep(scheduler);
    assertThat(fires()).containsExactly(NOON);
    pass(1, scheduler);

    assertThat(fires()).containsExactlyInAnyOrder(NOON, NOON.plus(HOUR.multipliedBy(4)));
  }

  @Test
  void a_scheduler_that_starts_after_the_resume_makes_no_run_of_the_pause() {
    sweep(scheduler);
    pause();
    fleet.advance(HOUR.multipliedBy(3).plusMinutes(5));
    resume();

    Scheduler later = new Scheduler(process(HOURLY).context(), new SchedulerOptions());
    sweep(later);

    assertThat(fires()).containsExactly(NOON);
  }

  @Test
  void a_scheduler_that_slept_through_the_whole_pause_makes_no_run_of_it() {
    sweep(scheduler);
    pause();
    fleet.advance(HOUR.multipliedBy(3).plusMinutes(5));
    resume();

    sweep(scheduler);

    assertThat(fires()).containsExactly(NOON);
  }

  @Test
  void a_schedule_that_is_edited_while_it_is_paused_stays_paused() {
    sweep(scheduler);
    pause();

    Scheduler edited = new Scheduler(
        process(Schedule.every("hourly", Duration.ofMinutes(30)).payload("tick"))
            .context(),
        new SchedulerOptions());
    pass(2, edited);

    assertThat(fires()).containsExactly(NOON);
  }

  @Test
  void the_other_schedules_of_a_task_go_on() {
    Schedule other = Schedule.every("other", HOUR).payload("tock");
    Scheduler both = new Scheduler(process(HOURLY, other).context(), new SchedulerOptions());
    sweep(both);
    pause();

    pass(1, both);

    assertThat(fleet.runs())
        .extracting(run -> fleet.run(run.id()).payload().text())
        .containsExactlyInAnyOrder("\"tick\"", "\"tock\"", "\"tock\"");
  }

  @Test
  void no_run_is_made_while_nobody_can_tell_whether_the_schedule_is_paused() {
    sweep(scheduler);
    fleet.advance(HOUR);
    process.storage.failNext("findSchedules", ScriptedStorage.outage());

    assertThat(failure(scheduler.sweep())).hasMessageContaining("is down");
    assertThat(fleet.runs()).hasSize(1);

    assertThat(await(scheduler.sweep())).isEqualTo(new PhaseCount(1, false));
    assertThat(fleet.runs()).hasSize(2);
  }

  @Test
  void a_pause_that_is_stored_behind_the_question_lets_the_run_through() {
    sweep(scheduler);
    fleet.advance(HOUR);
    AtomicBoolean paused = new AtomicBoolean();
    process.storage.beforeNext("claimScheduleOccurrence", () -> paused.set(pause()));

    sweep(scheduler);

    assertThat(paused).isTrue();
    assertThat(fleet.runs()).hasSize(2);
    pass(1, scheduler);
    assertThat(fleet.runs()).hasSize(2);
  }

  @Test
  void schedules_are_listed_with_zone_last_and_next_fire_and_pause() {
    Scheduler nightly = new Scheduler(
        process(Schedule.cron("nightly", "0 3 * * *", "Europe/Berlin").payload("x"))
            .context(),
        new SchedulerOptions());
    sweep(scheduler, nightly);
    fleet.advance(Duration.ofMinutes(1));
    pause();

    List<ListedSchedule> all = await(runlane.schedules().list(null, null)).data();

    assertThat(all)
        .extracting(
            each -> each.state().name().scheduleId(), ListedSchedule::zone, each -> each.nextFire())
        .containsExactly(
            tuple("hourly", null, NOON.plus(HOUR)),
            tuple("nightly", ZoneId.of("Europe/Berlin"), Instant.parse("2026-03-02T02:00:00Z")));
    ScheduleState hourly = all.get(0).state();
    assertThat(hourly.lastFire()).isEqualTo(NOON);
    assertThat(hourly.pause())
        .isEqualTo(new SchedulePause(
            Actor.operator("anna"), "the bank is away", NOON.plus(Duration.ofMinutes(1))));
    assertThat(await(runlane.schedules().get(TASK, "hourly"))).contains(all.get(0));
    assertThat(await(runlane.schedules().get(TASK, "weekly"))).isEmpty();
  }

  @Test
  void a_fire_that_nobody_made_a_run_of_is_told_while_processes_have_the_schedule() {
    sweep(scheduler);
    fleet.advance(HOUR.plusSeconds(119));
    assertThat(missedFire()).isNull();
    fleet.advance(Duration.ofSeconds(1));
    assertThat(missedFire()).isEqualTo(NOON.plus(HOUR));
    fleet.advance(HOUR);
    assertThat(missedFire()).isEqualTo(NOON.plus(HOUR));

    pause();
    assertThat(missedFire()).isNull();
    resume();
    assertThat(missedFire()).isNull();
    fleet.advance(HOUR);
    assertThat(missedFire()).isEqualTo(NOON.plus(HOUR.multipliedBy(3)));
    sweep(scheduler);
    assertThat(missedFire()).isNull();

    fleet.advance(Duration.ofDays(1));
    assertThat(missedFire()).isNotNull();
    fleet.advance(HOUR);
    assertThat(missedFire()).isNull();
  }

  @Test
  void a_fire_of_before_an_edit_is_not_told_as_missed() {
    sweep(scheduler);
    fleet.advance(Duration.ofMinutes(50));
    Schedule oftener = Schedule.every("hourly", Duration.ofMinutes(30)).payload("tick");

    sweep(new Scheduler(process(oftener).context(), new SchedulerOptions()));

    assertThat(missedFire()).as("that of half past is older than the edit").isNull();
    fleet.advance(Duration.ofMinutes(12));
    assertThat(missedFire()).isEqualTo(NOON.plus(HOUR));
  }

  private @Nullable Instant missedFire() {
    return await(runlane.schedules().get(TASK, "hourly")).orElseThrow().missedFire();
  }

  @Test
  void a_disabled_schedule_has_no_next_fire() {
    sweep(new Scheduler(process(HOURLY.disabled()).context(), new SchedulerOptions()));

    assertThat(await(runlane.schedules().list(null, null)).data())
        .extracting(each -> each.state().definition(), ListedSchedule::nextFire)
        .containsExactly(tuple("disabled", null));
  }

  @Test
  void a_schedule_that_is_fired_by_hand_makes_a_run_of_its_payload_though_it_is_paused() {
    sweep(scheduler);
    pause();

    TriggerResult fired = await(runlane.schedules().fire(TASK, "hourly", ANNA));

    RunRecord run = fleet.run(fired.run().id());
    assertThat(fired.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(run.payload().text()).isEqualTo("\"tick\"");
    assertThat(run.queue()).isEqualTo("bounded");
    assertThat(run.source()).isEqualTo(RunSource.TRIGGER);
    assertThat(await(runlane.runs().events(run.id()))
            .data()
            .get(0)
            .event()
            .header()
            .meta())
        .isEqualTo(Json.ofChecked("{\"reason\":\"the bank is away\"}"));
    assertThat(
            await(runlane.schedules().get(TASK, "hourly")).orElseThrow().state().lastFire())
        .isEqualTo(NOON);
  }

  @Test
  void what_is_done_to_a_schedule_is_recorded() {
    sweep(scheduler);
    pause();
    pause();
    resume();
    String runId = await(runlane.schedules().fire(TASK, "hourly", ANNA)).run().id();

    assertThat(await(runlane.operator().actions(null, null)).data())
        .extracting(OperatorAction::action, OperatorAction::target, OperatorAction::result)
        .containsExactlyInAnyOrder(
            tuple("schedule.fire", "test.scheduled/hourly", "created " + runId),
            tuple("schedule.resume", "test.scheduled/hourly", "resumed"),
            tuple("schedule.pause", "test.scheduled/hourly", "was paused already"),
            tuple("schedule.pause", "test.scheduled/hourly", "paused"));
  }

  @Test
  void a_schedule_that_nobody_knows_cannot_be_paused_resumed_or_fired() {
    sweep(scheduler);

    assertThat(code(failure(runlane.schedules().pause(TASK, "weekly", ANNA))))
        .isEqualTo(ErrorCode.SCHEDULE_NOT_FOUND);
    assertThat(code(failure(runlane.schedules().resume(TASK, "weekly", ANNA))))
        .isEqualTo(ErrorCode.SCHEDULE_NOT_FOUND);
    assertThat(code(failure(runlane.schedules().fire(TASK, "weekly", ANNA))))
        .isEqualTo(ErrorCode.SCHEDULE_NOT_FOUND);
    assertThat(code(failure(runlane.schedules().fire("test.nothing", "hourly", ANNA))))
        .isEqualTo(ErrorCode.TASK_NOT_FOUND);
  }

  private MaintenanceFleet.Process process(Schedule... schedules) {
    Task.Definition<String> task = Task.define(TASK, String.class);
    for (Schedule schedule : schedules) {
      task = task.schedule(schedule);
    }
    return fleet
        .process(task.handler((payload, context) -> MaintenanceFleet.done()))
        .knowsSchedulesSince(NOON.minus(Duration.ofMinutes(1)));
  }

  private void sweep(Scheduler... schedulers) {
    for (Scheduler each : schedulers) {
      await(each.sweep());
    }
  }

  private void pass(int hours, Scheduler... schedulers) {
    for (int hour = 0; hour < hours; hour++) {
      fleet.advance(HOUR);
      sweep(schedulers);
    }
  }

  private boolean pause() {
    return await(runlane.schedules().pause(TASK, "hourly", ANNA));
  }

  private boolean resume() {
    return await(runlane.schedules().resume(TASK, "hourly", ANNA));
  }

  private List<Instant> fires() {
    return fleet.runs().stream()
        .map(run -> fleet.run(run.id()).source().fireAt())
        .toList();
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
