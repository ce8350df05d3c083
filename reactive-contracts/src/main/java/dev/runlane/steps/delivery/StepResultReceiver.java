package dev.runlane.steps.delivery;

import dev.runlane.steps.result.ClaimedStepResult;
import io.vertx.core.Future;
import java.util.Set;

/** The engine, as {@link StepResultDelivery} sees it. */
public interface StepResultReceiver {
  /**
   * Those of these runs that the engine's store knows. A result of any other run is never claimed, since it
   * belongs to another store on the same tables. The results that are received next are of runs asked for here last.
   */
  Future<Set<String>> knownRuns(Set<String> runIds);

  /**
   * Stores a result and says what is to become of it. Completes only when the result is stored for good, or
   * need not be: the step is not pending, or its run has ended. May be called again with the same result. A
   * failure brings this result again, later and later, and no other result waits for it.
   */
  Future<StepVerdict> receive(ClaimedStepResult result);
}
