package dev.runlane.runtime.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The deadline of a runtime's close. Whatever stops has a bound of its own, which may be longer, or waits for something
 * that does not answer any more: all of it gives up when this one is over. Safe for use by any thread.
 */
public final class CloseDeadline {
  private final Promise<Void> expired = Promise.promise();
  private final Set<Promise<Void>> waiting = ConcurrentHashMap.newKeySet();

  /** Completes when the close timeout of a runtime is over that is closed, or whose Vert.x is. Never fails. */
  public Future<Void> expired() {
    return expired.future();
  }

  /** The close timeout is over. */
  public void expire() {
    expired.tryComplete();
    waiting.forEach(Promise::tryComplete);
  }

  /** What {@code stopped} comes to, or, if that takes too long, success: it then ends unwatched. */
  public Future<Void> orExpired(Future<Void> stopped) {
    if (stopped.isComplete()) {
      return stopped;
    }
    Promise<Void> first = Promise.promise();
    waiting.add(first);
    stopped.onComplete(done -> {
      waiting.remove(first);
      if (done.succeeded()) {
        first.tryComplete();
      } else {
        first.tryFail(done.cause());
      }
    });
    if (expired.future().isComplete()) {
      first.tryComplete();
    }
    return first.future();
  }
}
