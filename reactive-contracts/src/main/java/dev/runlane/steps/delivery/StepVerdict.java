package dev.runlane.steps.delivery;

import dev.runlane.steps.task.StepTask;
import org.jspecify.annotations.Nullable;

/** What is to become of a result that an engine has received. */
public sealed interface StepVerdict {
  /** The result is dealt with and may go. */
  static StepVerdict settle() {
    return new Settle(null);
  }

  /** The result is dealt with, and goes in the transaction that dispatches the step's next attempt. */
  static StepVerdict settleAndDispatch(StepTask next) {
    return new Settle(next);
  }

  /** The engine has settled the result itself, in a transaction of its own. */
  static StepVerdict settled() {
    return new Settled();
  }

  /**
   * The result may go.
   *
   * @param next the next attempt, or null
   */
  record Settle(@Nullable StepTask next) implements StepVerdict {}

  /** The result is gone already. */
  record Settled() implements StepVerdict {}
}
