package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.StallWitness;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Makes instances of Vert.x whose event loops must not be blocked, and keeps what was. */
final class BlockedLoops {
  private static final long MOST_MILLIS = 1_000;

  /** A loop that waits for something does nothing from one check to the next, so many times in a row. */
  private static final int STILL_CHECKS = 5;

  private final StallWitness witness = StallWitness.ofProcess();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Map<Thread, Work> lastSeen = new ConcurrentHashMap<>(); // of loops in long turns
  private final List<String> blocked = new CopyOnWriteArrayList<>();

  Vertx watched() {
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setMaxEventLoopExecuteTime(MOST_MILLIS)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setBlockedThreadCheckInterval(100));
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(event -> {
      Work work = lastSeen.merge(
          event.thread(),
          new Work(event.duration(), cpuNanos(event.thread()), 0, 0),
          Work::followedBy);
      // where the witness had no time either, the machine had none for the loop
      if (work.isTooLong() && !witness.hasMissedTicks(Duration.ofNanos(event.duration()))) {
        blocked.add(event.toString());
      }
    });
    return vertx;
  }

  private long cpuNanos(Thread loop) {
    return threads.getThreadCpuTime(loop.getId());
  }

  /**
   * What a loop does in a long turn. One that works and gets a tenth of a core from a busy machine is not blocked.
   *
   * @param turnNanos how long the turn had taken by the last check
   * @param cpuNanos what it had used by the last check
   * @param stillChecks how many checks in a row found that it had done nothing
   * @param workedNanos what it has used since it was seen first
   */
  private record Work(long turnNanos, long cpuNanos, int stillChecks, long workedNanos) {
    private static final long NOTHING_NANOS = Duration.ofMillis(1).toNanos();

    Work followedBy(Work next) {
      if (next.turnNanos < turnNanos) {
        return next; // another turn
      }
      long worked = next.cpuNanos - cpuNanos;
      int still = worked < NOTHING_NANOS ? stillChecks + 1 : 0;
      return new Work(next.turnNanos, next.cpuNanos, still, workedNanos + worked);
    }

    boolean isTooLong() {
      return stillChecks >= STILL_CHECKS
          || workedNanos >= Duration.ofMillis(MOST_MILLIS).toNanos();
    }
  }

  void assertNone() {
    assertThat(blocked).as("event loops that were blocked").isEmpty();
  }
}
