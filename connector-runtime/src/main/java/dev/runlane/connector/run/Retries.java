package dev.runlane.connector.run;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Makes calls again that failed in a way that may pass. */
final class Retries {
  private final Timers timers;
  private final Randomness randomness;
  private final Backoff backoff;

  Retries(Timers timers, Randomness randomness, Backoff backoff) {
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
  <T> Future<T> call(
      int attempts, BooleanSupplier goOn, Supplier<Future<T>> call, Predicate<T> passing) {
    return call(1, attempts, goOn, call, passing);
  }

  private <T> Future<T> call(
      int attempt,
      int attempts,
      BooleanSupplier goOn,
      Supplier<Future<T>> call,
      Predicate<T> passing) {
    Future<T> tried = Future.<Void>succeededFuture()
        .compose(begin -> call.get()); // inside compose, a call that throws is one that failed
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

  private static boolean isRetryable(Throwable failure) {
    return failure instanceof RunlaneException known && known.isRetryable();
  }
}
