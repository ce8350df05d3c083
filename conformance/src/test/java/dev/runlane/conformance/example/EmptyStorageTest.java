package dev.runlane.conformance.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;

/** The suites find a storage that keeps nothing out, whatever they look at. */
class EmptyStorageTest {
  /** What a storage says of itself, whatever it then does. */
  private static final String CAPABILITIES =
      "S95 every capability that a full storage promises is reported";

  /** Inside of another class: Surefire would run it by its name, and it fails on purpose. */
  static class MyStorageTest extends StorageConformanceSuite {
    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new MyStorageFixture();
    }
  }

  @Test
  void a_storage_that_keeps_nothing_passes_no_case_but_that_of_its_capabilities() {
    SuiteCases cases = SuiteCases.of(MyStorageTest.class);

    assertThat(cases.failed()).hasSizeGreaterThan(250);
    assertThat(cases.passed()).containsExactly(CAPABILITIES);
  }

  @Test
  void a_batch_that_keeps_nothing_passes_no_case() {
    SuiteCases cases = SuiteCases.of(MyBatchStorageSuite.class);

    assertThat(cases.failed()).hasSizeGreaterThan(25);
    assertThat(cases.passed()).isEmpty();
  }

  @Test
  void a_view_that_shows_nothing_passes_no_case() {
    SuiteCases cases = SuiteCases.of(MyOutboxViewSuite.class);

    assertThat(cases.failed()).hasSizeGreaterThan(10);
    assertThat(cases.passed()).isEmpty();
  }
}
