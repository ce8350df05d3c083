package dev.runlane.steps.sql.worker;

import dev.runlane.steps.result.StepOutcome;
import io.vertx.core.Future;

/** Runs steps of one name. */
@FunctionalInterface
public interface StepHandler {
  /**
   * Runs one attempt of a step, on the worker's context, which it must not block. It may be called again for
   * the same step id, also while an earlier call continues elsewhere whose lease was lost: what it does to the
   * outside is keyed on the step id.
   *
   * <p>A failed future is a failed step with the exception's message, which every program on the tables can
   * read: no secrets. It may be tried again, unless the failure is a {@link
   * dev.runlane.run.RunlaneException} that is not retryable. {@link StepCall#failed} says more.
   */
  Future<StepOutcome> handle(StepCall call);
}
