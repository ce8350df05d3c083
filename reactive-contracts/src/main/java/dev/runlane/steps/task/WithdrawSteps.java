package dev.runlane.steps.task;

import java.util.List;

/**
 * Deletes the tasks of steps whose run has ended, or which nobody waits for any more.
 *
 * @param stepIds the steps; may be empty
 */
public record WithdrawSteps(List<String> stepIds) {
  /** Copies the ids. */
  public WithdrawSteps {
    stepIds = List.copyOf(stepIds);
  }
}
