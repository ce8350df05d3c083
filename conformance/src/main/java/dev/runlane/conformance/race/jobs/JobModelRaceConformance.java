package dev.runlane.conformance.race.jobs;

import static org.assertj.core.api.Assertions.fail;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.race.order.ModelRaces;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Two to four commands that are started together are answered as if one had come after the other, in some order that
 * {@link JobModel} answers alike, and leave behind what that order leaves. Each pair of writing methods is raced, and
 * then three or four. More seeds: {@code -Drunlane.job.races=5000 -Drunlane.job.races.from=695}.
 */
@DisplayName("races by the model of job stores")
public abstract class JobModelRaceConformance extends JobStoreConformance {
  /** Where nothing else is said = 694: one for each pair, and 99 others. */
  public static final int RACES = 694;

  /** Says how many there are. */
  public static final String PROPERTY = "runlane.job.races";

  @Test
  @Rule("model")
  void commands_that_are_started_together_are_answered_as_in_some_order_of_them() {
    new ModelRaces<>(new RacedJobs(), PROPERTY, List.of(store, other()), contexts)
        .firstUnexplainedTold(RACES)
        .ifPresent(told -> fail(told));
  }
}
