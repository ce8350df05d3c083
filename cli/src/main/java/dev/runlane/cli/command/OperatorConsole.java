package dev.runlane.cli.command;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a command is given from outside.
 *
 * @param interruption Ctrl-C
 * @param out where answers go
 * @param err where everything else goes
 * @param variables the process's environment
 * @param terminal what {@code out} is
 * @param clock what time it is
 */
public record OperatorConsole(
    Interruption interruption,
    PrintStream out,
    PrintStream err,
    Map<String, String> variables,
    Terminal terminal,
    Clock clock) {

  /** Ctrl-C came while the command waited. */
  public static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1;

    Interrupted() {
      super("interrupted");
    }
  }

  /** Waits on this thread, which is no event loop, and no longer than until Ctrl-C. */
  public <T> T await(Future<T> future) {
    CompletableFuture<T> answer = future.toCompletionStage().toCompletableFuture();
    try {
      CompletableFuture.anyOf(answer, interruption.requested()).join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
    requireNotInterrupted();
    return answer.join();
  }

  /** Waits so long, or until Ctrl-C. */
  public void pause(long millis) {
    try {
      interruption.requested().get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException over) {
      return;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("an interruption never fails", impossible);
    }
    throw new Interrupted();
  }

  /** Throws where Ctrl-C has come. */
  public void requireNotInterrupted() {
    if (interruption.isAsked()) {
      throw new Interrupted();
    }
  }
}
