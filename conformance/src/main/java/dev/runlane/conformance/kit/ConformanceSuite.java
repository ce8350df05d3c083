package dev.runlane.conformance.kit;

import dev.runlane.conformance.fixture.Fixture;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What an adapter's test class extends, usually through one of the ready suites. An adapter that makes
 * fewer promises extends this class and lists them itself, one {@code @Nested} class for each.
 *
 * @param <F> the fixture its promises need
 */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class ConformanceSuite<F extends Fixture> {
  /**
   * A fixture with fresh, empty state; called once for each case. Each case has a Vert.x of its own, which
   * is closed after the fixture. The case fails when an exception was caught by nobody but that Vert.x,
   * and when one of its event loops was blocked for two seconds.
   */
  protected abstract F fixture(Vertx vertx);

  /** A fixture, which must be of the kind that the promise needs. */
  public final <T extends Fixture> T fixture(Class<T> needed, CaseVertx vertx) {
    F fixture = fixture(vertx.vertx());
    if (needed.isInstance(fixture)) {
      return needed.cast(fixture);
    }
    throw new IllegalStateException("the promise needs a %s, but %s gives a %s"
        .formatted(
            needed.getSimpleName(),
            getClass().getSimpleName(),
            fixture.getClass().getSimpleName()));
  }
}
