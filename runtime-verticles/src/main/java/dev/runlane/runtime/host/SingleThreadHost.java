package dev.runlane.runtime.host;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** No contexts at all: whoever calls does the work. */
record SingleThreadHost(Timers timers) implements RuntimeHost {
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
    return Future.<Void>succeededFuture().compose(start -> work.get());
  }

  @Override
  public void execute(Runnable action) {
    action.run();
  }

  @Override
  public void defer(Runnable action) {
    timers.schedule(Duration.ZERO, action);
  }

  @Override
  public Executor callerExecutor() {
    return Runnable::run;
  }

  @Override
  public boolean canWait() {
    return false;
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    try {
      return Future.succeededFuture(work.call());
    } catch (Throwable failure) {
      return Future.failedFuture(failure);
    }
  }
}
