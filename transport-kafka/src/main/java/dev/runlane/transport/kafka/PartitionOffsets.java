package dev.runlane.transport.kafka;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Which records of one partition are settled, from the time it was assigned to the time it is revoked.
 *
 * <pre>
 *   offsets taken     4  5  6  9 10      (Kafka may leave numbers out)
 *   settled           x  x     x
 *   may be committed        6            the next one to be read, if everything before it is settled
 * </pre>
 */
final class PartitionOffsets {
  /** What is committable while nothing was settled. */
  static final long NOTHING = -1;

  private final Deque<Taken> unsettled = new ArrayDeque<>(); // from the oldest unsettled one on
  private long committable = NOTHING;

  /** Whether a record comes after all that were taken. */
  boolean isNext(long offset) {
    Taken last = unsettled.peekLast();
    return offset >= committable && (last == null || offset > last.offset);
  }

  /** Notes that a record was taken; offsets only grow. */
  Taken take(long offset) {
    if (!isNext(offset)) {
      throw new IllegalArgumentException(
          "offset " + offset + " was taken before, or a later one was");
    }
    Taken taken = new Taken(offset);
    unsettled.addLast(taken);
    return taken;
  }

  /** Notes that a record needs no further delivery. Settling it again changes nothing. */
  void settle(Taken taken) {
    taken.settled = true;
    for (Taken first = unsettled.peekFirst();
        first != null && first.settled;
        first = unsettled.peekFirst()) {
      committable = first.offset + 1;
      unsettled.removeFirst();
    }
  }

  /** The offset to commit, or {@link #NOTHING}; it never goes back. */
  long committable() {
    return committable;
  }

  /** How many records were taken and are not committable. */
  int uncommitted() {
    return unsettled.size();
  }

  /** A record that was taken. */
  static final class Taken {
    private final long offset;
    private boolean settled;

    private Taken(long offset) {
      this.offset = offset;
    }
  }
}
