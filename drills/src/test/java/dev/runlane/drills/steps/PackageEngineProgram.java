package dev.runlane.drills.steps;

import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.RemoteRuntime;
import dev.runlane.drills.process.ProgramLines;
import io.vertx.core.Vertx;

/**
 * All roles of a runtime whose remote steps others do. Tells {@code ready}.
 *
 * <p>Arguments: the target, its name, the address and the prefix of the step tables.
 */
final class PackageEngineProgram {
  private PackageEngineProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    Vertx vertx = Vertx.vertx();
    String name = arguments[DrillTarget.ARGUMENTS];
    StepTables tables =
        new StepTables(arguments[DrillTarget.ARGUMENTS + 1], arguments[DrillTarget.ARGUMENTS + 2]);
    PackageRuntime runtime =
        PackageRuntime.create(vertx, DrillTarget.fromArguments(arguments), tables, name);
    runtime.runlane().deploy(vertx, RemoteRuntime.roles(name)).await();
    ProgramLines.tell("ready");
  }
}
