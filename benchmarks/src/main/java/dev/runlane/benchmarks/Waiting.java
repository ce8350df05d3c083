package dev.runlane.benchmarks;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;

/** Waits for what happens on event loops. */
final class Waiting {
  private Waiting() {}

  /** The future's value, within half an hour. */
  static <T> T on(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.MINUTES)
        .join();
  }
}
