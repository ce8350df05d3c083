package dev.runlane.conformance.kit;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells an event loop that is blocked from a machine that stood still. A turn counts as blocked once several checks
 * have seen it: where the machine had no time for the loop it had none for the checks either, and what was missed is
 * not made up for. Used by the thread alone that checks.
 */
final class LongTurns {
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

  /** Notes that a check saw the turn of a loop that began then; whether enough of them have by now. */
  boolean isBlocked(Thread loop, long begunAtNanos) {
    Turn before = seen.get(loop);
    Turn turn = before != null && Math.abs(begunAtNanos - before.begunAtNanos) < betweenNanos
        ? new Turn(before.begunAtNanos, before.checks + 1)
        : new Turn(begunAtNanos, 1);
    seen.put(loop, turn);
    return turn.checks >= checks;
  }

  private record Turn(long begunAtNanos, int checks) {}
}
