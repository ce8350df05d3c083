package dev.runlane.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.runtime.LogLevels;
import dev.runlane.testinfra.process.CapturedErrors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LocalNotificationsTest {
  private final LocalNotifications notifications = new LocalNotifications();
  private final Deque<Runnable> turns = new ArrayDeque<>();
  private final List<String> heard = new ArrayList<>();

  @Test
  void a_burst_of_work_in_a_queue_is_one_turn_of_a_listener() {
    notifications.onWorkAvailable(turns::add, heard::add);

    for (int commit = 0; commit < 100; commit++) {
      notifications.workAvailable("one");
      notifications.workAvailable("other");
    }
    assertThat(turns).hasSize(2);
    turns.forEach(Runnable::run);

    assertThat(heard).containsExactlyInAnyOrder("one", "other");
  }

  @Test
  void work_that_comes_while_a_listener_looks_is_told_again() {
    notifications.onWorkAvailable(turns::add, queue -> {
      heard.add(queue);
      if (heard.size() == 1) {
        notifications.workAvailable(queue);
      }
    });

    notifications.workAvailable("one");
    while (!turns.isEmpty()) {
      turns.remove().run();
    }

    assertThat(heard).containsExactly("one", "one");
  }

  @Test
  void a_listener_that_was_removed_is_told_nothing_more() {
    LocalNotifications.Registration registration =
        notifications.onDispatchChanged(Runnable::run, heard::add);
    notifications.dispatchChanged("one");

    registration.close();
    notifications.dispatchChanged("two");

    assertThat(heard).containsExactly("one");
  }

  @Test
  void a_listener_that_fails_keeps_nothing_from_the_others_and_fails_nobody_who_tells() {
    notifications.onDispatchChanged(Runnable::run, queue -> {
      throw new NoClassDefFoundError("Missing");
    });
    notifications.onDispatchChanged(
        turn -> {
          throw new RejectedExecutionException("the pool is gone");
        },
        heard::add);
    notifications.onDispatchChanged(Runnable::run, heard::add);

    notifications.dispatchChanged("one");

    assertThat(heard).containsExactly("one");
  }

  @Test
  void a_listener_that_is_gone_is_no_line_of_the_log_for_each_commit() {
    notifications.onDispatchChanged(
        turn -> {
          throw new RejectedExecutionException("the pool is gone");
        },
        heard::add);

    List<String> log;
    LogLevels levels = LogLevels.warningsOf(List.of(LocalNotifications.class));
    try {
      log = CapturedErrors.during(() -> {
        for (int commit = 0; commit < 1_000; commit++) {
          notifications.dispatchChanged("queue-" + commit);
        }
      });
    } finally {
      levels.close();
    }

    assertThat(log).anyMatch(line -> line.contains("the pool is gone"));
    assertThat(log).filteredOn(line -> line.contains("commits failed")).hasSizeLessThan(100);
  }

  @Test
  void a_listener_that_could_not_be_told_once_is_told_the_next_time() {
    AtomicBoolean refuses = new AtomicBoolean(true);
    notifications.onWorkAvailable(
        turn -> {
          if (refuses.getAndSet(false)) {
            throw new RejectedExecutionException("the pool is full");
          }
          turn.run();
        },
        heard::add);

    notifications.workAvailable("one");
    notifications.workAvailable("one");

    assertThat(heard).containsExactly("one");
  }
}
