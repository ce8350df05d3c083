package dev.runlane.conformance;

import dev.runlane.run.Environment;
import io.vertx.core.Future;

/** State and adapters of one case. A suite asks for a new fixture for each case. */
public interface Fixture {
  /** The environment of every run and wakeup that cases look for in {@code received()}. */
  Environment ENVIRONMENT = new Environment("conformance");

  /**
   * Closes every adapter the fixture opened and forgets its state. Adapters that the case closed
   * already are no failure.
   */
  Future<Void> close();
}
