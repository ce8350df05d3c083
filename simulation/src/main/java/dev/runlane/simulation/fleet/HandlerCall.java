package dev.runlane.simulation.fleet;

import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.simulation.world.Lifetime;
import io.vertx.core.AsyncResult;
import org.jspecify.annotations.Nullable;

/** One call of a handler: what it was told first, and what it returned or threw. */
public final class HandlerCall {
  private static final long EACH_ATTEMPT = 1_000_000;

  private final Lifetime life;
  private final String run;
  private final int attempt;
  private final long beganAt;
  private @Nullable SignalReason signal;
  private long toldAt;
  private @Nullable AsyncResult<TaskResult> result;
  private long returnedAt;
  private boolean waits;
  private boolean heeds;
  private long given; // the sequence of the last result of a step

  HandlerCall(Lifetime life, String run, int attempt, long beganAt) {
    this.life = life;
    this.run = run;
    this.attempt = attempt;
    this.beganAt = beganAt;
  }

  /** The attempt that a result was made by which is never the same again. */
  public static int makerOf(long result) {
    return (int) (result / EACH_ATTEMPT);
  }

  /** Such a result. */
  long result(long number) {
    return attempt * EACH_ATTEMPT + number % EACH_ATTEMPT;
  }

  /** Notes which event of the history it was given; false where it was given a later one before. */
  boolean isGiven(long sequence) {
    boolean isNext = sequence > given;
    given = Math.max(given, sequence);
    return isNext;
  }

  /** The life of the process that it was made in. */
  public Lifetime life() {
    return life;
  }

  /** The run. */
  public String run() {
    return run;
  }

  /** The attempt, from 1. */
  public int attempt() {
    return attempt;
  }

  /** When it was called, in microseconds of true time. */
  public long beganAt() {
    return beganAt;
  }

  /** Why it was told to give up, first; null while it was not. */
  public @Nullable SignalReason signal() {
    return signal;
  }

  /** When it was told that, in microseconds of true time. */
  public long toldAt() {
    return toldAt;
  }

  /** What it returned or threw; null where it never came back. */
  public @Nullable AsyncResult<TaskResult> result() {
    return result;
  }

  /** When it came back, in microseconds of true time. */
  public long returnedAt() {
    return returnedAt;
  }

  void told(SignalReason reason, long now) {
    signal = reason;
    toldAt = now;
  }

  void returns(AsyncResult<TaskResult> with, long now) {
    result = with;
    returnedAt = now;
  }

  void waits(boolean doesNothingElse) {
    waits = doesNothingElse;
  }

  /** Whether it gives up as soon as it is told to. */
  public boolean isHeeding() {
    return heeds;
  }

  void heeds() {
    heeds = true;
  }

  boolean isTold() {
    return signal != null;
  }

  boolean waits() {
    return waits;
  }

  boolean isOver() {
    return result != null || life.isOver();
  }
}
