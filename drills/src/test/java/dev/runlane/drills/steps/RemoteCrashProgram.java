package dev.runlane.drills.steps;

import dev.runlane.drills.crash.CrashPoint;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.RemoteRuntime;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Triggers runs with remote steps, runs them and does their steps, until it halts at a crash point.
 *
 * <p>Arguments: the target, the crash point.
 */
final class RemoteCrashProgram {
  static final int RUNS = 3;

  private RemoteCrashProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    Vertx vertx = Vertx.vertx();
    RemoteRuntime runtime = RemoteRuntime.crashing(
        vertx,
        DrillTarget.fromArguments(arguments),
        "first",
        CrashPoint.of(arguments[DrillTarget.ARGUMENTS]));
    runtime.runlane().start().await();
    triggerAll(runtime)
        .compose(triggered -> runtime.startWorker())
        .compose(started -> runtime.runlane().deploy(vertx, RemoteRuntime.roles("first")))
        .await();
    ProgramLines.tell("ready");
  }

  /** One after the other; may be called again. */
  static Future<?> triggerAll(RemoteRuntime runtime) {
    Future<?> all = Future.succeededFuture();
    for (int number = 0; number < RUNS; number++) {
      int run = number;
      all = all.compose(before -> runtime
          .runlane()
          .trigger(runtime.mixed(), run, new TriggerOptions().setRunId("run-" + run))
          .<Void>mapEmpty()
          .recover(failure -> failure instanceof RunlaneException conflict
                  && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
              ? Future.succeededFuture() // triggered before the crash
              : Future.failedFuture(failure)));
    }
    return all;
  }
}
