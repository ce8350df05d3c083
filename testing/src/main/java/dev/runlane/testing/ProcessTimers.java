package dev.runlane.testing;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Timers that can all be dropped at once, as those of a process that is killed. */
final class ProcessTimers implements Timers {
  /** Timers set by the action of a timer before, and so on, that are waited for; more are taken to repeat for ever. */
  static final int LONGEST_CHAIN = 1_000;

  private final Timers timers;
  private final Map<Object, Waiting> waiting = new HashMap<>();
  private int link; // of the timer whose action runs; 0: none does
  private boolean dead;

  ProcessTimers(Timers timers) {
    this.timers = timers;
  }

  /** Nothing that is scheduled happens any more. */
  void drop() {
    List<Waiting> dropped = List.copyOf(waiting.values());
    waiting.clear();
    dropped.forEach(each -> each.timer.cancel());
  }

  /** The same, and nothing that is scheduled from now on happens either. */
  void die() {
    dead = true;
    drop();
  }

  /** Whether something is scheduled that is more than one more turn of what repeats for ever. */
  boolean isWaiting() {
    return waiting.values().stream().anyMatch(each -> each.link <= LONGEST_CHAIN);
  }

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    if (dead) {
      return () -> {};
    }
    Object key = new Object();
    int own = link + 1;
    Timer timer = timers.schedule(delay, () -> {
      waiting.remove(key);
      int before = link;
      link = own;
      try {
        action.run();
      } finally {
        link = before;
      }
    });
    waiting.put(key, new Waiting(timer, own));
    return () -> {
      waiting.remove(key);
      timer.cancel();
    };
  }

  @Override
  public Duration elapsed() {
    return timers.elapsed();
  }

  /** @param link 1 where no action of a timer has set it, else one more than that timer's */
  private record Waiting(Timer timer, int link) {}
}
