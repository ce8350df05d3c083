package dev.runlane.drills;

import dev.runlane.runtime.DeployedRunlane;
import io.vertx.core.Vertx;

/**
 * A process with all roles. Tells {@code ready}; SIGTERM undeploys everything and tells {@code stopped}.
 *
 * <p>Arguments: the target, the worker's id.
 */
final class WorkerProgram {
  private WorkerProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    String worker = arguments[DrillTarget.ARGUMENTS];
    DrillRuntime runtime =
        DrillRuntime.create(Vertx.vertx(), DrillTarget.fromArguments(arguments), worker);
    DeployedRunlane deployed =
        runtime.runlane().deploy(runtime.vertx(), DrillRuntime.allRoles(worker)).await();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(runtime, deployed), "stop"));
    ProgramLines.tell("ready");
  }

  private static void stop(DrillRuntime runtime, DeployedRunlane deployed) {
    try {
      Await.result(deployed.undeploy().eventually(runtime::close));
      ProgramLines.tell("stopped");
    } catch (Exception failure) {
      failure.printStackTrace();
      ProgramLines.tell("stop failed: " + failure);
    }
  }
}
