package dev.runlane.conformance;

import dev.runlane.steps.StepResult;
import dev.runlane.steps.StepTransport;
import io.vertx.core.Future;

/** Tables without tasks and results, and what programs of other languages may do to them. */
public interface StepTransportFixture extends Fixture {
  /**
   * Opens a started transport; called again, another one on the same tables, or the same one where the tables
   * live inside the transport.
   */
  Future<StepTransport> open();

  /** Another program writes a completed or failed result; the step's task, if there is one, stays. */
  Future<Void> putResult(StepResult result);

  /** The stored input of a task is no JSON from now on. */
  Future<Void> breakInput(String stepId);

  /** Another program writes a completed result, of the run and at the time given, whose output is no JSON. */
  Future<Void> putUnreadableResult(StepResult result);

  /** The task names an owner, but no time at which it was leased. */
  Future<Void> ownWithoutTime(String stepId);
}
