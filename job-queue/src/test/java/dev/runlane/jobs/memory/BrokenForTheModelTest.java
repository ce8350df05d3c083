package dev.runlane.jobs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.drawn.jobs.JobContract;
import dev.runlane.conformance.drawn.jobs.JobModelConformance;
import dev.runlane.conformance.drawn.jobs.JobWebhookModelConformance;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The default sequences of the model notice a job store that breaks one sentence of the contract. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrokenForTheModelTest {
  private static final int COMMANDS = 60;

  static List<BrokenAdapter<JobStore>> all() {
    return SubtleJobFaults.ALL;
  }

  @ParameterizedTest(name = "a job store that {0}")
  @MethodSource("all")
  void the_model_notices(BrokenAdapter<JobStore> broken) {
    JobStore real = new MemoryJobStore(new JobStoreOptions().setMetricsEnabled(true));
    Trial<?, ?> trial = new Trial<>(new JobContract(), List.of(broken.breaking().apply(real)));

    assertThat(trial.firstWronglyAnswered(JobModelConformance.SEQUENCES, COMMANDS))
        .isPresent();
  }

  static List<BrokenAdapter<JobStore>> ofWebhooks() {
    return SubtleWebhookFaults.ALL;
  }

  @ParameterizedTest(name = "a job store that {0}")
  @MethodSource("ofWebhooks")
  void the_model_notices_what_webhooks_are_told(BrokenAdapter<JobStore> broken) {
    JobStore store = broken.breaking().apply(new MemoryJobStore(new JobStoreOptions()));
    Trial<?, ?> trial = new Trial<>(JobContract.withWebhooks(), List.of(store));

    assertThat(trial.firstWronglyAnswered(JobWebhookModelConformance.SEQUENCES, COMMANDS))
        .isPresent();
  }
}
