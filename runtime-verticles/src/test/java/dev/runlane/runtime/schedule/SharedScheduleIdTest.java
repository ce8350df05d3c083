package dev.runlane.runtime.schedule;

import static dev.runlane.runtime.MaintenanceFleet.ENVIRONMENT;
import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.operate.ListedSchedule;
import dev.runlane.runtime.operate.Schedules;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two tasks with a schedule of one id, in one release and beside the release before, which knew no tasks. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SharedScheduleIdTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Schedule NIGHTLY = Schedule.every("nightly", HOUR).payload("x");
  private static final Duration CLAIM = SchedulerOptions.DEFAULT_CLAIM_DURATION;
  private static final String ONE = "app.one";
  private static final String OTHER = "app.other";

  private final MaintenanceFleet fleet = new MaintenanceFleet();

  @Test
  void both_make_their_run_of_each_fire() {
    Scheduler one = scheduler(process(ONE));
    Scheduler other = scheduler(process(OTHER));

    for (int hour = 0; hour < 3; hour++) {
      assertThat(await(one.sweep()).done()).isEqualTo(1);
      assertThat(await(other.sweep()).done()).isEqualTo(1);
      fleet.advance(HOUR);
    }

    assertThat(runsOf(ONE)).isEqualTo(3);
    assertThat(runsOf(OTHER)).isEqualTo(3);
  }

  @Test
  void the_latest_run_of_each_is_its_own() {
    MaintenanceFleet.Process process = process(ONE);
    Scheduler one = scheduler(process);
    Scheduler other = scheduler(process(OTHER));
    await(one.sweep());
    await(other.sweep());
    fleet.advance(HOUR);
    await(one.sweep());
    await(other.sweep());

    Schedules schedules = process.runlane().schedules();
    List<ListedSchedule> both = await(schedules.list(null, null)).data();
    Map<ScheduleName, RunSummary> lastRuns = await(schedules.lastRuns(both));

    assertThat(lastRuns.keySet())
        .containsExactlyInAnyOrder(
            new ScheduleName(ONE, "nightly"), new ScheduleName(OTHER, "nightly"));
    assertThat(lastRuns).allSatisfy((name, run) -> {
      assertThat(run.taskId()).isEqualTo(name.taskId());
      assertThat(run.createdAt()).isEqualTo(NOON.plus(HOUR));
    });
    assertThat(await(schedules.lastRuns(List.of()))).isEmpty();
  }

  @Test
  void two_tasks_of_one_application_may_have_them_too() {
    MaintenanceFleet.Process process =
        fleet.process(task(ONE), task(OTHER)).knowsSchedulesSince(NOON.minusSeconds(1));
    Scheduler both = new Scheduler(process.context(), new SchedulerOptions());

    sweepFor(both, 3);

    assertThat(runsOf(ONE)).isEqualTo(1);
    assertThat(runsOf(OTHER)).isEqualTo(1);
  }

  @Test
  void a_fire_for_which_the_other_made_no_run_is_not_lost() {
    Task<String> busy = Task.define(OTHER, String.class)
        .singletonKey(payload -> "one")
        .schedule(NIGHTLY)
        .handler((payload, context) -> MaintenanceFleet.done());
    Scheduler other = scheduler(fleet.process(busy).knowsSchedulesSince(NOON.minusSeconds(1)));
    await(other.sweep());
    fleet.advance(HOUR);
    await(other.sweep()); // settles the fire without a run: its run of before is still active
    assertThat(runsOf(OTHER)).isEqualTo(1);

    await(scheduler(process(ONE)).sweep());

    assertThat(runsOf(ONE)).isEqualTo(1);
  }

  /** The ids of fires are no secret: whoever may choose the id of a run can compute them. */
  @Test
  void a_run_that_no_schedule_made_under_the_id_of_a_fire_keeps_no_other_fire_back() {
    Task<String> two = Task.define(ONE, String.class)
        .schedule(NIGHTLY)
        .schedule(Schedule.every("hourly", HOUR).payload("x"))
        .handler((payload, context) -> MaintenanceFleet.done());
    MaintenanceFleet.Process process = fleet.process(two).knowsSchedulesSince(NOON.minusSeconds(1));
    forge(process, ONE);
    Scheduler scheduler = scheduler(process);

    List<String> lines =
        CapturedErrors.during(() -> assertThat(await(scheduler.sweep()).done()).isEqualTo(2));

    assertThat(lines)
        .singleElement()
        .asString()
        .contains("ERROR", "schedule nightly makes no run of its fire");
    assertThat(runsOf(ONE)).as("the forged one and that of the hourly fire").isEqualTo(2);
    fleet.advance(Duration.ofSeconds(1));
    await(scheduler.sweep());
    assertThat(process.storage.calls("claimScheduleOccurrence")).isEqualTo(2);
    fleet.advance(HOUR);
    await(scheduler.sweep());
    assertThat(runsOf(ONE)).isEqualTo(4);
  }

  @Test
  void a_run_of_another_task_that_no_schedule_made_takes_the_place_of_no_fire() {
    Task<String> other =
        Task.define(OTHER, String.class).handler((payload, context) -> MaintenanceFleet.done());
    MaintenanceFleet.Process process =
        fleet.process(task(ONE), other).knowsSchedulesSince(NOON.minusSeconds(1));
    forge(process, OTHER);

    await(scheduler(process).sweep());

    assertThat(runsOf(ONE)).isEqualTo(1);
  }

  private static void forge(MaintenanceFleet.Process process, String taskId) {
    await(process
        .runlane()
        .triggerJson(
            taskId,
            "\"forged\"",
            new TriggerOptions()
                .setRunId(Ids.scheduleRunId("default", "nightly", NOON.toString()))));
  }

  @Test
  void a_fire_that_is_settled_for_the_task_is_not_asked_for_again() {
    await(scheduler(process(ONE)).sweep());
    MaintenanceFleet.Process second = process(ONE);
    Scheduler scheduler = scheduler(second);

    await(scheduler.sweep());

    assertThat(scheduler.nextDue()).contains(NOON.plus(HOUR));
    fleet.advance(HOUR.minusSeconds(1));
    await(scheduler.sweep());
    assertThat(second.storage.calls("claimScheduleOccurrence")).isEqualTo(1);
  }

  @Test
  void the_release_before_and_this_one_make_one_run_of_a_fire_whoever_comes_first() {
    MaintenanceFleet.Process before = process(ONE);
    await(previous(before, ONE));
    await(scheduler(process(ONE)).sweep());
    assertThat(runsOf(ONE)).isEqualTo(1);

    fleet.advance(HOUR);
    await(scheduler(process(ONE)).sweep());
    await(previous(before, ONE));

    assertThat(runsOf(ONE)).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"1,true", "2,true", "3,true", "2,false", "3,false"})
  void a_fire_that_the_release_before_died_over_is_finished_once(int call, boolean after) {
    MaintenanceFleet.Process killed = process(OTHER);
    killed.context();
    if (after) {
      killed.storage.killAfter(call);
    } else {
      killed.storage.killBefore(call);
    }
    previous(killed, OTHER);
    Scheduler one = scheduler(process(ONE));
    Scheduler other = scheduler(process(OTHER));

    for (int second = 0; second < 130; second++) {
      await(one.sweep());
      await(other.sweep());
      fleet.advance(Duration.ofSeconds(1));
    }

    assertThat(runsOf(ONE)).isEqualTo(1);
    assertThat(runsOf(OTHER)).isEqualTo(1);
  }

  /** Processes of both releases and both applications, killed and held up at any call, then one of each continues. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void no_order_of_calls_and_deaths_loses_or_doubles_a_fire(long seed) {
    for (int round = 0; round < 150; round++) {
      SharedScheduleIdTest each = new SharedScheduleIdTest();
      String story = each.disorder(new Random(seed * 1_000 + round));

      assertThat(each.runsOf(ONE)).as("runs of %s after %s", ONE, story).isEqualTo(1);
      assertThat(each.runsOf(OTHER)).as("runs of %s after %s", OTHER, story).isEqualTo(1);
    }
  }

  private String disorder(Random random) {
    List<String> story = new ArrayList<>();
    List<Promise<Void>> gates = new ArrayList<>();
    for (int actor = 0; actor < 5; actor++) {
      String taskId = random.nextBoolean() ? ONE : OTHER;
      boolean old = random.nextInt(3) == 0;
      MaintenanceFleet.Process process = process(taskId);
      Scheduler scheduler = scheduler(process);
      story.add((old ? "old " : "new ") + taskId + disturb(process, random, gates, old));
      if (old) {
        previous(process, taskId);
      } else {
        scheduler.sweep();
      }
      int pause = random.nextInt(4) * 25;
      story.add(pause + " s");
      fleet.advance(Duration.ofSeconds(pause));
      if (random.nextBoolean() && !gates.isEmpty()) {
        gates.remove(random.nextInt(gates.size())).complete();
        story.add("a gate opens");
      }
    }
    Scheduler one = scheduler(process(ONE));
    Scheduler other = scheduler(process(OTHER));
    for (int second = 0; second < 400; second++) {
      await(one.sweep());
      await(other.sweep());
      fleet.advance(Duration.ofSeconds(1));
      if (second == 200) {
        gates.forEach(Promise::complete);
      }
    }
    return String.join(", ", story);
  }

  private static String disturb(
      MaintenanceFleet.Process process, Random random, List<Promise<Void>> gates, boolean old) {
    int call = (old ? 1 : 2) + random.nextInt(4);
    switch (random.nextInt(4)) {
      case 0 -> process.storage.killBefore(call);
      case 1 -> process.storage.killAfter(call);
      case 2 -> {
        Promise<Void> gate = Promise.promise();
        gates.add(gate);
        String method = List.of(
                "claimScheduleOccurrence", "appendRunEvents", "completeScheduleOccurrence")
            .get(random.nextInt(3));
        process.storage.holdNext(method, gate.future());
        return " held at " + method;
      }
      default -> {
        return "";
      }
    }
    return " dies around call " + call;
  }

  /** What the release before does with the fire of this hour: ids without a task, a completion without one. */
  private Future<Void> previous(MaintenanceFleet.Process process, String taskId) {
    RuntimeContext context = process.context();
    RegisteredSchedule schedule = context.registry().schedules().get(0);
    Fire fire = new Fire(ENVIRONMENT.environmentKey(), schedule, hourNow());
    assertThat(fire.sharedRunId())
        .isEqualTo(Ids.scheduleRunId("default", "nightly", fire.fireAt().toString()));
    assertThat(taskId).isEqualTo(fire.taskId());
    return context
        .storage()
        .claimScheduleOccurrence(new ClaimScheduleOccurrence(
            ENVIRONMENT,
            "nightly",
            Ids.occurrenceId("default", "nightly", fire.fireAt().toString()),
            fire.fireAt(),
            fleet.clock.now(),
            CLAIM))
        .compose(claimed ->
            claimed.isEmpty() || !claimed.get().claimExpiresAt().isAfter(fleet.clock.now())
                ? Future.<Void>succeededFuture()
                : context
                    .creations()
                    .create(fire.sharedRun())
                    .map(created -> List.of(created.run().id()))
                    .recover(failure -> failure instanceof RunlaneException conflict
                            && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
                        ? Future.succeededFuture(List.of(fire.sharedRunId()))
                        : Future.failedFuture(failure))
                    .compose(runIds -> context
                        .storage()
                        .completeScheduleOccurrence(new CompleteScheduleOccurrence(
                            ENVIRONMENT,
                            claimed.get().occurrenceId(),
                            claimed.get().claimToken(),
                            runIds,
                            fleet.clock.now()))));
  }

  private java.time.Instant hourNow() {
    return NIGHTLY.fireTimes().latest(fleet.clock.now()).orElseThrow();
  }

  private void sweepFor(Scheduler scheduler, int seconds) {
    for (int second = 0; second < seconds; second++) {
      await(scheduler.sweep());
      fleet.advance(Duration.ofSeconds(1));
    }
  }

  private MaintenanceFleet.Process process(String taskId) {
    return fleet.process(task(taskId)).knowsSchedulesSince(NOON.minusSeconds(1));
  }

  private static Task<String> task(String id) {
    return Task.define(id, String.class)
        .schedule(NIGHTLY)
        .handler((payload, context) -> MaintenanceFleet.done());
  }

  private static Scheduler scheduler(MaintenanceFleet.Process process) {
    return new Scheduler(process.context(), new SchedulerOptions());
  }

  private long runsOf(String taskId) {
    return fleet.runs().stream().filter(run -> run.taskId().equals(taskId)).count();
  }
}
