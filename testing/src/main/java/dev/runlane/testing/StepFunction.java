package dev.runlane.testing;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Does a remote step in the place of a worker elsewhere. */
@FunctionalInterface
public interface StepFunction {
  /**
   * The result, written as JSON. A failed future and a throw are failures of the attempt, which may be retried unless
   * it is a {@link dev.runlane.run.RunlaneException} that may not. A future that stays open is a worker that is still
   * at it: its lease is renewed, and the step ends at its deadline. After {@link RunlaneTesting#kill()} it is not
   * renewed any more, and another attempt is asked for once its lease of 30 s is over.
   */
  Future<? extends @Nullable Object> work(StepRequest request);
}
