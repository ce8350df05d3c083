package dev.runlane.connector.run.state;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls again that failed in a way that may pass, or were not answered in time. What is called may answer on any
 * thread: who asks on a context is answered there.
 */
public final class Retries {
  private final Timers timers;
  private final Randomness randomness;
  private final Backoff backoff;
  private final Duration limit;

  /**
   * Calls of one run.
   *
   * @param limit how long one call may take; its answer is not heard any more then, so that a call must be one
   *     that can be made twice
   */
  public Retries(Timers timers, Randomness randomness, Backoff backoff, Duration limit) {
    this.limit = limit;
    this.timers = timers;
    this.randomness = randomness;
    this.backoff = backoff;
  }

  /**
   * The answer of the first call that succeeds with one that is not {@code passing}, or the last one.
   *
   * @param attempts how many calls at most
   * @param goOn asked before each further call
   */
  public <T> Future<T> call(
      int attempts, BooleanSupplier goOn, Supplier<Future<T>> call, Predicate<T> passing) {
    return call(1, attempts, goOn, call, passing);
  }

  private <T> Future<T> call(
      int attempt,
      int attempts,
      BooleanSupplier goOn,
      Supplier<Future<T>> call,
      Predicate<T> passing) {
    Future<T> tried = answered(Future.<Void>succeededFuture()
        .compose(begin -> call.get())); // inside compose, a call that throws is one that failed
    return tried.transform((answer, failure) -> {
      boolean again = failure == null ? passing.test(answer) : isRetryable(failure);
      if (!again || attempt >= attempts || !goOn.getAsBoolean()) {
        return failure == null ? Future.succeededFuture(answer) : Future.failedFuture(failure);
      }
      return timers
          .after(backoff.delay(attempt, randomness))
          .compose(waited -> call(attempt + 1, attempts, goOn, call, passing));
    });
  }

  /** The answer on the context that asked, wherever it came. A call that was answered at once needs no timer. */
  private <T> Future<T> answered(Future<T> call) {
    if (call.isComplete()) {
      return call.succeeded()
          ? Future.succeededFuture(call.result())
          : Future.failedFuture(call.cause());
    }
    Context home = Vertx.currentContext();
    Promise<T> answer = Promise.promise();
    Timers.Timer late = timers.schedule(
        limit,
        () -> answer.tryFail(RunlaneException.unavailable(
            ErrorCode.STORAGE_UNAVAILABLE, null, "no answer came within %s", limit)));
    call.onComplete((value, failure) -> onContext(home, () -> {
      late.cancel();
      if (failure == null) {
        answer.tryComplete(value);
      } else {
        answer.tryFail(failure);
      }
    }));
    return answer.future();
  }

  private static void onContext(@Nullable Context home, Runnable work) {
    if (home == null || home == Vertx.currentContext()) {
      work.run();
    } else {
      home.runOnContext(turn -> work.run());
    }
  }

  private static boolean isRetryable(Throwable failure) {
    return failure instanceof RunlaneException known && known.isRetryable();
  }
}
