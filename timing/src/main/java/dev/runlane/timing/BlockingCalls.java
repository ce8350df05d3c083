package dev.runlane.timing;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Where handlers may block: virtual threads where the JVM has them, else a bounded pool. */
public interface BlockingCalls {
  /** The first Java release whose virtual threads are final. */
  int VIRTUAL_THREADS_SINCE = 21;

  /**
   * Threads of {@code vertx}.
   *
   * @param poolSize the most threads where they are not virtual; the first caller's counts for all
   */
  static BlockingCalls of(Vertx vertx, int poolSize) {
    return of(vertx, WorkerPool.NAME, poolSize);
  }

  /**
   * Threads of {@code vertx} for one purpose, which keeps those of others free.
   *
   * @param name of the pool where threads are not virtual; callers of one name share it
   * @param poolSize the most threads of that pool; the first caller's counts for all of the name
   */
  static BlockingCalls of(Vertx vertx, String name, int poolSize) {
    return Runtime.version().feature() >= VIRTUAL_THREADS_SINCE
        ? new VirtualThreads(vertx)
        : new WorkerPool(vertx, name, poolSize);
  }

  /** Calls that the caller's own thread does at once, for simulations and tests in virtual time. */
  static BlockingCalls onCallersThread() {
    return new CallersThread();
  }

  /**
   * Runs {@code work} on a thread that may block and answers on the context that called, as {@link ContextTurns#always}
   * does.
   */
  <T> Future<T> run(Callable<T> work);

  /** Takes no further work; what runs is left to end. */
  Future<Void> close();

  /** Does the work and has {@code result}, which is of no context, completed: one whose pool is gone tells nobody. */
  private static <T> Future<T> settle(Promise<T> result, Context caller, Callable<T> work) {
    Future<T> ended = end(work);
    ContextTurns.always(caller, () -> result.handle(ended));
    return ended;
  }

  private static <T> Future<T> end(Callable<T> work) {
    try {
      return Future.succeededFuture(work.call());
    } catch (Throwable failure) { // whatever it is, somebody waits for the result
      return Future.failedFuture(failure);
    }
  }

  /** A thread for each call. */
  final class VirtualThreads implements BlockingCalls {
    private final Vertx vertx;
    private final ExecutorService threads = threadPerTask();

    private VirtualThreads(Vertx vertx) {
      this.vertx = vertx;
    }

    @Override
    public <T> Future<T> run(Callable<T> work) {
      Context caller = vertx.getOrCreateContext();
      Promise<T> result = Promise.promise();
      threads.execute(() -> settle(result, caller, work));
      return result.future();
    }

    @Override
    public Future<Void> close() {
      threads.shutdown();
      return Future.succeededFuture();
    }

    /** {@code Executors.newVirtualThreadPerTaskExecutor()}, which release 17 cannot name. */
    private static ExecutorService threadPerTask() {
      try {
        return (ExecutorService)
            Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException missing) {
        throw new IllegalStateException(
            "Java " + Runtime.version().feature() + " must have virtual threads", missing);
      }
    }
  }

  /** No thread at all. */
  final class CallersThread implements BlockingCalls {
    private CallersThread() {}

    @Override
    public <T> Future<T> run(Callable<T> work) {
      try {
        return Future.succeededFuture(work.call());
      } catch (Exception | LinkageError | AssertionError | StackOverflowError failure) {
        return Future.failedFuture(failure);
      }
    }

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }
  }

  /** Vert.x worker threads; calls beyond their number wait. */
  final class WorkerPool implements BlockingCalls {
    private static final long UNWATCHED_DAYS = 365; // how long a handler takes is its own affair

    private static final String NAME = "runlane-blocking"; // one pool for all runtimes of a Vert.x

    private final VertxInternal vertx;
    private final WorkerExecutor pool;

    private WorkerPool(Vertx vertx, String name, int poolSize) {
      this.vertx = (VertxInternal) vertx;
      pool = ProcessWide.make(
          vertx,
          () -> vertx.createSharedWorkerExecutor(name, poolSize, UNWATCHED_DAYS, TimeUnit.DAYS));
    }

    @Override
    public <T> Future<T> run(Callable<T> work) {
      ContextInternal caller = vertx.getOrCreateContext();
      ContextInternal own =
          caller.duplicate(); // what is local to it, such as a span, is of this call alone
      Promise<T> result = Promise.promise();
      ContextInternal before = own.beginDispatch();
      try {
        pool.executeBlocking(() -> settle(result, caller, work), false);
      } finally {
        own.endDispatch(before);
      }
      return result.future();
    }

    @Override
    public Future<Void> close() {
      return pool.close();
    }
  }
}
