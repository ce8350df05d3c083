package dev.runlane.storage.pg.read;

import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One look over the partitions of bounded queues, in stretches, each a part of a statement. It begins with the
 * partition that the look before had come to, and has been over all of them once it comes there again.
 */
final class PartitionScan {
  static final int MOST_PARTITIONS = 256;

  private static final String FIRST_PARTITION = "";

  private final int env;
  private final Map<Place, String> reached;
  private final Map<String, Stretch> stretches = new LinkedHashMap<>();

  private PartitionScan(int env, Map<Place, String> reached) {
    this.env = env;
    this.reached = reached;
  }

  /** @param reached where the look before got to in queues that it has not been through; written by this one */
  static PartitionScan of(int env, Collection<QueuePolicy> policies, Map<Place, String> reached) {
    PartitionScan scan = new PartitionScan(env, reached);
    for (QueuePolicy policy : policies) {
      if (policy.isBounded()) {
        String from = reached.getOrDefault(new Place(env, policy.queue()), FIRST_PARTITION);
        scan.stretches.put(policy.queue(), new Stretch(policy, from, MOST_PARTITIONS, from, false));
      }
    }
    return scan;
  }

  /** Whether all partitions have been looked at. */
  boolean isThrough() {
    return stretches.isEmpty();
  }

  /** Where to look next in each queue that is left. */
  List<Stretch> stretches() {
    return List.copyOf(stretches.values());
  }

  /**
   * Takes in how far a stretch went.
   *
   * @param last its last partition, null where there is none
   */
  void walked(String queue, @Nullable String last, long partitions) {
    Stretch next = Objects.requireNonNull(stretches.get(queue)).after(last, partitions);
    Place place = new Place(env, queue);
    if (next == null) {
      stretches.remove(queue);
      reached.remove(place);
    } else {
      stretches.put(queue, next);
      reached.put(place, next.from());
    }
  }

  /**
   * A queue of an environment.
   *
   * @param env the number of the environment
   */
  record Place(int env, String queue) {}

  /**
   * A stretch of the partitions of a queue, in their order.
   *
   * @param from the first partition or, where there is none of that name, the next one
   * @param steps most partitions
   * @param begin where the look began
   * @param isBeforeBegin whether it has come past the last partition, to those before its beginning
   */
  record Stretch(QueuePolicy policy, String from, int steps, String begin, boolean isBeforeBegin) {
    /** All partitions. */
    static Stretch whole(QueuePolicy policy) {
      return new Stretch(policy, FIRST_PARTITION, Integer.MAX_VALUE, FIRST_PARTITION, false);
    }

    /** The next one, behind one that ended so; null: that was the last. */
    private @Nullable Stretch after(@Nullable String last, long partitions) {
      if (partitions < steps) {
        return isBeforeBegin || begin.equals(FIRST_PARTITION)
            ? null
            : new Stretch(policy, FIRST_PARTITION, steps, begin, true);
      }
      String end = Objects.requireNonNull(last);
      return isBeforeBegin && Identifiers.ORDER.compare(end, begin) >= 0
          ? null
          : new Stretch(policy, end, steps, begin, isBeforeBegin);
    }
  }
}
