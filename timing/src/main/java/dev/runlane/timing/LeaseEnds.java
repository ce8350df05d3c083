package dev.runlane.timing;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports the end of leases by this process's own time, whatever their renewals come to: they may fail or never be
 * answered. A lease counts from when its claim, or the last renewal that was granted, was <em>sent</em>, so it ends
 * here no later than for others. Used on one context; not safe for several threads.
 *
 * @param <L> one lease, which knows when it ends; renewed, it ends later
 */
public final class LeaseEnds<L> {
  private final Timers timers;
  private final Function<L, Duration> endOf;
  private final Consumer<L> ended;
  private final Set<L> held = new LinkedHashSet<>();
  private Timers.@Nullable Timer timer; // one for all
  private Duration due = Duration.ZERO; // when that fires

  /**
   * @param endOf when a lease ends as it is known now, on the timers' own time
   * @param ended is notified of a lease that has ended, once
   */
  public LeaseEnds(Timers timers, Function<L, Duration> endOf, Consumer<L> ended) {
    this.timers = timers;
    this.endOf = endOf;
    this.ended = ended;
  }

  /** Waits for the end of this lease, until {@link #remove}. */
  public void add(L lease) {
    held.add(lease);
    arm(endOf.apply(lease));
  }

  /** Reports nothing of this lease any more. */
  public void remove(L lease) {
    held.remove(lease);
    if (held.isEmpty()) {
      disarm();
    }
  }

  private void arm(Duration end) {
    if (timer == null || end.compareTo(due) < 0) {
      disarm();
      due = end;
      timer = timers.schedule(end.minus(timers.elapsed()), this::report);
    }
  }

  /** What was renewed since the timer was set is waited for anew, and what comes after one whose end throws. */
  private void report() {
    timer = null;
    Duration now = timers.elapsed();
    try {
      for (L lease : List.copyOf(held)) {
        if (endOf.apply(lease).compareTo(now) <= 0 && held.remove(lease)) {
          ended.accept(lease);
        }
      }
    } finally {
      held.stream().map(endOf).min(Comparator.naturalOrder()).ifPresent(this::arm);
    }
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
