package dev.runlane.drills.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.crash.CrashPoint;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.RemoteRuntime;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A process dies around each statement by which a remote step moves on; its successor continues. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemoteCrashDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** Triggers make the first three appends. The first attempt of each first remote step fails. */
  private static final List<String> CALLS = List.of(
      "appendRunEvents-4",
      "appendRunEvents-5",
      "appendRunEvents-7",
      "appendRunEvents-9",
      "appendRunEvents-12",
      "appendRunEvents-16",
      "appendRunEvents-20",
      "claimDueSteps-2",
      "claimDueSteps-4",
      "dispatchMissingSteps-1",
      "dispatchMissingSteps-2",
      "dispatchMissingSteps-3",
      "reschedulePendingSteps-1",
      "reschedulePendingSteps-2",
      "reschedulePendingSteps-3",
      "claimStepTasks-2",
      "recordStepResults-1",
      "recordStepResults-3",
      "listStepResults-2",
      "claimStepResults-1",
      "claimStepResults-2",
      "listPendingSteps-1",
      "listPendingSteps-4",
      "retryStep-1",
      "retryStep-2",
      "settleStepResults-1",
      "settleStepResults-3",
      "settleStepResults-5",
      "withdrawSteps-1",
      "removePendingSteps-1");

  @Test
  void a_process_that_halts_around_any_call_loses_and_doubles_no_step() throws Exception {
    Drill.run("remote-crash-points", LEASE, drill -> {
      int halted = CrashPoint.haltAround(CALLS, point -> crash(drill, point));
      drill.report(halted + " crash points");
    });
  }

  private static void crash(Drill drill, CrashPoint point) {
    DrillTarget target = drill.target().withEnvironment("remote-" + point);
    JavaProcess process =
        drill.fork("remote-" + point, RemoteCrashProgram.class, Drill.with(target, point));
    assertThat(process.awaitExit(BOUND))
        .as("exit code of %s", point)
        .isEqualTo(CrashPoint.EXIT_CODE);
    recover(drill, target);
    StoredState state = drill.check(target.scope());

    List<RunRecord> runs = state.histories().stream().map(RunHistory::stored).toList();
    assertThat(runs).as("runs after %s", point).hasSize(RemoteCrashProgram.RUNS);
    assertThat(runs).as("runs after %s", point).allSatisfy(run -> {
      assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(run.output().text()).isEqualTo(RemoteRuntime.OUTPUT);
    });
    state.histories().forEach(history -> assertThat(results(history))
        .as("results of %s after %s", history.runId(), point)
        .doesNotHaveDuplicates());
  }

  private static List<String> results(RunHistory history) {
    return history.events().stream()
        .map(row -> row.event())
        .filter(RunEvent.StepCompleted.class::isInstance)
        .map(event -> ((RunEvent.StepCompleted) event).stepId())
        .toList();
  }

  /** What its successor does, until nothing is left of the steps in any table. */
  private static void recover(Drill drill, DrillTarget target) {
    Vertx vertx = drill.runtime().vertx();
    RemoteRuntime second = RemoteRuntime.create(vertx, target, "second");
    DeployedRunlane deployed =
        Await.result(second.runlane().deploy(vertx, RemoteRuntime.roles("second")));
    try {
      Await.result(RemoteCrashProgram.triggerAll(second));
      Await.result(second.startWorker());
      drill.awaitDone(target.environment(), BOUND);
      Await.until("no step is left", BOUND, () -> drill.openSteps(target.environment()) == 0);
    } finally {
      Await.result(deployed.undeploy().eventually(second::close));
    }
  }
}
