package dev.runlane.testing;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Timers that can all be dropped at once, as those of a process that is killed. */
final class ProcessTimers implements Timers {
  /** Timers set by the action of a timer before, and so on, that are waited for; more are taken to repeat for ever. */
  static final int LONGEST_CHAIN = 1_000;

  private final Timers timers;
  private final HandlerTurns turns;
  private final Map<Object, Waiting> waiting = new HashMap<>();
  private int link; // of the timer whose action runs; 0: none does
  private boolean dead;

  /** Timers that nobody's handler sets. */
  ProcessTimers(Timers timers) {
    this(timers, new HandlerTurns());
  }

  /** @param turns say whose each timer is, and are told when it is up: what is set then is of the same handler */
  ProcessTimers(Timers timers, HandlerTurns turns) {
    this.timers = timers;
    this.turns = turns;
  }

  /** Nothing that is scheduled happens any more, but for what such an owner has scheduled. */
  void dropUnless(Predicate<HandlerTurns.Owner> stays) {
    List<Map.Entry<Object, Waiting>> dropped = waiting.entrySet().stream()
        .filter(each -> each.getValue().owner.filter(stays).isEmpty())
        .map(each -> Map.entry(each.getKey(), each.getValue()))
        .toList();
    dropped.forEach(each -> {
      waiting.remove(each.getKey());
      each.getValue().timer.cancel();
    });
  }

  /** Nothing that is scheduled, by now or later, happens any more. */
  void die() {
    dead = true;
    dropUnless(owner -> false);
  }

  /**
   * Whether something is scheduled that is more than one more turn of what repeats for ever, and by nobody who is not
   * waited for.
   */
  boolean isWaiting(Predicate<HandlerTurns.Owner> notWaitedFor) {
    return waiting.values().stream()
        .anyMatch(each ->
            each.link <= LONGEST_CHAIN && each.owner.filter(notWaitedFor).isEmpty());
  }

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    if (dead) {
      return () -> {};
    }
    Object key = new Object();
    int own = link + 1;
    Optional<HandlerTurns.Owner> owner = turns.current();
    Timer timer = timers.schedule(delay, () -> {
      waiting.remove(key);
      int before = link;
      link = own;
      Runnable end = turns.begin(owner);
      try {
        action.run();
      } finally {
        end.run();
        link = before;
      }
    });
    waiting.put(key, new Waiting(timer, own, owner));
    return () -> {
      waiting.remove(key);
      timer.cancel();
    };
  }

  @Override
  public Duration elapsed() {
    return timers.elapsed();
  }

  /**
   * @param link 1 where no action of a timer has set it, else one more than that timer's
   * @param owner whose handler has set it; empty: the test or the runtime
   */
  private record Waiting(Timer timer, int link, Optional<HandlerTurns.Owner> owner) {}
}
