package dev.runlane.jobs.queue.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.RateLimit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GroupWindowsTest {
  private final GroupWindows windows = new GroupWindows(new RateLimit(2, Duration.ofMillis(100)));

  @Test
  void a_group_is_full_until_its_oldest_hand_out_leaves_the_window() {
    windows.served("a", at(0));
    windows.served("a", at(30));
    windows.served("b", at(40));

    assertThat(windows.full(at(50))).containsExactly("a");
    assertThat(windows.untilAvailable(at(50))).contains(Duration.ofMillis(50));
    assertThat(windows.full(at(100))).isEmpty();
    assertThat(windows.untilAvailable(at(100))).isEmpty();
  }

  @Test
  void more_full_groups_than_a_fetch_can_pass_over_are_known_as_such() {
    for (String group : new String[] {"a", "b", "c"}) {
      windows.served(group, at(0));
      windows.served(group, at(1));
    }

    windows.served("d", at(40));
    windows.served("d", at(41));
    assertThat(windows.untilAvailable(at(50))).contains(Duration.ofMillis(50));
    assertThat(windows.isBeyond(3, at(50))).isTrue();
    assertThat(windows.isBeyond(4, at(50))).isFalse();
    assertThat(windows.isBeyond(1, at(100))).isFalse();
  }

  private static Duration at(int millis) {
    return Duration.ofMillis(millis);
  }
}
