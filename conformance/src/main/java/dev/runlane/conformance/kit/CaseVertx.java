package dev.runlane.conformance.kit;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The Vert.x of one case with a context on each of its event loops. It notes what escapes into it, an
 * exception that nobody caught or an event loop that was blocked, and fails the case with that when it is
 * closed.
 */
public final class CaseVertx {
  /**
   * How long an event loop may be busy = 2 s: far above any turn, bearable on a busy machine. Time that the machine had
   * for nobody does not count, see {@link LongTurns}.
   */
  static final Duration BLOCKED_AFTER = Duration.ofSeconds(2);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int EVENT_LOOPS = 4;
  private static final int CHECKS = 4;

  private final VertxInternal vertx;
  private final List<Context> contexts;
  private final Queue<Throwable> escaped = new ConcurrentLinkedQueue<>(); // any thread may add
  private final LongTurns longTurns;

  private CaseVertx(VertxInternal vertx, Duration betweenChecks) {
    this.vertx = vertx;
    this.longTurns = new LongTurns(CHECKS, betweenChecks);
    this.contexts = Stream.<Context>generate(vertx::createEventLoopContext)
        .limit(EVENT_LOOPS)
        .toList();
  }

  /** Opens one that counts an event loop as blocked after {@code blockedAfter}. */
  static CaseVertx open(Duration blockedAfter) {
    Duration betweenChecks = blockedAfter.dividedBy(CHECKS);
    VertxOptions options = new VertxOptions()
        .setEventLoopPoolSize(EVENT_LOOPS)
        .setMaxEventLoopExecuteTime(betweenChecks.toNanos())
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.NANOSECONDS)
        .setBlockedThreadCheckInterval(betweenChecks.toNanos())
        .setBlockedThreadCheckIntervalUnit(TimeUnit.NANOSECONDS);
    CaseVertx opened = new CaseVertx((VertxInternal) Vertx.vertx(options), betweenChecks);
    opened.vertx.exceptionHandler(opened::note);
    opened.vertx.blockedThreadChecker().setThreadBlockedHandler(opened::noteBlocked);
    return opened;
  }

  Vertx vertx() {
    return vertx;
  }

  /** Contexts on event loops that differ, always the same ones. */
  public List<Context> contexts() {
    return contexts;
  }

  /** What has escaped so far. */
  List<Throwable> escaped() {
    return List.copyOf(escaped);
  }

  /** Closes Vert.x, and fails with all that has escaped into it until then. */
  void close() {
    Outcomes.done(vertx.close());
    Throwable first = escaped.poll();
    if (first != null) {
      AssertionError failure = new AssertionError("not caught by anybody: " + first, first);
      escaped.forEach(failure::addSuppressed);
      throw failure;
    }
  }

  private void note(Throwable failure) {
    if (!isOfThePool(failure)) {
      escaped.add(failure);
    }
  }

  /**
   * A wait for a connection whose time ends as it is served: the pool of Vert.x up to 5.1.1 then completes it twice,
   * and the wait has its connection (<a href="https://github.com/eclipse-vertx/vert.x/issues/6169">vert.x 6169</a>).
   */
  private static boolean isOfThePool(Throwable failure) {
    return failure instanceof IllegalStateException
        && Arrays.stream(failure.getStackTrace()).anyMatch(frame -> frame
            .getClassName()
            .equals("io.vertx.core.internal.pool.SimpleConnectionPool$Cancel"));
  }

  private void noteBlocked(BlockedThreadEvent event) {
    long worked = THREADS.getThreadCpuTime(event.thread().getId());
    if (!longTurns.isBlocked(event.thread(), System.nanoTime() - event.duration(), worked)) {
      return;
    }
    AssertionError blocked = new AssertionError("%s was blocked for %s ms"
        .formatted(event.thread().getName(), TimeUnit.NANOSECONDS.toMillis(event.duration())));
    blocked.setStackTrace(event.thread().getStackTrace());
    escaped.add(blocked);
  }
}
