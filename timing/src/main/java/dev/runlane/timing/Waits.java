package dev.runlane.timing;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for something until all of them are told to give up. One whose work is done is kept no longer, and
 * neither is what it waited for. Any thread may call.
 */
public final class Waits {
  private final Set<Promise<?>> waiting =
      Collections.synchronizedSet(new LinkedHashSet<>()); // whose work is not done, as they began
  private volatile @Nullable Supplier<? extends Throwable> over; // null: not yet

  /** Where nobody waits yet. */
  public Waits() {
    // nothing to begin with
  }

  /** Ends as {@code work} does, or fails once all give up, at once where they have. */
  public <T> Future<T> until(Future<T> work) {
    Promise<T> first = Promise.promise();
    Set<Promise<?>> unended = waiting; // what the work holds is no more than that
    unended.add(first);
    work.onComplete(done -> {
      unended.remove(first);
      if (done.succeeded()) {
        first.tryComplete(done.result());
      } else {
        first.tryFail(done.cause());
      }
    });
    Supplier<? extends Throwable> why = over;
    if (why != null) {
      unended.remove(first);
      first.tryFail(why.get());
    }
    return first.future();
  }

  /**
   * All that wait fail, in the order in which they began to.
   *
   * @param why makes what each fails with
   * @param ofCallback is given what the callbacks of one throw, which keeps no other waiting
   */
  public void giveUp(Supplier<? extends Throwable> why, Consumer<Throwable> ofCallback) {
    List<Promise<?>> all;
    synchronized (waiting) {
      over = why;
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(wait -> {
      try {
        wait.tryFail(why.get());
      } catch (Throwable thrown) {
        ofCallback.accept(thrown);
      }
    });
  }
}
