package dev.runlane.cli.command;

import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.operate.RemoteOperations;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.function.Supplier;

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

  /**
   * Makes a run and waits for it, also after Ctrl-C: who is not told of it makes another. Where nobody knows whether it
   * was made, says where that stands. Throws what {@link OperatorConsole#finish(Future)} does.
   *
   * @param action as the log of actions has it, such as {@code task.trigger}
   */
  protected final <T> T made(String action, Supplier<Future<T>> run) {
    console().requireNotInterrupted();
    try {
      return console().finish(run.get());
    } catch (RunlaneException failure) {
      if (isUnknown(failure)) {
        console()
            .err()
            .println("runlane: not known whether a run was made; runlane actions list --action "
                + action + " and runlane runs list say");
      }
      throw failure;
    }
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
