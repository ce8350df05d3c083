package dev.runlane.jobs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.JobEventSharingConformanceSuite;
import dev.runlane.conformance.JobStoreConformanceSuite;
import dev.runlane.conformance.JobWebhookConformanceSuite;
import dev.runlane.conformance.broken.Broken;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The job-store suites notice a store that breaks one sentence of the contract, and by which case. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrokenJobStoreTest {
  private static final List<BrokenAdapter<JobStore>> FAULTS = Stream.of(
          BrokenJobStores.ALL, BrokenJobAmounts.ALL, BrokenJobSides.ALL)
      .flatMap(List::stream)
      .toList();
  private static final List<BrokenAdapter<JobStore>> WEBHOOK_FAULTS = Stream.concat(
          BrokenJobWebhooks.ALL.stream(),
          SubtleWebhookFaults.ALL.stream().filter(each -> !each.failing().isEmpty()))
      .toList();

  static List<BrokenAdapter<JobStore>> all() {
    return FaultSample.of(FAULTS);
  }

  @ParameterizedTest(name = "a job store that {0}")
  @MethodSource("all")
  void the_suite_notices(BrokenAdapter<JobStore> broken) {
    SuiteRun run = SuiteRun.of(Suite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  static List<BrokenAdapter<JobStore>> webhooks() {
    return FaultSample.of(WEBHOOK_FAULTS);
  }

  @ParameterizedTest(name = "a job store that {0}")
  @MethodSource("webhooks")
  void the_suite_of_webhooks_notices(BrokenAdapter<JobStore> broken) {
    SuiteRun run = SuiteRun.of(WebhookSuite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  @Test
  void a_store_without_webhooks_passes_no_case_about_them() {
    SuiteRun run = SuiteRun.of(WithoutWebhooks.class);

    assertThat(run.failed()).hasSizeGreaterThan(15);
    assertThat(run.passed()).isEmpty();
  }

  @Test
  void a_store_that_does_nothing_passes_no_case_about_a_deed() {
    SuiteRun run = SuiteRun.of(Nothing.class);

    assertThat(run.failed()).hasSizeGreaterThan(200);
    assertThat(run.passed()).isEmpty();
  }

  @Test
  void a_store_that_shares_no_events_passes_no_case_about_sharing() {
    SuiteRun run = SuiteRun.of(Alone.class);

    assertThat(run.failed()).hasSize(9);
    assertThat(run.passed()).isEmpty();
  }

  // These are run by the cases above only: their names fit no pattern of the build.

  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends JobStoreConformanceSuite {
    private final Broken broken;

    Suite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected JobStoreFixture fixture(Vertx vertx) {
      return new MemoryJobStoreFixture(broken.of(FAULTS));
    }
  }

  @ExtendWith(Broken.Resolver.class)
  static final class WebhookSuite extends JobWebhookConformanceSuite {
    private final Broken broken;

    WebhookSuite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected JobStoreFixture fixture(Vertx vertx) {
      return new MemoryJobStoreFixture(broken.of(WEBHOOK_FAULTS));
    }
  }

  static final class WithoutWebhooks extends JobWebhookConformanceSuite {
    @Override
    protected JobStoreFixture fixture(Vertx vertx) {
      return new MemoryJobStoreFixture(real -> DoNothingJobStore.create());
    }
  }

  static final class Nothing extends JobStoreConformanceSuite {
    @Override
    protected JobStoreFixture fixture(Vertx vertx) {
      return new MemoryJobStoreFixture(real -> DoNothingJobStore.create());
    }
  }

  static final class Alone extends JobEventSharingConformanceSuite {
    @Override
    protected JobStoreFixture fixture(Vertx vertx) {
      return new JobStoreFixture() {
        @Override
        public Future<JobStore> open(JobStoreOptions options) {
          return Future.succeededFuture(DoNothingJobStore.create());
        }

        @Override
        public Future<Void> close() {
          return Future.succeededFuture();
        }
      };
    }
  }
}
