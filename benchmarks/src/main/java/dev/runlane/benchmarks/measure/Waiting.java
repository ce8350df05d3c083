package dev.runlane.benchmarks.measure;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;

/** Waits for what happens on event loops. */
public final class Waiting {
  private Waiting() {}

  /** The future's value, within half an hour. */
  public static <T> T on(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.MINUTES)
        .join();
  }
}
