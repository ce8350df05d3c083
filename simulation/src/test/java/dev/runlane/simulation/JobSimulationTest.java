package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Fleets of job workers keep their promises, whatever goes wrong. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobSimulationTest {
  private static final long SEEDS = Long.getLong("simulation.job.seeds", 25);

  @Test
  void every_promise_holds_in_every_world_and_first_in_those_that_once_found_something() {
    List<Long> seeds = new ArrayList<>(KeptSeeds.ofJobs());
    LongStream.rangeClosed(1, SEEDS).forEach(seeds::add);

    List<Result> failed = new Seeds(World.JOBS, 2).run(seeds);

    assertThat(failed)
        .extracting(result -> "seed " + result.seed() + ": " + result.violations())
        .isEmpty();
  }

  @Test
  void the_same_seed_gives_the_same_trace_byte_for_byte() {
    String first = Timeline.of(JobSimulation.trace(7, JobSimulation.faults(7)).lines());
    String second = Timeline.of(JobSimulation.trace(7, JobSimulation.faults(7)).lines());

    assertThat(first).isEqualTo(second).contains("p1");
  }

  @Test
  void a_world_without_faults_keeps_its_promises_too() {
    assertThat(JobSimulation.run(7, List.of()).violations()).isEmpty();
  }
}
