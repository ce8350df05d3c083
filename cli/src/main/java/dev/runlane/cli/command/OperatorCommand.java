package dev.runlane.cli.command;

import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.operate.RemoteOperations;
import dev.runlane.cli.option.UsageException;

/**
 * A command on runs: opens the database as a process of this release, whose tables it must have, or goes through the
 * API.
 */
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

  @Override
  protected boolean goesRemotely() {
    return true;
  }

  @Override
  protected final BegunRemotely beginRemotely() {
    Work work = work();
    return client -> {
      Operations operations = new RemoteOperations(client);
      try {
        return work.on(operations);
      } finally {
        console().close("the client", operations.close());
      }
    };
  }
}
