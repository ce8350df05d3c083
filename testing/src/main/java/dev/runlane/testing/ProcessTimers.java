package dev.runlane.testing;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Timers that can all be dropped at once, as those of a process that is killed. */
final class ProcessTimers implements Timers {
  private final Timers timers;
  private final Map<Object, Timer> waiting = new HashMap<>();

  ProcessTimers(Timers timers) {
    this.timers = timers;
  }

  /** Nothing that is scheduled happens any more. */
  void drop() {
    List<Timer> dropped = List.copyOf(waiting.values());
    waiting.clear();
    dropped.forEach(Timer::cancel);
  }

  /** Whether something is scheduled. */
  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    Object key = new Object();
    Timer timer = timers.schedule(delay, () -> {
      waiting.remove(key);
      action.run();
    });
    waiting.put(key, timer);
    return () -> {
      waiting.remove(key);
      timer.cancel();
    };
  }

  @Override
  public Duration elapsed() {
    return timers.elapsed();
  }
}
