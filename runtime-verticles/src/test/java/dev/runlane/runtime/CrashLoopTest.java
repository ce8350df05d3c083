package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.GetRun;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which runs that keep losing their workers are in a crash loop, and which get on. */
class CrashLoopTest {
  private static final Duration LEASE = Duration.ofSeconds(31);
  private static final int DEPLOYMENTS = 20;
  private static final int STEPS = 25;

  private final Fleet fleet = new Fleet();
  private final List<String> effects = new ArrayList<>();
  private int deployment; // up to which steps end
  private Runlane runlane;
  private Future<TaskResult> next = Promise.<TaskResult>promise().future(); // how attempts end

  /** Who claims the run: every way that there is. */
  private enum Claim {
    WORKER {
      @Override
      void of(Runlane runlane, RunRecord run) {
        done(runlane.worker(new WorkerOptions()));
      }
    },
    DELIVERY {
      @Override
      void of(Runlane runlane, RunRecord run) {
        runlane.executeDelivery(
            new DeliveryMessage(run.environment(), run.id(), run.queue(), Fleet.NOON, null));
      }
    },
    EXECUTE_NEXT {
      @Override
      void of(Runlane runlane, RunRecord run) {
        runlane.executeNext();
      }
    };

    abstract void of(Runlane runlane, RunRecord run);
  }

  /** Many steps, of which each deployment does one more before it hangs. */
  private final Task<String> long25 = Task.define("long", String.class)
      .handler((payload, context) -> steps(context, 0).map(TaskResult.done("all")));

  private Future<Void> steps(TaskContext context, int from) {
    return from == STEPS
        ? Future.succeededFuture()
        : context
            .step("s" + from, () -> {
              if (from > deployment) {
                return Promise.<Void>promise().future();
              }
              effects.add("s" + from);
              return Future.succeededFuture();
            })
            .compose(ended -> steps(context, from + 1));
  }

  /** The first attempt is one of runNow; its process is killed in it. */
  private RunRecord startedAndKilled(Task<String> task) {
    runlane = fleet.process(task);
    runlane.runNow(task, "x", new TriggerOptions().setIdempotencyKey("once"));
    fleet.settle();
    RunRecord run = done(runlane.trigger(task, "x", new TriggerOptions().setIdempotencyKey("once")))
        .run();
    kill();
    return run;
  }

  private RunRecord now(RunRecord run) {
    return done(fleet.storage.getRun(new GetRun(run.environment(), run.id()))).orElseThrow();
  }

  private void kill() {
    fleet.faults.kill();
    fleet.pass(LEASE);
  }

  private void nextDeployment(Task<String> task, RunRecord run, Claim claim) {
    runlane = fleet.process(task);
    claim.of(runlane, run);
    fleet.pass(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @EnumSource
  void a_run_that_gets_on_outlives_any_number_of_deployments_that_kill_it(Claim claim) {
    RunRecord run = startedAndKilled(long25);

    for (deployment = 1; deployment < DEPLOYMENTS; deployment++) {
      nextDeployment(long25, run, claim);
      kill();
    }
    deployment = STEPS;
    nextDeployment(long25, run, claim);

    RunRecord ended = now(run);
    assertThat(ended.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(ended.counters().lostAttempts(1)).isEqualTo(DEPLOYMENTS);
    assertThat(effects)
        .as("no step that is recorded is done again")
        .containsExactlyElementsOf(
            IntStream.range(0, STEPS).mapToObj(n -> "s" + n).toList());
  }

  @ParameterizedTest
  @EnumSource
  void a_run_that_gets_nowhere_any_more_ends_after_so_many_lost_attempts_in_a_row(Claim claim) {
    RunRecord run = startedAndKilled(long25);
    for (deployment = 1; deployment < 10; deployment++) {
      nextDeployment(long25, run, claim);
      kill();
    }
    deployment--; // all that follow hang in the same step

    for (int lost = 0; lost < ContractDefaults.MAX_LOST_ATTEMPTS; lost++) {
      nextDeployment(long25, run, claim);
      assertThat(now(run).status()).isEqualTo(RunStatus.RUNNING);
      kill();
    }
    nextDeployment(long25, run, claim);
    assertThat(now(run).status()).isEqualTo(RunStatus.RUNNING);
    kill();
    nextDeployment(long25, run, claim);

    RunRecord ended = now(run);
    assertThat(ended.status()).isEqualTo(RunStatus.FAILED);
    assertThat(ended.failure().meta().text()).isEqualTo("{\"reason\":\"crash_loop\"}");
    assertThat(ended.failure().message()).startsWith("6 attempts");
  }

  /** Ends each attempt as it is told, or hangs until its process is killed. */
  private final Task<String> told = Task.define("told", String.class)
      .retry(RetryPolicy.attempts(100).fixedDelay(Duration.ofSeconds(1)))
      .maxLostAttempts(2)
      .handler((payload, context) -> {
        effects.add("attempt " + context.attempt());
        return context.untilSignalled(next);
      });

  private RunRecord lost(int attempts) {
    RunRecord run = startedAndKilled(told);
    for (int lost = 1; lost < attempts; lost++) {
      nextDeployment(told, run, Claim.WORKER);
      kill();
    }
    return run;
  }

  @Test
  void a_release_is_getting_on() {
    RunRecord run = lost(2);
    next = Future.succeededFuture(new TaskResult.Release(Duration.ofHours(1), null, Map.of()));
    nextDeployment(told, run, Claim.WORKER);
    assertThat(now(run).status()).isEqualTo(RunStatus.RELEASED);
    fleet.faults.kill();
    fleet.pass(Duration.ofHours(1));

    assertOneAndTwoMoreMayBeLost(run);
  }

  @Test
  void a_failure_with_a_retry_is_getting_on() {
    RunRecord run = lost(2);
    next = Future.failedFuture(new IllegalStateException("no"));
    runlane = fleet.process(told);
    Claim.EXECUTE_NEXT.of(runlane, run);
    fleet.settle();
    assertThat(now(run).status()).isEqualTo(RunStatus.RETRYING);
    kill();

    assertOneAndTwoMoreMayBeLost(run);
  }

  private void assertOneAndTwoMoreMayBeLost(RunRecord run) {
    next = Promise.<TaskResult>promise().future();
    for (int lost = 0; lost < 3; lost++) {
      nextDeployment(told, run, Claim.WORKER);
      assertThat(now(run).status()).isEqualTo(RunStatus.RUNNING);
      kill();
    }
    nextDeployment(told, run, Claim.WORKER);
    assertThat(now(run).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void history_is_read_only_once_the_bound_is_passed_and_before_the_handler_is_called() {
    RunRecord run = lost(2);
    nextDeployment(told, run, Claim.WORKER);
    assertThat(fleet.faults.calls("listRunEvents")).isZero();
    kill();
    effects.clear();

    runlane = fleet.process(told);
    Promise<Void> read = fleet.faults.hold("listRunEvents");
    Claim.WORKER.of(runlane, run);
    fleet.pass(Duration.ofSeconds(2));
    assertThat(now(run).status()).isEqualTo(RunStatus.RUNNING);
    read.complete();
    fleet.settle();

    assertThat(effects).isEmpty();
    assertThat(now(run).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void an_outage_while_history_is_read_only_delays_the_attempt() {
    RunRecord run = released();

    runlane = fleet.process(told);
    fleet.faults.fail("listRunEvents", 4);
    Claim.WORKER.of(runlane, run);
    fleet.pass(Duration.ofSeconds(10));

    assertThat(fleet.faults.calls("listRunEvents")).isGreaterThan(4);
    assertThat(effects).containsExactly("attempt 5");
    assertThat(now(run).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_history_that_cannot_be_read_fails_the_attempt() {
    RunRecord run = released();

    runlane = fleet.process(told);
    fleet.faults.fail("listRunEvents", RunlaneException.invariantViolation("an unknown event"));
    Claim.WORKER.of(runlane, run);
    fleet.settle();

    assertThat(effects).isEmpty();
    RunRecord failed = now(run);
    assertThat(failed.failure().message()).isEqualTo("an unknown event");
  }

  @Test
  void a_run_that_is_cancelled_while_its_history_is_read_is_not_begun() {
    RunRecord run = released();

    runlane = fleet.process(told);
    Promise<Void> read = fleet.faults.hold("listRunEvents");
    Claim.WORKER.of(runlane, run);
    fleet.settle();
    done(runlane.runs().cancel(run.id(), new RunActionOptions()));
    fleet.settle();
    read.complete();
    fleet.settle();

    assertThat(effects).isEmpty();
    assertThat(now(run).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_worker_that_stops_while_history_is_read_hands_the_run_back() {
    RunRecord run = released();

    runlane = fleet.process(told);
    Promise<Void> read = fleet.faults.hold("listRunEvents");
    WorkerHandle worker = done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    Future<Void> stopped = worker.stop();
    read.complete();
    fleet.settle();

    done(stopped);
    assertThat(effects).isEmpty();
    assertThat(now(run).status()).isEqualTo(RunStatus.QUEUED);
  }

  /** Three attempts were lost, but not in a row, and the run is due. */
  private RunRecord released() {
    RunRecord run = lost(2);
    next = Future.succeededFuture(new TaskResult.Release(Duration.ofHours(1), null, Map.of()));
    nextDeployment(told, run, Claim.WORKER);
    fleet.faults.kill();
    fleet.pass(Duration.ofHours(1));
    next = Promise.<TaskResult>promise().future();
    nextDeployment(told, run, Claim.WORKER);
    kill();
    effects.clear();
    return run;
  }

  @Test
  void without_a_readable_history_all_lost_attempts_count() {
    Set<StorageCapability> without = EnumSet.copyOf(fleet.storage.capabilities());
    without.remove(StorageCapability.READS_RUN_HISTORY);
    RunRecord run = released();

    runlane = fleet.process(
        fleet.storage.reporting(without),
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        told);
    Claim.WORKER.of(runlane, run);
    fleet.settle();

    assertThat(now(run).status()).isEqualTo(RunStatus.FAILED);
  }
}
