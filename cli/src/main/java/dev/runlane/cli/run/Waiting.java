package dev.runlane.cli.run;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Where the command's own thread, which is no event loop, waits for what happens on one. */
public final class Waiting {
  private Waiting() {}

  /** Waits as long as it takes: for what is bounded by itself, or ends by Ctrl-C. Throws what the future fails with. */
  public static <T> T on(Future<T> future) {
    return on(future.toCompletionStage().toCompletableFuture());
  }

  /** The same for a future of Java's own. */
  public static <T> T on(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw unwrapped(failed);
    }
  }

  /** Waits so long. Throws what the future fails with, and {@code StorageUnavailable} when the time is over. */
  public static <T> T on(Future<T> future, Duration bound) {
    return on(future.toCompletionStage().toCompletableFuture(), bound);
  }

  /** The same for a future of Java's own. */
  public static <T> T on(CompletableFuture<T> future, Duration bound) {
    try {
      return future.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw unwrapped(failed);
    } catch (TimeoutException late) {
      throw RunlaneException.of(
              ErrorCode.STORAGE_UNAVAILABLE, "the database did not answer within %s", bound)
          .causedBy(late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("nobody interrupts the command's thread", interrupted);
    }
  }

  private static RuntimeException unwrapped(Exception failed) {
    return failed.getCause() instanceof RuntimeException known
        ? known
        : new IllegalStateException(String.valueOf(failed.getCause()), failed);
  }
}
