package dev.runlane.steps.task;

import java.util.List;

/**
 * Lists the tasks of steps, for diagnosis.
 *
 * @param stepIds the steps; may be empty
 */
public record ListStepTasks(List<String> stepIds) {
  /** Copies the ids. */
  public ListStepTasks {
    stepIds = List.copyOf(stepIds);
  }
}
