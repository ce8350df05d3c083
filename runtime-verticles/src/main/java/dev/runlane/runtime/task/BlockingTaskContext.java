package dev.runlane.runtime.task;

import dev.runlane.runtime.host.AttemptUnwound;
import io.vertx.core.Future;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What a blocking handler may call besides what every handler may. Its methods block the calling thread, which
 * must not be an event loop. A blocking handler asks for its steps from this one thread, so that their order is
 * the same every time. When the attempt ends meanwhile they throw {@link AttemptUnwound}, which a handler
 * must not catch.
 */
public interface BlockingTaskContext extends TaskContext {
  /**
   * What {@code work} answers; throws what it fails with, a checked failure as cause of a {@code
   * CompletionException}. Waiting for a {@link #sleep} this way gives the thread up after a short while: the
   * handler is called again, from the top, when it is over.
   */
  <T> T await(Future<T> work);

  /**
   * A step whose work blocks: does it on this thread and answers its result once that is recorded, or at once
   * with the result that was recorded before. Throws what {@link TaskContext#step(Step,
   * java.util.function.Supplier)} fails with.
   */
  <T> T callStep(Step<T> step, Callable<T> work);

  /**
   * Waits for a {@link TaskContext#remote(RemoteStep, Object)} step. The thread is given up after a short while:
   * the handler is called again, from the top, when the result is there.
   */
  <T> T callRemote(RemoteStep<T> step, @Nullable Object input);
}
