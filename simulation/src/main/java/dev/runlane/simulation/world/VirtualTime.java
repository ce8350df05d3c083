package dev.runlane.simulation.world;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.function.BiConsumer;

/**
 * The one thread of a simulated world. Steps happen in the order of their due times and, where these are equal, of
 * scheduling; the true time jumps from one to the next.
 */
public final class VirtualTime {
  /** When every simulated world begins, in true time. */
  public static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private final PriorityQueue<Step> queue = new PriorityQueue<>();
  private final BiConsumer<Lifetime, Throwable> thrown;
  private long now;
  private long scheduled;
  private long done;

  /** @param thrown is told of what a step threw, which nothing caught */
  public VirtualTime(BiConsumer<Lifetime, Throwable> thrown) {
    this.thrown = thrown;
  }

  /** Microseconds of true time since the start. */
  public long now() {
    return now;
  }

  /** The true time. */
  public Instant instant() {
    return START.plusNanos(now * 1_000);
  }

  /** How many steps have happened. */
  public long steps() {
    return done;
  }

  /** Microseconds in {@code duration}. */
  public static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** Schedules {@code action}; it happens unless it is cancelled or the life is over by then. */
  public Step after(long micros, Lifetime life, Runnable action) {
    Step step = new Step(now + Math.max(0, micros), scheduled++, life, action);
    queue.add(step);
    return step;
  }

  /** Lets everything happen that is due until then. */
  public void runUntil(long until) {
    Step next = queue.peek();
    while (next != null && next.due <= until) {
      queue.poll();
      if (!next.cancelled && !next.life.isOver()) {
        take(next);
      }
      next = queue.peek();
    }
    now = Math.max(now, until);
  }

  /** How many steps of a life are scheduled: its timers, and the answers it waits for. */
  public long pending(Lifetime life) {
    return queue.stream().filter(step -> step.life == life && !step.cancelled).count();
  }

  private void take(Step step) {
    if (step.life.pausedUntil() > step.due) {
      step.due = step.life.pausedUntil();
      queue.add(step);
      return;
    }
    now = Math.max(now, step.due);
    done++;
    try {
      step.action.run();
    } catch (RuntimeException | Error failure) {
      thrown.accept(step.life, failure);
    }
  }

  /** Something that is going to happen. */
  public static final class Step implements Comparable<Step> {
    private final long order;
    private final Lifetime life;
    private final Runnable action;
    private long due;
    private boolean cancelled;

    private Step(long due, long order, Lifetime life, Runnable action) {
      this.due = due;
      this.order = order;
      this.life = life;
      this.action = action;
    }

    /** Keeps it from happening. */
    public void cancel() {
      cancelled = true;
    }

    @Override
    public int compareTo(Step other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(order);
    }
  }
}
