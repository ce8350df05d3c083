package dev.runlane.storage.memory.run;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Merges many lines of waiting runs in order of due time. A line is opened when its first run is reached
 * and dropped when its partition is full, so a scan costs what it returns, plus a step for each full
 * partition that was due earlier. From a partition come no more runs than it has slots for: the further
 * ones are blocked by those before them.
 */
public final class DueScan {
  private final PriorityQueue<Step> steps = new PriorityQueue<>(Comparator.comparing(Step::at));
  private final Map<PartitionKey, Integer> freeSlots = new HashMap<>();
  private final Slots slots;
  private final Rule rule;
  private final Instant now;

  public DueScan(Slots slots, Rule rule, Instant now) {
    this.slots = slots;
    this.rule = rule;
    this.now = now;
  }

  /** What the scan is about to do with a due run. */
  public enum Need {
    /** The run is a candidate and holds its slot already. */
    NOTHING,
    /** The run is a candidate if its partition has another slot. */
    A_SLOT,
    /** The run is no candidate. */
    ANOTHER_SCAN
  }

  /** What a scan wants. */
  public interface Rule {
    Need needOf(RunRecord run, QueuePolicy policy);
  }

  /** Adds what waits for one task in one queue. */
  public DueScan over(QueuePolicy policy, TaskRuns runs) {
    pushNext(policy, null, runs.holding().entrySet().iterator());
    pushNextLine(policy, runs.heads().values().iterator());
    return this;
  }

  /** The first {@code limit} candidates that are due. */
  public List<RunRecord> first(int limit) {
    List<RunRecord> found = new ArrayList<>();
    while (found.size() < limit) {
      Step step = steps.poll();
      if (step == null || step.at().at().isAfter(now)) {
        return found;
      }
      if (step.furtherLines() != null) {
        pushNextLine(step.policy(), step.furtherLines());
      }
      if (take(step, found) || step.line() == null) {
        pushNext(step.policy(), step.line(), step.rest());
      }
    }
    return found;
  }

  /** False when the partition is full, so that nothing behind the run in its line can be taken. */
  private boolean take(Step step, List<RunRecord> found) {
    Need need = rule.needOf(step.run(), step.policy());
    if (need == Need.A_SLOT && !takeSlot(step)) {
      return false;
    }
    if (need != Need.ANOTHER_SCAN) {
      found.add(step.run());
    }
    return true;
  }

  private boolean takeSlot(Step step) {
    PartitionKey key = PartitionKey.of(step.run());
    int free = freeSlots.computeIfAbsent(key, fresh -> slots.free(step.policy(), fresh, now));
    freeSlots.put(key, Math.max(0, free - 1));
    return free > 0;
  }

  private void pushNextLine(QueuePolicy policy, Iterator<TaskRuns.Line> lines) {
    if (lines.hasNext()) {
      TaskRuns.Line line = lines.next();
      Iterator<Map.Entry<Position, RunRecord>> runs = line.runs().entrySet().iterator();
      Map.Entry<Position, RunRecord> first = runs.next();
      steps.add(new Step(first.getKey(), first.getValue(), policy, line.partition(), runs, lines));
    }
  }

  private void pushNext(
      QueuePolicy policy,
      @Nullable PartitionKey line,
      Iterator<Map.Entry<Position, RunRecord>> rest) {
    if (rest.hasNext()) {
      Map.Entry<Position, RunRecord> next = rest.next();
      steps.add(new Step(next.getKey(), next.getValue(), policy, line, rest, null));
    }
  }

  /** The next run of one line, or of the holders of slots where {@code line} is null. */
  private record Step(
      Position at,
      RunRecord run,
      QueuePolicy policy,
      @Nullable PartitionKey line,
      Iterator<Map.Entry<Position, RunRecord>> rest,
      @Nullable Iterator<TaskRuns.Line> furtherLines) {}
}
