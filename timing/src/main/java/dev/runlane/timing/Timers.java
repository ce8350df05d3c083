package dev.runlane.timing;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where one-shot timers are set. */
public interface Timers {
  /**
   * Runs {@code action} once, in a later turn and never before {@code delay} is over. A delay below one
   * millisecond, zero and negative ones included, counts as one millisecond, so that an action that
   * always schedules its successor lets time pass; one of more than 36 500 days counts as that many.
   *
   * @return the means to cancel it
   */
  Timer schedule(Duration delay, Runnable action);

  /** Completes after {@code delay}, which counts as {@link #schedule} says; cannot be cancelled. */
  default Future<Void> after(Duration delay) {
    Promise<Void> over = Promise.promise();
    schedule(delay, over::complete);
    return over.future();
  }

  /**
   * What {@code awaited} comes to, or the failure that {@code late} makes once {@code bound} has passed. Whatever
   * happens to {@code awaited} after that is nobody's concern any more. The bound ends where actions of these timers
   * run, which {@link Future#timeout} does not promise: of a future without a context it ends on a thread of its own.
   */
  default <T extends @Nullable Object> Future<T> within(
      Duration bound, Future<T> awaited, Supplier<? extends Throwable> late) {
    if (awaited.isComplete()) {
      return awaited;
    }
    Promise<T> first = Promise.promise();
    Timer timer = schedule(bound, () -> first.tryFail(late.get()));
    awaited.onComplete(result -> {
      timer.cancel();
      if (result.succeeded()) {
        first.tryComplete(result.result());
      } else {
        first.tryFail(result.cause());
      }
    });
    return first.future();
  }

  /**
   * The time these timers run on, since they were made: it never goes back and does not follow
   * {@link Clock} when that jumps. Only the difference of two readings means something.
   */
  Duration elapsed();

  /** The timers of this Vert.x; see {@link VertxTimers}. */
  static Timers of(Vertx vertx) {
    return new VertxTimers(vertx);
  }

  /** One scheduled action. */
  interface Timer {
    /**
     * Keeps the action from running. Does nothing once it has begun, or when called again. A caller on
     * the context of the action can rely on it: after this call the action does not begin.
     */
    void cancel();
  }
}
