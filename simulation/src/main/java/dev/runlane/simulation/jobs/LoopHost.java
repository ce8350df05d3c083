package dev.runlane.simulation.jobs;

import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The one context of a process: a later turn is a step of its life.
 *
 * @param life the process
 */
record LoopHost(VirtualTime time, Lifetime life, BlockingCalls blocking) implements JobsHost {
  LoopHost(VirtualTime time, Lifetime life) {
    this(time, life, BlockingCalls.onCallersThread());
  }

  @Override
  public Timers timers() {
    return new ProcessTimers(time, life);
  }

  @Override
  public void execute(Runnable action) {
    action.run();
  }

  @Override
  public void defer(Runnable action) {
    time.after(0, life, action);
  }

  @Override
  public Executor callerExecutor() {
    return Runnable::run;
  }

  @Override
  public <T> Future<T> call(Supplier<Future<T>> work) {
    return Future.<Void>succeededFuture().compose(start -> work.get());
  }
}
