package dev.runlane.runtime.publish;

import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.ScriptedTransport;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Wakeups of triggered runs are published behind their triggers. */
class EagerPublisherTest {
  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();
  private final Runlane runlane = process.runlane();
  private final List<Promise<Void>> held = new ArrayList<>();

  @BeforeEach
  void start() {
    await(runlane.start());
  }

  private String trigger() {
    return await(runlane.trigger(MaintenanceFleet.TASK, "x")).run().id();
  }

  /** The next publish is answered when its promise is completed. */
  private void holdNextPublish() {
    Promise<Void> release = Promise.promise();
    held.add(release);
    process.transport.next(command -> {
      Promise<List<WakeupPublishOutcome>> answer = Promise.promise();
      release.future().onSuccess(go -> answer.complete(process.transport.take(command)));
      release.future().onFailure(answer::fail);
      return answer.future();
    });
  }

  private void holdPublishes(int calls) {
    for (int call = 0; call < calls; call++) {
      holdNextPublish();
    }
  }

  @Test
  void a_trigger_completes_at_its_commit_whatever_the_transport_does() {
    holdNextPublish();

    String runId = trigger(); // is complete

    assertThat(process.transport.published()).isEmpty();
    held.get(0).complete();
    assertThat(process.transport.published()).containsExactly(runId);
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void many_triggers_in_one_call_complete_at_their_commit_too() {
    holdNextPublish();

    List<TriggerResult> results = await(
        runlane.triggerAll(MaintenanceFleet.TASK, List.of("x", "y", "z"), new TriggerOptions()));

    assertThat(process.transport.published()).isEmpty();
    held.get(0).complete();
    assertThat(process.transport.published())
        .containsExactlyElementsOf(
            results.stream().map(result -> result.run().id()).toList());
  }

  @Test
  void a_run_of_a_batch_that_is_refused_leaves_the_wakeups_of_the_others_published() {
    Task<String> keyed = Task.define("keyed", String.class)
        .idempotencyKey(payload -> payload.substring(0, 1))
        .refuseOtherPayload()
        .handler((payload, context) -> MaintenanceFleet.done());
    MaintenanceFleet.Process batching = fleet.process(keyed);
    Runlane batch = batching.runlane();
    await(batch.start());
    Runlane other = fleet.process(keyed).runlane();
    await(other.start());
    batching.storage.beforeNext("appendAll", () -> await(other.trigger(keyed, "b, but another")));

    Throwable refused =
        failure(batch.triggerAll(keyed, List.of("a", "b", "c"), new TriggerOptions()));

    assertThat(((RunlaneException) refused).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(batching.transport.published()).hasSize(2);
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void no_failure_behind_it_fails_a_trigger() {
    process.transport.failNext(ScriptedTransport.outage());
    trigger();
    fleet.advance(Duration.ofSeconds(2));
    process.transport.failNext(RunlaneException.of(ErrorCode.INVARIANT_VIOLATION, "impossible"));
    trigger();
    fleet.advance(Duration.ofSeconds(2));
    process.storage.failNext("markOutboxMessagesPublished", ScriptedStorage.outage());
    trigger();

    assertThat(process.transport.batches()).containsExactly(1, 1, 1);
    assertThat(fleet.runs()).hasSize(3);
  }

  @Test
  void what_comes_while_batches_are_under_way_goes_together() {
    holdPublishes(4);
    for (int run = 0; run < 9; run++) {
      trigger();
    }
    assertThat(process.transport.batches()).containsExactly(1, 1, 1, 1);

    held.forEach(Promise::complete);

    assertThat(process.transport.batches()).containsExactly(1, 1, 1, 1, 5);
    assertThat(process.transport.published()).hasSize(9);
  }

  @Test
  void while_the_transport_fails_triggers_claim_nothing_so_that_a_sweep_publishes_at_once() {
    process.transport.failNext(ScriptedTransport.outage());
    trigger();

    String second = trigger();

    assertThat(process.transport.batches()).hasSize(1);
    OutboxPublisher sweeping = new OutboxPublisher(process.context(), new OutboxPublisherOptions());
    assertThat(await(sweeping.sweep()).published()).isEqualTo(1);
    assertThat(process.transport.published()).containsExactly(second);
    fleet.advance(Duration.ofSeconds(1));
    String third = trigger();
    assertThat(process.transport.published()).containsExactly(second, third);
  }

  @Test
  void while_the_transport_is_silent_triggers_claim_nothing_after_a_second() {
    holdPublishes(4);
    for (int run = 0; run < 4; run++) {
      trigger();
    }
    fleet.advance(Duration.ofSeconds(1));

    String left = trigger();

    assertThat(fleet.claimOutbox())
        .extracting(message -> message.message().runId())
        .containsExactly(left);
    held.forEach(Promise::complete);
    fleet.advance(Duration.ofSeconds(1));
    String again = trigger();
    assertThat(process.transport.published()).hasSize(5).endsWith(again);
  }

  @Test
  void a_message_whose_claim_ends_before_its_turn_is_left_to_the_sweeps() {
    holdPublishes(4);
    for (int run = 0; run < 5; run++) {
      trigger();
    }
    fleet.clock.advance(RunlaneOptions.DEFAULT_OUTBOX_CLAIM); // the process is paused

    held.forEach(Promise::tryComplete);

    assertThat(process.transport.batches()).containsExactly(1, 1, 1, 1);
    assertThat(fleet.claimOutbox()).isNotEmpty();
  }

  @Test
  void closing_waits_for_wakeups_that_are_under_way() {
    holdNextPublish();
    String runId = trigger();

    Future<Void> closed = runlane.close();
    assertThat(closed.isComplete()).isFalse();
    held.get(0).complete();

    await(closed);
    assertThat(process.transport.published()).containsExactly(runId);
  }

  @Test
  void closing_does_not_wait_longer_than_its_bound() {
    holdNextPublish();
    trigger();

    Future<Void> closed = runlane.close();
    fleet.advance(RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.plusSeconds(2));

    assertThat(closed.isComplete()).isTrue();
    fleet.advance(RunlaneOptions.DEFAULT_OUTBOX_CLAIM);
    assertThat(fleet.claimOutbox()).as("left to the sweeps").hasSize(1);
  }
}
