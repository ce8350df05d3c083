package dev.runlane.runtime.host;

import dev.runlane.options.OptionChecks;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/**
 * The context that owns a runtime's shared state: leases, attempts and waiters are accessed on it alone, so
 * that none of them needs a lock.
 */
public interface RuntimeHost {
  /** Threads for blocking handlers on a JVM without virtual threads = {@value}. */
  int DEFAULT_BLOCKING_THREADS = 64;

  /** A host on an event loop of {@code vertx}. Callers on a context get their answers on that context. */
  static RuntimeHost of(Vertx vertx) {
    return of(vertx, DEFAULT_BLOCKING_THREADS);
  }

  /**
   * The same with another number of threads for blocking handlers, which only JVMs before 21 use. Throws
   * {@code ConfigurationInvalid} below 1.
   */
  static RuntimeHost of(Vertx vertx, int blockingThreads) {
    return new VertxHost(vertx, OptionChecks.requireAtLeast(1, "blockingThreads", blockingThreads));
  }

  /**
   * A host in which everything happens at once on the thread that calls, for simulations and tests in
   * virtual time: one thread at a time may use the runtime, blocking handlers run on it too.
   */
  static RuntimeHost singleThread(Timers timers) {
    return new SingleThreadHost(timers);
  }

  /** The timers; an action runs on the context that scheduled it. */
  Timers timers();

  /** Opens what the host needs; completes when calls can be served. Starting twice is harmless. */
  Future<Void> start();

  /** Closes what {@link #start()} opened. Closing twice is harmless. */
  Future<Void> close();

  /** Runs {@code work} on the home context and answers on the caller's. What it throws fails the future. */
  <T> Future<T> call(Supplier<Future<T>> work);

  /** Runs {@code action} on the home context, at once when called there. */
  void execute(Runnable action);

  /** Runs {@code action} on the home context in a later turn, after what this turn has set off already. */
  void defer(Runnable action);

  /** The context of the caller, to run something there later; the home context where there is none. */
  Executor callerExecutor();

  /** Whether blocking work may wait for what happens on the home context; not where one thread does all. */
  boolean canWait();

  /**
   * How long the loops pause that look for nothing but what other processes do or say: {@code usual}, unless the host
   * knows that there are none.
   */
  default Duration pollPause(Duration usual) {
    return usual;
  }

  /** What is handed to the thread that calls this while it waits; that thread alone takes from it. */
  default BlockingQueue<Runnable> turnsWhileWaiting() {
    return new LinkedBlockingQueue<>();
  }

  /** Runs {@code work} where blocking is allowed and answers on the context that called. */
  <T> Future<T> blocking(Callable<T> work);
}
