package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ShrinkerTest {
  private final List<Fault> all = IntStream.range(0, 13)
      .mapToObj(number -> new Fault(Kind.KILL, number, 0, 1, 1, 0))
      .toList();

  @Test
  void what_is_left_is_what_the_failure_needs() {
    List<Fault> needed = List.of(all.get(3), all.get(11));

    assertThat(Shrinker.shrink(all, faults -> faults.containsAll(needed))).isEqualTo(needed);
  }

  @Test
  void a_failure_that_needs_no_fault_is_left_with_none() {
    assertThat(Shrinker.shrink(all, faults -> true)).isEmpty();
  }

  @Test
  void a_failure_that_needs_all_of_them_keeps_them() {
    assertThat(Shrinker.shrink(all, faults -> faults.size() == all.size())).isEqualTo(all);
  }
}
