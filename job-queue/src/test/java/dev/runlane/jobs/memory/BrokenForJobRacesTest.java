package dev.runlane.jobs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.race.jobs.JobModelRaceConformance;
import dev.runlane.conformance.race.jobs.RacedJobs;
import dev.runlane.conformance.race.order.ModelRaces;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The default races notice a job store that looks first and writes later. */
@ExtendWith(VertxExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrokenForJobRacesTest {
  static List<BrokenAdapter<JobStore>> all() {
    return RacyJobFaults.ALL;
  }

  @ParameterizedTest(name = "a job store that {0}")
  @MethodSource("all")
  void a_race_notices(BrokenAdapter<JobStore> broken, CaseVertx vertx) {
    JobStore store =
        broken.breaking().apply(new MemoryJobStore(new JobStoreOptions().setMetricsEnabled(true)));
    ModelRaces<?, ?> races = new ModelRaces<>(
        new RacedJobs(), JobModelRaceConformance.PROPERTY, List.of(store), vertx.contexts());

    assertThat(races.firstUnexplainedInTurn(JobModelRaceConformance.RACES)).isPresent();
  }
}
