package dev.runlane.runtime.sweep;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.ScriptedTransport;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.schedule.Scheduler;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RoleLoopTest {
  private static final Duration SLOW = Duration.ofMinutes(10);

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();

  @Test
  void a_loop_sweeps_at_its_start_and_after_each_idle_delay() {
    List<Instant> sweeps = new ArrayList<>();
    RoleLoop loop = loop(recording(sweeps), new RetentionOptions().setIdleDelay(SLOW));

    loop.start();
    fleet.advance(SLOW.multipliedBy(2));

    assertThat(sweeps).hasSize(2);
    assertThat(Duration.between(sweeps.get(0), sweeps.get(1))).isEqualTo(SLOW);
    await(loop.stop());
  }

  @Test
  void a_commit_of_this_process_reaches_the_publisher_at_once() {
    OutboxPublisherOptions options = new OutboxPublisherOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofSeconds(1));
    int sweepsBefore = process.storage.calls().size();

    for (int index = 0; index < 10; index++) {
      fleet.create("run_" + index, QUEUE);
      process.context().notifications().outboxChanged(fleet.clock.now());
    }
    fleet.advance(Duration.ofMillis(5));

    assertThat(process.transport.published()).hasSize(10);
    assertThat(process.storage.calls().size() - sweepsBefore)
        .as("one claim and one mark for all")
        .isEqualTo(2);
    await(loop.stop());
  }

  @Test
  void a_message_that_failed_is_tried_again_when_its_pause_is_over_and_not_before() {
    OutboxPublisherOptions options = new OutboxPublisherOptions().setIdleDelay(SLOW);
    fleet.create("run_1", QUEUE);
    process.transport.failNext(ScriptedTransport.outage());
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);

    loop.start();
    fleet.advance(Duration.ofMillis(700));
    assertThat(process.transport.published()).isEmpty();
    fleet.advance(Duration.ofMillis(600));

    assertThat(process.transport.published()).containsExactly("run_1");
    await(loop.stop());
  }

  @Test
  void messages_that_become_due_later_are_each_published_then() {
    OutboxPublisherOptions options = new OutboxPublisherOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofSeconds(1));

    process.context().notifications().outboxChanged(NOON.plusSeconds(30));
    process.context().notifications().outboxChanged(NOON.plusSeconds(20));
    int before = process.storage.calls().size();
    fleet.advance(Duration.ofSeconds(18));
    assertThat(process.storage.calls()).hasSize(before);
    fleet.advance(Duration.ofSeconds(2));
    assertThat(process.storage.calls()).hasSize(before + 1);
    fleet.advance(Duration.ofSeconds(10));

    assertThat(process.storage.calls()).hasSize(before + 2);
    await(loop.stop());
  }

  @Test
  void a_run_that_waits_in_a_bounded_queue_reaches_the_dispatcher_at_once_and_others_do_not() {
    DispatcherOptions options = new DispatcherOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(new Dispatcher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofSeconds(1));
    int before = process.storage.calls().size();

    process.context().notifications().dispatchChanged(QUEUE.name());
    fleet.advance(Duration.ofSeconds(1));
    assertThat(process.storage.calls()).hasSize(before);
    fleet.create("run_1", BOUNDED);
    process.context().notifications().dispatchChanged(BOUNDED.name());
    fleet.advance(Duration.ofMillis(5));

    assertThat(fleet.run("run_1").reservation()).isNotNull();
    await(loop.stop());
  }

  @Test
  void a_run_that_this_process_released_is_recovered_when_it_is_due() {
    DispatcherOptions options = new DispatcherOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(new Dispatcher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofSeconds(1));
    int before = process.storage.calls().size();
    for (int index = 0; index < 10; index++) {
      fleet.create("run_" + index, QUEUE);
      RunRecord released = fleet.release("run_" + index, Duration.ofMillis(20_001 + index));
      process.context().notifications().runWaits(released);
    }

    fleet.advance(Duration.ofMillis(20_049));
    assertThat(process.storage.calls()).hasSize(before);
    fleet.advance(Duration.ofMillis(1));

    assertThat(fleet.run("run_0").status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.run("run_9").status()).isEqualTo(RunStatus.QUEUED);
    assertThat(process.storage.calls("appendAll")).as("one sweep for all").isEqualTo(1);
    await(loop.stop());
  }

  @Test
  void a_schedule_fires_at_its_instant_however_long_the_idle_delay_is() {
    Task<String> task = Task.define("test.scheduled", String.class)
        .schedule(Schedule.every("often", Duration.ofMinutes(3)).payload("x"))
        .handler((payload, context) -> MaintenanceFleet.done());
    SchedulerOptions options = new SchedulerOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(
        new Scheduler(
            fleet.process(task).knowsSchedulesSince(NOON.minusSeconds(1)).context(), options),
        options);

    loop.start();
    fleet.advance(Duration.ofMinutes(10));

    assertThat(fleet.runs())
        .extracting(run -> Duration.between(NOON, run.createdAt()).toMillis())
        .containsExactly(1L, 180_000L, 360_000L, 540_000L);
    await(loop.stop());
  }

  @Test
  void a_storage_that_is_down_is_asked_once_in_each_idle_delay() {
    SchedulerOptions options = new SchedulerOptions();
    Task<String> task = Task.define("test.scheduled", String.class)
        .schedule(Schedule.every("hourly", Duration.ofHours(1)).payload("x"))
        .handler((payload, context) -> MaintenanceFleet.done());
    MaintenanceFleet.Process mine = fleet.process(task).knowsSchedulesSince(NOON.minusSeconds(1));
    for (int call = 0; call < 5; call++) {
      mine.storage.failNext("claimScheduleOccurrence", ScriptedStorage.outage());
    }
    RoleLoop loop = loop(new Scheduler(mine.context(), options), options);

    loop.start();
    fleet.advance(Duration.ofMillis(4_500));
    assertThat(mine.storage.calls("claimScheduleOccurrence")).isEqualTo(5);
    fleet.advance(Duration.ofSeconds(1));

    assertThat(fleet.runs()).hasSize(1);
    await(loop.stop());
  }

  @Test
  void a_stop_waits_for_the_sweep_in_flight_and_nothing_comes_after_it() {
    Promise<Void> gate = Promise.promise();
    process.storage.holdNext("claimOutboxMessages", gate.future());
    OutboxPublisherOptions options = new OutboxPublisherOptions();
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofMillis(1));

    Future<Void> stopped = loop.stop();
    assertThat(stopped.isComplete()).isFalse();
    gate.complete();

    await(stopped);
    process.context().notifications().outboxChanged(fleet.clock.now());
    fleet.advance(Duration.ofHours(1));
    assertThat(process.storage.calls()).containsExactly("claimOutboxMessages");
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void a_stopped_loop_listens_to_nothing_any_more() {
    List<Runnable> heard = new ArrayList<>();
    OutboxPublisherOptions options = new OutboxPublisherOptions();
    RoleLoop loop = new RoleLoop(
        process.context(),
        "role under test",
        new OutboxPublisher(process.context(), options),
        options,
        heard::add);
    loop.start();
    process.context().notifications().outboxChanged(NOON);
    assertThat(heard).hasSize(1);

    await(loop.stop());
    process.context().notifications().outboxChanged(NOON);

    assertThat(heard).hasSize(1);
  }

  @Test
  void a_stop_that_takes_too_long_fails_and_says_so() {
    process.storage.holdNext("claimOutboxMessages", Promise.promise().future());
    OutboxPublisherOptions options =
        new OutboxPublisherOptions().setDrainTimeout(Duration.ofSeconds(3));
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofMillis(1));

    Future<Void> stopped = loop.stop();
    fleet.advance(Duration.ofMillis(2_999));
    assertThat(stopped.isComplete()).isFalse();
    fleet.advance(Duration.ofMillis(1));

    assertThat(((RunlaneException) failure(stopped)).code())
        .isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void a_run_that_is_triggered_for_later_reaches_the_publisher_when_it_is_due() {
    OutboxPublisherOptions options = new OutboxPublisherOptions().setIdleDelay(SLOW);
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    fleet.advance(Duration.ofSeconds(1));
    NewRun later = new NewRun(
        "run_later",
        MaintenanceFleet.TASK.id(),
        QUEUE.policy(),
        Json.ofChecked("1"),
        NOON.plusSeconds(30),
        RunKeys.NONE,
        RunSource.TRIGGER,
        ContractDefaults.SYSTEM_ACTOR,
        null,
        null,
        Map.of(),
        false);

    await(process.context().creations().createClaimingOutbox(later, Duration.ofSeconds(30)));
    fleet.advance(Duration.ofSeconds(28));
    assertThat(process.transport.published()).isEmpty();
    fleet.advance(Duration.ofSeconds(1));

    assertThat(process.transport.published()).containsExactly("run_later");
    await(loop.stop());
  }

  @Test
  void an_environment_in_which_nothing_happens_is_looked_at_ever_more_seldom() {
    process.context().notifications().setReceivesFromOthers(true);
    RoleLoop dispatcher = dispatcher();
    RoleLoop publisher = publisher();
    fleet.advance(Duration.ofMinutes(1));
    int before = process.storage.calls().size();

    fleet.advance(Duration.ofMinutes(1));

    assertThat(process.storage.calls().size() - before)
        .as("looks of a minute: two phases of a dispatcher, one of a publisher")
        .isEqualTo(3 * 20);
    await(dispatcher.stop());
    await(publisher.stop());
  }

  @Test
  void a_process_that_hears_of_no_others_looks_as_often_as_ever() {
    RoleLoop publisher = publisher();
    fleet.advance(Duration.ofMinutes(1));
    int before = process.storage.calls().size();

    fleet.advance(Duration.ofMinutes(1));

    assertThat(process.storage.calls().size() - before).isEqualTo(60);
    await(publisher.stop());
  }

  @Test
  void news_of_work_in_any_process_bring_the_usual_pause_back() {
    process.context().notifications().setReceivesFromOthers(true);
    RoleLoop dispatcher = dispatcher();
    RoleLoop publisher = publisher();
    fleet.advance(Duration.ofMinutes(1));

    process.context().notifications().workAvailable("elsewhere");
    fleet.advance(Duration.ofSeconds(1));
    int before = process.storage.calls().size();
    fleet.advance(Duration.ofSeconds(5));

    assertThat(process.storage.calls().size() - before).isEqualTo(3 * 5);
    await(dispatcher.stop());
    await(publisher.stop());
  }

  @Test
  void a_sweep_that_finds_something_brings_the_usual_pause_back() {
    process.context().notifications().setReceivesFromOthers(true);
    RoleLoop publisher = publisher();
    fleet.advance(Duration.ofMinutes(1));

    fleet.create("run_1", QUEUE); // nobody tells of it
    fleet.advance(Duration.ofSeconds(5));
    assertThat(process.transport.published()).containsExactly("run_1");
    int before = process.storage.calls().size();
    fleet.advance(Duration.ofSeconds(5));

    assertThat(process.storage.calls().size() - before).isEqualTo(5);
    await(publisher.stop());
  }

  private RoleLoop dispatcher() {
    DispatcherOptions options = new DispatcherOptions();
    RoleLoop loop = loop(new Dispatcher(process.context(), options), options);
    loop.start();
    return loop;
  }

  private RoleLoop publisher() {
    OutboxPublisherOptions options = new OutboxPublisherOptions();
    RoleLoop loop = loop(new OutboxPublisher(process.context(), options), options);
    loop.start();
    return loop;
  }

  @Test
  void a_loop_that_never_started_stops_at_once() {
    await(loop(recording(new ArrayList<>()), new RetentionOptions()).stop());
  }

  private RoleLoop loop(SweepRole role, SweepOptions<?> options) {
    return new RoleLoop(process.context(), "role under test", role, options, Runnable::run);
  }

  private SweepRole recording(List<Instant> sweeps) {
    return () -> {
      sweeps.add(fleet.clock.now());
      return Future.succeededFuture(false);
    };
  }
}
