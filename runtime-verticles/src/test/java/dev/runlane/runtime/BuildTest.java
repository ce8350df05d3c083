package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.runlane.json.JsonLimits;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.runtime.worker.WorkerVerticle;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BuildTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final Duration PART_OF_A_MILLI = Duration.ofNanos(1_500_000);
  private static final Duration LONG_AND_A_PART = Duration.ofMinutes(10).plusNanos(1);

  private final Fleet fleet = new Fleet();

  private static Task.Definition<String> define(String id) {
    return Task.define(id, String.class);
  }

  private static <P> Task<P> task(Task.Definition<P> definition) {
    return definition.handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  }

  private static void assertThrows(ErrorCode code, ThrowingCallable build) {
    assertThatExceptionOfType(RunlaneException.class)
        .isThrownBy(build)
        .satisfies(thrown -> assertThat(thrown.code()).isEqualTo(code));
  }

  private static void assertInvalid(ThrowingCallable build) {
    assertThrows(ErrorCode.CONFIGURATION_INVALID, build);
  }

  @Test
  void queues_are_checked_where_they_are_made() {
    assertInvalid(() -> TaskQueue.of(""));
    assertInvalid(() -> TaskQueue.of("a:b"));
    assertInvalid(() -> TaskQueue.of("q".repeat(129)));
    assertInvalid(() -> TaskQueue.of("q").concurrencyLimit(0));
    assertInvalid(() -> TaskQueue.of("q").dispatchTimeout(Duration.ofSeconds(1)));
    assertInvalid(() -> TaskQueue.of("q").concurrencyLimit(1).dispatchTimeout(Duration.ZERO));
    assertInvalid(() -> TaskQueue.of("q").concurrencyLimit(1).dispatchTimeout(PART_OF_A_MILLI));
  }

  @Test
  void tasks_and_schedules_are_checked_where_they_are_made() {
    assertInvalid(() -> define("a:b"));
    assertInvalid(() -> define("t").attemptTimeout(Duration.ZERO));
    assertInvalid(() -> define("t").attemptTimeout(PART_OF_A_MILLI));
    assertInvalid(
        () -> define("t").idempotencyKey(payload -> payload, IdempotencyTtl.of(PART_OF_A_MILLI)));
    assertInvalid(() -> define("t").maxLostAttempts(-1));
    assertInvalid(() -> RetryPolicy.attempts(0));
    assertInvalid(() -> RetryPolicy.attempts(2).fixedDelay(Duration.ZERO));
    assertInvalid(() -> MissedFires.all(0));
    assertInvalid(() -> Schedule.every("a:b", Duration.ofHours(1)));
    assertInvalid(() -> Schedule.every("s", Duration.ZERO));
    assertInvalid(() -> Schedule.cron("s", "* * * *"));
    assertInvalid(() -> Schedule.cron("s", "0 3 * * *", "Europe/Nowhere"));
    assertInvalid(() -> task(define("t")
        .schedule(Schedule.once("s", Instant.EPOCH))
        .schedule(Schedule.once("s", Instant.EPOCH))));
  }

  @Test
  void delays_that_a_call_refuses_are_written_and_refused_by_the_call() {
    Duration longest = Duration.ofMillis(Long.MAX_VALUE);
    Map<Duration, Duration> refused = Map.of(
        PART_OF_A_MILLI.negated(), Duration.ofMillis(-1),
        Duration.ofDays(-1), Duration.ofDays(-1),
        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), longest,
        Duration.ofSeconds(Long.MIN_VALUE), longest.negated());
    refused.forEach((delay, written) -> {
      TriggerOptions options = new TriggerOptions().setDelay(delay);
      JsonObject json = new JsonObject(options.toJson().encode());
      assertThat(new TriggerOptions(json).getDelay()).contains(written);
      Task<String> task = task(define("t"));
      assertFails(ErrorCode.VALIDATION_FAILED, fleet.process(task).trigger(task, "x", options));
    });
  }

  @Test
  void durations_that_JSON_cannot_say_are_refused_where_they_are_set() {
    assertInvalid(() -> new RunlaneOptions().setLeaseDuration(LONG_AND_A_PART));
    assertInvalid(() -> new RunlaneOptions().setStepWait(LONG_AND_A_PART));
    assertInvalid(() -> new RunlaneOptions().setMaxPayloadBytes(JsonLimits.MOST_BYTES + 1));
    assertInvalid(() -> new RunlaneOptions().setMaxOutputBytes(JsonLimits.MOST_BYTES + 1));
    assertInvalid(() -> new RunlaneOptions().setMaxMetaBytes(JsonLimits.MOST_BYTES + 1));
    assertInvalid(() -> new RunlaneOptions().setMaxStepBytes(RunlaneOptions.MOST_STEP_BYTES + 1));
    assertInvalid(() -> new RunlaneOptions().setMaxStepEvents(RunlaneOptions.MOST_STEP_EVENTS + 1));
    assertThat(new RunlaneOptions().setMaxPayloadBytes(JsonLimits.MOST_BYTES).getMaxPayloadBytes())
        .isEqualTo(JsonLimits.MOST_BYTES);
    assertInvalid(() -> new OutboxPublisherOptions()
        .setBackoff(Backoff.exponential(LONG_AND_A_PART, Duration.ofHours(1))));
    assertInvalid(() -> new OutboxPublisherOptions()
        .setBackoff(Backoff.exponential(Duration.ofSeconds(1), LONG_AND_A_PART)));
    TriggerOptions computed = new TriggerOptions().setDelay(PART_OF_A_MILLI);
    assertThat(computed.getDelay()).contains(PART_OF_A_MILLI);
    assertThat(new TriggerOptions(computed.toJson()).getDelay()).contains(Duration.ofMillis(2));
    assertInvalid(() -> new TriggerOptions().setIdempotencyTtl(IdempotencyTtl.of(PART_OF_A_MILLI)));
    assertThrows(
        ErrorCode.VALIDATION_FAILED,
        () -> new AlertRule(
            "failing",
            AlertKind.FAILURE_RATE,
            0.5,
            LONG_AND_A_PART,
            null,
            null,
            List.of("pager"),
            true,
            null));
  }

  @Test
  void a_runtime_is_refused_when_its_parts_do_not_fit_together() {
    RunlaneOptions options = new RunlaneOptions();
    TaskQueue other = TaskQueue.of("other");
    assertInvalid(() -> fleet.process(options, List.of()));
    assertInvalid(() -> fleet.process(options, List.of(DEFAULT, other.asDefault())));
    assertInvalid(() -> fleet.process(options, List.of(other, other.concurrencyLimit(1))));
    assertInvalid(() -> fleet.process(options, List.of(other), task(define("t"))));
    assertInvalid(() -> fleet.process(task(define("t").queue(other))));
    assertInvalid(() -> fleet.process(task(define("t")), task(define("t"))));
    assertInvalid(() -> fleet.process(
        task(define("t").schedule(Schedule.once("s", Instant.EPOCH).queue(other)))));
    assertInvalid(() -> fleet.process(
        task(define("t").schedule(Schedule.once("s", Instant.EPOCH).payload(12)))));
    assertInvalid(
        () -> fleet.process(task(define("t").schedule(Schedule.once("s", Instant.EPOCH)))));
  }

  @Test
  void a_runtime_with_more_queues_or_tasks_than_a_command_may_name_is_refused() {
    RunlaneOptions options = new RunlaneOptions();
    List<TaskQueue> queues = IntStream.rangeClosed(0, 10_000)
        .mapToObj(i -> TaskQueue.of("queue_" + i))
        .toList();
    Task<?>[] tasks = IntStream.rangeClosed(0, 10_000)
        .mapToObj(i -> task(define("task_" + i)))
        .toArray(Task<?>[]::new);

    assertInvalid(() -> fleet.process(options, queues));
    assertInvalid(() -> fleet.process(tasks));
  }

  @Test
  void every_queue_needs_an_equal_binding_where_the_transport_lists_its_own() {
    MemoryTransport bound = new MemoryTransport(List.of(QueuePolicy.unbounded("default")));
    RunlaneBuilder builder = Runlane.builder(
        RuntimeHost.singleThread(fleet.timers), Lanes.create(new MemoryStorage(), bound));

    builder.queue(DEFAULT).build();

    assertInvalid(() -> Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(new MemoryStorage(), bound))
        .queue(DEFAULT.concurrencyLimit(1))
        .build());
  }

  @Test
  void what_a_storage_does_not_promise_is_refused_when_it_is_needed() {
    TaskQueue bounded = DEFAULT.concurrencyLimit(1);
    assertUnsupported(StorageCapability.ENFORCES_QUEUE_CONCURRENCY, bounded, task(define("t")));
    assertUnsupported(
        StorageCapability.ENFORCES_IDEMPOTENCY,
        DEFAULT,
        task(define("t").idempotencyKey(payload -> payload)));
    assertUnsupported(
        StorageCapability.ENFORCES_SINGLETON,
        DEFAULT,
        task(define("t").singletonKey(payload -> payload)));
    assertUnsupported(
        StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES,
        DEFAULT,
        task(define("t").schedule(Schedule.once("s", Instant.EPOCH).payload("x"))));
  }

  private void assertUnsupported(StorageCapability missing, TaskQueue queue, Task<?> task) {
    Set<StorageCapability> reported = EnumSet.copyOf(MemoryStorage.CAPABILITIES);
    reported.remove(missing);
    assertThrows(
        ErrorCode.CAPABILITY_UNSUPPORTED,
        () -> fleet.process(
            fleet.storage.reporting(reported), new RunlaneOptions(), List.of(queue), task));
  }

  @Test
  void without_leases_nothing_is_executed() {
    Set<StorageCapability> reported = EnumSet.copyOf(MemoryStorage.CAPABILITIES);
    reported.remove(StorageCapability.LEASES_RUNS);
    Task<String> task = task(define("t"));
    Runlane runlane = fleet.process(
        fleet.storage.reporting(reported), new RunlaneOptions(), List.of(DEFAULT), task);

    Fleet.assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, runlane.worker(new WorkerOptions()));
    Fleet.assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, runlane.executeNext());
    Fleet.assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, runlane.runNow(task, "x"));
    assertThrows(ErrorCode.CAPABILITY_UNSUPPORTED, () -> new WorkerVerticle(runlane));
  }

  @Test
  void options_come_from_json_and_refuse_what_they_do_not_know() {
    RunlaneOptions runtime = new RunlaneOptions()
        .setEnvironment("staging")
        .setDispatchOnTrigger(DispatchMode.DEFERRED)
        .setLeaseDuration(Duration.ofSeconds(5))
        .setMaxPayloadBytes(10);
    assertThat(new RunlaneOptions(runtime.toJson()).toJson()).isEqualTo(runtime.toJson());
    WorkerOptions worker = new WorkerOptions()
        .setMode(WorkerMode.DRAIN)
        .setQueues(List.of("a"))
        .setPollInterval(Duration.ofMillis(5))
        .setWorkerId("w1");
    assertThat(new WorkerOptions(worker.toJson()).toJson()).isEqualTo(worker.toJson());
    RunlaneDeployment deployment = new RunlaneDeployment()
        .setRoles(Set.of(RunlaneRole.WORKER, RunlaneRole.DISPATCHER))
        .setWorkerInstances(3)
        .setWorker(worker);
    assertThat(new RunlaneDeployment(deployment.toJson()).toJson()).isEqualTo(deployment.toJson());

    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("leaseDurations", "5s")));
    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("leaseDuration", 29)));
    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("leaseDuration", "5 s")));
    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("leaseDuration", "1ms")));
    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("dispatchOnTrigger", "soon")));
    assertInvalid(() -> new RunlaneOptions(new JsonObject().put("environment", "a:b")));
    assertInvalid(() -> new WorkerOptions(new JsonObject().put("concurrency", 0)));
    assertInvalid(() -> new WorkerOptions(new JsonObject().put("queues", "a")));
    assertInvalid(() -> new WorkerOptions(new JsonObject().put("mode", "run")));
    assertInvalid(() -> new WorkerOptions(new JsonObject().put("threads", 4)));
    assertInvalid(
        () -> new RunlaneDeployment(new JsonObject().put("roles", new JsonArray().add("boss"))));
    assertInvalid(() -> new RunlaneDeployment(new JsonObject().put("worker", 4)));
    assertInvalid(() -> new RunlaneDeployment(new JsonObject().put("wroker", new JsonObject())));
  }
}
