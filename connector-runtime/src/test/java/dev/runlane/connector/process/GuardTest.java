package dev.runlane.connector.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How often a guard that was killed is replaced. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class GuardTest {
  private static final int MOST_STARTS = 16;
  private static final long NO_GROUP = 999_999_999; // beyond what a system numbers

  private final String mark = "GUARD_TEST=" + ProcessHandle.current().pid();
  private final Guard guard = new Guard(mark);

  @AfterEach
  void close() {
    guard.close();
  }

  @Test
  void a_guard_that_outlives_children_is_replaced_however_often_one_is_killed() throws Exception {
    for (int killed = 0; killed < 2 * MOST_STARTS; killed++) {
      guard.start();
      guard.add(NO_GROUP);
      guard.remove(NO_GROUP);
      kill();
    }

    guard.start();
    guard.add(NO_GROUP); // starts one too, where the last one's end was not noticed yet

    // A program has no command line for a moment while the shell takes its place.
    assertThat(Children.waitUntil(() -> guards().size() == 1)).isTrue();
  }

  @Test
  void guards_of_which_none_outlives_a_child_are_given_up() {
    AtomicInteger killed = new AtomicInteger();

    assertThatThrownBy(() -> {
          while (killed.get() <= MOST_STARTS) {
            guard.start();
            killed.addAndGet(kill());
          }
        })
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.INTERNAL_ERROR));
    assertThat(killed).hasValue(MOST_STARTS);
  }

  /** How many there were; none of them is left. */
  private int kill() throws Exception {
    List<Long> found = guards();
    for (long pid : found) {
      Optional<ProcessHandle> each = ProcessHandle.of(pid);
      if (each.isPresent()) {
        each.get().destroyForcibly();
        each.get().onExit().get(30, TimeUnit.SECONDS);
      }
    }
    return found.size();
  }

  private List<Long> guards() {
    return Children.processesWith("runlane-guard " + mark);
  }
}
