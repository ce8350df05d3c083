package dev.runlane.simulation.history;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Walks through each bounded partition in the order of event ids, which is the order in which storage
 * decided, and counts the slots in use whenever one is taken.
 *
 * <p>Who collects an expired reservation may lose the slot to somebody whose clock says that it has not
 * expired. So a reservation is over once an event of its partition occurred at or after its end, less the
 * difference of clocks that is tolerated. The one who collects it may also lose the slot to a command that is
 * older, since it waited for a connection. So where a slot is missing, reservations that end within the time
 * that a command may wait are over, too: a run that begins on such a one takes its slot anew.
 */
final class PartitionRules {
  private static final Comparator<Step> BY_ID =
      Comparator.comparingLong(step -> Long.parseLong(step.row().id()));

  /** How long a command of the drills' programs may wait before it is carried out or given up. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  private final Map<String, QueuePolicy> policies;
  private final Tolerance tolerance;
  private final LimitAt limits;
  private final List<Violation> found;

  PartitionRules(
      Map<String, QueuePolicy> policies,
      Tolerance tolerance,
      LimitAt limits,
      List<Violation> found) {
    this.policies = policies;
    this.tolerance = tolerance;
    this.limits = limits;
    this.found = found;
  }

  void check(List<RunHistory> histories) {
    Map<Partition, List<Step>> partitions = new HashMap<>();
    for (RunHistory history : histories) {
      QueuePolicy policy = policies.get(history.stored().queue());
      if (policy != null && policy.concurrencyLimit() != null) {
        String key = history.stored().keys().concurrencyKey();
        Partition partition =
            new Partition(policy.queue(), key == null ? "" : key, policy.concurrencyLimit());
        List<Step> steps = partitions.computeIfAbsent(partition, first -> new ArrayList<>());
        history.events().forEach(row -> steps.add(new Step(history.runId(), row)));
      }
    }
    partitions.forEach((partition, steps) -> {
      steps.sort(BY_ID);
      walk(partition, steps);
    });
  }

  private void walk(Partition partition, List<Step> steps) {
    Map<String, Slot> slots = new HashMap<>();
    Instant latest = Instant.MIN;
    for (Step step : steps) {
      RunEvent event = step.row().event();
      Instant occurredAt = event.header().occurredAt();
      if (occurredAt.isAfter(latest)) {
        latest = occurredAt;
        collect(slots, latest.plus(tolerance.skew()));
      }
      boolean held = slots.containsKey(step.runId());
      Slot taken = taken(event);
      if (taken != null) {
        int limit = limits.limit(partition.queue(), occurredAt, partition.limit());
        if (!held && slots.size() >= limit) {
          collect(slots, latest.plus(tolerance.skew()).plus(tolerance.delay()));
        }
        slots.put(step.runId(), taken);
        if (!held && slots.size() > limit) {
          found.add(new Violation(
              Rule.LIMIT,
              partition.queue() + "/" + partition.key(),
              "event " + step.row().id() + " takes slot " + slots.size() + " of "
                  + limit + " for " + step.runId() + " at " + occurredAt + " of "
                  + latest + ": " + slots));
        }
      } else if (isFree(event)) {
        slots.remove(step.runId());
      }
    }
  }

  private static void collect(Map<String, Slot> slots, Instant now) {
    slots.values().removeIf(slot -> slot.isOverAt(now));
  }

  private static @Nullable Slot taken(RunEvent event) {
    if (event instanceof RunEvent.LeaseClaimed) {
      return new Slot(null);
    }
    if (event instanceof RunEvent.DeliveryRequested request) {
      Instant until = request.delivery().dispatchExpiresAt();
      return until == null ? null : new Slot(until);
    }
    return null;
  }

  private static boolean isFree(RunEvent event) {
    return OutcomeAttempt.of(event).isPresent()
        || event instanceof RunEvent.Cancelled
        || event instanceof RunEvent.DeliveryRequested;
  }

  /**
   * What may be late.
   *
   * @param skew how far clocks differ at most
   * @param delay how long a command may be under way
   */
  record Tolerance(Duration skew, Duration delay) {}

  private record Partition(String queue, String key, int limit) {}

  private record Step(String runId, RunEventRecord row) {}

  /** A slot in use; {@code reservedUntil} is null when a lease holds it, however long. */
  private record Slot(@Nullable Instant reservedUntil) {
    boolean isOverAt(Instant now) {
      return reservedUntil != null && !reservedUntil.isAfter(now);
    }
  }
}
