package dev.runlane.runtime.sweep;

import dev.runlane.runtime.process.LocalNotifications;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * How long a role pauses that keeps finding nothing. Where wakeups of other processes reach this one, an environment in
 * which nothing happens is looked at ever more seldom; any news of this process or another brings the usual pause back.
 * Without such wakeups a sweep is the only way to learn of others, and the pause stays what it is. Called on the role's
 * context, but for {@link #swept} and {@link #news}, which any thread may call.
 */
public final class QuietPause {
  /** Sweeps in a row that find nothing before the pause grows, so that a lull changes nothing. */
  static final int BEFORE_GROWTH = 10;

  private final LocalNotifications notifications;
  private final Duration usual;
  private final Duration longest;
  private volatile int quietSweeps;

  /**
   * A role that has not swept yet.
   *
   * @param usual the pause at first
   * @param longest what it doubles up to; no longer than {@code usual}: it never grows
   */
  public QuietPause(LocalNotifications notifications, Duration usual, Duration longest) {
    this.notifications = notifications;
    this.usual = usual;
    this.longest = longest;
  }

  /** A sweep has ended. */
  public void swept(boolean foundNothing) {
    quietSweeps = foundNothing ? Math.min(quietSweeps + 1, Integer.MAX_VALUE - 1) : 0;
  }

  /** Something happened in this process or another. Any thread; true when the pause had grown, and is over sooner. */
  public boolean news() {
    boolean hadGrown = quietSweeps > BEFORE_GROWTH;
    if (quietSweeps > 0) {
      quietSweeps = 0;
    }
    return hadGrown;
  }

  /** Until closed, work that becomes available ends a pause that had grown: a sweep comes within the usual one. */
  public LocalNotifications.Registration endOnNewWork(
      Executor executor, Consumer<Duration> wakeIn) {
    return notifications.onWorkAvailable(Runnable::run, queue -> {
      if (news()) {
        executor.execute(() -> wakeIn.accept(usual));
      }
    });
  }

  /** The pause before the next sweep. */
  public Duration current() {
    Duration pause = usual;
    if (notifications.receivesFromOthers()) {
      for (int quiet = quietSweeps;
          quiet > BEFORE_GROWTH && pause.compareTo(longest) < 0;
          quiet--) {
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(longest) < 0 ? doubled : longest;
      }
    }
    return pause;
  }
}
