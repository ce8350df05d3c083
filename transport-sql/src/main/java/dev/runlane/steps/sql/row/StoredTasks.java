package dev.runlane.steps.sql.row;

import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.StepTask;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What became of tasks that were to be inserted unless their steps have one. */
public final class StoredTasks {
  private final Set<String> inserted = new HashSet<>();
  private final Map<String, Integer> existing = new HashMap<>(); // the attempt

  public void markExisting(String stepId, int attempt) {
    existing.put(stepId, attempt);
  }

  public void insert(String stepId) {
    inserted.add(stepId);
  }

  public boolean isInserted(String stepId) {
    return inserted.contains(stepId);
  }

  /** Those neither inserted nor seen to stand, in their order. */
  public List<StepTables.Stamped<StepTask>> absentOf(List<StepTables.Stamped<StepTask>> steps) {
    return steps.stream()
        .filter(each -> !inserted.contains(each.value().stepId())
            && !existing.containsKey(each.value().stepId()))
        .toList();
  }

  /** A step that was not missing and has no task now has a result. */
  public DispatchOutcome outcome(StepTask task, Set<String> missing) {
    return missing.contains(task.stepId()) || existing.containsKey(task.stepId())
        ? outcome(task)
        : DispatchOutcome.ANSWERED;
  }

  public DispatchOutcome outcome(StepTask task) {
    return StepRows.dispatched(
        isInserted(task.stepId()), existing.get(task.stepId()), task.attempt());
  }
}
