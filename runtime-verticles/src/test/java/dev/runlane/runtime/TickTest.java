package dev.runlane.runtime;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TickTest {
  private static final Task<String> SCHEDULED = Task.define("test.scheduled", String.class)
      .schedule(Schedule.every("hourly", Duration.ofHours(1)).payload("x"))
      .handler((payload, context) -> MaintenanceFleet.done());

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet
      .process(MaintenanceFleet.TASK, SCHEDULED)
      .knowsSchedulesSince(MaintenanceFleet.NOON.minusSeconds(1));

  @Test
  void one_pass_brings_everything_forward_and_the_next_has_nothing_to_do() {
    somethingForEveryPhase();
    Tick tick = new Tick(process.context(), new TickOptions());

    TickResult first = await(tick.run());
    TickResult second = await(tick.run());

    assertThat(first).isEqualTo(new TickResult(1, 1, 0, 0, 1, 1, 5, 0, 0, false));
    assertThat(second).isEqualTo(new TickResult(0, 0, 0, 0, 0, 0, 0, 0, 0, false));
    assertThat(fleet.run("run_cancel").status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(process.transport.published()).hasSize(5).contains("run_released", "run_bounded");
  }

  @Test
  void the_phases_follow_one_another() {
    await(new Tick(process.context(), new TickOptions()).run());

    assertThat(process.storage.calls())
        .containsExactly(
            "registerSchedules",
            "claimScheduleOccurrence",
            "appendRunEvents",
            "completeScheduleOccurrence",
            "listRunsNeedingCancellationFinalization",
            "listRunsNeedingDelivery",
            "listRunsNeedingDispatch",
            "claimOutboxMessages",
            "markOutboxMessagesPublished");
  }

  @Test
  void processes_that_tick_at_the_same_time_share_the_work() {
    somethingForEveryPhase();
    List<MaintenanceFleet.Process> processes = new ArrayList<>(List.of(process));
    for (int index = 0; index < 3; index++) {
      processes.add(fleet.process(MaintenanceFleet.TASK, SCHEDULED));
    }
    Promise<Void> gate = Promise.promise();
    List<Future<TickResult>> passes = new ArrayList<>();
    for (MaintenanceFleet.Process each : processes) {
      // all scan before any writes
      each.storage.holdNext("appendRunEvents", gate.future());
      each.storage.holdNext("appendAll", gate.future());
      each.storage.holdNext("reserveRunDispatch", gate.future());
      passes.add(new Tick(each.context(), new TickOptions()).run());
    }
    gate.complete();

    List<TickResult> results = passes.stream().map(MaintenanceFleet::await).toList();
    assertThat(results.stream().mapToInt(TickResult::firesSettled).sum()).isEqualTo(1);
    assertThat(results.stream().mapToInt(TickResult::runsCancelled).sum()).isEqualTo(1);
    assertThat(results.stream().mapToInt(TickResult::deliveriesRequested).sum()).isEqualTo(1);
    assertThat(results.stream().mapToInt(TickResult::slotsReserved).sum()).isEqualTo(1);
    assertThat(processes.stream().flatMap(each -> each.transport.published().stream()))
        .hasSize(5);
  }

  @Test
  void a_pass_asked_for_during_another_one_follows_it() {
    Promise<Void> gate = Promise.promise();
    process.storage.holdNext("claimScheduleOccurrence", gate.future());
    Tick tick = new Tick(process.context(), new TickOptions());

    Future<TickResult> first = tick.run();
    Future<TickResult> second = tick.run();
    assertThat(process.storage.calls()).hasSize(2);
    gate.complete();

    assertThat(await(first).firesSettled()).isEqualTo(1);
    assertThat(await(second).firesSettled()).isZero();
  }

  @Test
  void a_storage_failure_of_one_phase_keeps_no_later_one_back_but_rejects_the_pass() {
    somethingForEveryPhase();
    process.storage.failNext("listRunsNeedingDelivery", ScriptedStorage.outage());

    Throwable failure = failure(new Tick(process.context(), new TickOptions()).run());

    assertThat(code(failure)).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(process.transport.published()).hasSize(4);
  }

  @Test
  void a_transport_that_is_down_does_not_reject_the_pass() {
    fleet.create("run_1", QUEUE);
    process.transport.failNext(ScriptedTransport.outage());

    TickResult result = await(new Tick(process.context(), new TickOptions()).run());

    assertThat(result.wakeupsFailed()).isEqualTo(2);
  }

  @Test
  void a_publish_failure_that_is_not_the_transports_rejects_the_pass() {
    fleet.create("run_1", QUEUE);
    process.transport.failNext(RunlaneException.validationFailed("malformed"));

    assertThat(code(failure(new Tick(process.context(), new TickOptions()).run())))
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void a_pass_that_ended_at_a_bound_says_that_more_is_waiting() {
    fleet.create("run_1", QUEUE);
    TickOptions options =
        new TickOptions().setOutboxPublisher(new OutboxPublisherOptions().setBatchSize(1));

    assertThat(await(new Tick(process.context(), options).run()).moreWaiting()).isTrue();
  }

  @Test
  void a_lane_that_promises_nothing_of_it_has_nothing_to_do() {
    RuntimeContext context = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(
                fleet.storage.reporting(Set.of(StorageCapability.READS_RUN_HISTORY)),
                process.transport))
        .queue(QUEUE)
        .clock(fleet.clock)
        .build()
        .context();

    assertThat(await(new Tick(context, new TickOptions()).run()))
        .isEqualTo(new TickResult(0, 0, 0, 0, 0, 0, 0, 0, 0, false));
  }

  /** A due fire, a late cancellation, a due released run and a waiting bounded one; 5 messages in all. */
  private void somethingForEveryPhase() {
    fleet.create("run_cancel", QUEUE);
    fleet.requestCancellation(fleet.start("run_cancel"));
    fleet.create("run_released", QUEUE);
    fleet.release("run_released", Duration.ofSeconds(30));
    fleet.create("run_bounded", BOUNDED);
    fleet.advance(Duration.ofSeconds(30));
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
