package dev.runlane.simulation.network;

import dev.runlane.transport.DeliveryMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A partition as the broker keeps it: every record, up to where it is committed, and who owns it. */
final class Partition {
  private final int number;
  private final List<Entry> log = new ArrayList<>();
  private int committed;
  private int epoch;
  private @Nullable GroupMember owner;
  private boolean leaving;

  Partition(int number) {
    this.number = number;
  }

  void append(DeliveryMessage message) {
    log.add(new Entry(message));
  }

  int end() {
    return log.size();
  }

  Entry entry(int offset) {
    return log.get(offset);
  }

  int committed() {
    return committed;
  }

  void commit(int offset) {
    committed = Math.max(committed, offset);
  }

  @Nullable
  GroupMember owner() {
    return owner;
  }

  boolean isOwnedBy(GroupMember member, int since) {
    return owner == member && epoch == since;
  }

  /** Counts its owners; a commit of one before is recognised by it. */
  int epoch() {
    return epoch;
  }

  void own(GroupMember member) {
    owner = member;
    epoch++;
    leaving = false;
  }

  void disown() {
    owner = null;
    leaving = false;
  }

  /** Whether its owner has been asked to give it up. */
  boolean isLeaving() {
    return leaving;
  }

  void leave() {
    leaving = true;
  }

  @Override
  public String toString() {
    return "partition " + number;
  }

  /** One record. */
  static final class Entry {
    private final DeliveryMessage message;
    private boolean settled;

    Entry(DeliveryMessage message) {
      this.message = message;
    }

    DeliveryMessage message() {
      return message;
    }

    /** Whether some consumer has dealt with it. */
    boolean isSettled() {
      return settled;
    }

    void settle() {
      settled = true;
    }
  }
}
