package dev.runlane.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WorldVersionTest {
  @Test
  void rows_of_neighbouring_seeds_have_no_choice_in_common() {
    List<Long> choices = new ArrayList<>();
    for (long seed = 20_001; seed <= 20_020; seed++) {
      choices.addAll(row(WorldVersion.rows(seed)));
    }

    assertThat(choices).doesNotHaveDuplicates();
  }

  @Test
  void seeds_that_are_kept_have_the_rows_they_had() {
    assertThat(List.of(32L, 98L, 197L, 617L, 675L, 813L, 1_003L, 6_229L))
        .allSatisfy(seed -> assertThat(WorldVersion.rows(seed)).isEqualTo(seed));
    assertThat(List.of(6L, 144L))
        .allSatisfy(seed -> assertThat(WorldVersion.rowsOfJobs(seed)).isEqualTo(seed));
  }

  private static List<Long> row(long rows) {
    Chance chance = Chance.of(rows, "callers");
    List<Long> numbers = new ArrayList<>();
    for (int number = 0; number < 100; number++) {
      numbers.add(chance.number());
    }
    return numbers;
  }
}
