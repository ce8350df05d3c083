package dev.runlane.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.timing.ManualTime;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HandlerThreadsTest {
  private final ManualTime time = ManualTime.at(Instant.EPOCH);
  private final CountDownLatch never = new CountDownLatch(1);

  @Test
  void a_handler_that_waits_for_something_that_is_no_step_is_told_of_with_its_stack() {
    // A thread that has not begun by then has no stack.
    HandlerThreads threads = new HandlerThreads(time.timers(), Duration.ofSeconds(2));

    assertThatThrownBy(() -> threads.run(this::waitForEver))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no step")
        .hasMessageContaining("at ");
  }

  @Test
  void who_moves_the_time_is_told_of_a_handler_that_waits_for_something_that_is_no_step() {
    TestHost host =
        new TestHost(time.timers(), new HandlerThreads(time.timers(), Duration.ofMillis(50)));

    Future<Void> handled = host.blocking(this::waitForEver);

    assertThat(handled.isComplete()).isFalse();
    assertThatThrownBy(time::runDue)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no step");
  }

  @Test
  void a_test_that_is_interrupted_while_a_handler_waits_ends() {
    HandlerThreads threads = new HandlerThreads(time.timers());
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> threads.run(this::waitForEver))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("interrupted");

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void a_handler_that_ends_is_over_at_once() {
    Future<String> done = new HandlerThreads(time.timers()).run(() -> "done");

    assertThat(done.result()).isEqualTo("done");
  }

  private Void waitForEver() throws InterruptedException {
    never.await();
    return null;
  }
}
