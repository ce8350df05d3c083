package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.maintenance.CancellationFinalizer;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOError;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ObserverTest {
  private final Fleet fleet = new Fleet();
  private final Facts facts = new Facts();
  private final Promise<TaskResult> work = Promise.promise();
  private final Task<String> open = Task.define("open", String.class)
      .handler((payload, context) -> context.untilSignalled(work.future()));

  private Runlane process(RuntimeObserver observer, Task<?>... tasks) {
    return process(fleet.storage, observer, tasks);
  }

  private Runlane process(StorageAdapter storage, RuntimeObserver observer, Task<?>... tasks) {
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(storage, fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .options(new RunlaneOptions())
        .queue(TaskQueue.of("default").asDefault())
        .tasks(List.of(tasks))
        .observer(observer)
        .build();
    done(runlane.start());
    return runlane;
  }

  private WorkerHandle worker(Runlane runlane) {
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setWorkerId("w").setConcurrency(4)));
    fleet.settle();
    return worker;
  }

  @Test
  void a_run_is_told_of_from_its_trigger_to_its_end() {
    Task<String> task = Task.define("quick", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = process(facts, task);

    done(runlane.trigger(task, "x"));
    worker(runlane);

    assertThat(facts.told)
        .containsExactly(
            "created quick",
            "published default",
            "worker w with 4 of [default]",
            "attempt 1 of quick",
            "handled",
            "succeeded",
            "ended SUCCEEDED");
  }

  @Test
  void a_failure_is_told_as_retried_while_a_retry_is_left_and_then_as_failed() {
    Task<String> task = Task.define("broken", String.class)
        .retry(RetryPolicy.attempts(2))
        .handler((payload, context) -> Future.failedFuture(new IllegalStateException("broken")));
    Runlane runlane = process(facts, task);

    done(runlane.trigger(task, "x"));
    worker(runlane);
    fleet.pass(Duration.ofMinutes(5));

    assertThat(facts.outcomes).containsExactly(AttemptOutcome.RETRIED, AttemptOutcome.FAILED);
    assertThat(facts.told).endsWith("failed", "ended FAILED");
  }

  @Test
  void an_attempt_that_lends_its_slot_is_told_of_until_it_has_one_again() {
    Task<String> task = Task.define("sleeper", String.class)
        .handler((payload, context) ->
            context.sleep(Duration.ofSeconds(2)).map(slept -> TaskResult.done()));
    Runlane runlane = process(facts, task);
    done(runlane.trigger(task, "x"));
    worker(runlane);

    fleet.pass(Duration.ofSeconds(1));
    assertThat(facts.told).endsWith("attempt 1 of sleeper", "waits");
    fleet.pass(Duration.ofSeconds(2));

    assertThat(facts.told).endsWith("waits", "goes on", "handled", "succeeded", "ended SUCCEEDED");
  }

  @Test
  void a_run_that_owns_a_key_already_is_not_told_of_as_created() {
    Runlane runlane = process(facts, open);

    done(runlane.trigger(open, "x", new TriggerOptions().setIdempotencyKey("k")));
    done(runlane.trigger(open, "x", new TriggerOptions().setIdempotencyKey("k")));

    assertThat(facts.told).filteredOn("created open"::equals).hasSize(1);
  }

  @Test
  void a_run_that_is_made_and_run_at_once_is_told_of_like_any_other() {
    Task<String> task = Task.define("now", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = process(facts, task);

    done(runlane.runNow(task, "x"));

    assertThat(facts.told)
        .containsExactly(
            "created now", "attempt 1 of now", "handled", "succeeded", "ended SUCCEEDED");
  }

  @Test
  void a_stopping_worker_tells_that_its_attempts_are_released_and_that_it_has_stopped() {
    Runlane runlane = process(facts, open);
    done(runlane.trigger(open, "x"));
    WorkerHandle worker = worker(runlane);

    Future<Void> stopped = worker.stop();
    fleet.settle();

    done(stopped);
    assertThat(facts.outcomes).containsExactly(AttemptOutcome.RELEASED);
    assertThat(facts.told).contains("worker w stopped");
  }

  @Test
  void an_attempt_whose_outcome_was_never_stored_is_told_as_lost() {
    Faults faults = new Faults(fleet.storage);
    Runlane runlane = process(faults.storage(), facts, open);
    done(runlane.trigger(open, "x"));
    worker(runlane);

    faults.failForEver("heartbeatRunLease");
    faults.failForEver("appendRunEvents");
    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(closed.isComplete()).isTrue();
    assertThat(facts.outcomes).containsExactly(AttemptOutcome.LOST);
    assertThat(facts.told).doesNotContain("ended SUCCEEDED");
  }

  @Test
  void a_cancelled_run_is_told_of_once_whether_it_waits_or_runs() {
    Runlane runlane = process(facts, open);
    String waits = done(runlane.trigger(
            open, "x", new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run()
        .id();
    String runs = done(runlane.trigger(open, "y")).run().id();
    worker(runlane);

    done(runlane.runs().cancel(waits, new RunActionOptions()));
    done(runlane.runs().cancel(runs, new RunActionOptions()));
    fleet.settle();

    assertThat(facts.outcomes).containsExactly(AttemptOutcome.CANCELLED);
    assertThat(facts.told).filteredOn("ended CANCELLED"::equals).hasSize(2);
  }

  @Test
  void a_cancellation_that_a_lost_owner_did_not_write_is_told_by_the_process_that_writes_it() {
    Faults faults = new Faults(fleet.storage);
    Runlane owner = process(faults.storage(), new RuntimeObserver() {}, open);
    String runId = done(owner.trigger(open, "x")).run().id();
    worker(owner);
    faults.kill();
    fleet.settle();
    Runlane other = process(facts, open);
    done(other.runs().cancel(runId, new RunActionOptions()));
    fleet.pass(Duration.ofMinutes(1));

    done(new CancellationFinalizer(other.context(), new CancellationFinalizerOptions()).sweep());

    assertThat(facts.told).containsExactly("ended CANCELLED");
  }

  @Test
  void a_wakeup_that_the_transport_refuses_is_told_as_failed_and_at_last_as_dead_lettered() {
    ScriptedTransport refusing = new ScriptedTransport();
    for (int publish = 0; publish < OutboxPublisherOptions.DEFAULT_MAX_ATTEMPTS; publish++) {
      refusing.refuseFirstOfNext(true);
    }
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(fleet.storage, refusing))
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .task(open)
        .observer(facts)
        .build();
    done(runlane.start());
    done(runlane.trigger(open, "x"));

    for (int minute = 0; minute < 90; minute++) {
      fleet.pass(Duration.ofMinutes(1));
      done(runlane.tick());
    }

    assertThat(facts.told).filteredOn("not published default"::equals).hasSize(9);
    assertThat(facts.told).filteredOn("dead-lettered default"::equals).hasSize(1);
  }

  @Test
  void a_sweep_is_told_with_its_role_its_duration_and_why_it_failed() {
    Runlane runlane = process(facts, open);
    List<Future<Boolean>> sweeps = new ArrayList<>();
    sweeps.add(Future.succeededFuture(false));
    sweeps.add(Future.failedFuture(new IllegalStateException("away")));
    SweepRole role =
        () -> fleet.timers.after(Duration.ofMillis(20)).compose(later -> sweeps.remove(0));
    RoleLoop loop = new RoleLoop(
        runlane.context(), "some role", role, new CancellationFinalizerOptions(), Runnable::run);

    loop.start();
    fleet.pass(Duration.ofSeconds(6));
    loop.stop();

    assertThat(facts.told)
        .containsExactly("some role swept in PT0.02S", "some role failed in PT0.02S with away");
  }

  @Test
  void a_lease_that_is_renewed_late_is_told_of_and_one_in_time_is_not() {
    Faults faults = new Faults(fleet.storage);
    Runlane runlane = process(faults.storage(), facts, open);
    done(runlane.trigger(open, "x"));
    worker(runlane);

    fleet.pass(Duration.ofMinutes(1));
    assertThat(facts.late).isEmpty();
    faults.fail("heartbeatRunLease", 6);
    fleet.pass(Duration.ofSeconds(30));

    assertThat(facts.late).hasSize(1).allSatisfy(late -> assertThat(late)
        .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20)));
  }

  @Test
  void an_outcome_that_is_refused_is_told_of_at_each_try_and_until_it_is_stored_or_given_up() {
    Faults faults = new Faults(fleet.storage);
    Runlane runlane = process(faults.storage(), facts, open);
    done(runlane.trigger(open, "x"));
    worker(runlane);
    faults.refuse(
        "appendRunEvents", RunlaneException.of(ErrorCode.INTERNAL_ERROR, "SQLSTATE P0001"));

    work.complete(TaskResult.done());
    fleet.pass(Duration.ofMillis(500));
    faults.mend("appendRunEvents");
    fleet.pass(Duration.ofSeconds(10));

    assertThat(facts.refused).startsWith(1, 2, 3);
    assertThat(facts.told)
        .endsWith("handled", "open refused no more", "succeeded", "ended SUCCEEDED");

    done(runlane.trigger(open, "x"));
    faults.refuse(
        "appendRunEvents", RunlaneException.of(ErrorCode.INTERNAL_ERROR, "SQLSTATE P0001"));
    fleet.pass(Duration.ofSeconds(1));
    Future<Void> closed = runlane.close();
    fleet.pass(RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.plusSeconds(1));
    assertThat(closed.isComplete()).isTrue();
    assertThat(facts.told).filteredOn("open refused no more"::equals).hasSize(2);
  }

  @Test
  void what_an_observer_adds_to_a_trigger_is_carried_by_the_run_and_its_wakeup() {
    Runlane runlane = process(
        new RuntimeObserver() {
          @Override
          public Map<String, String> runTriggered(
              String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
            return Map.of("trace", taskId + " in " + queue);
          }

          @Override
          public void wakeupPublished(DeliveryMessage wakeup) {
            facts.told.add(String.valueOf(wakeup.traceCarrier()));
          }
        },
        open);

    RunRecord run = done(runlane.trigger(open, "x")).run();
    fleet.settle();

    assertThat(run.traceCarrier()).isEqualTo(Map.of("trace", "open in default"));
    assertThat(facts.told).containsExactly("{trace=open in default}");
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void what_an_observer_adds_that_cannot_be_stored_fails_no_trigger(Map<String, String> nonsense) {
    Runlane runlane = process(
        new RuntimeObserver() {
          @Override
          public Map<String, String> runTriggered(
              String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
            return nonsense;
          }
        },
        open);

    RunRecord run = done(runlane.trigger(
            open, "x", new TriggerOptions().setTraceCarrier(Map.of("trace", "the caller's"))))
        .run();

    assertThat(run.traceCarrier()).isEqualTo(Map.of("trace", "the caller's"));
  }

  private static Stream<Map<String, String>> nonsense() {
    return Stream.of(Map.of("trace", "nul \0"), Collections.singletonMap("trace", null));
  }

  @Test
  void a_step_is_told_of_with_its_tries_and_its_failure_and_each_turn_begins_and_ends() {
    List<String> turns = new ArrayList<>();
    Task<String> task = Task.define("stepped", String.class).handler((payload, context) -> context
        .step("works", () -> Future.succeededFuture())
        .compose(done ->
            context.step("fails", () -> Future.failedFuture(new IllegalStateException("away"))))
        .otherwiseEmpty()
        .map(done -> TaskResult.done()));
    Runlane runlane = process(
        new RuntimeObserver() {
          @Override
          public AttemptObserver attemptStarted(RunRecord run) {
            return new AttemptObserver() {
              @Override
              public Turn turn() {
                turns.add("begins");
                return () -> turns.add("ends");
              }

              @Override
              public void stepEnded(
                  String name,
                  Instant began,
                  Instant ended,
                  int tries,
                  @Nullable FailureRecord failure) {
                facts.told.add(
                    name + " after " + tries + (failure == null ? "" : " with " + failure.code()));
              }
            };
          }
        },
        task);

    Future<?> run = runlane.runNow(task, "x");
    fleet.settle();

    done(run);

    assertThat(facts.told).containsExactly("works after 1", "fails after 1 with TASK_FAILED");
    assertThat(turns).contains("begins").filteredOn("ends"::equals).hasSize(turns.size() / 2);
  }

  @Test
  void a_step_took_as_long_as_it_took_though_the_clock_was_set_back_meanwhile() {
    Promise<Void> stepping = Promise.promise();
    Task<String> task = Task.define("stepped", String.class)
        .handler((payload, context) ->
            context.step("works", stepping::future).map(done -> TaskResult.done()));
    List<Duration> lengths = new ArrayList<>();
    Runlane runlane = process(
        new RuntimeObserver() {
          @Override
          public AttemptObserver attemptStarted(RunRecord run) {
            return new AttemptObserver() {
              @Override
              public void stepEnded(
                  String name,
                  Instant began,
                  Instant ended,
                  int tries,
                  @Nullable FailureRecord failure) {
                lengths.add(Duration.between(began, ended));
              }
            };
          }
        },
        task);
    Future<?> run = runlane.runNow(task, "x");
    fleet.settle();
    fleet.pass(Duration.ofSeconds(2));
    fleet.clock.advance(Duration.ofSeconds(-9));

    stepping.complete();
    fleet.settle();

    done(run);
    assertThat(lengths).hasSize(1).allSatisfy(each -> assertThat(each)
        .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3)));
  }

  private static List<Throwable> whatIsThrown() {
    return List.of(
        new IllegalStateException("broken observer"),
        new NoClassDefFoundError("broken observer"),
        new AssertionError("broken observer"),
        new StackOverflowError("broken observer"),
        new ServiceConfigurationError("broken observer"),
        new OutOfMemoryError("unable to create native thread"),
        new IOError(new IOException("broken observer")));
  }

  @ParameterizedTest
  @MethodSource("whatIsThrown")
  void an_observer_that_throws_harms_neither_the_run_nor_the_other_observers(Throwable thrown) {
    Task<String> task = Task.define("quick", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(fleet.storage, fleet.transport))
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .observer(new Broken(thrown))
        .observer(new BrokenAtOnce(thrown))
        .observer(facts)
        .build();
    done(runlane.start());

    String runId = done(runlane.trigger(task, "x")).run().id();
    worker(runlane);

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(facts.told).startsWith("created quick").endsWith("succeeded", "ended SUCCEEDED");
  }

  /** Writes down what it is told. */
  private static final class Facts implements RuntimeObserver {
    final List<String> told = new ArrayList<>();
    final List<AttemptOutcome> outcomes = new ArrayList<>();
    final List<Duration> late = new ArrayList<>();
    final List<Integer> refused = new ArrayList<>();

    @Override
    public void runCreated(RunRecord run) {
      told.add("created " + run.taskId());
    }

    @Override
    public AttemptObserver attemptStarted(RunRecord run) {
      told.add("attempt " + run.counters().attempts() + " of " + run.taskId());
      return new AttemptObserver() {
        @Override
        public void waits() {
          told.add("waits");
        }

        @Override
        public void goesOn() {
          told.add("goes on");
        }

        @Override
        public void handled() {
          told.add("handled");
        }

        @Override
        public void ended(AttemptOutcome outcome, @Nullable RunRecord after) {
          told.add(outcome.value());
          outcomes.add(outcome);
        }
      };
    }

    @Override
    public void runEnded(RunRecord run) {
      told.add("ended " + run.status());
    }

    @Override
    public void wakeupPublished(DeliveryMessage wakeup) {
      told.add("published " + wakeup.queue());
    }

    @Override
    public void wakeupFailed(DeliveryMessage wakeup, FailureRecord failure, boolean deadLettered) {
      told.add((deadLettered ? "dead-lettered " : "not published ") + wakeup.queue());
    }

    @Override
    public void heartbeatLate(RunRecord run, Duration by) {
      late.add(by);
    }

    @Override
    public void outcomeRefused(RefusedOutcome outcome) {
      refused.add(outcome.times());
    }

    @Override
    public void refusalEnded(RefusedOutcome outcome) {
      told.add(outcome.taskId() + " refused no more");
    }

    @Override
    public void sweepEnded(String role, Duration took, @Nullable Throwable failure) {
      told.add(role
          + (failure == null
              ? " swept in " + took
              : " failed in " + took + " with " + failure.getMessage()));
    }

    @Override
    public void workerStarted(String workerId, Set<String> queues, int slots) {
      told.add("worker " + workerId + " with " + slots + " of " + queues);
    }

    @Override
    public void workerStopped(String workerId) {
      told.add("worker " + workerId + " stopped");
    }
  }

  @ParameterizedTest
  @MethodSource("whatIsThrown")
  void a_role_goes_on_sweeping_whatever_an_observer_throws(Throwable thrown) {
    Runlane runlane = process(new Broken(thrown), open);
    List<Instant> sweeps = new ArrayList<>();
    SweepRole role = () -> {
      sweeps.add(fleet.clock.now());
      return fleet.timers.after(Duration.ofMillis(20)).map(false);
    };
    RoleLoop loop = new RoleLoop(
        runlane.context(), "some role", role, new CancellationFinalizerOptions(), Runnable::run);

    loop.start();
    fleet.pass(Duration.ofMinutes(1));
    loop.stop();

    assertThat(sweeps).hasSizeGreaterThan(1);
  }

  private static <T> T fail(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  /** Fails when an attempt begins. */
  private record BrokenAtOnce(Throwable thrown) implements RuntimeObserver {
    @Override
    public AttemptObserver attemptStarted(RunRecord run) {
      return fail(thrown);
    }
  }

  /** Fails at everything, also at what it answers. */
  private record Broken(Throwable thrown) implements RuntimeObserver {
    @Override
    public @Nullable Map<String, String> runTriggered(
        String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
      return fail(thrown);
    }

    @Override
    public void runCreated(RunRecord run) {
      fail(thrown);
    }

    @Override
    public AttemptObserver attemptStarted(RunRecord run) {
      return new AttemptObserver() {
        @Override
        public Turn turn() {
          return fail(thrown);
        }

        @Override
        public void stepEnded(
            String name, Instant began, Instant ended, int tries, @Nullable FailureRecord failure) {
          fail(thrown);
        }

        @Override
        public void handled() {
          fail(thrown);
        }

        @Override
        public void ended(AttemptOutcome outcome, @Nullable RunRecord after) {
          fail(thrown);
        }
      };
    }

    @Override
    public void runEnded(RunRecord run) {
      fail(thrown);
    }

    @Override
    public void wakeupPublished(DeliveryMessage wakeup) {
      fail(thrown);
    }

    @Override
    public void sweepEnded(String role, Duration took, @Nullable Throwable failure) {
      fail(thrown);
    }

    @Override
    public void workerStarted(String workerId, Set<String> queues, int slots) {
      fail(thrown);
    }
  }
}
