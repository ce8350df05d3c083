package dev.runlane.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.fixture.Fixture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Each case of a suite has a Vert.x of its own, which is open while the case runs and closed after it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CaseLifecycleTest extends ConformanceSuite<Fixture> {
  private final List<VertxInternal> handedOut = new ArrayList<>();

  @Override
  protected Fixture fixture(Vertx vertx) {
    handedOut.add((VertxInternal) vertx);
    return () -> vertx.timer(1).mapEmpty();
  }

  @AfterAll
  void each_case_had_its_own_and_each_is_closed() {
    assertThat(handedOut).hasSize(2).doesNotHaveDuplicates().allMatch(vertx -> vertx
        .closeFuture()
        .isClosed());
  }

  @Nested
  class Cases {
    private Fixture fixture;

    @BeforeEach
    void takeFixture(ConformanceSuite<?> suite, CaseVertx vertx) {
      fixture = suite.fixture(Fixture.class, vertx);
    }

    @Test
    void a_first_case_may_use_its_vertx() {
      Outcomes.done(fixture.close());
    }

    @Test
    void a_second_case_may_use_its_vertx() {
      Outcomes.done(fixture.close());
    }
  }
}
