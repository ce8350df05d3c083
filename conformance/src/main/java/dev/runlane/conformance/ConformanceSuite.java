package dev.runlane.conformance;

import io.vertx.core.Vertx;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What an adapter's test class extends, usually through one of the ready suites. An adapter that makes
 * fewer promises extends this class and lists them itself, one {@code @Nested} class for each.
 *
 * @param <F> the fixture its promises need
 */
@ExtendWith(SuiteResources.class)
@DisplayNameGeneration(RuleNames.class)
public abstract class ConformanceSuite<F extends Fixture> {
  /**
   * A fixture with fresh, empty state; called once for each case. All cases of a test run share one
   * Vert.x, which is closed when the run ends, so that pools may be shared too.
   */
  protected abstract F fixture(Vertx vertx);
}
