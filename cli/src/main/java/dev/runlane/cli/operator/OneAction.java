package dev.runlane.cli.operator;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/**
 * Work of the command's thread that takes many parts, as one action of the log: recorded before the first, and how it
 * ended after the last.
 */
final class OneAction {
  /** How long the log may take to hear of an end that is bad: the database may be away. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final OperatorConsole console;
  private final Operations operations;

  OneAction(OperatorConsole console, Operations operations) {
    this.console = console;
    this.operations = operations;
  }

  /** The parts. */
  interface Parts {
    /** Does them, and ends {@code told} with what the log keeps of it. Returns how it ended. */
    OperatorExit in(Promise<String> told);
  }

  /** Does the parts. Throws what they throw, and before the first of them where it cannot be recorded. */
  OperatorExit of(Operations.Action action, RunActionOptions options, Parts parts) {
    Promise<Void> begun = Promise.promise();
    Promise<String> told = Promise.promise();
    Future<String> recorded = operations.recorded(
        action,
        options,
        () -> {
          begun.complete();
          return told.future();
        },
        text -> text);
    recorded.onFailure(begun::tryFail);
    try {
      console.await(begun.future());
      OperatorExit exit = parts.in(told);
      console.finish(recorded);
      return exit;
    } catch (RuntimeException failure) {
      told.tryFail(failure);
      letEnd(recorded, failure);
      throw failure;
    }
  }

  private void letEnd(Future<String> recorded, RuntimeException failure) {
    try {
      console.finish(recorded.transform((text, told) -> Future.succeededFuture()), PATIENCE);
    } catch (RunlaneException late) {
      failure.addSuppressed(late);
    }
  }
}
