package dev.runlane.drills.jobs;

import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.process.ProgramLines;
import io.vertx.core.Vertx;

/**
 * A process that works on the jobs of a drill. Tells {@code ready}.
 *
 * <p>Arguments: the target, the worker's name.
 */
final class JobWorkerProgram {
  private JobWorkerProgram() {}

  /** Runs until it is killed. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    DrillTarget target = DrillTarget.fromArguments(arguments);
    JobRuntime.open(Vertx.vertx(), target, arguments[DrillTarget.ARGUMENTS]).work();
    ProgramLines.tell("ready");
  }
}
