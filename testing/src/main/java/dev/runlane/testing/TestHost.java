package dev.runlane.testing;

import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The host in one thread, of a process that is alone: whoever pauses for others pauses long. Blocking handlers have
 * threads of their own, which run while that one waits.
 */
final class TestHost implements RuntimeHost {
  private static final Duration SELDOM = Duration.ofHours(1);

  private final RuntimeHost host;
  private final HandlerThreads threads;

  TestHost(Timers timers) {
    this(timers, new HandlerThreads(timers));
  }

  TestHost(Timers timers, HandlerThreads threads) {
    host = RuntimeHost.singleThread(timers);
    this.threads = threads;
  }

  @Override
  public Duration pollPause(Duration usual) {
    return SELDOM;
  }

  @Override
  public Timers timers() {
    return host.timers();
  }

  @Override
  public Future<Void> start() {
    return host.start();
  }

  @Override
  public Future<Void> close() {
    return host.close();
  }

  @Override
  public <T> Future<T> call(Supplier<Future<T>> work) {
    return host.call(work);
  }

  @Override
  public void execute(Runnable action) {
    host.execute(action);
  }

  @Override
  public void defer(Runnable action) {
    host.defer(action);
  }

  @Override
  public Executor callerExecutor() {
    return host.callerExecutor();
  }

  @Override
  public boolean canWait() {
    return true;
  }

  @Override
  public BlockingQueue<Runnable> turnsWhileWaiting() {
    return threads.turns();
  }

  /** A handler that cannot be waited for fails whoever moves the time: the runtime would log it and go on. */
  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    try {
      return threads.run(work);
    } catch (IllegalStateException fault) {
      timers().schedule(Duration.ZERO, () -> {
        throw fault;
      });
      return Promise.<T>promise().future();
    }
  }
}
