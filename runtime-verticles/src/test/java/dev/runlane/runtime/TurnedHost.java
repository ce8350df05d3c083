package dev.runlane.runtime;

import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A host in one thread whose contexts have turns of their own, as those of Vert.x have: what is sent to the home
 * context from elsewhere, and to the context of the handlers, waits until the test lets it have its turn. Timers fire
 * at home.
 */
public final class TurnedHost implements RuntimeHost {
  private final Timers timers;
  private final Queue<Runnable> home = new ArrayDeque<>();
  private final Queue<Runnable> handlers = new ArrayDeque<>();
  private final Executor caller = handlers::add;
  private boolean isHome;

  public TurnedHost(Timers timers) {
    this.timers = timers;
  }

  /** Whether what happens now happens on the home context. */
  boolean isHome() {
    return isHome;
  }

  /** The home context does what waits for it, in so many turns. */
  public int takeTurns() {
    return takeAll(home, true);
  }

  /** The context of the handlers does what waits for it, in so many turns. */
  public int callHandlers() {
    return takeAll(handlers, false);
  }

  private int takeAll(Queue<Runnable> turns, boolean atHome) {
    int taken = 0;
    for (Runnable turn = turns.poll(); turn != null; turn = turns.poll()) {
      run(turn, atHome);
      taken++;
    }
    return taken;
  }

  private void run(Runnable action, boolean atHome) {
    boolean before = isHome;
    isHome = atHome;
    try {
      action.run();
    } finally {
      isHome = before;
    }
  }

  @Override
  public Timers timers() {
    return new Timers() {
      @Override
      public Timer schedule(Duration delay, Runnable action) {
        return timers.schedule(delay, () -> run(action, true));
      }

      @Override
      public Duration elapsed() {
        return timers.elapsed();
      }
    };
  }

  @Override
  public Future<Void> start() {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }

  @Override
  public <T> Future<T> call(Supplier<Future<T>> work) {
    Promise<T> answer = Promise.promise();
    execute(() -> Future.<Void>succeededFuture().compose(begin -> work.get()).onComplete(answer));
    return answer.future();
  }

  @Override
  public void execute(Runnable action) {
    if (isHome) {
      action.run();
    } else {
      home.add(action);
    }
  }

  @Override
  public void defer(Runnable action) {
    timers().schedule(Duration.ZERO, action);
  }

  @Override
  public Executor callerExecutor() {
    return caller;
  }

  @Override
  public boolean canWait() {
    return false;
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception failure) {
      return Future.failedFuture(failure);
    }
  }
}
