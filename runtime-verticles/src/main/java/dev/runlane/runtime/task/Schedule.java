package dev.runlane.runtime.task;

import dev.runlane.options.OptionChecks;
import dev.runlane.timing.fire.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a task runs by itself, and with which payload. A schedule never calls user code: a scheduler makes a
 * run of each fire, at most one however many schedulers compete. Immutable.
 */
public final class Schedule {
  private final String id;
  private final FireTimes fireTimes;
  private final @Nullable Object payload;
  private final @Nullable TaskQueue queue;
  private final MissedFires missedFires;
  private final boolean enabled;

  private Schedule(
      String id,
      FireTimes fireTimes,
      @Nullable Object payload,
      @Nullable TaskQueue queue,
      MissedFires missedFires,
      boolean enabled) {
    this.id = OptionChecks.requireId("a schedule's id", id);
    this.fireTimes = fireTimes;
    this.payload = payload;
    this.queue = queue;
    this.missedFires = missedFires;
    this.enabled = enabled;
  }

  /**
   * One fire, at {@code instant}; see {@link FireTimes#once}. None where that lies before the first deployment of
   * the schedule.
   */
  public static Schedule once(String id, Instant instant) {
    return of(id, FireTimes.once(instant));
  }

  /** A fire at every multiple of {@code interval} since the epoch; see {@link FireTimes#every}. */
  public static Schedule every(String id, Duration interval) {
    return of(id, FireTimes.every(interval));
  }

  /** A fire at each time the five fields describe, in UTC; see {@link FireTimes#cron}. */
  public static Schedule cron(String id, String expression) {
    return cron(id, expression, "UTC");
  }

  /** A fire at each local time of an IANA zone the five fields describe; see {@link FireTimes#cron}. */
  public static Schedule cron(String id, String expression, String zone) {
    return of(id, FireTimes.cron(expression, zone));
  }

  private static Schedule of(String id, FireTimes fireTimes) {
    return new Schedule(id, fireTimes, null, null, MissedFires.latest(), true);
  }

  /** The same schedule whose runs get this payload, which the task's type must be able to hold. */
  public Schedule payload(Object value) {
    return new Schedule(id, fireTimes, value, queue, missedFires, enabled);
  }

  /** The same schedule whose runs go to this queue instead of the task's. */
  public Schedule queue(TaskQueue other) {
    return new Schedule(id, fireTimes, payload, other, missedFires, enabled);
  }

  /** The same schedule with another rule for fires that nobody saw; the default is the latest. */
  public Schedule missedFires(MissedFires rule) {
    return new Schedule(id, fireTimes, payload, queue, rule, enabled);
  }

  /** The same schedule, making no runs. */
  public Schedule disabled() {
    return new Schedule(id, fireTimes, payload, queue, missedFires, false);
  }

  /** Stable and unique in its task: with it, the identity of every fire. */
  public String id() {
    return id;
  }

  /** When it fires. */
  public FireTimes fireTimes() {
    return fireTimes;
  }

  /** The payload of its runs; empty only for tasks whose payload is {@code Void}. */
  public Optional<Object> payload() {
    return Optional.ofNullable(payload);
  }

  /** The queue of its runs; empty for the task's. */
  public Optional<TaskQueue> queue() {
    return Optional.ofNullable(queue);
  }

  /** What becomes of fires that passed while no scheduler ran. */
  public MissedFires missedFires() {
    return missedFires;
  }

  /** Whether it makes runs at all. */
  public boolean isEnabled() {
    return enabled;
  }
}
