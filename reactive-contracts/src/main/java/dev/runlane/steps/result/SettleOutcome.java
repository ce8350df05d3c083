package dev.runlane.steps.result;

/** What became of one settlement of a {@link SettleStepResults}. */
public enum SettleOutcome {
  /** The result is gone, and the next attempt, if one was given, is dispatched. */
  SETTLED,
  /** The result is gone already, or somebody else has taken it over: nothing is changed. */
  CLAIM_LOST,
  /**
   * A task of the step still stands, so its next attempt cannot be dispatched: the worker that wrote the
   * result has not yet taken the task away. Nothing is changed; settle again, soon and until the answer is
   * another.
   */
  BLOCKED
}
