package dev.runlane.cli.command;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.run.Waiting;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
 * @param patience how long the database may take for an answer
 */
public record OperatorConsole(
    Interruption interruption,
    PrintStream out,
    PrintStream err,
    Map<String, String> variables,
    Terminal terminal,
    Clock clock,
    Duration patience) {
  /** How long the database may take for an answer = 60 s, which is more than each statement's own deadline. */
  public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(60);

  /** What may take so long, and what follows from its answer, is put away within = 15 s. */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(15);

  /** The same with other patience. */
  public OperatorConsole within(Duration other) {
    return new OperatorConsole(interruption, out, err, variables, terminal, clock, other);
  }

  /** What the command answers cannot be written any more: the disk is full, or who read it has left. */
  public static final class Unwritten extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unwritten() {
      super("standard output could not be written");
    }
  }

  /** Ctrl-C came while the command waited. */
  public static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1;

    Interrupted() {
      super("interrupted");
    }
  }

  /**
   * Waits on this thread, which is no event loop, until Ctrl-C at the longest. Throws {@code StorageUnavailable} where
   * the patience ends first, and {@link Unwritten} where an earlier answer could not be written.
   */
  public <T> T await(Future<T> future) {
    return await(future, patience);
  }

  /** The same for what may take another time. */
  public <T> T await(Future<T> future, Duration bound) {
    CompletableFuture<T> answer = future.toCompletionStage().toCompletableFuture();
    Waiting.on(CompletableFuture.anyOf(answer, interruption.requested()), bound);
    requireNotInterrupted();
    requireWritten();
    return Waiting.on(answer, bound);
  }

  /** The same for what ends by itself, however long it takes. */
  public <T> T awaitEnd(Future<T> future) {
    CompletableFuture<T> answer = future.toCompletionStage().toCompletableFuture();
    Waiting.on(CompletableFuture.anyOf(answer, interruption.requested()));
    requireNotInterrupted();
    requireWritten();
    return Waiting.on(answer);
  }

  /** Waits also after Ctrl-C, for what must not be left half done. Throws as {@link #await(Future)} does. */
  public <T> T finish(Future<T> future) {
    return finish(future, patience);
  }

  /** The same for what may take another time. */
  public <T> T finish(Future<T> future, Duration bound) {
    return Waiting.on(future, bound);
  }

  /** The same for what ends by itself, however long it takes. */
  public <T> T finishEnd(Future<T> future) {
    return Waiting.on(future);
  }

  /** Waits until something is put away, for a bounded time. What fails or stays is told, and left to the exit. */
  public void close(String what, Future<?> closed) {
    close(what, closed, LONGEST_CLOSE);
  }

  /** The same for what may take another time. */
  public void close(String what, Future<?> closed, Duration bound) {
    closed
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(bound.toSeconds(), TimeUnit.SECONDS)
        .<Optional<Throwable>>handle((done, failure) -> Optional.ofNullable(failure))
        .join()
        .ifPresent(failure -> err.println("runlane: " + what + " did not close"
            + (failure instanceof TimeoutException
                ? " within " + bound.toSeconds() + " s"
                : ": " + PlainText.oneLine(String.valueOf(failure.getMessage())))));
  }

  /** Waits so long, or until Ctrl-C. */
  public void pause(long millis) {
    try {
      interruption.requested().get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException over) {
      requireWritten();
      return;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("an interruption never fails", impossible);
    }
    throw new Interrupted();
  }

  /** Throws where an answer went nowhere: nobody would see the others. */
  public void requireWritten() {
    if (out.checkError()) {
      throw new Unwritten();
    }
  }

  /** Throws where Ctrl-C has come. */
  public void requireNotInterrupted() {
    if (interruption.isAsked()) {
      throw new Interrupted();
    }
  }
}
