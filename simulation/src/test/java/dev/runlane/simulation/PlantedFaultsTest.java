package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulator notices what it is for. Only the first faults are tried, unless all are asked for with {@code
 * -Dsimulation.planted=all}, or some by parts of their names, {@code -Dsimulation.planted=webhook;paused}; each prints
 * its row of the README's table.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PlantedFaultsTest {
  private static final long MOST = 2_000;

  static List<PlantedFault> faults() {
    String wanted = System.getProperty("simulation.planted", "");
    return switch (wanted) {
      case "all" -> PlantedFaults.ALL;
      case "" -> PlantedFaults.ALL.subList(0, 3);
      default ->
        PlantedFaults.ALL.stream()
            .filter(fault -> Stream.of(wanted.split(";")).anyMatch(fault.name()::contains))
            .toList();
    };
  }

  @Test
  void each_fault_has_its_place_in_the_sources() {
    assertThat(PlantedFaults.ALL)
        .allSatisfy(fault -> assertThat(fault.changed()).isNotBlank().contains(fault.wrong()));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void a_planted_fault_is_found(PlantedFault fault) {
    OptionalLong seeds = fault.seedsUntilFound(MOST);

    System.out.printf(
        "| %s | `%s` | %s |%n",
        fault.name(),
        fault.type().substring(fault.type().lastIndexOf('.') + 1),
        seeds.isPresent() ? seeds.getAsLong() : "not within " + MOST);
    assertThat(seeds).as(fault.name()).isPresent();
  }
}
