package dev.runlane.testing;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Threads of blocking handlers, of which one at a time runs while the thread of the test waits: control is handed over
 * and comes back when the handler blocks or ends, so that the order of things is the same each time.
 */
final class HandlerThreads {
  private static final ThreadLocal<@Nullable Handler<?>> CURRENT = new ThreadLocal<>();

  private final Timers timers;

  /** @param timers resume handlers that have something to do again */
  HandlerThreads(Timers timers) {
    this.timers = timers;
  }

  /** Does work that may block; complete when this returns, unless it does. */
  <T> Future<T> run(Callable<T> work) {
    Handler<T> handler = new Handler<>(work);
    handler.start();
    return handler.done.future();
  }

  /** What is handed to the handler that calls this, while it blocks. */
  BlockingQueue<Runnable> turns() {
    Handler<?> handler = CURRENT.get();
    if (handler == null) {
      throw new IllegalStateException("only the thread of a blocking handler may block");
    }
    return new Turns(handler);
  }

  /** One handler and its thread. */
  private static final class Handler<T> {
    private final Callable<T> work;
    private final Promise<T> done = Promise.promise();
    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore gaveBack = new Semaphore(0);
    private boolean parked;
    private @Nullable Future<T> outcome;

    private Handler(Callable<T> work) {
      this.work = work;
    }

    private void start() {
      Thread thread = new Thread(this::work, "handler");
      thread.setDaemon(true); // one that is never resumed keeps nobody
      thread.start();
      await();
    }

    private void work() {
      CURRENT.set(this);
      try {
        outcome = Future.succeededFuture(work.call());
      } catch (Throwable failure) { // whatever it is, the attempt hears of it
        outcome = Future.failedFuture(failure);
      }
      gaveBack.release();
    }

    /** Waits until the handler blocks or has ended, and tells of the end. */
    private void await() {
      gaveBack.acquireUninterruptibly();
      Future<T> ended = outcome;
      if (ended != null) {
        ended.onComplete(done::handle);
      }
    }

    /** On the handler's own thread. */
    private void park() {
      parked = true;
      gaveBack.release();
      mayRun.acquireUninterruptibly();
    }

    private void resume() {
      parked = false;
      mayRun.release();
      await();
    }
  }

  /** Resumes its handler in a later turn whenever something comes. */
  private final class Turns extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    private final transient Handler<?> handler;

    private Turns(Handler<?> handler) {
      this.handler = handler;
    }

    @Override
    public boolean add(Runnable turn) {
      boolean added = super.add(turn);
      if (handler.parked) {
        timers.schedule(Duration.ZERO, this::resume);
      }
      return added;
    }

    private void resume() {
      if (handler.parked && !isEmpty()) {
        handler.resume();
      }
    }

    @Override
    public Runnable take() {
      Runnable next = poll();
      while (next == null) {
        handler.park();
        next = poll();
      }
      return next;
    }
  }
}
