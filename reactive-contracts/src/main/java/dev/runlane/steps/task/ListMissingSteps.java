package dev.runlane.steps.task;

import java.util.List;

/**
 * Lists the steps that have neither a task nor a result.
 *
 * @param stepIds the steps; may be empty
 */
public record ListMissingSteps(List<String> stepIds) {
  /** Copies the ids. */
  public ListMissingSteps {
    stepIds = List.copyOf(stepIds);
  }
}
