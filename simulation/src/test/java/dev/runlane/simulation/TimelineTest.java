package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.simulation.world.Trace;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TimelineTest {
  @Test
  void each_process_has_a_column() {
    String timeline = Timeline.of(List.of(
        new Trace.Line(1_500_000, -1, "storage away"),
        new Trace.Line(2_000_000, 1, "is killed"),
        new Trace.Line(2_000_001, 0, "getRun")));

    List<String> lines = timeline.lines().toList();
    int first = lines.get(0).indexOf("| p0");
    int second = lines.get(0).indexOf("| p1");
    assertThat(lines.get(1)).startsWith("    1.500000 | storage away");
    assertThat(lines.get(2).substring(second)).isEqualTo("| is killed");
    assertThat(lines.get(3).substring(first)).isEqualTo("| getRun");
  }
}
