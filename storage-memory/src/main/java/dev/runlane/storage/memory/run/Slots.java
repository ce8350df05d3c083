package dev.runlane.storage.memory.run;

import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Who occupies the slots of each partition: leased runs, whether their lease has expired or not, and
 * reservations that have not expired.
 */
public final class Slots implements RunIndex {
  private final Map<PartitionKey, Partition> partitions = new HashMap<>();

  @Override
  public void add(RunRecord run) {
    if (mayOccupy(run)) {
      partitions.computeIfAbsent(PartitionKey.of(run), key -> new Partition()).add(run);
    }
  }

  @Override
  public void remove(RunRecord run) {
    if (mayOccupy(run)) {
      partitions.computeIfPresent(PartitionKey.of(run), (key, partition) -> {
        partition.remove(run);
        return partition.isEmpty() ? null : partition;
      });
    }
  }

  /** How many more runs the partition takes at {@code now}, 0 at least; without a limit, very many. */
  public int free(QueuePolicy policy, PartitionKey key, Instant now) {
    Integer limit = policy.concurrencyLimit();
    if (limit == null) {
      return Integer.MAX_VALUE;
    }
    Partition partition = partitions.get(key);
    return Math.max(0, limit - (partition == null ? 0 : partition.occupiedAt(now)));
  }

  /** Whether the run holds a slot at {@code now} or finds a free one. */
  public boolean hasSlotFor(QueuePolicy policy, RunRecord run, Instant now) {
    return run.occupiesSlotAt(now) || free(policy, PartitionKey.of(run), now) > 0;
  }

  /** The fullest partitions of a queue. */
  public List<OccupiedPartition> occupied(ListOccupied query) {
    return partitions.entrySet().stream()
        .filter(each -> each.getKey().queue().equals(query.queue()))
        .map(each -> new OccupiedPartition(
            each.getKey().concurrencyKey(), each.getValue().occupiedAt(query.now())))
        .filter(each -> each.occupied() > 0)
        .sorted(Comparator.comparing(OccupiedPartition::occupied)
            .reversed()
            .thenComparing(
                OccupiedPartition::concurrencyKey, Comparator.nullsFirst(Identifiers.ORDER)))
        .limit(query.limit())
        .toList();
  }

  /** Whether the run is of those that occupy a slot, or will until its reservation has expired. */
  static boolean mayOccupy(RunRecord run) {
    return run.status().isLeased() || run.reservation() != null;
  }

  private static final class Partition {
    private final NavigableSet<Position> reservations = new TreeSet<>();
    private int leased;

    void add(RunRecord run) {
      DispatchReservation reservation = run.reservation();
      if (run.status().isLeased()) {
        leased++;
      } else if (reservation != null) {
        reservations.add(new Position(reservation.expiresAt(), run.id()));
      }
    }

    void remove(RunRecord run) {
      DispatchReservation reservation = run.reservation();
      if (run.status().isLeased()) {
        leased--;
      } else if (reservation != null) {
        reservations.remove(new Position(reservation.expiresAt(), run.id()));
      }
    }

    boolean isEmpty() {
      return leased == 0 && reservations.isEmpty();
    }

    int occupiedAt(Instant now) {
      return leased + reservations.tailSet(Position.justAfter(now), true).size();
    }
  }
}
