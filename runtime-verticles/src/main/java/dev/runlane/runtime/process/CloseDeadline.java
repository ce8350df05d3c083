package dev.runlane.runtime.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * The deadline of a runtime's close. Whatever stops has a bound of its own, which may be longer, or waits for something
 * that does not answer any more: all of it gives up when this one is over. Safe for use by any thread.
 */
public final class CloseDeadline {
  private final Promise<Void> expired = Promise.promise();

  /** Completes when the close timeout of a runtime is over that is closed, or whose Vert.x is. Never fails. */
  public Future<Void> expired() {
    return expired.future();
  }

  /** The close timeout is over. */
  public void expire() {
    expired.tryComplete();
  }

  /** What {@code stopped} comes to, or, if that takes too long, success: it then ends unwatched. */
  public Future<Void> orExpired(Future<Void> stopped) {
    if (stopped.isComplete()) {
      return stopped;
    }
    Promise<Void> first = Promise.promise();
    stopped.onComplete(done -> {
      if (done.succeeded()) {
        first.tryComplete();
      } else {
        first.tryFail(done.cause());
      }
    });
    expired.future().onComplete(late -> first.tryComplete());
    return first.future();
  }
}
