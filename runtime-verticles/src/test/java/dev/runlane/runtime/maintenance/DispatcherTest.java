package dev.runlane.runtime.maintenance;

import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lanes;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.memory.MemoryStorage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DispatcherTest {
  private static final PhaseCount NOTHING = PhaseCount.NOTHING;

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void due_runs_get_one_fresh_delivery_request(boolean batching) {
    fleet.create("run_released", QUEUE);
    fleet.create("run_lost", QUEUE);
    fleet.release("run_released", Duration.ofSeconds(10));
    fleet.start("run_lost");
    fleet.claimOutbox(); // the messages of their creation
    Dispatcher dispatcher = dispatcher(batching ? process : process.withoutBatch());

    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(NOTHING);
    fleet.advance(Duration.ofSeconds(10));
    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(new PhaseCount(1, false));
    fleet.advance(Duration.ofSeconds(20));
    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(new PhaseCount(1, false));
    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(NOTHING);

    assertThat(fleet.history("run_released"))
        .endsWith(RunEventType.RELEASED, RunEventType.DELIVERY_REQUESTED);
    RunRecord lost = fleet.run("run_lost");
    assertThat(lost.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(lost.lease()).isNull();
    assertThat(lost.runAt()).isEqualTo(NOON.plusSeconds(30));
    assertThat(fleet.restOfOutbox()).as("two of creation, two of recovery").hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_run_that_moved_on_meanwhile_is_skipped_and_the_others_are_not(boolean batching) {
    createReleased("run_1", "run_2", "run_3");
    MaintenanceFleet.Process mine = batching ? process : process.withoutBatch();
    mine.storage.beforeNext(batching ? "appendAll" : "appendRunEvents", () -> {
      RunRecord run = fleet.run("run_2");
      fleet.append(run, new RunEvent.Cancelled(fleet.appends().header(run), null));
    });

    assertThat(await(dispatcher(mine).recoverDeliveries())).isEqualTo(new PhaseCount(2, false));

    assertThat(fleet.run("run_2").status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(fleet.run("run_3").status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void a_run_that_is_not_due_any_more_when_it_is_read_is_left_alone() {
    createReleased("run_1", "run_2");
    process.storage.beforeNext("getRuns", () -> fleet.start("run_1"));

    assertThat(await(dispatcher(process).recoverDeliveries())).isEqualTo(new PhaseCount(1, false));

    assertThat(fleet.run("run_1").status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_run_that_cannot_be_appended_to_keeps_no_other_back_but_fails_the_sweep() {
    createReleased("run_1", "run_2", "run_3");
    process
        .withoutBatch()
        .storage
        .failNext("appendRunEvents", RunlaneException.invariantViolation("broken"));
    fleet.create("run_b", BOUNDED);

    Throwable failure = failure(dispatcher(process).sweepOnce());

    assertThat(code(failure)).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
    assertThat(fleet.run("run_3").status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.run("run_b").reservation()).as("the second phase ran").isNotNull();
  }

  @Test
  void all_runs_are_read_at_once_and_appended_to_at_once() {
    createReleased(ids(32));

    await(dispatcher(process).recoverDeliveries());

    assertThat(process.storage.calls())
        .containsExactly("listRunsNeedingDelivery", "getRuns", "appendAll");
  }

  @Test
  void a_full_scan_says_that_more_is_waiting() {
    createReleased(ids(5));
    Dispatcher dispatcher =
        new Dispatcher(process.context(), new DispatcherOptions().setSweepLimit(3));

    assertThat(await(dispatcher.sweepOnce())).isTrue();
    assertThat(await(dispatcher.sweepOnce())).isFalse();
    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(NOTHING);
  }

  @Test
  void a_full_scan_that_others_were_faster_with_is_not_hurried_after() {
    createReleased(ids(3));
    Dispatcher other = dispatcher(fleet.process());
    process.storage.beforeNext("appendAll", () -> await(other.recoverDeliveries()));
    Dispatcher dispatcher =
        new Dispatcher(process.context(), new DispatcherOptions().setSweepLimit(3));

    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(NOTHING);
    assertThat(fleet.claimOutbox()).hasSize(3);
  }

  @Test
  void a_due_run_of_a_bounded_queue_gets_a_slot_and_its_wakeup_together() {
    fleet.create("run_1", BOUNDED);
    assertThat(fleet.restOfOutbox()).isEmpty();

    assertThat(await(dispatcher(process).reserveDispatches())).isEqualTo(new PhaseCount(1, false));

    assertThat(fleet.run("run_1").reservation())
        .isEqualTo(new DispatchReservation(NOON, NOON.plusSeconds(60)));
    assertThat(fleet.claimOutbox())
        .singleElement()
        .satisfies(message -> assertThat(message.message().runId()).isEqualTo("run_1"));
  }

  @Test
  void a_reservation_lasts_as_long_as_the_queue_says() {
    TaskQueue impatient =
        TaskQueue.of("impatient").concurrencyLimit(1).dispatchTimeout(Duration.ofSeconds(5));
    fleet.create("run_1", impatient);
    RuntimeContext context = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(process.storage.adapter(), process.transport))
        .queue(impatient)
        .clock(fleet.clock)
        .build()
        .context();

    await(new Dispatcher(context, new DispatcherOptions()).reserveDispatches());

    assertThat(fleet.run("run_1").reservation().expiresAt()).isEqualTo(NOON.plusSeconds(5));
  }

  @Test
  void no_more_slots_are_reserved_than_the_queue_has_and_an_unclaimed_one_is_given_again() {
    for (String id : ids(5)) {
      fleet.create(id, BOUNDED);
    }
    Dispatcher dispatcher = dispatcher(process);

    assertThat(await(dispatcher.reserveDispatches()).done()).isEqualTo(2);
    assertThat(await(dispatcher.reserveDispatches())).isEqualTo(NOTHING);
    fleet.advance(Duration.ofSeconds(59));
    assertThat(await(dispatcher.reserveDispatches())).isEqualTo(NOTHING);
    fleet.advance(Duration.ofSeconds(1));

    assertThat(await(dispatcher.reserveDispatches()).done()).isEqualTo(2);
    assertThat(fleet.claimOutbox()).hasSize(4);
  }

  @Test
  void each_partition_has_slots_of_its_own() {
    for (String id : ids(6)) {
      fleet.create(id, BOUNDED, id.compareTo("run_03") < 0 ? "a" : "b");
    }

    assertThat(await(dispatcher(process).reserveDispatches()).done()).isEqualTo(4);
  }

  @Test
  void a_run_of_a_bounded_queue_lost_with_its_worker_keeps_its_slot_and_is_dispatched_again() {
    fleet.create("run_1", BOUNDED);
    fleet.start("run_1");
    fleet.advance(Duration.ofSeconds(30));
    Dispatcher dispatcher = dispatcher(process);

    assertThat(await(dispatcher.recoverDeliveries())).isEqualTo(NOTHING);
    assertThat(await(dispatcher.reserveDispatches()).done()).isEqualTo(1);

    assertThat(fleet.run("run_1").status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void bounded_queues_can_be_left_to_workers_that_scan() {
    fleet.create("run_1", BOUNDED);
    Dispatcher dispatcher =
        new Dispatcher(process.context(), new DispatcherOptions().setBoundedDispatch(false));

    assertThat(await(dispatcher.sweepOnce())).isFalse();

    assertThat(fleet.run("run_1").reservation()).isNull();
    assertThat(fleet.restOfOutbox()).isEmpty();
  }

  @Test
  void a_lapsed_reservation_is_made_anew_where_bounded_queues_are_left_to_workers_that_scan() {
    fleet.create("run_1", BOUNDED);
    await(dispatcher(process).reserveDispatches());
    fleet.create("run_2", BOUNDED);
    Dispatcher dispatcher =
        new Dispatcher(process.context(), new DispatcherOptions().setBoundedDispatch(false));

    assertThat(await(dispatcher.reserveDispatches())).isEqualTo(NOTHING);
    fleet.advance(Duration.ofSeconds(60));
    assertThat(await(dispatcher.reserveDispatches())).isEqualTo(new PhaseCount(1, false));

    assertThat(fleet.run("run_1").reservation().expiresAt()).isEqualTo(NOON.plusSeconds(120));
    assertThat(fleet.run("run_2").reservation()).as("which waits for a worker").isNull();
  }

  @Test
  void lapsed_reservations_are_looked_for_every_10_s_where_none_are_made_any_more() {
    Dispatcher dispatcher =
        new Dispatcher(process.context(), new DispatcherOptions().setBoundedDispatch(false));

    for (int second = 0; second <= 20; second++) {
      await(dispatcher.sweepOnce());
      fleet.advance(Duration.ofSeconds(1));
    }

    assertThat(process.storage.calls("listRunsNeedingDispatch")).isEqualTo(3);
  }

  @Test
  void competing_dispatchers_stay_within_the_limit_and_ask_once_for_each_delivery() {
    createReleased(ids(10));
    for (int index = 0; index < 10; index++) {
      fleet.create("run_b" + index, BOUNDED);
    }
    MaintenanceFleet.Process other = fleet.process().withoutBatch();
    process.storage.beforeNext("appendAll", () -> await(dispatcher(other).sweepOnce()));
    process.storage.beforeNext(
        "reserveRunDispatch", () -> await(dispatcher(other).sweepOnce()));

    await(dispatcher(process).sweepOnce());

    assertThat(fleet.claimOutbox()).hasSize(12);
    assertThat(IntStream.range(0, 10)
            .filter(index -> fleet.run("run_b" + index).reservation() != null)
            .count())
        .isEqualTo(2);
  }

  @Test
  void a_storage_outage_fails_the_sweep() {
    process.storage.failNext("listRunsNeedingDelivery", ScriptedStorage.outage());
    process.storage.failNext("listRunsNeedingDispatch", ScriptedStorage.outage());

    Throwable failure = failure(dispatcher(process).sweepOnce());

    assertThat(code(failure)).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.getSuppressed()).hasSize(1);
  }

  @Test
  void a_reservation_that_fails_keeps_no_other_back_but_fails_the_phase() {
    fleet.create("run_1", BOUNDED);
    fleet.create("run_2", BOUNDED);
    process.storage.failNext("reserveRunDispatch", ScriptedStorage.outage());

    Future<PhaseCount> phase = dispatcher(process).reserveDispatches();

    assertThat(code(failure(phase))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(fleet.run("run_2").reservation()).isNotNull();
  }

  @Test
  void sweeps_that_news_of_bounded_queues_bring_on_scan_for_nothing_else() {
    Dispatcher dispatcher = dispatcher(process);

    for (int sweep = 0; sweep < 10; sweep++) {
      await(dispatcher.sweepOnce());
      fleet.advance(Duration.ofMillis(99));
    }
    assertThat(process.storage.calls("listRunsNeedingDelivery")).isEqualTo(1);
    assertThat(process.storage.calls("listRunsNeedingDispatch")).isEqualTo(10);
    fleet.advance(Duration.ofMillis(10));
    await(dispatcher.sweepOnce());

    assertThat(process.storage.calls("listRunsNeedingDelivery")).isEqualTo(2);
  }

  @Test
  void a_run_whose_last_event_came_from_a_clock_ahead_does_not_go_back_in_time() {
    fleet.create("run_1", QUEUE);
    fleet.clock.advance(Duration.ofSeconds(2));
    RunRecord released = fleet.release("run_1", Duration.ofSeconds(-2));
    fleet.clock.set(NOON.plusSeconds(1));

    await(dispatcher(process).recoverDeliveries());

    RunRecord recovered = fleet.run("run_1");
    assertThat(recovered.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(recovered.updatedAt()).isEqualTo(released.updatedAt());
  }

  @Test
  void the_publisher_of_the_process_hears_of_new_messages() {
    createReleased("run_1");
    fleet.create("run_2", BOUNDED);
    List<Object> heard = new java.util.ArrayList<>();
    process.context().notifications().onOutboxChanged(Runnable::run, heard::add);

    await(dispatcher(process).sweepOnce());

    assertThat(heard).hasSize(2);
  }

  @Test
  void a_clock_that_goes_back_during_a_sweep_makes_nothing_impossible() {
    createReleased("run_1");
    process.storage.beforeNext("getRuns", () -> fleet.clock.advance(Duration.ofSeconds(-12)));

    assertThat(await(dispatcher(process).recoverDeliveries()).done()).isEqualTo(1);

    assertThat(fleet.run("run_1").runAt()).isEqualTo(NOON.plusSeconds(10));
  }

  @Test
  void a_storage_without_an_outbox_is_refused() {
    Set<StorageCapability> without = EnumSet.copyOf(MemoryStorage.CAPABILITIES);
    without.remove(StorageCapability.PERSISTS_OUTBOX);
    RuntimeContext context = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.storage.reporting(without), process.transport))
        .queue(QUEUE)
        .build()
        .context();

    assertThatThrownBy(() -> new Dispatcher(context, new DispatcherOptions()))
        .satisfies(
            failure -> assertThat(code(failure)).isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED));
  }

  @Test
  void an_unexpected_conflict_fails_the_sweep() {
    createReleased("run_1");
    process
        .withoutBatch()
        .storage
        .failNext(
            "appendRunEvents",
            RunlaneException.conflict(StorageConflictKind.SINGLETON_KEY, "not on this path"));

    assertThat(code(failure(dispatcher(process).recoverDeliveries())))
        .isEqualTo(ErrorCode.STORAGE_CONFLICT);
  }

  private Dispatcher dispatcher(MaintenanceFleet.Process of) {
    return new Dispatcher(of.context(), new DispatcherOptions());
  }

  /** Runs that are due again, their first messages gone. */
  private void createReleased(String... ids) {
    for (String id : ids) {
      fleet.create(id, QUEUE);
      fleet.release(id, Duration.ofSeconds(10));
    }
    await(new OutboxPublisher(fleet.process().context(), new OutboxPublisherOptions()).sweep());
    fleet.advance(Duration.ofSeconds(10));
  }

  private static String[] ids(int number) {
    return IntStream.range(0, number)
        .mapToObj(i -> String.format(Locale.ROOT, "run_%02d", i))
        .toArray(String[]::new);
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
