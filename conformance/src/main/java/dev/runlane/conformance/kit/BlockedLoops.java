package dev.runlane.conformance.kit;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Makes instances of Vert.x whose event loops must not be blocked, and keeps what was. Time that the machine had for
 * nobody does not count, see {@link LongTurns}. Safe for use by any thread.
 */
public final class BlockedLoops {
  /** How long an event loop may be busy = 2 s: far above any turn, bearable on a busy machine. */
  private static final Duration BLOCKED_AFTER = Duration.ofSeconds(2);

  private static final int CHECKS = 4;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Duration betweenChecks;
  private final Queue<AssertionError> found = new ConcurrentLinkedQueue<>(); // any thread may add

  /** Of loops that may be busy for two seconds. */
  public BlockedLoops() {
    this(BLOCKED_AFTER);
  }

  BlockedLoops(Duration blockedAfter) {
    betweenChecks = blockedAfter.dividedBy(CHECKS);
  }

  /** A Vert.x of its own, whose event loops are watched until it is closed. */
  public Vertx watched() {
    return watched(new VertxOptions());
  }

  /** The same with these options, in which it sets how loops are checked. */
  Vertx watched(VertxOptions options) {
    Vertx vertx = Vertx.vertx(options
        .setMaxEventLoopExecuteTime(betweenChecks.toNanos())
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.NANOSECONDS)
        .setBlockedThreadCheckInterval(betweenChecks.toNanos())
        .setBlockedThreadCheckIntervalUnit(TimeUnit.NANOSECONDS));
    LongTurns turns =
        new LongTurns(CHECKS, betweenChecks); // used by the thread that checks this one
    ((VertxInternal) vertx)
        .blockedThreadChecker()
        .setThreadBlockedHandler(event -> check(turns, event));
    return vertx;
  }

  /** An error for each check that found a loop blocked so far, with what the loop did then as its stack. */
  public List<AssertionError> found() {
    return List.copyOf(found);
  }

  /** Fails with the first that was blocked, and the others as suppressed. */
  public void assertNone() {
    AssertionError first = found.poll();
    if (first != null) {
      found.forEach(first::addSuppressed);
      throw first;
    }
  }

  private void check(LongTurns turns, BlockedThreadEvent event) {
    Thread loop = event.thread();
    long begunAt = System.nanoTime() - event.duration();
    if (turns.isBlocked(loop, begunAt, THREADS.getThreadCpuTime(loop.getId()))) {
      AssertionError blocked = new AssertionError("%s was blocked for %s ms"
          .formatted(loop.getName(), TimeUnit.NANOSECONDS.toMillis(event.duration())));
      blocked.setStackTrace(loop.getStackTrace());
      found.add(blocked);
    }
  }
}
