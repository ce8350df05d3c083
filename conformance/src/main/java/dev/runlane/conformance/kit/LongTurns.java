package dev.runlane.conformance.kit;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells an event loop that is blocked from a machine that has no time for it. A turn counts as blocked once several
 * checks have seen it and the loop stood still for as long, waiting for something, or has worked for as long. Where all
 * of the machine stood still, the checks did too, and what they missed is not made up for; where others had the
 * processors, the loop has worked a little from check to check. Used by the thread alone that checks.
 */
final class LongTurns {
  private static final long NOTHING_NANOS = Duration.ofMillis(1).toNanos();

  /** However little the machine had for it, a turn that takes so many times as long is blocked. */
  private static final int PATIENCE = 10;

  private final int checks;
  private final long betweenNanos;
  private final Map<Thread, Turn> seen = new HashMap<>(); // the last one of each loop

  /**
   * @param checks by so many a turn was seen that counts
   * @param between the time from one check to the next, and how long a turn has to take to be seen
   */
  LongTurns(int checks, Duration between) {
    this.checks = checks;
    this.betweenNanos = between.toNanos();
  }

  /**
   * Notes that a check saw the turn of a loop that began then; whether it is blocked by now.
   *
   * @param workedNanos the processor time that the loop has ever used
   */
  boolean isBlocked(Thread loop, long begunAtNanos, long workedNanos) {
    Turn before = seen.get(loop);
    Turn turn = before != null && Math.abs(begunAtNanos - before.begunAtNanos) < betweenNanos
        ? before.seenAgain(workedNanos)
        : new Turn(begunAtNanos, 1, 0, workedNanos, workedNanos);
    seen.put(loop, turn);
    return turn.still >= checks - 1
        || turn.workedNanos - turn.workedAtFirst >= (checks - 1) * betweenNanos
        || turn.checks >= checks * PATIENCE;
  }

  /**
   * A turn as the checks saw it.
   *
   * @param checks how many have seen it
   * @param still how many of the last ones found that it had done nothing since the one before
   */
  private record Turn(
      long begunAtNanos, int checks, int still, long workedAtFirst, long workedNanos) {
    Turn seenAgain(long worked) {
      boolean stood = worked - workedNanos < NOTHING_NANOS;
      return new Turn(begunAtNanos, checks + 1, stood ? still + 1 : 0, workedAtFirst, worked);
    }
  }
}
