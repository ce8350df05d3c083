package dev.runlane.runtime.process;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The deadline of a runtime's close. Whatever stops has a bound of its own, which may be longer, or waits for something
 * that does not answer any more: all of it gives up when this one is over. Safe for use by any thread.
 */
public final class CloseDeadline {
  private final Promise<Void> expired = Promise.promise();
  private final Set<Promise<Void>> waiting = ConcurrentHashMap.newKeySet();
  private final Set<Promise<Void>> giveUps = // in the order in which they came
      Collections.synchronizedSet(new LinkedHashSet<>());

  /** Completes when the close timeout of a runtime is over that is closed, or whose Vert.x is. Never fails. */
  public Future<Void> expired() {
    return expired.future();
  }

  /** The close timeout is over. */
  public void expire() {
    expired.tryComplete();
    List<Promise<Void>> inOrder;
    synchronized (giveUps) {
      inOrder = List.copyOf(giveUps);
    }
    inOrder.forEach(Promise::tryComplete);
    waiting.forEach(Promise::tryComplete);
  }

  /**
   * Runs {@code giveUp} once it is over, at once where it is, unless {@code ended} is complete by then. What has ended
   * is not kept: workers come and go for as long as a runtime lives.
   */
  public void onExpired(Future<?> ended, Runnable giveUp) {
    if (ended.isComplete()) {
      return;
    }
    Promise<Void> over = Promise.promise();
    over.future().onSuccess(late -> giveUp.run());
    giveUps.add(over);
    ended.onComplete(done -> giveUps.remove(over));
    if (expired.future().isComplete()) {
      over.tryComplete();
    }
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
