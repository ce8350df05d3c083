package dev.runlane.cli.command;

import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.UsageException;

/** A command on runs: opens the database as a process of this release, whose tables it must have. */
public abstract class OperatorCommand extends DatabaseCommand {
  protected OperatorCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command does. */
  public interface Work {
    /** Does it. Returns how it ended. */
    OperatorExit on(Operations operations);
  }

  /** Checks the options. Throws {@link UsageException}. */
  protected abstract Work work();

  @Override
  protected final Begun begin() {
    Work work = work();
    return (vertx, settings) -> {
      Operations operations =
          console().await(LocalOperations.open(vertx, settings, console().clock()));
      try {
        return work.on(operations);
      } finally {
        console().close("the runtime", operations.close());
      }
    };
  }
}
