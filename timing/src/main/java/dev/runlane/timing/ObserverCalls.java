package dev.runlane.timing;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Calls observers that the application gave, each in turn: what one throws goes to the log, a few lines however often,
 * and to nobody else, errors of the JVM included. For any thread.
 */
public final class ObserverCalls {
  private final Executor home;
  private final FailureLog failures; // on the home context

  /**
   * Calls that nobody has failed yet.
   *
   * @param what names the observers in the log, for example {@code an observer of the runtime}
   * @param timers by whose time lines are counted
   * @param home where they are
   */
  public ObserverCalls(Logger log, String what, Timers timers, Executor home) {
    this.home = home;
    failures = new FailureLog(log, what, timers);
  }

  /** Calls each with {@code fact}. */
  public <O> void each(List<O> observers, Consumer<O> fact) {
    for (O observer : observers) {
      try {
        fact.accept(observer);
      } catch (Throwable thrown) { // whatever it is, callers rely on going on
        missed(thrown);
      }
    }
  }

  /** What the last makes of what the one before it made of {@code given}; who throws makes nothing of it. */
  public <O, T> @Nullable T through(
      List<O> observers, @Nullable T given, BiFunction<O, @Nullable T, @Nullable T> change) {
    @Nullable T changed = given;
    for (O observer : observers) {
      try {
        changed = change.apply(observer, changed);
      } catch (Throwable thrown) {
        missed(thrown);
      }
    }
    return changed;
  }

  private void missed(Throwable thrown) {
    home.execute(() -> failures.failed(thrown, "it missed a notification"));
  }
}
