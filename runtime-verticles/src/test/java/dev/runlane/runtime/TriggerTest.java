package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TriggerTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final TaskQueue BOUNDED = TaskQueue.of("bounded").concurrencyLimit(1);

  record Order(String id) {}

  private final Fleet fleet = new Fleet();
  private final Task<Order> task = Task.define("orders", Order.class)
      .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<Order> keyed = Task.define("keyed", Order.class)
      .idempotencyKey(Order::id)
      .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<Order> single = Task.define("single", Order.class)
      .singletonKey(Order::id)
      .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<Order> broken = Task.define("broken", Order.class)
      .concurrencyKey(order -> {
        throw new IllegalStateException("no key");
      })
      .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
  private final Runlane runlane =
      fleet.process(new RunlaneOptions(), List.of(DEFAULT, BOUNDED), task, keyed, single, broken);

  private void assertNothingStored() {
    assertThat(done(runlane.runs().list(RunFilter.ALL)).data()).isEmpty();
  }

  private void runAll() {
    WorkerHandle worker = done(runlane.worker(new WorkerOptions().setMode(WorkerMode.DRAIN)));
    fleet.settle();
    done(worker.closed());
  }

  @Test
  void a_run_of_an_unbounded_queue_is_created_with_its_delivery_request_and_published() {
    TriggerResult result = done(runlane.trigger(
        task,
        new Order("o1"),
        new TriggerOptions().setMeta(Map.of("source", "web")).setConcurrencyKey("c1")));

    assertThat(result.outcome()).isEqualTo(TriggerOutcome.CREATED);
    RunRecord run = fleet.run(runlane, result.run().id());
    assertThat(run).isEqualTo(result.run());
    assertThat(run.payload().text()).isEqualTo("{\"id\":\"o1\"}");
    assertThat(run.meta().text()).isEqualTo("{\"source\":\"web\"}");
    assertThat(run.keys().concurrencyKey()).isEqualTo("c1");
    assertThat(fleet.types(runlane, run.id()))
        .containsExactly("run.created", "run.delivery_requested");
    assertThat(fleet.faults.calls("markOutboxMessagesPublished")).isEqualTo(1);
  }

  @Test
  void a_deferred_trigger_leaves_its_wakeup_to_the_publisher() {
    done(runlane.trigger(
        task, new Order("o1"), new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));

    assertThat(fleet.faults.calls("markOutboxMessagesPublished")).isZero();
    assertThat(done(runlane.tick()).wakeupsPublished()).isEqualTo(1);
  }

  @Test
  void a_run_of_a_bounded_queue_waits_for_its_reservation() {
    RunRecord run = done(runlane.trigger(
            task, new Order("o1"), new TriggerOptions().setQueue(BOUNDED)))
        .run();

    assertThat(fleet.types(runlane, run.id())).containsExactly("run.created");
    assertThat(done(runlane.tick()).slotsReserved()).isEqualTo(1);
  }

  @Test
  void a_delayed_run_is_scheduled_and_runs_when_it_is_due() {
    RunRecord run = done(runlane.trigger(
            task, new Order("o1"), new TriggerOptions().setDelay(Duration.ofMinutes(10))))
        .run();
    assertThat(run.status()).isEqualTo(RunStatus.SCHEDULED);
    assertThat(run.runAt()).isEqualTo(Fleet.NOON.plusSeconds(600));

    runAll();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SCHEDULED);

    fleet.pass(Duration.ofMinutes(10));
    runAll();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_transport_that_is_down_fails_no_trigger() {
    done(fleet.transport.close());

    TriggerResult result = done(runlane.trigger(task, new Order("o1")));

    assertThat(result.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(fleet.faults.calls("markOutboxMessagesFailed")).isEqualTo(1);
  }

  @Test
  void a_creation_whose_reply_was_lost_is_found_again() {
    fleet.faults.loseReply("appendRunEvents");

    TriggerResult result = done(runlane.trigger(task, new Order("o1")));

    assertThat(result.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(fleet.run(runlane, result.run().id()).status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void a_creation_that_failed_is_looked_for_no_longer_than_ten_seconds() {
    fleet.faults.fail("appendRunEvents");
    fleet.faults.hang("getRun");

    Future<TriggerResult> triggered = runlane.trigger(task, new Order("o1"));
    fleet.pass(Duration.ofSeconds(9));
    assertThat(triggered.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, triggered);
  }

  @Test
  void an_outage_fails_the_trigger_with_nothing_stored() {
    fleet.faults.fail("appendRunEvents");

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, runlane.trigger(task, new Order("o1")));

    assertNothingStored();
  }

  @Test
  void the_owner_of_an_idempotency_key_is_the_answer_until_its_retention_ends() {
    RunRecord owner = done(runlane.trigger(keyed, new Order("k"))).run();

    TriggerResult active = done(runlane.trigger(keyed, new Order("k")));
    runAll();
    TriggerResult retained = done(runlane.trigger(keyed, new Order("k")));
    fleet.clock.advance(Duration.ofDays(31));
    TriggerResult later = done(runlane.trigger(keyed, new Order("k")));

    assertThat(active.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(active.run().id()).isEqualTo(owner.id());
    assertThat(retained.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(retained.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(later.outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void a_reset_key_is_free_again_but_not_while_its_owner_is_active() {
    done(runlane.trigger(keyed, new Order("k")));
    assertThat(Fleet.failed(runlane.idempotencyKeys().reset(keyed, "k")).conflictKind())
        .contains(StorageConflictKind.IDEMPOTENCY_KEY);

    runAll();
    done(runlane.idempotencyKeys().reset(keyed, "k"));

    assertThat(done(runlane.trigger(keyed, new Order("k"))).outcome())
        .isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void the_active_owner_of_a_singleton_key_is_the_answer() {
    RunRecord owner = done(runlane.trigger(single, new Order("s"))).run();

    TriggerResult second = done(runlane.trigger(single, new Order("s")));
    runAll();
    TriggerResult third = done(runlane.trigger(single, new Order("s")));

    assertThat(second.outcome()).isEqualTo(TriggerOutcome.SINGLETON_EXISTING);
    assertThat(second.run().id()).isEqualTo(owner.id());
    assertThat(third.outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void a_singleton_owner_that_ends_before_it_is_read_makes_room_for_a_new_run() {
    done(runlane.trigger(single, new Order("s")));
    fleet.faults.before("getRun", this::runAll);

    TriggerResult second = done(runlane.trigger(single, new Order("s")));

    assertThat(second.outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void many_runs_are_created_in_one_call_and_existing_owners_are_answered_in_order() {
    RunRecord owner = done(runlane.trigger(keyed, new Order("b"))).run();

    List<TriggerResult> results = done(runlane.triggerAll(
        keyed,
        List.of(new Order("a"), new Order("b"), new Order("c"), new Order("a")),
        new TriggerOptions()));

    assertThat(results)
        .extracting(TriggerResult::outcome)
        .containsExactly(
            TriggerOutcome.CREATED,
            TriggerOutcome.IDEMPOTENT_EXISTING,
            TriggerOutcome.CREATED,
            TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(results.get(1).run().id()).isEqualTo(owner.id());
    assertThat(results.get(3).run().id()).isEqualTo(results.get(0).run().id());
    assertThat(fleet.faults.calls("appendAll")).isEqualTo(1);
  }

  @Test
  void one_invalid_payload_fails_the_whole_call_with_nothing_stored() {
    List<Order> payloads = new ArrayList<>(List.of(new Order("a"), new Order("x:y")));

    assertFails(
        ErrorCode.VALIDATION_FAILED, runlane.triggerAll(keyed, payloads, new TriggerOptions()));

    assertNothingStored();
  }

  @Test
  void invalid_input_fails_the_future_before_anything_is_stored() {
    Order order = new Order("o1");
    for (TriggerOptions invalid : List.of(
        new TriggerOptions().setRunId("a:b"),
        new TriggerOptions().setRunId(""),
        new TriggerOptions().setRunId("x".repeat(129)),
        new TriggerOptions().setIdempotencyKey("a:b"),
        new TriggerOptions().setSingletonKey("a\0b"),
        new TriggerOptions().setConcurrencyKey("k".repeat(513)),
        new TriggerOptions().setDelay(Duration.ofSeconds(-1)),
        new TriggerOptions().setDelay(Duration.ofDays(40_000)),
        new TriggerOptions().setRunAt(Instant.MAX),
        new TriggerOptions().setRunAt(Fleet.NOON).setDelay(Duration.ofSeconds(1)),
        new TriggerOptions().setIdempotencyTtl(IdempotencyTtl.ACTIVE),
        new TriggerOptions()
            .setIdempotencyKey("k")
            .setIdempotencyTtl(IdempotencyTtl.of(Duration.ZERO)),
        new TriggerOptions().setQueue(TaskQueue.of("unknown")),
        new TriggerOptions().setQueue(TaskQueue.of("bounded").concurrencyLimit(2)),
        new TriggerOptions().setMeta(Map.of("k", "x".repeat(20_000))),
        new TriggerOptions().setTraceCarrier(Map.of("k", "a\0b")),
        new TriggerOptions().setTraceCarrier(Map.of("k", "x".repeat(20_000))))) {
      assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(task, order, invalid));
      assertFails(ErrorCode.VALIDATION_FAILED, runlane.runNow(task, order, invalid));
    }
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(task, new Order("x".repeat(2 << 20))));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerJson("orders", "[".repeat(65) + "]".repeat(65), new TriggerOptions()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerJson("orders", "{\"id\":[]}", new TriggerOptions()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerJson("orders", "{\"id\":\"1\"", new TriggerOptions()));
    assertFails(
        ErrorCode.TASK_NOT_FOUND, runlane.triggerJson("unknown", "{}", new TriggerOptions()));
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(task, null));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerAll(task, Collections.singletonList(null), new TriggerOptions()));
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(broken, order));
    Task<Order> other = Task.define("orders", Order.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    assertFails(ErrorCode.TASK_NOT_FOUND, runlane.trigger(other, order));

    assertNothingStored();
  }

  @Test
  void a_run_id_of_the_caller_is_kept_and_never_taken_twice() {
    TriggerOptions options = new TriggerOptions().setRunId("order-4711");

    assertThat(done(runlane.trigger(task, new Order("o1"), options)).run().id())
        .isEqualTo("order-4711");
    assertThat(Fleet.failed(runlane.trigger(task, new Order("o2"), options)).conflictKind())
        .contains(StorageConflictKind.EVENT_SEQUENCE);
  }

  @Test
  void json_text_is_stored_exactly_as_it_was_given() {
    String text = "{ \"id\" : \"o1\", \"note\":1e400 }";

    RunRecord run =
        done(runlane.triggerJson("orders", text, new TriggerOptions())).run();

    assertThat(run.payload().text()).isEqualTo(text);
  }

  @Test
  void a_trigger_over_a_transaction_claims_and_publishes_nothing() {
    Faults transaction = new Faults(fleet.storage);

    RunRecord run = done(runlane
            .inTransaction(transaction.storage())
            .trigger(task, new Order("o1")))
        .run();

    assertThat(fleet.faults.calls("appendRunEvents")).isZero();
    assertThat(transaction.calls("appendRunEvents")).isEqualTo(1);
    assertThat(transaction.calls("claimOutboxMessages")).isZero();
    done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void wake_after_the_callers_commit_starts_its_runs_at_once() {
    done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    RunRecord run = done(runlane.inTransaction(fleet.storage).trigger(task, new Order("o1")))
        .run();
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.QUEUED);

    runlane.wake();
    fleet.settle();

    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }
}
