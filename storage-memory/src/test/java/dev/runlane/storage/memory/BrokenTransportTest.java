package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.TransportConformanceSuite;
import dev.runlane.conformance.broken.Broken;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The transport suite notices a transport that breaks one sentence of the contract, and by which case. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenTransportTest {
  static List<BrokenAdapter<TransportAdapter>> all() {
    return FaultSample.of(BrokenTransports.ALL);
  }

  @ParameterizedTest(name = "a transport that {0}")
  @MethodSource("all")
  void the_suite_notices(BrokenAdapter<TransportAdapter> broken) {
    SuiteRun run = SuiteRun.of(Suite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  /** Run by the cases above only: its name fits no pattern of the build. */
  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends TransportConformanceSuite {
    private final Broken broken;

    Suite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected TransportFixture fixture(Vertx vertx) {
      return new MemoryTransportFixture(
          MemoryTransportFixture.bound(), broken.of(BrokenTransports.ALL));
    }
  }
}
