package dev.runlane.conformance.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.run.StateConformance;
import dev.runlane.conformance.transport.PublishConformance;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A case fails for more than its own lines: for what escapes around them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EscapedExceptionTest {
  @Test
  void a_case_that_leaves_an_uncaught_exception_on_a_context_fails_with_it() {
    assertThat(SuiteCases.of(Quiet.class).passed()).hasSize(1);

    SuiteCases cases = SuiteCases.of(Throwing.class);

    assertThat(cases.passed()).isEmpty();
    assertThat(cases.failed().values())
        .as("the case that passes on a quiet storage is among them")
        .anySatisfy(failure -> assertThat(failure)
            .isInstanceOf(AssertionError.class)
            .hasCauseInstanceOf(EscapedException.class));
  }

  @Test
  void a_promise_in_a_suite_with_another_fixture_fails_and_says_so() {
    SuiteCases cases = SuiteCases.of(Mismatched.class);

    assertThat(cases.passed()).isEmpty();
    assertThat(cases.failed().values()).isNotEmpty().allSatisfy(failure -> assertThat(failure)
        .hasMessageContaining("TransportFixture")
        .hasMessageContaining("MyStorageFixture"));
  }

  // These are run by the cases above only: their names fit no pattern of the build.

  static final class Quiet extends ConformanceSuite<StorageFixture> {
    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new MyStorageFixture();
    }

    @Nested
    class State extends StateConformance {}
  }

  static final class Throwing extends ConformanceSuite<StorageFixture> {
    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new ThrowingFixture(vertx);
    }

    @Nested
    class State extends StateConformance {}
  }

  static final class Mismatched extends ConformanceSuite<StorageFixture> {
    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new MyStorageFixture();
    }

    @Nested
    class Publish extends PublishConformance {}
  }

  private static final class EscapedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** A storage that breaks down behind its caller's back: the turn after it was opened throws. */
  private record ThrowingFixture(Vertx vertx) implements StorageFixture {
    @Override
    public Future<StorageAdapter> open() {
      vertx.runOnContext(turn -> {
        throw new EscapedException();
      });
      return Future.succeededFuture(MyStorage.connect());
    }

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }
  }
}
