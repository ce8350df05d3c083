package dev.runlane.postgres;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Statements or whole transactions, begun again when others kept them from their rows. */
public final class ContendedWork {
  private static final int MOST_TRIES = 40;
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 250;

  private final Timers timers;
  private final Predicate<Throwable> mayBeSentAgain;

  /** @param mayBeSentAgain after which failures of the driver; see {@link PgFailures#mayBeSentAgain} */
  public ContendedWork(Timers timers, Predicate<Throwable> mayBeSentAgain) {
    this.timers = timers;
    this.mayBeSentAgain = mayBeSentAgain;
  }

  /**
   * Runs the work up to 40 times, after pauses that double from 4 ms to 250 ms, which is for some eight seconds.
   * Fails with the last failure as the driver gave it.
   */
  public <T> Future<T> run(Supplier<Future<T>> work) {
    return run(work, 1);
  }

  private <T> Future<T> run(Supplier<Future<T>> work, int tries) {
    return work.get().recover(failure -> {
      if (tries >= MOST_TRIES || !mayBeSentAgain.test(failure)) {
        return Future.failedFuture(failure);
      }
      long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 20));
      return timers.after(Duration.ofMillis(pause)).compose(over -> run(work, tries + 1));
    });
  }
}
