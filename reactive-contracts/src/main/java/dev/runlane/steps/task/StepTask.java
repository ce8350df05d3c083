package dev.runlane.steps.task;

import dev.runlane.run.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a step that a worker is asked for.
 *
 * @param stepId identity of the step, the same for all of its attempts; see {@link #stepId}
 * @param runId the run it belongs to; may contain {@code ':'}
 * @param seq the step's position in its run, from 0
 * @param name names the handler, verbatim
 * @param group the queue that workers poll, compared for equality only; see {@link StepGroups}
 * @param input what the handler gets, or null for no input
 * @param attempt 1 for the first dispatch
 */
public record StepTask(
    String stepId,
    String runId,
    int seq,
    String name,
    String group,
    @Nullable Json input,
    int attempt) {
  /** Refuses null, except as input. */
  public StepTask {
    Objects.requireNonNull(stepId);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(name);
    Objects.requireNonNull(group);
  }

  /** The first attempt of a step, in the group that its name stands for, without a partition. */
  public static StepTask first(String runId, int seq, String name, @Nullable Json input) {
    return new StepTask(
        stepId(runId, seq), runId, seq, name, StepGroups.token(name, null), input, 1);
  }

  /** {@code <runId>:<seq>}. The last colon separates, since a run id may contain some. */
  public static String stepId(String runId, int seq) {
    return runId + ":" + seq;
  }

  /** The attempt after this one; nothing else changes. */
  public StepTask next() {
    return new StepTask(stepId, runId, seq, name, group, input, attempt + 1);
  }

  /** The same step in another group. */
  public StepTask in(String otherGroup) {
    return new StepTask(stepId, runId, seq, name, otherGroup, input, attempt);
  }
}
