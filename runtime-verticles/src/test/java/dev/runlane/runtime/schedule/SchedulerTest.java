package dev.runlane.runtime.schedule;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.ScriptedTransport;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SchedulerTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Schedule HOURLY = Schedule.every("hourly", HOUR).payload("tick");
  private static final SchedulerOptions OPTIONS = new SchedulerOptions();

  private final MaintenanceFleet fleet = new MaintenanceFleet();

  @Test
  void a_fire_makes_a_run_that_says_where_it_comes_from_and_asks_for_delivery() {
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY)));

    PhaseCount count = await(scheduler.sweep());

    assertThat(count).isEqualTo(new PhaseCount(1, false));
    RunRecord run = fleet.run(onlyRun().id());
    assertThat(run.source())
        .isEqualTo(RunSource.schedule("hourly", occurrenceId("hourly", NOON), NOON));
    assertThat(run.taskId()).isEqualTo("test.scheduled");
    assertThat(run.payload().text()).isEqualTo("\"tick\"");
    assertThat(fleet.history(run.id()))
        .containsExactly(RunEventType.CREATED, RunEventType.DELIVERY_REQUESTED);
    assertThat(fleet.claimOutbox()).hasSize(1);
  }

  @Test
  void a_run_of_a_bounded_queue_waits_for_its_slot() {
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY.queue(BOUNDED))));

    await(scheduler.sweep());

    assertThat(fleet.history(onlyRun().id())).containsExactly(RunEventType.CREATED);
    assertThat(fleet.claimOutbox()).isEmpty();
  }

  @Test
  void sweeps_between_fires_ask_the_storage_for_no_fire() {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    Scheduler scheduler = scheduler(process);
    await(scheduler.sweep());
    int calls = process.storage.calls().size();

    for (int second = 1; second < 3600; second++) {
      fleet.advance(Duration.ofSeconds(1));
      assertThat(await(scheduler.sweepOnce())).isFalse();
    }

    assertThat(process.storage.calls().subList(calls, process.storage.calls().size()))
        .as("it says once a minute that the schedule is still there")
        .hasSize(59)
        .containsOnly("registerSchedules");
    assertThat(scheduler.nextDue()).contains(NOON.plus(HOUR));
    fleet.advance(Duration.ofSeconds(1));
    await(scheduler.sweep());
    assertThat(fleet.runs()).hasSize(2);
  }

  @Test
  void a_disabled_schedule_makes_nothing() {
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY.disabled())));

    assertThat(await(scheduler.sweep())).isEqualTo(PhaseCount.NOTHING);
    assertThat(scheduler.nextDue()).isEmpty();
  }

  @Test
  void missed_fires_collapse_to_the_latest() {
    fleet.advance(Duration.ofMinutes(200));
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY)));

    await(scheduler.sweep());
    fleet.advance(HOUR.multipliedBy(5));
    await(scheduler.sweep());

    assertThat(fires())
        .containsExactly(NOON.plus(HOUR.multipliedBy(3)), NOON.plus(HOUR.multipliedBy(8)));
  }

  @Test
  void a_new_schedule_first_fires_at_its_next_time() {
    fleet.advance(Duration.ofMinutes(30));
    Scheduler scheduler = newScheduler(HOURLY.missedFires(MissedFires.all(5)));

    await(scheduler.sweep());
    assertThat(fires()).isEmpty();
    assertThat(scheduler.nextDue()).contains(hour(1));
    fleet.advance(Duration.ofMinutes(30));
    await(scheduler.sweep());

    assertThat(fires()).containsExactly(hour(1));
  }

  @Test
  void an_instant_that_was_over_before_its_schedule_was_first_seen_makes_no_run() {
    fleet.advance(HOUR);
    Scheduler scheduler = newScheduler(Schedule.once("opening", NOON.plus(Duration.ofMinutes(30)))
        .payload("x")
        .missedFires(MissedFires.all(5)));

    await(scheduler.sweep());
    fleet.advance(HOUR);
    await(scheduler.sweep());

    assertThat(fires()).isEmpty();
    assertThat(scheduler.nextDue()).isEmpty();
  }

  @Test
  void missed_fires_of_a_new_schedule_count_from_when_it_was_first_seen() {
    fleet.advance(Duration.ofMinutes(30));
    await(newScheduler(HOURLY.missedFires(MissedFires.all(5))).sweep());
    fleet.advance(HOUR.multipliedBy(2));

    await(newScheduler(HOURLY.missedFires(MissedFires.all(5))).sweep());

    assertThat(fires()).containsExactlyInAnyOrder(hour(1), hour(2));
  }

  @Test
  void an_edited_schedule_first_fires_at_its_next_time() {
    await(newScheduler(Schedule.cron("nightly", "30 2 * * *").payload("x")).sweep());
    fleet.advance(HOUR.multipliedBy(30)); // past 02:30 and 03:30, with no scheduler at work
    Scheduler edited = newScheduler(Schedule.cron("nightly", "30 3 * * *").payload("x"));

    await(edited.sweep());

    assertThat(fires()).isEmpty();
    assertThat(edited.nextDue()).contains(hour(12 + 24 + 3).plus(Duration.ofMinutes(30)));
  }

  @Test
  void a_schedule_that_is_enabled_again_first_fires_at_its_next_time() {
    await(newScheduler(HOURLY).sweep());
    fleet.advance(Duration.ofMinutes(5));
    await(newScheduler(HOURLY.disabled()).sweep());
    fleet.advance(HOUR.multipliedBy(3));

    await(newScheduler(HOURLY).sweep());

    assertThat(fires()).isEmpty();
  }

  @Test
  void a_clock_that_was_set_back_by_days_keeps_no_fire_back_and_doubles_none() {
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY)));
    await(scheduler.sweep());
    Instant ahead = hour(72);
    fleet.clock.set(ahead);
    await(scheduler.sweep());
    assertThat(fires()).containsExactlyInAnyOrder(NOON, ahead);

    fleet.clock.set(minute(1));
    await(scheduler.sweep());
    fleet.advance(HOUR);
    await(scheduler.sweep());
    assertThat(fires()).containsExactlyInAnyOrder(NOON, ahead, hour(1));

    fleet.advance(HOUR.multipliedBy(71));
    await(scheduler.sweep());
    assertThat(fires()).containsExactlyInAnyOrder(NOON, ahead, hour(1));
  }

  @Test
  void processes_with_different_definitions_neither_lose_nor_repeat_fires_of_one_another() {
    Schedule before = Schedule.every("often", Duration.ofMinutes(10)).payload("x");
    Schedule after = Schedule.every("often", Duration.ofMinutes(15)).payload("x");
    for (int minute = 0; minute < 60; minute++) {
      // every minute another process of either version starts and dies: a rolling upgrade that
      // takes long
      await(newScheduler(minute % 2 == 0 ? before : after).sweep());
      fleet.advance(Duration.ofMinutes(1));
    }

    assertThat(fires())
        .containsExactlyInAnyOrder(
            minute(10), minute(15), minute(20), minute(30), minute(40), minute(45), minute(50));
  }

  @Test
  void a_rollback_within_the_hour_misses_no_fire_and_a_later_one_begins_anew() {
    Schedule old = HOURLY;
    Schedule edited = Schedule.every("hourly", Duration.ofMinutes(90)).payload("x");
    fleet.advance(Duration.ofMinutes(50));
    await(newScheduler(old).sweep());
    fleet.advance(Duration.ofMinutes(5));
    await(newScheduler(edited).sweep());
    fleet.advance(Duration.ofMinutes(10));

    await(newScheduler(old).sweep());
    assertThat(fires()).containsExactly(hour(1));

    await(newScheduler(edited).sweep());
    fleet.advance(HOUR);
    await(newScheduler(edited).sweep());
    await(newScheduler(old).sweep());
    assertThat(fires()).as("2 pm was the edited one's time").containsExactly(hour(1), minute(90));
  }

  @Test
  void a_schedule_that_fired_under_a_release_that_remembered_none_keeps_its_missed_fires() {
    ScriptedStorage storage = new ScriptedStorage(fleet.storage);
    String occurrence = occurrenceId("hourly", NOON);
    await(storage
        .adapter()
        .claimScheduleOccurrence(new ClaimScheduleOccurrence(
            MaintenanceFleet.ENVIRONMENT, "hourly", occurrence, NOON, NOON, HOUR))
        .compose(claim -> storage
            .adapter()
            .completeScheduleOccurrence(new CompleteScheduleOccurrence(
                MaintenanceFleet.ENVIRONMENT,
                occurrence,
                claim.orElseThrow().claimToken(),
                List.of("run_of_that_release"),
                NOON))));
    fleet.advance(HOUR.multipliedBy(3).plusMinutes(1));

    await(newScheduler(HOURLY.missedFires(MissedFires.all(9))).sweep());

    assertThat(fires()).containsExactlyInAnyOrder(hour(1), hour(2), hour(3));
  }

  @Test
  void a_scheduler_that_could_not_ask_since_when_makes_no_run_until_it_could() {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    process.knowsSchedulesSince(NOON.minusSeconds(1));
    process.storage.failNext("registerSchedules", ScriptedStorage.outage());
    Scheduler scheduler = new Scheduler(process.context(), OPTIONS);

    assertThat(code(failure(scheduler.sweep()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(fires()).isEmpty();
    await(scheduler.sweep());

    assertThat(fires()).containsExactly(NOON);
  }

  @Test
  void a_storage_that_cannot_be_told_later_does_not_keep_fires_back() {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    Scheduler scheduler = scheduler(process);
    await(scheduler.sweep());
    process.storage.failNext("registerSchedules", ScriptedStorage.outage());
    fleet.advance(HOUR);

    await(scheduler.sweep());

    assertThat(fires()).containsExactly(NOON, hour(1));
  }

  @Test
  void missed_fires_are_skipped_where_the_schedule_says_so() {
    fleet.advance(Duration.ofMinutes(30));
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY.missedFires(MissedFires.skip()))));

    await(scheduler.sweep());
    assertThat(fires()).isEmpty();
    fleet.advance(Duration.ofMinutes(30));
    await(scheduler.sweep());

    assertThat(fires()).containsExactly(NOON.plus(HOUR));
  }

  @Test
  void a_fire_within_the_tolerance_before_the_start_is_not_a_missed_one() {
    fleet.advance(Duration.ofSeconds(119));

    await(scheduler(fleet.process(task(HOURLY.missedFires(MissedFires.skip())))).sweep());

    assertThat(fires()).containsExactly(NOON);
  }

  @Test
  void every_missed_fire_makes_a_run_where_the_schedule_says_so_up_to_its_bound() {
    fleet.advance(HOUR.multipliedBy(10));
    Scheduler scheduler = scheduler(fleet.process(task(HOURLY.missedFires(MissedFires.all(3)))));

    await(scheduler.sweep());
    fleet.advance(HOUR.multipliedBy(2));
    await(scheduler.sweep());

    assertThat(fires()).containsExactlyInAnyOrder(hour(8), hour(9), hour(10), hour(11), hour(12));
  }

  @Test
  void a_sweep_takes_no_more_fires_than_its_limit_and_says_that_more_are_waiting() {
    Scheduler scheduler = scheduler(
        fleet.process(task(HOURLY.missedFires(MissedFires.all(5)))),
        new SchedulerOptions().setSweepLimit(2));

    int sweeps = 0;
    PhaseCount count = new PhaseCount(0, true);
    while (count.moreWaiting()) {
      count = await(scheduler.sweep());
      assertThat(count.done()).isLessThanOrEqualTo(2);
      sweeps++;
    }

    assertThat(fires()).containsExactlyInAnyOrder(hour(-4), hour(-3), hour(-2), hour(-1), hour(0));
    assertThat(sweeps).isEqualTo(3);
  }

  @Test
  void many_schedules_that_fire_together_are_looked_after_in_turn() {
    Schedule[] schedules = new Schedule[250];
    for (int index = 0; index < schedules.length; index++) {
      schedules[index] = Schedule.cron("cron_" + index, "0 * * * *").payload("x");
    }
    Scheduler scheduler = scheduler(fleet.process(task(schedules)));

    int settled = 0;
    PhaseCount count = new PhaseCount(0, true);
    while (count.moreWaiting()) {
      count = await(scheduler.sweep());
      settled += count.done();
    }

    assertThat(settled).isEqualTo(schedules.length);
    assertThat(scheduler.nextDue()).contains(hour(1));
  }

  @Test
  void competing_schedulers_make_one_run_of_each_fire() {
    List<Scheduler> schedulers = new ArrayList<>();
    for (int index = 0; index < 3; index++) {
      schedulers.add(scheduler(fleet.process(task(HOURLY))));
    }

    for (int hour = 0; hour < 5; hour++) {
      List<Future<PhaseCount>> sweeps =
          schedulers.stream().map(Scheduler::sweep).toList();
      assertThat(sweeps.stream().mapToInt(sweep -> await(sweep).done()).sum()).isEqualTo(1);
      fleet.advance(HOUR);
    }

    assertThat(fires()).containsExactly(hour(0), hour(1), hour(2), hour(3), hour(4));
  }

  @Test
  void schedulers_whose_claims_cross_make_one_run() {
    MaintenanceFleet.Process slow = fleet.process(task(HOURLY));
    MaintenanceFleet.Process fast = fleet.process(task(HOURLY));
    Promise<Void> gate = Promise.promise();
    slow.storage.holdNext("appendRunEvents", gate.future());
    Future<PhaseCount> slowSweep = scheduler(slow).sweep();

    fleet.advance(
        Duration.ofSeconds(60)); // the slow one's claim ends while its append is on the way
    await(scheduler(fast).sweep());
    gate.complete();

    assertThat(await(slowSweep).done()).isZero();
    assertThat(fires()).containsExactly(NOON);
    assertSettled(NOON);
  }

  @Test
  void a_scheduler_that_was_paused_past_its_claim_makes_no_run_under_it() {
    MaintenanceFleet.Process paused = fleet.process(task(HOURLY));
    paused.storage.next("claimScheduleOccurrence", real -> () -> {
      Future<?> claim = real.get();
      fleet.clock.advance(Duration.ofSeconds(60));
      return claim;
    });

    assertThat(await(scheduler(paused).sweep()).done()).isZero();

    assertThat(paused.storage.calls())
        .containsExactly("registerSchedules", "claimScheduleOccurrence");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void a_scheduler_killed_before_one_of_its_calls_neither_loses_nor_doubles_the_fire(int call) {
    MaintenanceFleet.Process killed = fleet.process(task(HOURLY));
    killed.storage.killBefore(call);

    takeOver(killed, HOURLY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void a_scheduler_killed_after_one_of_its_calls_neither_loses_nor_doubles_the_fire(int call) {
    MaintenanceFleet.Process killed = fleet.process(task(HOURLY));
    killed.storage.killAfter(call);

    takeOver(killed, HOURLY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void a_kill_costs_a_schedule_that_skips_no_fire_when_its_successor_starts_soon(int call) {
    Schedule skipping = HOURLY.missedFires(MissedFires.skip());
    MaintenanceFleet.Process killed = fleet.process(task(skipping));
    killed.storage.killAfter(call);

    takeOver(killed, skipping);
  }

  /** The successor starts at once and works with nothing but its own sweeps. */
  private void takeOver(MaintenanceFleet.Process killed, Schedule schedule) {
    assertThat(scheduler(killed).sweep().isComplete()).isFalse();
    assertThat(killed.storage.isDead()).isTrue();
    Scheduler successor = scheduler(fleet.process(task(schedule)));

    await(successor.sweep());
    for (int second = 0; second < 200; second++) {
      fleet.advance(Duration.ofSeconds(1));
      await(successor.sweep());
    }

    assertThat(fires()).containsExactly(NOON);
    assertSettled(NOON);
    assertThat(fleet.claimOutbox()).as("one wakeup").hasSize(1);
  }

  @Test
  void a_row_of_killed_schedulers_makes_one_run() {
    for (int call : List.of(2, 3, 3, 3, 4)) {
      MaintenanceFleet.Process killed = fleet.process(task(HOURLY));
      killed.storage.killAfter(call);
      assertThat(scheduler(killed).sweep().isComplete()).isFalse();
      fleet.advance(Duration.ofSeconds(60));
    }

    await(scheduler(fleet.process(task(HOURLY))).sweep());

    assertThat(fires()).containsExactly(NOON);
    assertSettled(NOON);
  }

  @Test
  void a_fire_whose_claimer_died_is_made_though_the_next_one_comes_before_the_claim_ends() {
    Schedule often = Schedule.every("often", Duration.ofSeconds(10)).payload("tick");
    MaintenanceFleet.Process first = fleet.process(task(often));
    await(scheduler(first).sweep());
    Scheduler scheduler = scheduler(fleet.process(task(often)));
    await(scheduler.sweep());
    int before = fires().size();
    fleet.advance(Duration.ofSeconds(10));
    MaintenanceFleet.Process killed = fleet.process(task(often));
    killed.storage.killAfter(2);
    assertThat(scheduler(killed).sweep().isComplete()).isFalse();

    for (int second = 0; second < 80; second++) {
      await(scheduler.sweep());
      fleet.advance(Duration.ofSeconds(1));
    }

    assertThat(fires()).hasSize(before + 8).doesNotHaveDuplicates();
  }

  @Test
  void an_occurrence_whose_claimer_died_is_looked_at_again_when_the_claim_has_ended() {
    MaintenanceFleet.Process killed = fleet.process(task(HOURLY));
    killed.storage.killAfter(2);
    scheduler(killed).sweep();
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    Scheduler scheduler = scheduler(process);

    await(scheduler.sweep());

    assertThat(scheduler.nextDue()).contains(NOON.plusSeconds(1));
    for (int second = 1; second < 60; second++) {
      fleet.advance(Duration.ofSeconds(1));
      assertThat(await(scheduler.sweep()).done()).isZero();
    }
    assertThat(process.storage.calls("claimScheduleOccurrence"))
        .as("ever less often")
        .isEqualTo(6);
    assertThat(scheduler.nextDue()).contains(NOON.plusSeconds(60));
    fleet.advance(Duration.ofSeconds(1));
    assertThat(await(scheduler.sweep()).done()).isEqualTo(1);
  }

  @Test
  void an_outage_after_the_claim_is_made_up_for_under_the_same_claim() {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    process.storage.failNext("appendRunEvents", ScriptedStorage.outage());
    Scheduler scheduler = scheduler(process);

    assertThat(code(failure(scheduler.sweep()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    fleet.advance(Duration.ofSeconds(1));

    assertThat(await(scheduler.sweep()).done()).isEqualTo(1);
    assertThat(process.storage.calls("claimScheduleOccurrence")).isEqualTo(1);
    assertThat(fires()).containsExactly(NOON);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"claimScheduleOccurrence", "appendRunEvents", "completeScheduleOccurrence"})
  void a_lost_reply_costs_neither_the_fire_nor_a_second_run(String method) {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    process.storage.loseReplyOfNext(method);
    Scheduler scheduler = scheduler(process);

    scheduler.sweep();
    for (int second = 0; second < 130; second++) {
      fleet.advance(Duration.ofSeconds(1));
      await(scheduler.sweep());
    }

    assertThat(fires()).containsExactly(NOON);
    assertSettled(NOON);
  }

  @Test
  void a_claim_that_was_taken_over_before_completion_is_left_to_its_new_owner() {
    MaintenanceFleet.Process process = fleet.process(task(HOURLY));
    MaintenanceFleet.Process other = fleet.process(task(HOURLY));
    process.storage.beforeNext("completeScheduleOccurrence", () -> {
      fleet.clock.advance(Duration.ofSeconds(60));
      await(scheduler(other).sweep());
    });

    assertThat(await(scheduler(process).sweep()).done()).isZero();

    assertThat(fires()).containsExactly(NOON);
    assertSettled(NOON);
  }

  @Test
  void a_fire_whose_singleton_is_still_active_makes_no_run_and_is_not_asked_for_again() {
    Task<String> task = definition(HOURLY)
        .singletonKey(payload -> "one")
        .handler((payload, context) -> MaintenanceFleet.done());
    MaintenanceFleet.Process process = fleet.process(task);
    Scheduler scheduler = scheduler(process);
    await(scheduler.sweep());
    fleet.advance(HOUR);

    assertThat(await(scheduler.sweep()).done()).isEqualTo(1);

    assertThat(fires()).containsExactly(NOON);
    assertSettled(hour(1));
    assertThat(scheduler.nextDue()).contains(hour(2));
    fleet.succeed(fleet.start(onlyRun().id()));
    fleet.advance(HOUR);
    await(scheduler.sweep());
    assertThat(fires()).containsExactly(NOON, hour(2));
  }

  @Test
  void a_fire_whose_idempotency_key_is_owned_while_active_is_settled_with_the_owner() {
    Task<String> task = definition(HOURLY)
        .idempotencyKey(payload -> "one", IdempotencyTtl.ACTIVE)
        .handler((payload, context) -> MaintenanceFleet.done());
    Scheduler scheduler = scheduler(fleet.process(task));
    await(scheduler.sweep());
    fleet.advance(HOUR);

    assertThat(await(scheduler.sweep()).done()).isEqualTo(1);

    assertThat(fires()).containsExactly(NOON);
    assertSettled(hour(1));
  }

  /** The payload of a schedule is the same each time, so its key would be too. */
  @Test
  void every_fire_makes_its_run_though_the_task_gives_keys_that_outlive_their_runs() {
    Task<String> task = definition(HOURLY)
        .idempotencyKey(payload -> "one")
        .handler((payload, context) -> MaintenanceFleet.done());
    Scheduler scheduler = scheduler(fleet.process(task));
    await(scheduler.sweep());
    fleet.advance(HOUR);

    await(scheduler.sweep());

    assertThat(fires()).containsExactly(NOON, hour(1));
  }

  @Test
  void a_run_that_cannot_be_made_is_tried_less_and_less_often_and_keeps_no_other_back() {
    MaintenanceFleet.Process process =
        fleet.process(task(HOURLY, Schedule.every("other", HOUR).payload("x")));
    process.storage.failNext("appendRunEvents", RunlaneException.validationFailed("never"));
    Scheduler scheduler = scheduler(process);

    assertThat(code(failure(scheduler.sweep()))).isEqualTo(ErrorCode.VALIDATION_FAILED);

    assertThat(fires()).as("the other one").hasSize(1);
    assertThat(scheduler.nextDue()).contains(NOON.plusSeconds(60));
    fleet.advance(Duration.ofSeconds(60));
    await(scheduler.sweep());
    assertThat(fires()).hasSize(2);
  }

  @Test
  void a_key_function_that_throws_is_a_failure_of_its_own_fire_only() {
    boolean[] broken = {false};
    Task<String> task = definition(HOURLY)
        .singletonKey(payload -> {
          if (broken[0]) {
            throw new IllegalStateException("user code");
          }
          return "one";
        })
        .handler((payload, context) -> MaintenanceFleet.done());
    Scheduler scheduler =
        scheduler(fleet.process(task, task2(Schedule.every("other", HOUR).payload("x"))));
    broken[0] = true;

    assertThat(failure(scheduler.sweep())).hasCauseInstanceOf(IllegalStateException.class);

    assertThat(fires()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(MissedFires.Kind.class)
  void random_kills_at_random_times_leave_one_run_for_each_fire(MissedFires.Kind kind) {
    Schedule schedule = Schedule.every("often", Duration.ofMinutes(5))
        .payload("x")
        .missedFires(kind == MissedFires.Kind.ALL ? MissedFires.all(4) : new MissedFires(kind, 1));
    java.util.Random random = new java.util.Random(kind.ordinal());
    List<MaintenanceFleet.Process> processes = new ArrayList<>();
    List<Scheduler> schedulers = new ArrayList<>();
    for (int index = 0; index < 3; index++) {
      processes.add(fleet.process(task(schedule)));
      schedulers.add(scheduler(processes.get(index)));
    }

    for (int second = 0; second < 3_000; second++) {
      fleet.advance(Duration.ofSeconds(1));
      int who = random.nextInt(3);
      if (random.nextInt(40) == 0 || processes.get(who).storage.isDead()) {
        processes.set(who, fleet.process(task(schedule)));
        schedulers.set(who, scheduler(processes.get(who)));
        processes.get(who).storage.killAfter(2 + random.nextInt(8));
      }
      schedulers.get(who).sweep();
    }

    assertThat(fires()).doesNotHaveDuplicates();
    assertThat(fires())
        .contains(
            NOON.plus(Duration.ofMinutes(5)),
            NOON.plus(Duration.ofMinutes(25)),
            NOON.plus(Duration.ofMinutes(45)));
  }

  @Test
  void a_storage_that_claims_no_occurrences_is_refused_only_when_there_are_schedules() {
    Set<StorageCapability> without = EnumSet.copyOf(MemoryStorage.CAPABILITIES);
    without.remove(StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES);
    ScriptedStorage storage = new ScriptedStorage(fleet.storage.reporting(without));

    assertThat(new Scheduler(context(storage, MaintenanceFleet.TASK), OPTIONS).nextDue())
        .isEmpty();
    assertThatThrownBy(() -> new Scheduler(context(storage, task(HOURLY)), OPTIONS))
        .satisfies(
            failure -> assertThat(code(failure)).isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED));
  }

  private RuntimeContext context(ScriptedStorage storage, Task<?> task) {
    return Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(storage.adapter(), new ScriptedTransport()))
        .queue(MaintenanceFleet.QUEUE)
        .task(task)
        .clock(fleet.clock)
        .build()
        .context();
  }

  private static Task.Definition<String> definition(Schedule... schedules) {
    Task.Definition<String> definition = Task.define("test.scheduled", String.class);
    List.of(schedules).forEach(definition::schedule);
    return definition;
  }

  private static Task<String> task(Schedule... schedules) {
    return definition(schedules).handler((payload, context) -> MaintenanceFleet.done());
  }

  private static Task<String> task2(Schedule schedule) {
    return Task.define("test.other", String.class)
        .schedule(schedule)
        .handler((payload, context) -> MaintenanceFleet.done());
  }

  /** Of a process that has just started, and of a schedule that nobody need know. */
  private Scheduler newScheduler(Schedule schedule) {
    return new Scheduler(fleet.process(task(schedule)).context(), OPTIONS);
  }

  private static Instant minute(int minute) {
    return NOON.plus(Duration.ofMinutes(minute));
  }

  private Scheduler scheduler(MaintenanceFleet.Process process) {
    return scheduler(process, OPTIONS);
  }

  private Scheduler scheduler(MaintenanceFleet.Process process, SchedulerOptions options) {
    process.knowsSchedulesSince(NOON.minus(Duration.ofDays(1)));
    return new Scheduler(process.context(), options);
  }

  private RunSummary onlyRun() {
    assertThat(fleet.runs()).hasSize(1);
    return fleet.runs().get(0);
  }

  private List<Instant> fires() {
    return fleet.runs().stream()
        .map(run -> fleet.run(run.id()).source().fireAt())
        .toList();
  }

  private static Instant hour(int hour) {
    return NOON.plus(HOUR.multipliedBy(hour));
  }

  private static String occurrenceId(String schedule, Instant fireAt) {
    return Ids.occurrenceId(
        MaintenanceFleet.ENVIRONMENT.environmentKey(), schedule, fireAt.toString());
  }

  /** Nobody can claim the occurrence any more, however late. */
  private void assertSettled(Instant fireAt) {
    assertThat(await(fleet.storage.claimScheduleOccurrence(new ClaimScheduleOccurrence(
            MaintenanceFleet.ENVIRONMENT,
            "hourly",
            occurrenceId("hourly", fireAt),
            fireAt,
            fleet.clock.now().plus(Duration.ofDays(9_999)),
            Duration.ofSeconds(1)))))
        .isEmpty();
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
