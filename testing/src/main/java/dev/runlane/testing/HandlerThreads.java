package dev.runlane.testing;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Threads of blocking handlers, of which one at a time runs while the thread of the test waits: control is handed over
 * and comes back when the handler blocks or ends, so that the order of things is the same each time.
 */
final class HandlerThreads {
  private static final ThreadLocal<@Nullable Handler<?>> CURRENT = new ThreadLocal<>();

  /** What a handler does at a time, in real time; longer only when it waits for what never comes. */
  private static final Duration LONGEST_TURN = Duration.ofMinutes(5);

  private final Timers timers;
  private final Duration longestTurn;

  /** @param timers resume handlers that have something to do again */
  HandlerThreads(Timers timers) {
    this(timers, LONGEST_TURN);
  }

  /** @param longestTurn how long a handler may take in real time before it blocks or ends */
  HandlerThreads(Timers timers, Duration longestTurn) {
    this.timers = timers;
    this.longestTurn = longestTurn;
  }

  /**
   * Does work that may block; complete when this returns, unless it does. Throws {@link IllegalStateException} when the
   * work waits in a way that nobody can end.
   */
  <T> Future<T> run(Callable<T> work) {
    Handler<T> handler = new Handler<>(work, longestTurn);
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
    private final Duration longestTurn;
    private final Thread thread = new Thread(this::work, "handler");
    private final Promise<T> done = Promise.promise();
    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore gaveBack = new Semaphore(0);
    private boolean parked;
    private @Nullable Future<T> outcome;

    private Handler(Callable<T> work, Duration longestTurn) {
      this.work = work;
      this.longestTurn = longestTurn;
    }

    private void start() {
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
      try {
        if (!gaveBack.tryAcquire(longestTurn.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IllegalStateException(
              "a blocking handler waits for something that is no step; use context.await for what this test"
                  + " completes. After " + longestTurn + " it is\n" + stack());
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(
            "interrupted while a blocking handler is\n" + stack(), interrupted);
      }
      Future<T> ended = outcome;
      if (ended != null) {
        ended.onComplete(done::handle);
      }
    }

    private String stack() {
      return Stream.of(thread.getStackTrace())
          .map(frame -> "  at " + frame)
          .collect(Collectors.joining("\n"));
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
