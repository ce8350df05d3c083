package dev.runlane.runtime.publish;

import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.ScriptedTransport;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OutboxPublisherTest {
  private static final OutboxPublisherOptions STEADY = new OutboxPublisherOptions()
      .setBackoff(Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5)));

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();

  @Test
  void a_due_message_is_published_once_and_never_again() {
    fleet.create("run_1", QUEUE);
    OutboxPublisher publisher = publisher(STEADY);

    PublishCount count = await(publisher.sweep());
    fleet.advance(Duration.ofDays(1));

    assertThat(count).isEqualTo(new PublishCount(1, 0, 0, false));
    assertThat(await(publisher.sweep())).isEqualTo(PublishCount.NOTHING);
    assertThat(process.transport.published()).containsExactly("run_1");
  }

  @Test
  void a_full_batch_says_that_more_is_waiting_and_keeps_the_order() {
    List<String> runs = createRuns(5);
    OutboxPublisher publisher = publisher(new OutboxPublisherOptions(STEADY).setBatchSize(2));

    assertThat(await(publisher.sweepOnce())).isTrue();
    assertThat(await(publisher.sweepOnce())).isTrue();
    assertThat(await(publisher.sweepOnce())).isFalse();

    assertThat(process.transport.published()).isEqualTo(runs);
    assertThat(process.transport.batches()).containsExactly(2, 2, 1);
  }

  @Test
  void a_refused_message_comes_back_after_a_pause_that_doubles() {
    fleet.create("run_1", QUEUE);
    OutboxPublisher publisher = publisher(STEADY);

    List<Duration> pauses = new ArrayList<>();
    process
        .context()
        .notifications()
        .onOutboxChanged(
            Runnable::run, due -> pauses.add(Duration.between(fleet.clock.now(), due)));
    for (int attempt = 1; attempt <= 4; attempt++) {
      process.transport.refuseFirstOfNext(true);
      assertThat(await(publisher.sweep()).failed()).isEqualTo(1);
      assertThat(await(publisher.sweep())).isEqualTo(PublishCount.NOTHING);
      fleet.advance(pauses.get(attempt - 1));
    }

    assertThat(pauses)
        .containsExactly(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofSeconds(8));
  }

  @Test
  void the_default_pause_varies_by_a_fifth() {
    List<String> runs = createRuns(50);
    process.transport.failNext(ScriptedTransport.outage());

    await(publisher(new OutboxPublisherOptions()).sweep());

    List<Instant> due =
        fleet.restOfOutbox().stream().map(ClaimedOutboxMessage::availableAt).toList();
    assertThat(due).hasSize(runs.size()).allSatisfy(instant -> assertThat(instant)
        .isBetween(MaintenanceFleet.NOON.plusMillis(800), MaintenanceFleet.NOON.plusMillis(1201)));
    assertThat(due.stream().distinct().count()).isGreaterThan(40);
  }

  @Test
  void a_message_is_given_up_after_its_tenth_failed_publish() {
    fleet.create("run_1", QUEUE);
    OutboxPublisher publisher = publisher(STEADY);

    for (int attempt = 1; attempt <= 9; attempt++) {
      process.transport.refuseFirstOfNext(true);
      assertThat(await(publisher.sweep())).isEqualTo(new PublishCount(0, 1, 0, false));
      fleet.advance(Duration.ofMinutes(5));
    }
    process.transport.refuseFirstOfNext(true);

    assertThat(await(publisher.sweep())).isEqualTo(new PublishCount(0, 0, 1, false));
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void a_message_whose_own_failure_cannot_go_away_is_given_up_at_once_and_the_others_are_not() {
    createRuns(3);
    process.transport.refuseFirstOfNext(false);

    assertThat(await(publisher(STEADY).sweep())).isEqualTo(new PublishCount(2, 0, 1, false));

    assertThat(process.transport.published()).containsExactly("run_2", "run_3");
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void a_failure_of_the_transport_counts_for_every_message_and_does_not_fail_the_sweep() {
    createRuns(3);
    process.transport.failNext(ScriptedTransport.outage());
    OutboxPublisher publisher = publisher(new OutboxPublisherOptions(STEADY).setBatchSize(2));

    PublishCount count = await(publisher.sweep());

    assertThat(count)
        .as("an outage is not hurried through")
        .isEqualTo(new PublishCount(0, 2, 0, false));
    assertThat(fleet.restOfOutbox())
        .extracting(ClaimedOutboxMessage::failedPublishes)
        .containsExactlyInAnyOrder(1, 1, 0);
  }

  @Test
  void a_failure_of_the_whole_call_gives_no_message_up_before_its_attempts_are_used_up() {
    createRuns(2);
    process.transport.failNext(ScriptedTransport.outage().asNotRetryable());

    assertThat(await(publisher(STEADY).sweep())).isEqualTo(new PublishCount(0, 2, 0, false));
  }

  @Test
  void a_failure_that_is_not_the_transports_is_recorded_and_then_fails_the_sweep() {
    createRuns(2);
    process.transport.failNext(RunlaneException.validationFailed("malformed"));

    Throwable failure = failure(publisher(STEADY).sweep());

    assertThat(code(failure)).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fleet.restOfOutbox())
        .extracting(ClaimedOutboxMessage::failedPublishes)
        .containsExactly(1, 1);
  }

  @Test
  void a_foreign_failure_is_recorded_without_its_text() {
    createRuns(1);
    process.transport.next(command -> Future.failedFuture(new IllegalStateException("secret")));

    Throwable failure = failure(publisher(STEADY).sweep());

    assertThat(code(failure)).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(failure).hasMessageNotContaining("secret");
    assertThat(fleet.restOfOutbox())
        .singleElement()
        .satisfies(message -> assertThat(message.failedPublishes()).isEqualTo(1));
  }

  @Test
  void a_transport_that_throws_is_recorded_like_one_that_fails() {
    createRuns(1);
    process.transport.next(command -> {
      throw new IllegalStateException("thrown");
    });

    assertThat(code(failure(publisher(STEADY).sweep())))
        .isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertThat(fleet.restOfOutbox().get(0).failedPublishes()).isEqualTo(1);
  }

  @Test
  void too_few_outcomes_are_an_adapters_fault_and_recorded_with_every_message() {
    createRuns(3);
    process.transport.next(
        command -> Future.succeededFuture(process.transport.take(command).subList(0, 2)));

    Throwable failure = failure(publisher(STEADY).sweep());

    assertThat(code(failure)).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertThat(fleet.restOfOutbox())
        .extracting(ClaimedOutboxMessage::failedPublishes)
        .containsExactly(1, 1, 1);
  }

  @Test
  void a_missing_outcome_is_recorded_with_its_own_message_only() {
    createRuns(2);
    process.transport.next(command -> {
      List<dev.runlane.transport.WakeupPublishOutcome> outcomes =
          new ArrayList<>(process.transport.take(command));
      outcomes.set(0, null);
      return Future.succeededFuture(outcomes);
    });

    assertThat(await(publisher(STEADY).sweep())).isEqualTo(new PublishCount(1, 1, 0, false));
  }

  @Test
  void a_queue_without_a_binding_here_is_left_to_other_processes_and_harms_nobody() {
    fleet.create("run_1", TaskQueue.of("elsewhere"));
    fleet.create("run_2", QUEUE);
    MaintenanceFleet.Process bound = fleet.process().boundTo(QUEUE, MaintenanceFleet.BOUNDED);

    PublishCount here = await(new OutboxPublisher(bound.context(), STEADY).sweep());
    fleet.advance(Duration.ofSeconds(1));
    PublishCount there = await(publisher(STEADY).sweep());

    assertThat(here).isEqualTo(new PublishCount(1, 1, 0, false));
    assertThat(there).isEqualTo(new PublishCount(1, 0, 0, false));
    assertThat(process.transport.published()).containsExactly("run_1");
  }

  @Test
  void a_message_of_a_queue_without_a_binding_here_is_never_given_up() {
    fleet.create("run_1", TaskQueue.of("elsewhere"));
    MaintenanceFleet.Process bound = fleet.process().boundTo(QUEUE, MaintenanceFleet.BOUNDED);
    OutboxPublisher elsewhere = new OutboxPublisher(bound.context(), STEADY);

    for (int sweeps = 0; sweeps < 2 * STEADY.getMaxAttempts(); sweeps++) {
      assertThat(await(elsewhere.sweep())).isEqualTo(new PublishCount(0, 1, 0, false));
      fleet.advance(Duration.ofMinutes(6));
    }

    assertThat(await(publisher(STEADY).sweep()).published()).isEqualTo(1);
    assertThat(process.transport.published()).containsExactly("run_1");
  }

  @Test
  void looks_of_a_process_without_a_binding_do_not_count_where_the_one_with_it_fails() {
    fleet.create("run_1", TaskQueue.of("elsewhere"));
    MaintenanceFleet.Process bound = fleet.process().boundTo(QUEUE, MaintenanceFleet.BOUNDED);
    OutboxPublisher elsewhere = new OutboxPublisher(bound.context(), STEADY);
    for (int sweeps = 0; sweeps < 2 * STEADY.getMaxAttempts(); sweeps++) {
      await(elsewhere.sweep());
      fleet.advance(Duration.ofMinutes(6));
    }
    process.transport.refuseFirstOfNext(true);

    assertThat(await(publisher(STEADY).sweep())).isEqualTo(new PublishCount(0, 1, 0, false));

    fleet.advance(Duration.ofMinutes(6));
    assertThat(await(publisher(STEADY).sweep()).published()).isEqualTo(1);
  }

  @Test
  void a_process_without_a_binding_looks_again_after_a_pause_that_doubles() {
    fleet.create("run_1", TaskQueue.of("elsewhere"));
    MaintenanceFleet.Process bound = fleet.process().boundTo(QUEUE, MaintenanceFleet.BOUNDED);
    OutboxPublisher elsewhere = new OutboxPublisher(bound.context(), STEADY);
    List<Duration> pauses = new ArrayList<>();
    bound
        .context()
        .notifications()
        .onOutboxChanged(
            Runnable::run, due -> pauses.add(Duration.between(fleet.clock.now(), due)));

    for (int look = 1; look <= 12; look++) {
      assertThat(await(elsewhere.sweep()).failed()).isEqualTo(1);
      fleet.advance(pauses.get(look - 1));
    }

    assertThat(pauses.subList(0, 4))
        .containsExactly(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofSeconds(8));
    assertThat(pauses.get(11)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void a_publish_that_hangs_is_given_up_before_its_claim_ends() {
    createRuns(1);
    Promise<Void> gate = Promise.promise();
    process.transport.next(command -> gate.future().map(open -> process.transport.take(command)));
    OutboxPublisher publisher = publisher(STEADY);

    Future<PublishCount> sweep = publisher.sweep();
    fleet.advance(Duration.ofMillis(19_999));
    assertThat(sweep.isComplete()).isFalse();
    fleet.advance(Duration.ofMillis(1));

    assertThat(await(sweep)).isEqualTo(new PublishCount(0, 1, 0, false));
    gate.complete(); // too late to be heard
    fleet.advance(Duration.ofSeconds(1));
    assertThat(await(publisher.sweep()).published()).isEqualTo(1);
    assertThat(process.transport.published()).containsExactly("run_1", "run_1");
  }

  @Test
  void a_publish_under_an_old_claim_has_only_the_time_the_claim_has_left() {
    createRuns(1);
    List<ClaimedOutboxMessage> claimed = fleet.claimOutbox();
    fleet.advance(Duration.ofSeconds(25));
    process.transport.next(command ->
        Promise.<List<dev.runlane.transport.WakeupPublishOutcome>>promise().future());

    Future<PublishCount> publish = publisher(STEADY).publish(claimed);
    fleet.advance(Duration.ofSeconds(5));

    assertThat(publish.isComplete()).isTrue();
  }

  @Test
  void a_claim_lost_to_another_publisher_costs_the_rest_of_the_batch_nothing() {
    createRuns(9);
    OutboxPublisher other = new OutboxPublisher(fleet.process().context(), STEADY);
    List<ClaimedOutboxMessage> claimed = fleet.claimOutbox();
    List<ClaimedOutboxMessage> stale = new ArrayList<>(claimed);
    ClaimedOutboxMessage third = claimed.get(2);
    stale.set(
        2,
        new ClaimedOutboxMessage(
            third.id(),
            "tok_stale",
            third.claimExpiresAt(),
            third.availableAt(),
            third.failedPublishes(),
            third.message(),
            third.groupKey()));

    PublishCount count = await(publisher(STEADY).publish(stale));

    assertThat(count).isEqualTo(new PublishCount(8, 0, 0, false));
    fleet.advance(Duration.ofSeconds(30));
    assertThat(await(other.sweep()).published()).as("the one that is left").isEqualTo(1);
  }

  @Test
  void messages_whose_claim_ended_before_their_turn_are_not_published_under_it() {
    createRuns(2);
    List<ClaimedOutboxMessage> claimed = fleet.claimOutbox();
    fleet.advance(Duration.ofSeconds(30));

    assertThat(await(publisher(STEADY).publish(claimed))).isEqualTo(PublishCount.NOTHING);
    assertThat(process.transport.published()).isEmpty();
  }

  @Test
  void a_claim_that_ended_while_the_transport_answered_is_a_lost_race() {
    createRuns(1);
    process.storage.beforeNext("markOutboxMessagesPublished", () -> {
      fleet.advance(Duration.ofSeconds(30));
      fleet.claimOutbox();
    });

    assertThat(await(publisher(STEADY).sweep())).isEqualTo(PublishCount.NOTHING);
  }

  @Test
  void a_storage_that_fails_to_claim_fails_the_sweep() {
    process.storage.failNext("claimOutboxMessages", ScriptedStorage.outage());

    assertThat(code(failure(publisher(STEADY).sweep()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
  }

  @Test
  void a_storage_that_fails_to_record_fails_the_sweep_and_the_message_comes_again() {
    createRuns(1);
    process.storage.failNext("markOutboxMessagesPublished", ScriptedStorage.outage());
    OutboxPublisher publisher = publisher(STEADY);

    assertThat(code(failure(publisher.sweep()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);

    fleet.advance(Duration.ofSeconds(30));
    assertThat(await(publisher.sweep()).published()).isEqualTo(1);
  }

  @Test
  void a_lost_reply_of_recording_costs_nothing() {
    createRuns(1);
    process.storage.loseReplyOfNext("markOutboxMessagesPublished");
    OutboxPublisher publisher = publisher(STEADY);

    failure(publisher.sweep());
    fleet.advance(Duration.ofMinutes(1));

    assertThat(await(publisher.sweep())).isEqualTo(PublishCount.NOTHING);
  }

  @Test
  void publishing_eagerly_succeeds_although_the_transport_is_down() {
    createRuns(2);
    process.transport.failNext(ScriptedTransport.outage());

    PublishCount count = await(publisher(STEADY).publish(fleet.claimOutbox()));

    assertThat(count).isEqualTo(new PublishCount(0, 2, 0, false));
  }

  @Test
  void publishing_eagerly_fails_when_the_storage_does() {
    createRuns(1);
    process.storage.failNext("markOutboxMessagesPublished", ScriptedStorage.outage());

    assertThat(code(failure(publisher(STEADY).publish(fleet.claimOutbox()))))
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
  }

  @Test
  void publishing_eagerly_fails_with_a_failure_that_is_not_the_transports() {
    createRuns(1);
    process.transport.failNext(RunlaneException.of(ErrorCode.INVARIANT_VIOLATION, "impossible"));

    assertThat(code(failure(publisher(STEADY).publish(fleet.claimOutbox()))))
        .isEqualTo(ErrorCode.INVARIANT_VIOLATION);
  }

  @Test
  void many_messages_are_published_in_batches_one_after_the_other() {
    createRuns(5);
    OutboxPublisher publisher = publisher(new OutboxPublisherOptions(STEADY).setBatchSize(2));

    PublishCount count = await(publisher.publish(fleet.claimOutbox()));

    assertThat(count.published()).isEqualTo(5);
    assertThat(process.transport.batches()).containsExactly(2, 2, 1);
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void publishing_nothing_calls_nobody() {
    assertThat(await(publisher(STEADY).publish(List.of()))).isEqualTo(PublishCount.NOTHING);
    assertThat(process.storage.calls()).isEmpty();
    assertThat(process.transport.batches()).isEmpty();
  }

  @Test
  void competing_publishers_share_the_messages_and_publish_none_twice() {
    List<String> runs = createRuns(20);
    List<MaintenanceFleet.Process> processes = List.of(process, fleet.process(), fleet.process());
    OutboxPublisherOptions small = new OutboxPublisherOptions(STEADY).setBatchSize(3);
    List<Promise<Void>> gates = new ArrayList<>();
    List<Future<PublishCount>> sweeps = new ArrayList<>();

    for (int round = 0; round < 3; round++) {
      for (MaintenanceFleet.Process each : processes) {
        Promise<Void> gate = Promise.promise();
        gates.add(0, gate); // the last to publish is the first to be answered
        each.transport.next(command -> gate.future().map(open -> each.transport.take(command)));
        sweeps.add(new OutboxPublisher(each.context(), small).sweep());
      }
    }
    gates.forEach(Promise::complete);

    sweeps.forEach(MaintenanceFleet::await);
    assertThat(processes.stream().flatMap(each -> each.transport.published().stream()))
        .containsExactlyInAnyOrderElementsOf(runs);
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void a_publisher_killed_before_one_of_its_calls_leaves_the_message_to_its_successor(int call) {
    fleet.create("run_1", QUEUE);
    process.storage.killBefore(call);

    takeOverAfterKill(call == 1 ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void a_publisher_killed_after_one_of_its_calls_leaves_the_message_to_its_successor(int call) {
    fleet.create("run_1", QUEUE);
    process.storage.killAfter(call);

    takeOverAfterKill(call == 1 ? 0 : 1);
  }

  @Test
  void a_publisher_killed_while_the_provider_has_the_wakeup_costs_a_second_one() {
    fleet.create("run_1", QUEUE);
    process.transport.afterPublish(process.storage::kill);

    takeOverAfterKill(1);
  }

  private void takeOverAfterKill(int publishedBefore) {
    MaintenanceFleet.Process successor = fleet.process();
    OutboxPublisher next = new OutboxPublisher(successor.context(), STEADY);

    Future<PublishCount> killed = publisher(STEADY).sweep();
    assertThat(killed.isComplete()).isFalse();
    assertThat(process.storage.isDead()).isTrue();
    assertThat(process.transport.published()).hasSize(publishedBefore);
    await(next.sweep());
    fleet.advance(Duration.ofSeconds(30));
    await(next.sweep());

    assertThat(process.transport.published().size()
            + successor.transport.published().size())
        .as("published at least once, at most once more than the kill made necessary")
        .isBetween(1, publishedBefore + 1);
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void a_publish_timeout_that_outlives_the_claim_is_refused() {
    OutboxPublisherOptions options =
        new OutboxPublisherOptions().setPublishTimeout(Duration.ofSeconds(30));

    assertThatThrownBy(() -> new OutboxPublisher(process.context(), options))
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void a_conflict_other_than_a_lost_claim_fails_the_sweep() {
    createRuns(2);
    process.storage.failNext(
        "markOutboxMessagesPublished",
        RunlaneException.conflict(StorageConflictKind.EVENT_SEQUENCE, "not what marks fail with"));

    assertThat(code(failure(publisher(STEADY).sweep()))).isEqualTo(ErrorCode.STORAGE_CONFLICT);
  }

  private OutboxPublisher publisher(OutboxPublisherOptions options) {
    return new OutboxPublisher(process.context(), options);
  }

  private List<String> createRuns(int number) {
    List<String> ids = new ArrayList<>();
    for (int index = 1; index <= number; index++) {
      ids.add(fleet.create("run_" + index, QUEUE).id());
      fleet.clock.advance(Duration.ofNanos(1_000));
    }
    return ids;
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
