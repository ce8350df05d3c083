package dev.runlane.conformance;

import io.vertx.core.Future;

/** State and adapters of one case. A suite asks for a new fixture for each case. */
public interface Fixture {
  /**
   * Closes every adapter the fixture opened and forgets its state. Adapters that the case closed
   * already are no failure.
   */
  Future<Void> close();
}
