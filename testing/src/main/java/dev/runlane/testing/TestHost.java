package dev.runlane.testing;

import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
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
    host = RuntimeHost.singleThread(timers);
    threads = new HandlerThreads(timers);
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

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    return threads.run(work);
  }
}
