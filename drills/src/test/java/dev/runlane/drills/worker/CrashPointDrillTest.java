package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.crash.CrashPoint;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
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

@DisplayNameGeneration(ReplaceUnderscores.class)
class CrashPointDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** Triggers make the first three appends, a fire of the schedule and outcomes the others. */
  private static final List<String> CALLS = List.of(
      "appendRunEvents-1",
      "appendRunEvents-2",
      "appendRunEvents-4",
      "appendRunEvents-5",
      "appendRunEvents-7",
      "appendRunEvents-9",
      "appendAll-1",
      "claimRuns-1",
      "claimRuns-3",
      "heartbeatRunLease-1",
      "releaseRunLease-1",
      "publishWakeups-1",
      "publishWakeups-2",
      "markOutboxMessagesPublished-1",
      "markOutboxMessagesPublished-2",
      "claimOutboxMessages-1",
      "claimScheduleOccurrence-1",
      "completeScheduleOccurrence-1");

  @Test
  void a_process_that_halts_around_any_call_loses_and_doubles_nothing() throws Exception {
    Drill.run("crash-points", LEASE, drill -> {
      int halted = CrashPoint.haltAround(CALLS, point -> crash(drill, point));
      drill.report(halted + " crash points");
    });
  }

  private static void crash(Drill drill, CrashPoint point) {
    DrillTarget target = drill.target().withEnvironment(point.toString());
    Await.result(DrillTasks.rememberSchedule(drill.runtime().storage(), target.scope()));
    JavaProcess process =
        drill.fork(point.toString(), CrashProgram.class, Drill.with(target, point));
    assertThat(process.awaitExit(BOUND))
        .as("exit code of %s", point)
        .isEqualTo(CrashPoint.EXIT_CODE);
    recover(drill, target);
    StoredState state = drill.check(target.scope());

    assertThat(state.histories().stream().map(RunHistory::runId))
        .as("runs after %s", point)
        .hasSize(CrashProgram.RUNS);
    assertThat(state.histories().stream().map(history -> history.stored().status()))
        .as("runs after %s", point)
        .containsOnly(RunStatus.SUCCEEDED);
  }

  /** What its successor and its caller do: work on, and trigger again what was not confirmed. */
  private static void recover(Drill drill, DrillTarget target) {
    Vertx vertx = drill.runtime().vertx();
    DrillRuntime second = DrillRuntime.create(vertx, target, "second");
    DeployedRunlane deployed =
        Await.result(second.runlane().deploy(vertx, DrillRuntime.allRoles("second")));
    try {
      Await.result(CrashProgram.triggerAll(second));
      drill.awaitDone(target.environment(), BOUND);
      drill.awaitScheduledRun(target.environment(), BOUND);
      drill.awaitDone(target.environment(), BOUND);
    } finally {
      Await.result(deployed.undeploy().eventually(second::close));
    }
  }
}
