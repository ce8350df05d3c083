package dev.runlane.runtime.process;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A bound on a wait, on injected timers. */
public final class Deadline {
  private Deadline() {}

  /**
   * What {@code awaited} comes to, or the failure that {@code late} makes once {@code timeout} has passed.
   * Whatever happens to {@code awaited} after that is nobody's concern any more.
   */
  public static <T extends @Nullable Object> Future<T> within(
      Timers timers, Duration timeout, Future<T> awaited, Supplier<RunlaneException> late) {
    if (awaited.isComplete()) {
      return awaited;
    }
    Promise<T> promise = Promise.promise();
    Timers.Timer timer = timers.schedule(timeout, () -> promise.tryFail(late.get()));
    awaited.onComplete(result -> {
      timer.cancel();
      if (result.succeeded()) {
        promise.tryComplete(result.result());
      } else {
        promise.tryFail(result.cause());
      }
    });
    return promise.future();
  }
}
