package dev.runlane.connector.run.output;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a connector says nothing for too long. Time in which the runtime itself is at work, or a
 * question waits, does not count. Belongs to the run's context.
 */
final class InactivityMonitor {
  private final Timers timers;
  private final @Nullable Duration limit;
  private final BooleanSupplier excused;
  private final Runnable tooLong;

  private Duration heardAt = Duration.ZERO;
  private boolean paused;
  private Timers.@Nullable Timer timer;

  InactivityMonitor(
      Timers timers, @Nullable Duration limit, BooleanSupplier excused, Runnable tooLong) {
    this.timers = timers;
    this.limit = limit;
    this.excused = excused;
    this.tooLong = tooLong;
  }

  void begin() {
    resume();
    if (limit != null) {
      schedule(limit, limit);
    }
  }

  /** The runtime is at work. */
  void pause() {
    paused = true;
  }

  /** The connector was heard, and everything it said was handled. */
  void resume() {
    paused = false;
    heardAt = timers.elapsed();
  }

  void end() {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void schedule(Duration most, Duration after) {
    timer = timers.schedule(after, () -> {
      if (paused || excused.getAsBoolean()) {
        heardAt = timers.elapsed();
      }
      Duration left = most.minus(timers.elapsed().minus(heardAt));
      if (left.isNegative() || left.isZero()) {
        tooLong.run();
      } else {
        schedule(most, left);
      }
    });
  }
}
