package dev.runlane.steps.task;

import java.util.List;

/**
 * Looks at the tasks of steps, for people.
 *
 * @param stepIds the steps; may be empty
 */
public record ListStepTasks(List<String> stepIds) {
  /** Copies the ids. */
  public ListStepTasks {
    stepIds = List.copyOf(stepIds);
  }
}
