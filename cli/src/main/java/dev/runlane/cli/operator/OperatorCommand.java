package dev.runlane.cli.operator;

import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.run.Waiting;

/** A command on runs: opens the database as a process of this release, whose tables it must have. */
abstract class OperatorCommand extends DatabaseCommand {
  OperatorCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command does. */
  interface Work {
    /** Does it. Returns how it ended. */
    OperatorExit on(Operations operations);
  }

  /** Checks the options. Throws {@link UsageException}. */
  abstract Work work();

  @Override
  final Begun begin() {
    Work work = work();
    return (vertx, settings) -> {
      Operations operations =
          console().await(LocalOperations.open(vertx, settings, console().clock()));
      try {
        return work.on(operations);
      } finally {
        Waiting.on(operations.close().otherwiseEmpty());
      }
    };
  }
}
