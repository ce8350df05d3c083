package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The executor of a consumer: its slots, and its end. */
class DeliveryWorkerTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final TaskQueue OTHER = TaskQueue.of("other");

  /** Its limit is never reached; runs of a queue with one are claimed one by one. */
  private static final TaskQueue LIMITED = TaskQueue.of("limited").concurrencyLimit(9);

  /** After it a wakeup without a slot has its run read. */
  private static final Duration MOMENT = Duration.ofMillis(20);

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> patient = Task.define("patient", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return context.untilSignalled(handler.future());
      });
  private final Task<String> deaf = Task.define("deaf", String.class)
      .handler((payload, context) -> Promise.<TaskResult>promise().future());
  private final Runlane runlane =
      fleet.process(new RunlaneOptions(), List.of(DEFAULT, OTHER, LIMITED), patient, deaf);

  private RunRecord triggered(Task<String> task) {
    return triggered(task, DEFAULT);
  }

  private RunRecord triggered(Task<String> task, TaskQueue queue) {
    return done(runlane.trigger(task, "x", new TriggerOptions().setQueue(queue)))
        .run();
  }

  private DeliveryWorker worker(int concurrency) {
    return runlane.deliveryWorker(
        new WorkerOptions().setConcurrency(concurrency).setWorkerId("consumer-1"));
  }

  @Test
  void it_runs_as_many_handlers_at_once_as_it_has_slots_and_leases_no_run_before_its_turn() {
    DeliveryWorker worker = worker(2);
    List<RunRecord> runs =
        IntStream.range(0, 3).mapToObj(n -> triggered(patient)).toList();

    List<Future<DeliveryResult>> deliveries =
        runs.stream().map(run -> worker.executeDelivery(Fleet.wakeup(run))).toList();

    assertThat(handlers).hasSize(2);
    assertThat(fleet.run(runlane, runs.get(2).id()).status()).isEqualTo(RunStatus.QUEUED);
    handlers.get(0).complete(TaskResult.done());
    assertThat(done(deliveries.get(0))).isInstanceOf(DeliveryResult.Executed.class);
    assertThat(handlers).hasSize(3);
    assertThat(fleet.run(runlane, runs.get(2).id()).lease().workerId()).isEqualTo("consumer-1");
  }

  @Test
  void a_wakeup_without_work_needs_no_slot() {
    DeliveryWorker worker = worker(1);
    RunRecord run = triggered(patient);
    worker.executeDelivery(Fleet.wakeup(run));

    Future<DeliveryResult> again = worker.executeDelivery(Fleet.wakeup(run));
    fleet.pass(MOMENT);

    assertThat(done(again)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.ALREADY_LEASED));
  }

  @Test
  void a_wakeup_that_gets_a_slot_in_a_moment_is_claimed_unread() {
    DeliveryWorker worker = worker(1);
    worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    RunRecord next = triggered(patient);
    int reads = fleet.faults.calls("getRuns") + fleet.faults.calls("getRun");
    worker.executeDelivery(Fleet.wakeup(next));

    handlers.get(0).complete(TaskResult.done());

    assertThat(handlers).hasSize(2);
    assertThat(fleet.faults.calls("getRuns") + fleet.faults.calls("getRun")).isEqualTo(reads);
    handlers.get(1).complete(TaskResult.done());
    assertThat(fleet.run(runlane, next.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  /** One that needs none after all hands it to the next, however many there are. */
  @Test
  void a_slot_goes_from_wakeup_to_wakeup_until_one_has_work_for_it() {
    DeliveryWorker worker = worker(1);
    worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    RunRecord ended = triggered(patient);
    List<Future<DeliveryResult>> idle = IntStream.range(0, 20_000)
        .mapToObj(n -> worker.executeDelivery(Fleet.wakeup(ended)))
        .toList();
    RunRecord last = triggered(patient);
    worker.executeDelivery(Fleet.wakeup(last));
    done(runlane.runs().cancel(ended.id(), new RunActionOptions()));

    handlers.get(0).complete(TaskResult.done());
    fleet.pass(MOMENT);

    assertThat(idle).allSatisfy(each -> assertThat(done(each))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.TERMINAL)));
    assertThat(fleet.run(runlane, last.id()).status()).isEqualTo(RunStatus.RUNNING);
  }

  @ParameterizedTest
  @CsvSource({"false, claimRuns, ALREADY_LEASED", "true, claimRunLease, CLAIM_LOST"})
  void a_slot_is_free_again_when_the_claim_was_lost(
      boolean isLimited, String claim, IgnoredReason reason) {
    DeliveryWorker worker = worker(1);
    RunRecord lost = triggered(patient, isLimited ? LIMITED : DEFAULT);
    fleet.faults.before(claim, () -> runlane.executeNext());
    assertThat(done(worker.executeDelivery(Fleet.wakeup(lost))))
        .isEqualTo(new DeliveryResult.Ignored(reason));
    RunRecord next = triggered(patient, isLimited ? LIMITED : DEFAULT);

    worker.executeDelivery(Fleet.wakeup(next));

    assertThat(fleet.run(runlane, next.id()).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_run_that_is_not_due_any_more_when_it_gets_a_slot_is_held_until_it_is() {
    DeliveryWorker worker = worker(1);
    worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    Future<DeliveryResult> second = worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    fleet.clock.advance(Duration.ofSeconds(1).negated());

    handlers.get(0).complete(TaskResult.done());
    assertThat(second.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));
    handlers.get(1).complete(TaskResult.done());

    assertThat(done(second)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @ParameterizedTest
  @CsvSource({"false, claimRuns", "true, claimRunLease"})
  void a_slot_is_free_again_when_the_claim_failed(boolean isLimited, String claim) {
    DeliveryWorker worker = worker(1);
    RunRecord run = triggered(patient, isLimited ? LIMITED : DEFAULT);
    fleet.faults.fail(claim);
    assertFails(ErrorCode.STORAGE_UNAVAILABLE, worker.executeDelivery(Fleet.wakeup(run)));

    worker.executeDelivery(Fleet.wakeup(run));

    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void it_ignores_wakeups_of_queues_that_are_not_its_own() {
    DeliveryWorker worker = runlane.deliveryWorker(new WorkerOptions().setQueues(List.of("other")));
    RunRecord run = triggered(patient);

    assertThat(worker.queues()).containsExactly("other");
    assertThat(done(worker.executeDelivery(Fleet.wakeup(run))))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.WRONG_QUEUE));
    assertThatThrownBy(
            () -> runlane.deliveryWorker(new WorkerOptions().setQueues(List.of("nowhere"))))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void stopping_hands_back_what_gives_up_and_lets_nothing_else_begin() {
    DeliveryWorker worker = worker(1);
    RunRecord running = triggered(patient);
    RunRecord waiting = triggered(patient);
    RunRecord notDue = done(runlane.trigger(
            patient, "x", new TriggerOptions().setDelay(Duration.ofSeconds(2))))
        .run();
    Future<DeliveryResult> first = worker.executeDelivery(Fleet.wakeup(running));
    Future<DeliveryResult> second = worker.executeDelivery(Fleet.wakeup(waiting));
    Future<DeliveryResult> third = worker.executeDelivery(Fleet.wakeup(notDue));

    Future<Void> stopped = worker.stop();

    done(stopped);
    assertThat(done(first)).isInstanceOf(DeliveryResult.Executed.class);
    assertThat(fleet.types(runlane, running.id())).contains("run.released");
    assertThat(fleet.run(runlane, running.id()).status()).isEqualTo(RunStatus.QUEUED);
    for (Future<DeliveryResult> other :
        List.of(second, third, worker.executeDelivery(Fleet.wakeup(waiting)))) {
      assertFails(ErrorCode.OPERATION_CANCELLED, other);
      assertThat(Fleet.failed(other).isRetryable()).isTrue();
    }
    assertThat(fleet.run(runlane, waiting.id())).isEqualTo(waiting);
    assertThat(worker.stop()).isSameAs(stopped);
  }

  @ParameterizedTest
  @CsvSource({"false, claimRuns, QUEUED", "true, claimRunLease, RELEASED"})
  void a_run_whose_claim_was_under_way_is_handed_back(
      boolean isLimited, String claim, RunStatus after) {
    DeliveryWorker worker = worker(1);
    RunRecord run = triggered(patient, isLimited ? LIMITED : DEFAULT);
    fleet.faults.before(claim, worker::stop);

    Future<DeliveryResult> delivery = worker.executeDelivery(Fleet.wakeup(run));

    assertThat(done(delivery)).isInstanceOf(DeliveryResult.Executed.class);
    assertThat(handlers).isEmpty();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(after);
    done(worker.stop());
  }

  @Test
  void wakeups_that_come_together_are_claimed_together_and_each_run_once() {
    DeliveryWorker worker = worker(300);
    Promise<Void> first = fleet.faults.hold("claimRuns");
    RunRecord alone = triggered(patient);
    List<RunRecord> runs =
        IntStream.range(0, 201).mapToObj(n -> triggered(patient)).toList();
    worker.executeDelivery(Fleet.wakeup(alone));

    List<Future<DeliveryResult>> twice = IntStream.range(0, 2)
        .mapToObj(n -> worker.executeDelivery(Fleet.wakeup(runs.get(0))))
        .toList();
    runs.subList(1, 201).forEach(run -> worker.executeDelivery(Fleet.wakeup(run)));
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(1);
    first.complete();
    fleet.pass(Duration.ofMillis(5));

    assertThat(fleet.faults.calls("claimRuns")).as("at most 200 runs in each").isEqualTo(3);
    assertThat(fleet.faults.calls("claimRunLease"))
        .as("of the one that came twice")
        .isEqualTo(1);
    assertThat(handlers).hasSize(202);
    handlers.forEach(handler -> handler.complete(TaskResult.done()));
    assertThat(twice.stream().map(Fleet::done).filter(DeliveryResult.Executed.class::isInstance))
        .hasSize(1);
    assertThat(runs).allSatisfy(run -> {
      assertThat(fleet.run(runlane, run.id()).counters().attempts()).isEqualTo(1);
      assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    });
  }

  @ParameterizedTest
  @CsvSource({"18, 2", "16, 3"})
  void a_claim_waits_for_others_only_where_the_last_one_was_for_many(int wakeups, int claims) {
    DeliveryWorker worker = worker(40);
    Promise<Void> first = fleet.faults.hold("claimRuns");
    for (int number = 0; number < wakeups; number++) {
      worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    }
    first.complete();

    worker.executeDelivery(Fleet.wakeup(triggered(patient)));

    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(claims);
    fleet.pass(Duration.ofMillis(5));
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(3);
    assertThat(handlers).hasSize(wakeups + 1);
  }

  @Test
  void a_wakeup_of_what_can_be_no_run_keeps_no_other_back() {
    DeliveryWorker worker = worker(3);
    Promise<Void> first = fleet.faults.hold("claimRuns");
    worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    RunRecord run = triggered(patient);

    Future<DeliveryResult> none = worker.executeDelivery(
        new DeliveryMessage(run.environment(), "a:b", run.queue(), Fleet.NOON, null));
    worker.executeDelivery(Fleet.wakeup(run)); // waits for the claim under way, as the other would
    first.complete();
    fleet.pass(Duration.ofMillis(5));

    assertThat(done(none)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.NOT_FOUND));
    assertThat(handlers).hasSize(2);
  }

  @Test
  void a_wakeup_of_a_run_in_another_queue_than_it_says_is_not_claimed() {
    DeliveryWorker worker = worker(1);
    RunRecord run = triggered(patient, OTHER);
    DeliveryMessage wrong =
        new DeliveryMessage(run.environment(), run.id(), "default", run.createdAt(), null);

    assertThat(done(worker.executeDelivery(wrong)))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.WRONG_QUEUE));
    assertThat(fleet.run(runlane, run.id())).isEqualTo(run);
  }

  @Test
  void a_wakeup_that_waits_for_a_run_that_somebody_holds_ends_with_the_stop() {
    DeliveryWorker worker = worker(1);
    fleet.faults.passOverRunsWhile(() -> true);
    RunRecord run = triggered(patient);
    Future<DeliveryResult> delivery = worker.executeDelivery(Fleet.wakeup(run));

    done(worker.stop());

    assertFails(ErrorCode.OPERATION_CANCELLED, delivery);
    assertThat(fleet.run(runlane, run.id())).isEqualTo(run);
  }

  @Test
  void a_run_whose_claim_had_not_been_sent_at_the_stop_is_not_claimed() {
    DeliveryWorker worker = worker(2);
    Promise<Void> first = fleet.faults.hold("claimRuns");
    worker.executeDelivery(Fleet.wakeup(triggered(patient)));
    RunRecord run = triggered(patient);
    Future<DeliveryResult> delivery = worker.executeDelivery(Fleet.wakeup(run));

    Future<Void> stopped = worker.stop();

    assertFails(ErrorCode.OPERATION_CANCELLED, delivery);
    first.complete();
    done(stopped);
    assertThat(fleet.run(runlane, run.id())).isEqualTo(run);
  }

  @Test
  void stopping_is_bounded_and_leaves_a_deaf_attempt_to_its_lease() {
    DeliveryWorker worker =
        runlane.deliveryWorker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3)));
    RunRecord run = triggered(deaf);
    Future<DeliveryResult> delivery = worker.executeDelivery(Fleet.wakeup(run));

    Future<Void> stopped = worker.stop();
    assertThat(stopped.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(3));

    done(stopped);
    assertThat(done(delivery)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.ABANDONED));
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_wakeup_that_is_still_being_judged_at_the_stop_begins_nothing() {
    DeliveryWorker worker =
        runlane.deliveryWorker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3)));
    RunRecord due = triggered(patient, LIMITED);
    RunRecord notDue = done(runlane.trigger(
            patient, "x", new TriggerOptions().setDelay(Duration.ofSeconds(2))))
        .run();
    List<Promise<Void>> reads = List.of(fleet.faults.hold("getRuns"), fleet.faults.hold("getRuns"));
    Future<DeliveryResult> first = worker.executeDelivery(Fleet.wakeup(due));
    Future<DeliveryResult> second = worker.executeDelivery(Fleet.wakeup(notDue));

    Future<Void> stopped = worker.stop();
    assertThat(stopped.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));
    reads.get(1).complete();
    assertFails(ErrorCode.OPERATION_CANCELLED, second);
    assertThat(stopped.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(2));
    done(stopped);
    reads.get(0).complete();

    assertFails(ErrorCode.OPERATION_CANCELLED, first);
    assertThat(fleet.run(runlane, due.id())).isEqualTo(due);
    assertThat(fleet.run(runlane, notDue.id())).isEqualTo(notDue);
  }

  @Test
  void closing_the_runtime_stops_it() {
    DeliveryWorker worker = worker(1);
    RunRecord run = triggered(patient);
    Future<DeliveryResult> delivery = worker.executeDelivery(Fleet.wakeup(run));

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));

    done(closed);
    assertThat(delivery.isComplete()).isTrue();
    done(worker.stop());
  }

  @Test
  void a_safety_net_goes_on_without_pause_while_it_finds_a_backlog() {
    List<RunRecord> backlog =
        IntStream.range(0, 20).mapToObj(n -> triggered(patient)).toList();
    fleet.pass(Duration.ofSeconds(16));
    done(runlane.worker(new WorkerOptions().setMode(WorkerMode.SAFETY_NET).setConcurrency(2)));
    fleet.settle();

    for (int ended = 0; ended < backlog.size(); ended++) {
      handlers.get(ended).complete(TaskResult.done());
      fleet.pass(Duration.ofMillis(100));
    }

    assertThat(backlog)
        .extracting(run -> fleet.run(runlane, run.id()).status())
        .containsOnly(RunStatus.SUCCEEDED);
  }

  @Test
  void a_safety_net_leaves_to_wakeups_what_they_have_had_no_time_for() {
    List<RunRecord> backlog =
        IntStream.range(0, 6).mapToObj(n -> triggered(patient)).toList();
    done(runlane.worker(new WorkerOptions().setMode(WorkerMode.SAFETY_NET).setConcurrency(2)));
    fleet.settle();

    List.copyOf(handlers).forEach(handler -> handler.complete(TaskResult.done()));
    fleet.pass(Duration.ofSeconds(29));
    assertThat(handlers).as("one poll").hasSize(2);
    fleet.pass(Duration.ofSeconds(2));
    handlers.subList(2, 4).forEach(handler -> handler.complete(TaskResult.done()));
    fleet.settle();

    assertThat(backlog)
        .as("without pause now")
        .extracting(run -> fleet.run(runlane, run.id()).status())
        .containsOnly(RunStatus.SUCCEEDED, RunStatus.RUNNING);
  }

  @Test
  void a_safety_net_looks_at_its_interval_alone_and_then_works_like_any_worker() {
    RunRecord before = triggered(patient);
    done(runlane.worker(new WorkerOptions().setMode(WorkerMode.SAFETY_NET).setConcurrency(2)));
    fleet.settle();
    assertThat(fleet.run(runlane, before.id()).status()).isEqualTo(RunStatus.RUNNING);

    RunRecord after = triggered(patient);
    fleet.pass(Duration.ofSeconds(29));
    assertThat(fleet.run(runlane, after.id()).status()).isEqualTo(RunStatus.QUEUED);
    fleet.pass(Duration.ofSeconds(2));
    assertThat(fleet.run(runlane, after.id()).status()).isEqualTo(RunStatus.RUNNING);
  }
}
