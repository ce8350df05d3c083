package dev.runlane.steps.result;

/** What became of one result of a {@link RecordStepResults}. */
public enum RecordOutcome {
  /**
   * The task is gone and the step has a result: this one, or one that another worker wrote for the same
   * task before and that stays as it is.
   */
  RECORDED,
  /** The lease is not, or no longer, the caller's: nothing is stored. */
  LEASE_LOST,
  /**
   * The result of an earlier attempt is still there, which the engine has not taken. Nothing is stored and
   * the lease stays: keep it renewed and record again until the answer is another.
   */
  BLOCKED
}
