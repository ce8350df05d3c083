package dev.runlane.runtime.attempt;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AttemptTest {
  private static final Duration LEASE = RunlaneOptions.DEFAULT_LEASE_DURATION;

  private final Fleet fleet = new Fleet();

  record Order(String id, int cents) {}

  private Runlane runlane;

  private RunRecord runOnce(Task<Order> task) {
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, new Order("o1", 500))).run().id();
    Future<?> attempt = runlane.executeNext();
    fleet.settle();
    done(attempt);
    return fleet.run(runlane, runId);
  }

  private static Task.Definition<Order> charge() {
    return Task.define("orders.charge", Order.class);
  }

  @Test
  void a_handler_gets_the_payload_and_its_output_is_kept() {
    List<Order> seen = new ArrayList<>();

    RunRecord run = runOnce(charge().handler((order, context) -> {
      seen.add(order);
      return Future.succeededFuture(TaskResult.done(Map.of("charged", order.cents())));
    }));

    assertThat(seen).containsExactly(new Order("o1", 500));
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).isEqualTo("{\"charged\":500}");
    assertThat(fleet.types(runlane, run.id()))
        .containsExactly(
            "run.created",
            "run.delivery_requested",
            "run.lease_claimed",
            "run.started",
            "run.succeeded");
  }

  @Test
  void a_blocking_handler_answers_without_a_future() {
    RunRecord run = runOnce(charge().blockingHandler((order, context) -> TaskResult.done()));

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output()).isNull();
  }

  @Test
  void an_unknown_throw_tells_nothing_of_itself() {
    RunRecord run = runOnce(charge().handler((order, context) -> {
      throw new IllegalStateException("password=hunter2");
    }));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure())
        .isEqualTo(new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null));
  }

  @Test
  void null_instead_of_a_future_or_a_result_is_a_failure() {
    assertThat(runOnce(charge().handler((order, context) -> null)).status())
        .isEqualTo(RunStatus.FAILED);
  }

  @Test
  void a_structured_failure_keeps_its_code_and_decides_about_the_retry() {
    RunRecord run = runOnce(charge()
        .retry(RetryPolicy.attempts(3))
        .handler((order, context) ->
            Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "card declined")
                .withMeta("provider", "acme"))));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure().message()).isEqualTo("card declined");
    assertThat(run.failure().meta().text()).isEqualTo("{\"provider\":\"acme\"}");
  }

  @Test
  void a_handler_triggers_runs_in_the_trace_of_its_own() {
    Task<Order> ship = Task.define("orders.ship", Order.class)
        .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
    Task<Order> charge = charge().handler((order, context) -> context
        .trigger(ship, order, new TriggerOptions().setIdempotencyKey(order.id()))
        .map(shipping -> TaskResult.done(shipping.run().id())));
    runlane = fleet.process(charge, ship);
    Map<String, String> trace = Map.of("traceparent", "00-ab-cd-01");
    String runId = done(runlane.trigger(
            charge, new Order("o1", 500), new TriggerOptions().setTraceCarrier(trace)))
        .run()
        .id();
    Future<?> attempt = runlane.executeNext();
    fleet.settle();
    done(attempt);

    RunRecord shipping = done(runlane.runs().findCurrent(ship, "o1")).orElseThrow();
    assertThat(shipping.traceCarrier()).isEqualTo(trace);
    assertThat(fleet.run(runlane, runId).output().text()).isEqualTo("\"" + shipping.id() + "\"");
  }

  @Test
  void retries_stop_when_the_failures_are_used_up_however_often_it_was_released() {
    List<Integer> failures = new ArrayList<>();
    Task<Order> task = charge()
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(10)))
        .handler((order, context) -> {
          failures.add(context.failures());
          return context.attempt() <= 3
              ? Future.succeededFuture(context.release(Duration.ofSeconds(1), "not yet"))
              : Future.failedFuture(new IllegalStateException("no"));
        });
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, new Order("o1", 1))).run().id();
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(Duration.ofMinutes(2));

    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failures).containsExactly(0, 0, 0, 0, 1);
    assertThat(run.counters().releases()).isEqualTo(3);
    assertThat(run.counters().failures()).isEqualTo(2);
    assertThat(run.counters().retries()).isEqualTo(1);
  }

  @Test
  void each_failure_makes_the_pause_before_the_next_attempt_longer() {
    List<Instant> begun = new ArrayList<>();
    Task<Order> task = charge()
        .retry(RetryPolicy.attempts(4)
            .backoff(Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(3))))
        .handler((order, context) -> {
          begun.add(fleet.clock.now());
          return Future.failedFuture(new IllegalStateException("no"));
        });
    runlane = fleet.process(task);
    done(runlane.trigger(task, new Order("o1", 1)));
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(Duration.ofMinutes(1));

    assertThat(begun).hasSize(4);
    for (int retry = 1; retry < 4; retry++) {
      long pauseMillis =
          Duration.between(begun.get(retry - 1), begun.get(retry)).toMillis();
      long wantedMillis = Math.min(1_000L << (retry - 1), 3_000);
      assertThat(pauseMillis).isBetween(wantedMillis, wantedMillis + 20);
    }
  }

  @Test
  void a_released_run_waits_as_long_as_asked_and_says_why() {
    RunRecord run = runOnce(charge()
        .handler((order, context) -> Future.succeededFuture(
            context.release(Duration.ofMinutes(5), "wait for shipment", Map.of("parcel", "p1")))));

    assertThat(run.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run.failure()).isNull();
    RunEvent.Released released =
        (RunEvent.Released) fleet.events(runlane, run.id()).get(4);
    assertThat(released.reason()).isEqualTo("wait for shipment");
    assertThat(released.header().meta().text()).isEqualTo("{\"parcel\":\"p1\"}");
    assertThat(Duration.between(released.header().occurredAt(), run.runAt()))
        .isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void a_negative_release_and_a_too_large_output_end_the_run_for_good() {
    RunRecord negative = runOnce(charge()
        .retry(RetryPolicy.attempts(5))
        .handler(
            (order, context) -> Future.succeededFuture(context.release(Duration.ofSeconds(-1)))));
    assertThat(negative.status()).isEqualTo(RunStatus.FAILED);
    assertThat(negative.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);

    RunRecord large = runOnce(charge()
        .handler((order, context) -> Future.succeededFuture(
            TaskResult.done("x".repeat(RunlaneOptions.DEFAULT_MAX_OUTPUT_BYTES)))));
    assertThat(large.status()).isEqualTo(RunStatus.FAILED);
    assertThat(large.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void an_attempt_that_takes_too_long_is_signalled_then_failed_and_retried() {
    AtomicReference<SignalReason> signal = new AtomicReference<>();
    Task<Order> task = charge()
        .attemptTimeout(Duration.ofSeconds(10))
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofHours(1)))
        .handler((order, context) -> {
          context.signal().onSuccess(signal::set);
          return Promise.<TaskResult>promise().future();
        });
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, new Order("o1", 1))).run().id();
    runlane.executeNext();

    fleet.pass(Duration.ofSeconds(11));
    assertThat(signal).hasValue(SignalReason.ATTEMPT_TIMEOUT);
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.RUNNING);

    fleet.pass(Duration.ofSeconds(5));
    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.RETRYING);
    assertThat(run.failure().meta().text()).isEqualTo("{\"reason\":\"attempt_timeout\"}");
  }

  @Test
  void a_payload_that_kills_its_workers_ends_as_a_crash_loop() {
    Task<Order> task = charge()
        .maxLostAttempts(2)
        .handler((order, context) -> Promise.<TaskResult>promise().future());
    String runId = null;
    for (int process = 0; process < 4; process++) {
      runlane = fleet.process(task);
      runId = runId != null
          ? runId
          : done(runlane.trigger(task, new Order("o1", 1))).run().id();
      runlane.executeNext();
      fleet.settle();
      fleet.faults.kill();
      fleet.pass(LEASE);
    }

    runlane = fleet.process(task);
    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure().meta().text()).isEqualTo("{\"reason\":\"crash_loop\"}");
    assertThat(run.counters().attempts()).isEqualTo(4);
    assertThat(done(runlane.runs().attempts(runId)))
        .extracting(RunAttempt::outcome)
        .containsExactly(
            RunAttempt.Outcome.LOST,
            RunAttempt.Outcome.LOST,
            RunAttempt.Outcome.LOST,
            RunAttempt.Outcome.FAILED);
  }

  @Test
  void the_trace_of_the_trigger_reaches_the_handler() {
    AtomicReference<Map<String, String>> seen = new AtomicReference<>();
    Task<Order> task = charge().handler((order, context) -> {
      seen.set(context.traceCarrier());
      return Future.succeededFuture(TaskResult.done());
    });
    runlane = fleet.process(task);
    done(runlane.trigger(
        task,
        new Order("o1", 1),
        new TriggerOptions().setTraceCarrier(Map.of("traceparent", "00-1-2-01"))));

    runlane.executeNext();
    fleet.settle();

    assertThat(seen).hasValue(Map.of("traceparent", "00-1-2-01"));
  }

  @Test
  void a_run_whose_handler_cannot_be_called_is_left_to_others_after_its_lease() {
    Task<Order> task =
        charge().handler((order, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane gone = processWithCallers(new AtomicBoolean(true), task);
    String runId = done(gone.trigger(task, new Order("o1", 500))).run().id();

    Future<?> attempt = gone.executeNext();
    assertThat(attempt.isComplete()).as("the attempt is given up").isTrue();
    fleet.pass(LEASE.plusSeconds(1));
    runlane = fleet.process(task);
    done(runlane.executeNext());

    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.counters().attempts()).isEqualTo(2);
  }

  @Test
  void an_attempt_whose_handler_cannot_be_told_any_more_ends_by_its_timeout() {
    AtomicBoolean gone = new AtomicBoolean();
    Task<Order> task = charge()
        .attemptTimeout(Duration.ofSeconds(10))
        .handler((order, context) -> Promise.<TaskResult>promise().future());
    runlane = processWithCallers(gone, task);
    String runId = done(runlane.trigger(task, new Order("o1", 500))).run().id();
    runlane.executeNext();

    gone.set(true);
    fleet.pass(Duration.ofSeconds(11).plus(new RunlaneOptions().getAttemptTimeoutGrace()));

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.FAILED);
  }

  private Runlane processWithCallers(AtomicBoolean gone, Task<Order> task) {
    Runlane process = Runlane.builder(
            new LeavingCallers(RuntimeHost.singleThread(fleet.timers), gone),
            Lanes.create(fleet.storage, fleet.transport))
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();
    done(process.start());
    return process;
  }

  /** Callers may go, with the threads that handlers are to be called on. */
  private record LeavingCallers(RuntimeHost host, AtomicBoolean gone) implements RuntimeHost {
    @Override
    public Timers timers() {
      return host.timers();
    }

    @Override
    public Future<Void> start() {
      return host.start();
    }

    @Override
    public Future<Void> close() {
      return host.close();
    }

    @Override
    public <T> Future<T> call(Supplier<Future<T>> work) {
      return host.call(work);
    }

    @Override
    public void execute(Runnable action) {
      host.execute(action);
    }

    @Override
    public void defer(Runnable action) {
      host.defer(action);
    }

    @Override
    public Executor callerExecutor() {
      return turn -> {
        if (gone.get()) {
          throw new RejectedExecutionException("the pool is gone");
        }
        turn.run();
      };
    }

    @Override
    public boolean canWait() {
      return host.canWait();
    }

    @Override
    public <T> Future<T> blocking(Callable<T> work) {
      return host.blocking(work);
    }
  }
}
