package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.attempt.Attempt;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.operate.RunWaiters;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.publish.EagerPublisher;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.remote.StepCompletions;
import dev.runlane.runtime.report.AttemptLog;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.Worker;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What a person finds in the log, read from where it is written to. */
@Isolated
class LogTest {
  private final Fleet fleet = new Fleet();
  private final LogLevels levels = LogLevels.warningsOf(List.of(
      AttemptLog.class,
      Attempt.class,
      Attempts.class,
      Claims.class,
      ClockMonitor.class,
      EagerPublisher.class,
      OutboxPublisher.class,
      RunWaiters.class,
      StepCompletions.class,
      Worker.class));

  @AfterEach
  void restoreLevels() {
    levels.close();
  }

  private static List<String> containing(List<String> lines, String text) {
    return lines.stream().filter(line -> line.contains(text)).toList();
  }

  private Runlane runlane;

  private String run(Task<String> task) {
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    return runId;
  }

  @Test
  void each_retry_and_the_final_failure_are_one_line_with_all_that_is_known() {
    Task<String> task = Task.define("invoices", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofSeconds(20)))
        .handler((payload, context) ->
            Future.failedFuture(new IllegalStateException("no printer for " + context.runId())));
    List<String> runs = new ArrayList<>();

    List<String> lines = CapturedErrors.during(() -> {
      runs.add(run(task));
      fleet.pass(Duration.ofMinutes(5));
    });

    List<String> own = containing(lines, "run " + runs.get(0) + " of task invoices");
    assertThat(own).hasSize(3);
    assertThat(own.get(0))
        .contains(
            "WARN",
            "attempt 1 failed (1 of 3) with task_failed",
            "the next is due at 2026-01-01T12:00:20")
        .contains("IllegalStateException: no printer for");
    assertThat(own.get(1))
        .contains("WARN", "attempt 2 failed (2 of 3)", "due at 2026-01-01T12:00:40");
    assertThat(own.get(2)).contains("ERROR", "attempt 3 failed (3 of 3)", "which was the last");
    assertThat(containing(lines, "\tat ")).as("one trace").isNotEmpty();
    assertThat(lines.stream().filter(line -> line.startsWith("java.lang.IllegalState")))
        .hasSize(1);
  }

  @Test
  void the_trace_of_what_is_thrown_is_written_once_a_minute_and_the_line_each_time() {
    Task<String> task = Task.define("moody", String.class)
        .retry(RetryPolicy.attempts(6).fixedDelay(Duration.ofSeconds(25)))
        .handler((payload, context) -> Future.failedFuture(
            context.attempt() == 2
                ? new IllegalArgumentException("another")
                : new IllegalStateException("the same")));

    List<String> lines = CapturedErrors.during(() -> {
      run(task);
      fleet.pass(Duration.ofMinutes(5));
    });

    assertThat(containing(lines, "of task moody")).hasSize(6);
    assertThat(lines.stream().filter(line -> line.startsWith("java.lang.IllegalState")))
        .as("at once and after 75 s")
        .hasSize(2);
    assertThat(lines.stream().filter(line -> line.startsWith("java.lang.IllegalArgument")))
        .as("of a class of its own")
        .hasSize(1);
  }

  @Test
  void a_run_that_was_declined_leaves_a_line() {
    Task<String> task = Task.define("declined", String.class)
        .retry(RetryPolicy.attempts(3))
        .handler((payload, context) ->
            Future.failedFuture(RunlaneException.validationFailed("the account is closed")));

    List<String> lines = CapturedErrors.during(() -> {
      run(task);
      fleet.pass(Duration.ofMinutes(1));
    });

    assertThat(containing(lines, "of task declined"))
        .singleElement()
        .asString()
        .contains("ERROR", "(1 of 3) with validation_failed, which is not retried")
        .contains("the account is closed");
  }

  @Test
  void a_run_that_took_too_long_leaves_a_line() {
    Task<String> task = Task.define("slow", String.class)
        .attemptTimeout(Duration.ofSeconds(10))
        .handler((payload, context) -> Promise.<TaskResult>promise().future());

    List<String> lines = CapturedErrors.during(() -> {
      run(task);
      fleet.pass(Duration.ofMinutes(1));
    });

    assertThat(containing(lines, "of task slow"))
        .singleElement()
        .asString()
        .contains("ERROR", "task_failed", "The attempt took too long.");
  }

  @Test
  void a_run_in_a_crash_loop_leaves_a_line() {
    Task<String> task = Task.define("deadly", String.class)
        .maxLostAttempts(0)
        .handler((payload, context) -> Promise.<TaskResult>promise().future());

    List<String> lines = CapturedErrors.during(() -> {
      Runlane first = fleet.process(task);
      done(first.trigger(task, "x"));
      first.executeNext();
      fleet.faults.kill();
      Runlane second = fleet.process(task);
      done(second.worker(new WorkerOptions()));
      fleet.pass(Duration.ofMinutes(1));
    });

    assertThat(containing(lines, "of task deadly"))
        .filteredOn(line -> line.contains("failed ("))
        .singleElement()
        .asString()
        .contains("ERROR", "attempts were lost with their worker");
  }

  @Test
  void owners_that_cannot_be_told_of_results_leave_a_few_lines() {
    RemoteFleet remote = new RemoteFleet();
    Task<String> task = RemoteFleet.asking(context -> {
      List<Future<?>> all = new ArrayList<>();
      for (int step = 0; step < 100; step++) {
        all.add(context.remote("ask", step));
      }
      return Future.all(all).map(answered -> TaskResult.done());
    });
    Runlane owner = remote.process(task, new RunlaneOptions().setStepWait(Duration.ofDays(1)));
    done(owner.trigger(task, "x"));
    done(owner.worker(new WorkerOptions()));
    remote.dispatch(owner);
    remote.pass(Duration.ofSeconds(5));
    Runlane other = remote.process(task);
    remote.fleet.faults.cancellations(new CancellationSource() {
      @Override
      public Future<Subscription> subscribe(Environment environment, Consumer<String> listener) {
        return Future.succeededFuture(Future::succeededFuture);
      }

      @Override
      public Future<Void> notifyRunOwner(Environment environment, String runId) {
        return Future.failedFuture(Faults.outage());
      }
    });
    remote.deliver(other);
    List<ClaimedStepTask> asked = remote.take("ask");
    assertThat(asked).hasSize(100);

    List<String> lines = CapturedErrors.during(() -> {
      asked.forEach(each -> remote.complete(each, "1"));
      remote.pass(Duration.ofSeconds(20));
    });

    assertThat(containing(lines, "telling owners of runs of results")).hasSizeBetween(1, 8);
  }

  @Test
  void what_failed_and_worked_again_is_counted_from_one_when_it_fails_next() {
    List<Promise<TaskResult>> ends = new ArrayList<>();
    Task<String> task = Task.define("long", String.class).handler((payload, context) -> {
      ends.add(Promise.promise());
      return ends.get(ends.size() - 1).future();
    });
    runlane = fleet.process(task);
    for (int run = 0; run < 3; run++) {
      done(runlane.trigger(task, "x"));
    }
    done(runlane.worker(new WorkerOptions()));

    List<String> lines = CapturedErrors.during(() -> {
      fleet.settle();
      fleet.faults.fail("heartbeatRunLease");
      fleet.pass(Duration.ofSeconds(20));
      fleet.faults.fail("heartbeatRunLease");
      fleet.pass(Duration.ofSeconds(15));
      for (Promise<TaskResult> end : ends) {
        if (end != ends.get(1)) {
          fleet.faults.fail("appendRunEvents");
        }
        end.complete(TaskResult.done());
        fleet.pass(Duration.ofSeconds(2));
      }
    });

    assertThat(containing(lines, "the heartbeat of a lease failed,")).hasSize(2);
    assertThat(containing(lines, "storing what happened to a run failed,")).hasSize(2);
    assertThat(containing(lines, "in a row")).isEmpty();
  }

  @Test
  void each_way_to_lose_a_lease_leaves_a_line() {
    List<Promise<TaskResult>> ends = new ArrayList<>();
    Task<String> task = Task.define("lost", String.class)
        .retry(RetryPolicy.attempts(3))
        .handler((payload, context) -> {
          ends.add(Promise.promise());
          return ends.get(ends.size() - 1).future();
        });
    Duration forgotten =
        Duration.ofMinutes(2); // until the next line is the first of its kind again

    List<String> lines = CapturedErrors.during(() -> {
      Runlane other = fleet.process(task);
      runlane = fleet.process(task);
      done(runlane.trigger(task, "x"));
      runlane.executeNext();
      fleet.faults.fail("heartbeatRunLease", 1_000);
      fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION.plus(forgotten));
      ends.get(0).fail(new IllegalStateException("the signal closed it"));
      fleet.pass(forgotten);

      done(runlane.trigger(task, "y"));
      runlane = fleet.process(task);
      runlane.executeNext();
      fleet.clock.advance(RunlaneOptions.DEFAULT_LEASE_DURATION.multipliedBy(2)); // it was paused
      other.executeNext();
      other.executeNext();
      fleet.pass(forgotten);

      runlane = fleet.process(task);
      done(runlane.trigger(task, "z"));
      Promise<Void> reply = fleet.faults.hold("claimRuns");
      runlane.executeNext();
      fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION);
      reply.complete();
      fleet.settle();
    });

    assertThat(containing(lines, "leases that were lost"))
        .satisfiesExactly(
            line -> assertThat(line).contains("ended before it could be renewed"),
            line -> assertThat(line).contains("ended, and its attempt with it"),
            line -> assertThat(line).contains("is lost to somebody else"),
            line -> assertThat(line).contains("was over when its claim was answered"));
  }

  @Test
  void a_lease_that_is_not_released_and_a_run_that_cannot_be_read_leave_a_line() {
    Promise<TaskResult> end = Promise.promise();
    Task<String> task =
        Task.define("long", String.class).handler((payload, context) -> end.future());
    List<String> runs = new ArrayList<>();

    List<String> lines = CapturedErrors.during(() -> {
      runs.add(run(task));
      fleet.settle();
      fleet.faults.fail("getRun");
      Runlane other = fleet.process(
          fleet.storage, new RunlaneOptions(), List.of(TaskQueue.of("default").asDefault()), task);
      done(other.runs().cancel(runs.get(0), new RunActionOptions()));
      fleet.settle();
    });
    assertThat(containing(
            lines, "reading a run that is worked on failed, the next heartbeat looks again"))
        .hasSize(1);

    lines = CapturedErrors.during(() -> {
      fleet.faults.fail("releaseRunLease");
      end.complete(TaskResult.done());
      fleet.settle();
    });
    assertThat(containing(lines, "the lease of run " + runs.get(0) + " will expire"))
        .hasSize(1);
  }

  @Test
  void a_clock_that_keeps_the_process_from_claiming_is_told_once() {
    MemoryStorage storage = new MemoryStorage(new Ids(fleet.clock, fleet.randomness), fleet.clock);
    runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(storage, fleet.transport))
        .clock(() -> fleet.clock.now().plusSeconds(90))
        .randomness(fleet.randomness)
        .queue(TaskQueue.of("default").asDefault())
        .build();

    List<String> lines = CapturedErrors.during(() -> {
      done(runlane.start());
      done(runlane.worker(new WorkerOptions()));
      fleet.pass(Duration.ofMinutes(10));
    });

    assertThat(containing(lines, "this process's clock is"))
        .singleElement()
        .asString()
        .contains("ERROR", "ahead of");
  }

  @Test
  void an_outage_while_a_thousand_runs_are_worked_on_writes_a_few_lines() {
    Promise<TaskResult> end = Promise.promise();
    Task<String> task =
        Task.define("many", String.class).handler((payload, context) -> end.future());
    runlane = fleet.process(task);
    for (int run = 0; run < 1_000; run++) {
      done(runlane.trigger(task, "x"));
    }
    done(runlane.worker(new WorkerOptions().setConcurrency(1_000)));
    fleet.pass(Duration.ofSeconds(5));
    fleet.faults.failForEver("heartbeatRunLease");
    fleet.faults.failForEver("claimRuns");

    List<String> lines = CapturedErrors.during(() -> {
      fleet.pass(Duration.ofSeconds(25)); // heartbeats fail
      fleet.faults.failForEver("appendRunEvents");
      fleet.pass(Duration.ofSeconds(10)); // leases end
      end.complete(TaskResult.done());
      fleet.pass(Duration.ofSeconds(25)); // outcomes cannot be stored
    });

    assertThat(lines.stream().filter(line -> line.contains("WARN") || line.contains("ERROR")))
        .as("lines of a minute")
        .hasSizeBetween(5, 60);
    assertThat(lines.stream().filter(line -> line.startsWith("dev.runlane.run.RunlaneException")))
        .as("traces")
        .isEmpty();
  }

  @Test
  void an_outage_that_a_thousand_wakeups_do_not_outlast_writes_a_few_lines() {
    MaintenanceFleet outboxes = new MaintenanceFleet();
    MaintenanceFleet.Process process = outboxes.process();
    for (int run = 0; run < 1_000; run++) {
      outboxes.create("run_" + run, MaintenanceFleet.QUEUE);
    }
    OutboxPublisher publisher = new OutboxPublisher(
        process.context(), new OutboxPublisherOptions().setMaxAttempts(1).setBatchSize(50));
    int[] givenUp = new int[1];

    List<String> lines = CapturedErrors.during(() -> {
      while (givenUp[0] < 1_000) {
        process.transport.failNext(ScriptedTransport.outage());
        givenUp[0] += done(publisher.sweep()).deadLettered();
        outboxes.advance(Duration.ofSeconds(1));
      }
    });

    assertThat(containing(lines, "wakeups that are given up")).hasSizeBetween(2, 8);
    assertThat(containing(lines, "wakeups that are given up").get(0))
        .contains("ERROR", "of run run_0 in queue default", "transport_unavailable");
  }
}
