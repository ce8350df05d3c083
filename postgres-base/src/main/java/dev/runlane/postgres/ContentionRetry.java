package dev.runlane.postgres;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Statements or whole transactions, begun again when others kept them from their rows. */
public final class ContentionRetry {
  /**
   * For how long what others keep from its rows is sent again. Who holds a row longer than this holds it for a reason
   * that another try does not change, and the caller's own lease, or patience, is at stake.
   */
  public static final Duration LONGEST = Duration.ofSeconds(10);

  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 250;

  private final Timers timers;
  private final Predicate<Throwable> mayBeSentAgain;

  /** @param mayBeSentAgain after which failures of the driver; see {@link PgFailures#mayBeSentAgain} */
  public ContentionRetry(Timers timers, Predicate<Throwable> mayBeSentAgain) {
    this.timers = timers;
    this.mayBeSentAgain = mayBeSentAgain;
  }

  /**
   * Runs the work, and again after pauses that double from 4 ms to 250 ms, for ten seconds at most; a try that is under
   * way then ends by itself. Fails with the last failure as the driver gave it.
   */
  public <T> Future<T> run(Supplier<Future<T>> work) {
    return run(work, timers.elapsed().plus(LONGEST), 1);
  }

  private <T> Future<T> run(Supplier<Future<T>> work, Duration until, int tries) {
    return work.get().recover(failure -> {
      if (timers.elapsed().compareTo(until) >= 0 || !mayBeSentAgain.test(failure)) {
        return Future.failedFuture(failure);
      }
      return timers.after(pause(tries)).compose(over -> run(work, until, tries + 1));
    });
  }

  /** How long after the failure of this try the next one begins. */
  static Duration pause(int tries) {
    return Duration.ofMillis(
        Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 20)));
  }
}
