package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.SharingTransport.Flaw.ACKNOWLEDGES_FAILURES;
import static dev.runlane.storage.memory.SharingTransport.Flaw.ACKNOWLEDGES_NOTHING;
import static dev.runlane.storage.memory.SharingTransport.Flaw.DROPS_THE_TRACE;
import static dev.runlane.storage.memory.SharingTransport.Flaw.GIVES_TO_NOBODY;
import static dev.runlane.storage.memory.SharingTransport.Flaw.GIVES_TO_THE_UNDEPLOYED;
import static dev.runlane.storage.memory.SharingTransport.Flaw.LOSES_EVERY_TENTH;
import static dev.runlane.storage.memory.SharingTransport.Flaw.NEVER_STOPS_THE_WORKER;
import static dev.runlane.storage.memory.SharingTransport.Flaw.NONE;
import static dev.runlane.storage.memory.SharingTransport.Flaw.WAITS_FOR_NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.DeliverySourceConformanceSuite;
import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.storage.memory.SharingTransport.Flaw;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Vertx;
import java.util.EnumSet;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The suite of delivery sources notices one that is wrong in one way, and passes one that is not. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenDeliveryTest {
  private static final Map<Flaw, String> NOTICED_BY = Map.of(
      GIVES_TO_NOBODY, "every_wakeup_reaches_one_of_several_consumers",
      DROPS_THE_TRACE, "a_wakeup_is_delivered_with_everything_it_says",
      LOSES_EVERY_TENTH, "every_wakeup_reaches_one_of_several_consumers",
      ACKNOWLEDGES_FAILURES, "a_wakeup_whose_delivery_failed_comes_again",
      ACKNOWLEDGES_NOTHING, "a_wakeup_that_was_dealt_with_does_not_come_to_a_later_consumer",
      GIVES_TO_THE_UNDEPLOYED, "undeploying_a_consumer_stops_its_worker_and_gives_it_nothing_more",
      NEVER_STOPS_THE_WORKER, "undeploying_a_consumer_stops_its_worker_and_gives_it_nothing_more",
      WAITS_FOR_NOTHING, "undeploying_waits_for_a_delivery_under_way_and_acknowledges_it");

  @ParameterizedTest(name = "{0}")
  @EnumSource(value = Flaw.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void the_suite_notices_a_source_that(Flaw flaw) {
    BrokenAdapter<TransportAdapter> broken = BrokenAdapter.that(
        flaw.name(), UnaryOperator.identity(), "Deliveries." + NOTICED_BY.get(flaw));

    assertThat(SuiteRun.of(Suite.class, broken).failed()).containsAll(broken.failing());
  }

  @Test
  void every_flaw_has_its_case() {
    assertThat(NOTICED_BY.keySet()).isEqualTo(EnumSet.complementOf(EnumSet.of(NONE)));
  }

  @Test
  void a_source_without_a_flaw_passes() {
    SuiteRun run = SuiteRun.of(Suite.class);

    assertThat(run.failed()).isEmpty();
    assertThat(run.passed()).isNotEmpty();
  }

  /** Run by the cases above only: its name fits no pattern of the build. */
  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends DeliverySourceConformanceSuite {
    private final Flaw flaw;

    Suite(Broken broken) {
      flaw = broken.sentence().isEmpty() ? NONE : Flaw.valueOf(broken.sentence());
    }

    @Override
    protected TransportFixture fixture(Vertx vertx) {
      SharingTransport.Provider provider = new SharingTransport.Provider(flaw);
      return new MemoryTransportFixture(
          MemoryTransportFixture.bound(), real -> new SharingTransport(real, provider));
    }
  }
}
