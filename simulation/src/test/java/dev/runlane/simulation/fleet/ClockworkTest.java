package dev.runlane.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fires that runs are held to are those of the schedules that are deployed. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ClockworkTest {
  static List<Clockwork> schedules() {
    return Clockwork.ALL;
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void fires_reckoned_without_the_runtime_are_those_of_the_schedule(Clockwork clockwork) {
    Instant until = VirtualTime.START.plus(Duration.ofHours(2));
    for (int edition : List.of(Clockwork.USUAL, Clockwork.EDITED)) {
      List<Instant> reckoned = clockwork.fires(edition, VirtualTime.START, until);

      assertThat(reckoned)
          .hasSizeGreaterThan(20)
          .isEqualTo(clockwork
              .schedule(edition)
              .fireTimes()
              .between(VirtualTime.START, until.minusNanos(1), 1_000));
    }
  }
}
