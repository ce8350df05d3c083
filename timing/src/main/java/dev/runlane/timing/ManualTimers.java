package dev.runlane.timing;

import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Timers in virtual time, for tests and simulations: nothing runs but within {@link #advance}, on the
 * thread that calls it, in order of due time and, where that is equal, in order of scheduling. They count
 * microseconds of their own, so setting the clock, as a skewed machine would, moves no timer.
 *
 * <p>Any thread may schedule and cancel; one at a time may advance.
 */
public final class ManualTimers implements Timers {
  private final ManualClock clock;
  private final AtomicBoolean advancing = new AtomicBoolean();
  private final PriorityQueue<Scheduled> queue = // also the lock of the two numbers below
      new PriorityQueue<>(
          Comparator.comparingLong(Scheduled::dueMicros).thenComparingLong(Scheduled::order));
  private long elapsedMicros;
  private long scheduled;

  /** Timers that move {@code clock} along whenever they advance. */
  public ManualTimers(ManualClock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    Objects.requireNonNull(action, "action");
    synchronized (queue) {
      Scheduled timer = new Scheduled(elapsedMicros + microsUp(delay), scheduled++, action);
      queue.add(timer);
      return () -> cancel(timer);
    }
  }

  @Override
  public Duration elapsed() {
    synchronized (queue) {
      return micros(elapsedMicros);
    }
  }

  /**
   * Lets {@code step}, cut to microseconds, pass: moves timers and clock from one due time to the next and
   * runs what is due then, what is scheduled meanwhile included. What an action throws reaches the
   * caller; time then stands at that action's due time and all others are still scheduled.
   *
   * @throws IllegalArgumentException if {@code step} is negative
   * @throws IllegalStateException if called by an action, or while another thread advances
   */
  public void advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("time cannot be advanced by " + step);
    }
    if (!advancing.compareAndSet(false, true)) {
      throw new IllegalStateException("these timers are being advanced already");
    }
    try {
      runUntil(microsDown(elapsed().plus(step)));
    } finally {
      advancing.set(false);
    }
  }

  /** How many actions are scheduled: neither run nor cancelled. */
  public int pending() {
    synchronized (queue) {
      return queue.size();
    }
  }

  /** How long after now the next action is due, or empty when none is scheduled. */
  public Optional<Duration> untilNext() {
    synchronized (queue) {
      return Optional.ofNullable(queue.peek())
          .map(next -> micros(next.dueMicros() - elapsedMicros));
    }
  }

  private void runUntil(long targetMicros) {
    Optional<Scheduled> due = moveToNextDue(targetMicros);
    while (due.isPresent()) {
      due.get().action().run();
      due = moveToNextDue(targetMicros);
    }
  }

  /** Moves to the next due time and takes its action, or, when none is due by then, to the target. */
  private Optional<Scheduled> moveToNextDue(long targetMicros) {
    synchronized (queue) {
      Scheduled next = queue.peek();
      boolean due = next != null && next.dueMicros() <= targetMicros;
      long moment = next != null && due ? next.dueMicros() : targetMicros;
      clock.advance(micros(moment - elapsedMicros));
      elapsedMicros = moment;
      return due ? Optional.ofNullable(queue.poll()) : Optional.empty();
    }
  }

  private void cancel(Scheduled timer) {
    synchronized (queue) {
      queue.remove(timer);
    }
  }

  private static long microsUp(Duration delay) {
    return (VertxTimers.bounded(delay).toNanos() + 999) / 1_000;
  }

  private static long microsDown(Duration step) {
    return Math.addExact(Math.multiplyExact(step.getSeconds(), 1_000_000L), step.getNano() / 1_000);
  }

  private static Duration micros(long micros) {
    return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }

  private record Scheduled(long dueMicros, long order, Runnable action) {}
}
