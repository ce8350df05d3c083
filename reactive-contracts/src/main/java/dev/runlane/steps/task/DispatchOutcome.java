package dev.runlane.steps.task;

/** What became of one step of a {@link DispatchSteps}. */
public enum DispatchOutcome {
  /** The task is stored. */
  DISPATCHED,
  /** The task of this attempt, or of a later one, was stored before and stays as it is. */
  PENDING,
  /**
   * The task of an earlier attempt still stands: its worker has written the result but not yet taken the
   * task away, or has lost its lease. Or somebody else is storing the step's task at this moment, so that its
   * attempt is not known yet. Nothing is stored. Dispatch again, soon and until the answer is
   * another: overwriting the task would not help, since that worker deletes it.
   */
  BLOCKED,
  /**
   * The step has a result that nobody has taken away, and no task. Nothing is stored. Only {@link
   * dev.runlane.steps.StepTransport#dispatchMissingSteps} answers so.
   */
  ANSWERED
}
