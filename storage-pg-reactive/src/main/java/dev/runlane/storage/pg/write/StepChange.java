package dev.runlane.storage.pg.write;

import dev.runlane.postgres.statement.Columns;
import dev.runlane.run.RunEvent;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an append does to one pending step.
 *
 * @param runId its run
 * @param stepId the step
 * @param requested what is asked for; null: the step has its result
 */
record StepChange(String runId, String stepId, @Nullable Requested requested) {
  /** The nine parameters that say what becomes of steps. */
  static final Columns<StepChange> COLUMNS = new Columns<StepChange>()
      .texts("step_run_ids", StepChange::runId)
      .texts("step_ids", StepChange::stepId)
      .integers(
          "step_positions", each -> StepIds.position(each.runId, each.stepId).orElse(-1))
      .longs("step_sequences", each -> each.requested == null ? null : each.requested.sequence)
      .texts("step_names", each -> each.requested == null ? null : each.requested.request.name())
      .texts("step_groups", each -> each.requested == null ? null : each.requested.request.group())
      .integers(
          "step_attempts", each -> each.requested == null ? null : each.requested.request.attempt())
      .times(
          "step_times",
          each ->
              each.requested == null ? null : each.requested.request.header().occurredAt())
      .times(
          "step_deadline_times",
          each -> each.requested == null ? null : each.requested.deadlineAt());

  /** What becomes of the steps that the events name; where the run ends, its end takes back all that it asked for. */
  static List<StepChange> of(Append append) {
    Map<String, StepChange> changes = new LinkedHashMap<>(); // the last event of a step counts
    for (int index = 0; index < append.events().size(); index++) {
      RunEvent event = append.events().get(index);
      if (event instanceof RunEvent.StepRequested request
          && request.isRemote()
          && !append.isEnd()) {
        changes.put(
            request.stepId(),
            new StepChange(
                append.runId(),
                request.stepId(),
                new Requested(request, append.expected() + index + 1)));
      } else if (event instanceof RunEvent.StepCompleted result) {
        changes.put(result.stepId(), new StepChange(append.runId(), result.stepId(), null));
      }
    }
    return List.copyOf(changes.values());
  }

  /** Whether the append asks for a remote step of a run that goes on. */
  static boolean isRequesting(Append append) {
    return of(append).stream().anyMatch(change -> change.requested != null);
  }

  /**
   * A request.
   *
   * @param request the event
   * @param sequence its place in the history
   */
  record Requested(RunEvent.StepRequested request, long sequence) {
    Instant deadlineAt() {
      StepDispatch dispatch = Objects.requireNonNull(request.dispatch());
      return dispatch.deadlineAt();
    }
  }
}
