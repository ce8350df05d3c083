package dev.runlane.testing;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Does a remote step in the place of a worker elsewhere. */
@FunctionalInterface
public interface StepFunction {
  /**
   * The result, written as JSON. A failed future and a throw are failures of the attempt, which may be retried unless
   * it is a {@link dev.runlane.run.RunlaneException} that may not. A future that stays open is a worker that never
   * answers: its lease ends after 30 s, and it is asked again.
   */
  Future<? extends @Nullable Object> work(StepRequest request);
}
