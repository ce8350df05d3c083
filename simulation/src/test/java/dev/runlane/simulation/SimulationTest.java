package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Fleets keep their promises, whatever goes wrong. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SimulationTest {
  private static final long SEEDS = Long.getLong("simulation.seeds", 100);

  @Test
  void every_promise_holds_in_every_world_and_first_in_those_that_once_found_something() {
    List<Long> seeds = new ArrayList<>(KeptSeeds.all());
    LongStream.rangeClosed(1, SEEDS).forEach(seeds::add);

    List<Result> failed = new Seeds(2).run(seeds);

    assertThat(failed)
        .extracting(result -> "seed " + result.seed() + ": " + result.violations())
        .isEmpty();
  }

  @Test
  void the_same_seed_gives_the_same_trace_byte_for_byte() {
    String first = Timeline.of(Simulation.trace(7, Simulation.faults(7)).lines());
    String second = Timeline.of(Simulation.trace(7, Simulation.faults(7)).lines());

    assertThat(first)
        .isEqualTo(second)
        .hasLineCount((int) first.lines().count())
        .contains("p1");
  }

  @Test
  void a_world_without_faults_keeps_its_promises_too() {
    assertThat(Simulation.run(7, List.of()).violations()).isEmpty();
  }
}
