package dev.runlane.benchmarks.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PromisesProgramTest {

  @Test
  void a_figure_stands_beside_what_it_was_and_what_it_must_be() {
    assertThat(PromisesProgram.table(List.of(
            Figure.atMost(2, "a fetch, ms", "77", 1.5),
            Figure.atMost(0, "losses", "9 of 9", 1),
            Figure.atLeast(0, "a start, ms", "-15,000", 196),
            Figure.told("a pick-up, ms", "100", 12.345))))
        .isEqualTo("""
            | what | before | must | now |
            |---|---:|---:|---:|
            | a fetch, ms | 77 | ≤ 2 | 1.50 |
            | losses | 9 of 9 | ≤ 0 | 1 **no** |
            | a start, ms | -15,000 | ≥ 0 | 196 |
            | a pick-up, ms | 100 |  | 12.35 |
            """);
  }

  @Tag("slow")
  @Tag("full")
  @Test
  void a_piece_that_is_named_is_measured_on_a_postgres_of_its_own() {
    assertThat(PromisesProgram.run("first-lease")).isTrue();
  }

  @Test
  void a_piece_nobody_knows_is_refused() {
    assertThatThrownBy(() -> PromisesProgram.run("close", "clsoe"))
        .hasMessageContaining("no piece clsoe")
        .hasMessageContaining("broker-trigger");
  }
}
