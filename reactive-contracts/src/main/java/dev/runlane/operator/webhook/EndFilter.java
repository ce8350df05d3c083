package dev.runlane.operator.webhook;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which ends a webhook is notified of; everything given must hold.
 *
 * @param statuses one of these terminal ones; empty: any
 * @param taskIds of one of these tasks; empty: any
 * @param queues in one of these queues; empty: any
 * @param tags all of which the run has; empty: any
 */
public record EndFilter(
    Set<RunStatus> statuses, List<String> taskIds, List<String> queues, Map<String, String> tags) {
  /** Every end. */
  public static final EndFilter ALL = new EndFilter(Set.of(), List.of(), List.of(), Map.of());

  /** Copies the collections. */
  public EndFilter {
    statuses = Set.copyOf(statuses);
    taskIds = List.copyOf(taskIds);
    queues = List.copyOf(queues);
    tags = Map.copyOf(tags);
  }

  /** Whether the end of this run is reported. */
  public boolean admits(RunRecord run, Map<String, String> itsTags) {
    return (statuses.isEmpty() || statuses.contains(run.status()))
        && (taskIds.isEmpty() || taskIds.contains(run.taskId()))
        && (queues.isEmpty() || queues.contains(run.queue()))
        && itsTags.entrySet().containsAll(tags.entrySet());
  }
}
