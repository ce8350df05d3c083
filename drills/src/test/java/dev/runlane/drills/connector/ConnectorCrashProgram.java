package dev.runlane.drills.connector;

import dev.runlane.drills.process.ProgramLines;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.file.Path;

/**
 * A controller that runs its connector when it is told to, until it is killed.
 *
 * <p>Arguments: database, schema, folder of connectors.
 */
final class ConnectorCrashProgram {
  private ConnectorCrashProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ConnectorHost host = ConnectorHost.start(
        PgConnectOptions.fromUri(arguments[0]), arguments[1], Path.of(arguments[2]), "first");
    ProgramLines.listen(line -> host.run()
        .onSuccess(runId -> ProgramLines.tell("accepted " + runId))
        .onFailure(failure -> System.err.println("not accepted: " + failure)));
    ProgramLines.tell("ready");
  }
}
