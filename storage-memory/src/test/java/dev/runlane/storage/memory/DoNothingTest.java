package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.CapabilityGuardConformanceSuite;
import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.conformance.fixture.TransportFixture;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Adapters that report everything, take every command, say it is done and do nothing pass no case. How the suites of
 * storages and batches do is tried where they are; the sources of cancellations and wakeups that do nothing are among
 * the broken ones.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class DoNothingTest {
  @Test
  void a_storage_that_does_nothing_guards_nothing() {
    SuiteRun run = SuiteRun.of(Guard.class);

    assertThat(run.failed()).hasSizeGreaterThan(2);
    assertThat(run.passed()).isEmpty();
  }

  @Test
  void a_transport_that_does_nothing_passes_no_case_about_a_deed() {
    SuiteRun run = SuiteRun.of(Transport.class);

    assertThat(run.failed()).hasSizeGreaterThan(10);
    assertThat(run.passed())
        .as("an empty command asks for nothing")
        .isSubsetOf(List.of("Publish.an_empty_command_has_no_outcomes_and_publishes_nothing"));
  }

  // These are run by the cases above only: their names fit no pattern of the build.

  static final class Guard extends CapabilityGuardConformanceSuite {
    @Override
    protected ReducibleStorageFixture fixture(Vertx vertx) {
      return new MemoryStorageFixture(storage -> new DoNothingStorage());
    }
  }

  static final class Transport extends TransportConformanceSuite {
    @Override
    protected TransportFixture fixture(Vertx vertx) {
      return new MemoryTransportFixture(
          MemoryTransportFixture.bound(), transport -> new DoNothingTransport());
    }
  }
}
