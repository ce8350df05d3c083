package dev.runlane.simulation.world;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * The one thread of a simulated world. Steps happen in the order of their due times and, where these are equal, of
 * scheduling; the true time jumps from one to the next.
 */
public final class VirtualTime {
  /** When every simulated world begins, in true time. */
  public static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private Step[] heap = new Step[256]; // the next one first, and each before its two children
  private int size;
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
    add(step);
    return step;
  }

  /** Lets everything happen that is due until then. */
  public void runUntil(long until) {
    while (size > 0 && heap[0].due <= until) {
      Step next = removeFirst();
      if (!next.cancelled && !next.life.isOver()) {
        take(next);
      }
    }
    now = Math.max(now, until);
  }

  /** How many steps of a life are scheduled: its timers, and the answers it waits for. */
  public long pending(Lifetime life) {
    return Arrays.stream(heap, 0, size)
        .filter(step -> step.life == life && !step.cancelled)
        .count();
  }

  private void add(Step step) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int place = size++;
    while (place > 0 && step.isBefore(heap[(place - 1) / 2])) {
      heap[place] = heap[(place - 1) / 2];
      place = (place - 1) / 2;
    }
    heap[place] = step;
  }

  private Step removeFirst() {
    Step first = heap[0];
    Step last = heap[--size];
    int place = 0;
    int child = 1;
    while (child < size) {
      if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
        child++;
      }
      if (!heap[child].isBefore(last)) {
        break;
      }
      heap[place] = heap[child];
      place = child;
      child = 2 * place + 1;
    }
    heap[place] = last;
    return first;
  }

  private void take(Step step) {
    if (step.life.pausedUntil() > step.due) {
      step.due = step.life.pausedUntil();
      add(step);
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
  public static final class Step {
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

    private boolean isBefore(Step other) {
      return due < other.due || (due == other.due && order < other.order);
    }
  }
}
