package dev.runlane.steps.sql.worker;

import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.StepTask;
import org.jspecify.annotations.Nullable;

/** What a handler that did not answer in order means for its step. */
final class HandlerFailures {
  private HandlerFailures() {}

  /** Of a failed call, or of one that answered nothing at all when {@code failure} is null. */
  static StepOutcome outcome(@Nullable Throwable failure, StepTask task) {
    if (failure == null) {
      return new StepOutcome.Failed(StepError.fatal(
          null, "the handler of " + task.name() + " answered null instead of an outcome"));
    }
    String message = message(failure);
    if (failure instanceof RunlaneException ours) {
      return new StepOutcome.Failed(
          new StepError(message, ours.code().value(), ours.isRetryable(), null));
    }
    return new StepOutcome.Failed(StepError.of(null, message));
  }

  private static String message(Throwable failure) {
    try {
      String message = failure.getMessage();
      return message == null ? failure.getClass().getSimpleName() : message;
    } catch (Throwable ofMessage) { // the step is answered whatever its failure is like
      return failure.getClass().getName();
    }
  }
}
