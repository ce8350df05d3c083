package dev.runlane.runtime.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * The bound on a runtime's close. Whatever stops has a bound of its own, which may be longer, or waits for something
 * that does not answer any more: all of it gives up when this one is over. Safe for use by any thread.
 */
public final class Closing {
  private final Promise<Void> over = Promise.promise();

  /** Completes when the close timeout of a runtime is over that is closed, or whose Vert.x is. Never fails. */
  public Future<Void> over() {
    return over.future();
  }

  /** The close timeout is over. */
  public void end() {
    over.tryComplete();
  }

  /** What {@code stopped} comes to, or, if that takes too long, success: it then ends unwatched. */
  public Future<Void> orOver(Future<Void> stopped) {
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
    over.future().onComplete(late -> first.tryComplete());
    return first.future();
  }
}
