package dev.runlane.runtime;

import static dev.runlane.runtime.MaintenanceFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Environment;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.CancellationSource;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The close of a runtime continues from whatever context an adapter answers on, but touches its parts at home. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HomeContextTest {
  private static final Duration MOMENT = Duration.ofMillis(10);

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final ScriptedTransport transport = new ScriptedTransport();
  private final TurnedHost host = new TurnedHost(fleet.timers);
  private final Promise<Void> unsubscribed = Promise.promise(); // the close waits for it
  private final Runlane runlane = Runlane.builder(
          host,
          Lanes.create(
              new Faults(fleet.storage).cancellations(new SlowToLeave()).storage(), transport))
      .queues(List.of(MaintenanceFleet.QUEUE, MaintenanceFleet.BOUNDED))
      .task(MaintenanceFleet.TASK)
      .clock(fleet.clock)
      .build();

  /** News of cancellations whose subscription ends when the test says so, on a context of its own. */
  private final class SlowToLeave implements CancellationSource {
    @Override
    public Future<Subscription> subscribe(Environment environment, Consumer<String> listener) {
      return Future.succeededFuture(unsubscribed::future);
    }
  }

  @BeforeEach
  void runOne() {
    inTurn(runlane.start());
    inTurn(runlane.worker(new WorkerOptions()));
    String runId = await(runlane.trigger(MaintenanceFleet.TASK, "x")).run().id();
    turns();
    assertThat(fleet.run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  private void turns() {
    for (int turn = 0; turn < 20; turn++) {
      host.takeTurns();
      host.callHandlers();
      fleet.advance(MOMENT);
    }
  }

  private <T> T inTurn(Future<T> future) {
    turns();
    return await(future);
  }

  @Test
  void a_wakeup_whose_turn_has_not_come_when_all_else_has_stopped_is_waited_for() {
    Future<Void> closed = runlane.close();
    turns();
    assertThat(closed.isComplete()).isFalse();
    Promise<Void> published = Promise.promise();
    transport.next(command -> {
      Promise<List<WakeupPublishOutcome>> answer = Promise.promise();
      published.future().onSuccess(go -> answer.complete(transport.take(command)));
      return answer.future();
    });

    String late = await(runlane.trigger(MaintenanceFleet.TASK, "y")).run().id();
    unsubscribed.complete();
    turns();

    assertThat(closed.isComplete()).as("the transport has not answered").isFalse();
    published.complete();
    inTurn(closed);
    assertThat(transport.published()).endsWith(late);
  }

  @Test
  void runs_whose_wakeups_are_claimed_together_begin_and_end_in_one_turn() {
    Faults faults = new Faults(fleet.storage);
    TurnedHost turned = new TurnedHost(fleet.timers);
    List<String> called = new ArrayList<>();
    Task<String> task = Task.define("test.counted", String.class).handler((payload, context) -> {
      called.add(payload);
      return MaintenanceFleet.done();
    });
    Runlane process = Runlane.builder(
            turned, Lanes.create(faults.storage(), new ScriptedTransport()))
        .queue(MaintenanceFleet.QUEUE)
        .task(task)
        .clock(fleet.clock)
        .build();
    process.start();
    turned.takeTurns();
    List<Future<TriggerResult>> runs =
        IntStream.range(0, 20).mapToObj(n -> process.trigger(task, "x" + n)).toList();
    turned.takeTurns();
    DeliveryWorker worker = process.deliveryWorker(new WorkerOptions().setConcurrency(20));
    Promise<Void> first = faults.hold("claimRuns");

    List<Future<DeliveryResult>> deliveries = runs.stream()
        .map(run -> worker.executeDelivery(Fleet.wakeup(await(run).run())))
        .toList();
    turned.takeTurns();
    first.complete();
    fleet.advance(MOMENT);
    turned.takeTurns();

    assertThat(turned.callHandlers())
        .as("the first, and all that waited for it")
        .isEqualTo(2);
    assertThat(called).hasSize(20);
    assertThat(turned.takeTurns()).as("with what they have ended with").isEqualTo(2);
    assertThat(deliveries)
        .allSatisfy(each -> assertThat(await(each)).isInstanceOf(DeliveryResult.Executed.class));
  }

  @Test
  void the_next_runs_are_claimed_before_the_outcomes_of_the_last_are_stored() {
    Faults faults = new Faults(fleet.storage);
    TurnedHost turned = new TurnedHost(fleet.timers);
    Runlane process = Runlane.builder(
            turned, Lanes.create(faults.storage(), new ScriptedTransport()))
        .queue(MaintenanceFleet.QUEUE)
        .task(MaintenanceFleet.TASK)
        .clock(fleet.clock)
        .build();
    process.start();
    turned.takeTurns();
    for (int number = 0; number < 40; number++) {
      process.trigger(MaintenanceFleet.TASK, "x" + number);
    }
    turned.takeTurns();
    List<Integer> claims = new ArrayList<>();
    faults.before("appendRunEvents", () -> claims.add(faults.calls("claimRuns")));

    process.worker(new WorkerOptions().setConcurrency(20));
    for (int turn = 0; turn < 5; turn++) {
      turned.takeTurns();
      turned.callHandlers();
      fleet.advance(MOMENT);
    }

    assertThat(claims).as("claims that were sent by the first outcome").containsExactly(2);
  }

  @Test
  void who_still_awaits_a_run_is_told_at_home() {
    TriggerOptions later = new TriggerOptions().setDelay(Duration.ofHours(1));
    String waiting =
        await(runlane.trigger(MaintenanceFleet.TASK, "y", later)).run().id();
    List<Boolean> atHome = new ArrayList<>();
    runlane.awaitRun(waiting, Duration.ofDays(1)).onComplete(told -> atHome.add(host.isHome()));
    host.takeTurns();
    Future<Void> closed = runlane.close();
    turns();

    unsubscribed.complete();
    turns();

    assertThat(closed.isComplete()).isTrue();
    assertThat(atHome).containsExactly(true);
  }
}
