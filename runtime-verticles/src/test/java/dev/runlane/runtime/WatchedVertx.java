package dev.runlane.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Vert.x whose closing fails the test when one of its event loops was blocked. */
final class WatchedVertx implements AutoCloseable {
  private static final int LONGEST_TURN_MILLIS =
      500; // loading classes for the first time takes a while

  private final Queue<String> blocked = new ConcurrentLinkedQueue<>();
  private final Vertx vertx = Vertx.vertx(new VertxOptions()
      .setBlockedThreadCheckInterval(20)
      .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
      .setMaxEventLoopExecuteTime(LONGEST_TURN_MILLIS)
      .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS));

  WatchedVertx() {
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(event -> {
      if (event.duration() > event.maxExecTime()) {
        blocked.add(event.thread().getName());
      }
    });
  }

  Vertx vertx() {
    return vertx;
  }

  /** The result of a future that is a matter of milliseconds on an idle machine; its failure is thrown. */
  static <T> T soon(Future<T> future) {
    try {
      return future.await(20, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("still open after 20 s: " + future, late);
    }
  }

  @Override
  public void close() {
    soon(vertx.close());
    assertThat(blocked).as("blocked event loops").isEmpty();
  }
}
