package dev.runlane.conformance.kit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BlockedLoopsTest {
  private final BlockedLoops blocked = new BlockedLoops(Duration.ofSeconds(1));
  private final Vertx vertx = blocked.watched();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void a_loop_that_waits_is_blocked() throws Exception {
    turn(() -> untilFound(() -> LockSupport.parkNanos(Duration.ofSeconds(1).toNanos())));

    assertThatThrownBy(blocked::assertNone).isInstanceOf(AssertionError.class);
  }

  @Test
  void a_loop_that_works_for_seconds_is_blocked() throws Exception {
    turn(() -> untilFound(() -> work(Duration.ofMillis(500))));

    assertThatThrownBy(blocked::assertNone).isInstanceOf(AssertionError.class);
  }

  @Test
  void a_loop_that_works_for_less_is_not_however_long_it_takes_on_a_busy_machine()
      throws Exception {
    turn(() -> {
      for (int i = 0; i < 30; i++) {
        work(Duration.ofMillis(10));
        LockSupport.parkNanos(Duration.ofMillis(60).toNanos());
      }
    });

    assertThatCode(blocked::assertNone).doesNotThrowAnyException();
  }

  /** A machine that stands still meanwhile makes no checks, which are not made up for. */
  private void untilFound(Runnable some) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
    while (blocked.found().isEmpty() && System.nanoTime() < end) {
      some.run();
    }
  }

  private void turn(Runnable work) throws Exception {
    Promise<Void> ended = Promise.promise();
    vertx.runOnContext(turn -> {
      work.run();
      ended.complete();
    });
    ended.future().await(60, TimeUnit.SECONDS);
  }

  private static void work(Duration time) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + time.toNanos();
    while (threads.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }
}
