package dev.runlane.conformance.kit;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * The Vert.x of one case with a context on each of its event loops. It notes what escapes into it, an
 * exception that nobody caught or an event loop that was blocked, and fails the case with that when it is
 * closed.
 */
public final class CaseVertx {
  private static final int EVENT_LOOPS = 4;

  private final VertxInternal vertx;
  private final BlockedLoops blocked;
  private final List<Context> contexts;
  private final Queue<Throwable> escaped = new ConcurrentLinkedQueue<>(); // any thread may add

  private CaseVertx(VertxInternal vertx, BlockedLoops blocked) {
    this.vertx = vertx;
    this.blocked = blocked;
    this.contexts = Stream.<Context>generate(vertx::createEventLoopContext)
        .limit(EVENT_LOOPS)
        .toList();
  }

  /** Opens one whose event loops are watched by these. */
  static CaseVertx open(BlockedLoops blocked) {
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS);
    CaseVertx opened = new CaseVertx((VertxInternal) blocked.watched(options), blocked);
    opened.vertx.exceptionHandler(opened::note);
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
    return Stream.concat(escaped.stream(), blocked.found().stream()).toList();
  }

  /** Closes Vert.x, and fails with all that has escaped into it until then. */
  void close() {
    Outcomes.done(vertx.close());
    List<Throwable> all = escaped();
    if (!all.isEmpty()) {
      AssertionError failure =
          new AssertionError("not caught by anybody: " + all.get(0), all.get(0));
      all.stream().skip(1).forEach(failure::addSuppressed);
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
}
