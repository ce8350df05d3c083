package dev.runlane.benchmarks.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TargetsProgramTest {

  @Test
  void pieces_that_are_named_are_measured_in_that_order_and_without_names_all() {
    assertThat(TargetsProgram.wanted(List.of("jobs", "idle"))).containsExactly("jobs", "idle");
    assertThat(TargetsProgram.wanted(List.of())).contains("drain", "kafka", "jobs", "processes");
  }

  @Test
  void a_piece_nobody_knows_is_refused() {
    assertThatThrownBy(() -> TargetsProgram.wanted(List.of("idle", "kafak")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("kafak")
        .hasMessageContaining("slow-disk");
  }
}
