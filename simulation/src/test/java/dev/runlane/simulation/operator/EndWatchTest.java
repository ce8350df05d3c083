package dev.runlane.simulation.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Forgery;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class EndWatchTest {
  private final List<Violation> found = new ArrayList<>();
  private final VirtualTime time = new VirtualTime((life, thrown) -> {});
  private final EndWatch watch = new EndWatch(
      time,
      new Faults(List.of(), 1),
      Chance.of(1, "webhook trips"),
      new Trace(time, false),
      run -> null,
      found::add);
  private final EndWatch.Listener listener = watch.listener(new Lifetime(0, 1));

  @Test
  void a_listener_that_is_told_twice_of_one_end_is_found() {
    RunRecord run = ended(Duration.ZERO);

    listener.ended(run);
    listener.ended(run);

    assertThat(found).extracting(Violation::rule).containsExactly(Rule.SUBSCRIPTION);
  }

  @Test
  void a_listener_may_hear_of_the_end_of_a_run_that_was_made_anew() {
    listener.ended(ended(Duration.ZERO));
    listener.ended(ended(Duration.ofMinutes(3)));

    assertThat(found).isEmpty();
  }

  private static RunRecord ended(Duration later) {
    return new Forgery()
        .after(later)
        .created("a", "free", RunKeys.NONE)
        .cancelled("a")
        .projected("a");
  }
}
