package dev.runlane.simulation.world;

import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Timers;
import java.time.Duration;

/** The timers of one life of a process. They run on true time: a clock that is wrong moves none of them. */
public record ProcessTimers(VirtualTime time, Lifetime life) implements Timers {
  private static final long LEAST_MICROS = 1_000;

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    Duration bounded = delay.compareTo(ContractDefaults.LONGEST_DURATION) > 0
        ? ContractDefaults.LONGEST_DURATION
        : delay;
    long micros = (bounded.toNanos() + 999) / 1_000;
    return time.after(Math.max(LEAST_MICROS, micros), life, action)::cancel;
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(time.now() * 1_000);
  }
}
