package dev.runlane.cli;

import io.vertx.core.Future;
import java.util.concurrent.CompletionException;

/** Where the command's own thread, which is no event loop, waits for what happens on one. */
final class Waiting {
  private Waiting() {}

  static <T> T on(Future<T> future) {
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
