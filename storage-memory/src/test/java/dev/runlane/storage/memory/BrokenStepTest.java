package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.StepSignalConformanceSuite;
import dev.runlane.conformance.StepTransportConformanceSuite;
import dev.runlane.conformance.broken.Broken;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepSignals;
import dev.runlane.steps.StepTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The step suites notice a transport that breaks one sentence of the contract, and by which case. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenStepTest {
  static List<BrokenAdapter<StepTransport>> all() {
    return FaultSample.of(BrokenSteps.ALL);
  }

  @ParameterizedTest(name = "a step transport that {0}")
  @MethodSource("all")
  void the_suite_notices(BrokenAdapter<StepTransport> broken) {
    SuiteRun run = SuiteRun.of(Suite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  @Test
  void a_transport_that_signals_nothing_passes_no_case_about_signals() {
    SuiteRun run = SuiteRun.of(Silent.class);

    assertThat(run.failed()).hasSize(6);
    assertThat(run.passed()).isEmpty();
  }

  /** Run by the cases above only: its name fits no pattern of the build. */
  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends StepTransportConformanceSuite {
    private final Broken broken;

    Suite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected StepTransportFixture fixture(Vertx vertx) {
      return new MemoryStepTransportFixture(broken.of(BrokenSteps.ALL));
    }
  }

  static final class Silent extends StepSignalConformanceSuite {
    @Override
    protected StepTransportFixture fixture(Vertx vertx) {
      return new MemoryStepTransportFixture(real -> new ForwardingStepTransport(real) {
        @Override
        public Optional<StepSignals> signals() {
          return Optional.of(Silent::listen);
        }
      });
    }

    private static Future<Subscription> listen(StepListener listener) {
      return Future.succeededFuture(() -> Future.succeededFuture());
    }
  }
}
