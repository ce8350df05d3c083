package dev.runlane.simulation.network;

import java.util.BitSet;

/** A partition as its owner has it, from its assignment to its end: what was taken, and what of it is settled. */
final class Assignment {
  private final Partition partition;
  private final int epoch;
  private final BitSet settled = new BitSet();
  private int next;
  private int committable;
  private int committed;
  private boolean revoked;

  Assignment(Partition partition, int epoch, int from) {
    this.partition = partition;
    this.epoch = epoch;
    next = from;
    committable = from;
    committed = from;
  }

  Partition partition() {
    return partition;
  }

  int epoch() {
    return epoch;
  }

  boolean hasMore() {
    return !revoked && next < partition.end();
  }

  /** The offset of the next record, which is taken with it. */
  int take() {
    return next++;
  }

  /** Notes that a record was dealt with. */
  void settle(int offset) {
    partition.entry(offset).settle();
    settled.set(offset);
    committable = settled.nextClearBit(committable);
  }

  /** Everything before it is settled. */
  int committable() {
    return committable;
  }

  /** Whether more is settled than was committed. */
  boolean isDirty() {
    return !revoked && committable > committed;
  }

  void committing() {
    committed = committable;
  }

  boolean isRevoked() {
    return revoked;
  }

  void revoke() {
    revoked = true;
  }
}
