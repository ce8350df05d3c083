package dev.runlane.cli.run;

import io.vertx.core.Future;
import java.util.concurrent.CompletionException;

/** Where the command's own thread, which is no event loop, waits for what happens on one. */
public final class Waiting {
  private Waiting() {}

  public static <T> T on(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }
}
