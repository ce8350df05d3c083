package dev.runlane.mutiny;

import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.timing.ContextTurns;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Between Runlane's futures and Mutiny's {@link Uni}. */
public final class RunlaneMutiny {
  private RunlaneMutiny() {}

  /**
   * A task whose handler answers with a {@link Uni}. It is called on an event loop and must not block it; null, a throw
   * and a failed {@code Uni} are failures of the attempt. The subscription is cancelled where {@linkplain
   * TaskContext#unwanted() nothing of it is wanted any more}: when the run is asked to cancel or the lease is lost, and
   * the attempt ends as one that gave up; when the attempt is given up to wait for steps or sleeps; and when an attempt
   * that has timed out, or a worker that stops, waits no longer. Until then it goes on, so that a step under way is
   * recorded.
   */
  public static <P> Task<P> task(TaskDescription<P> description, UniHandler<P> handler) {
    return description.handler(
        (payload, context) -> future(handler.handle(payload, context), context.unwanted()));
  }

  /** A task's work as a {@link Uni}. */
  @FunctionalInterface
  public interface UniHandler<P> {
    /** Makes one attempt. */
    Uni<TaskResult> handle(P payload, TaskContext context);
  }

  /**
   * A call as a {@link Uni}: it is made anew for each subscription, never before, as with {@code uni(() ->
   * runlane.trigger(charge, order))}. The item arrives where the future completes. Cancelling a subscription does not
   * undo the call.
   */
  public static <T extends @Nullable Object> Uni<T> uni(Supplier<Future<T>> call) {
    return Uni.createFrom()
        .emitter(emitter -> call.get().onComplete(emitter::complete, emitter::fail));
  }

  /**
   * Subscribes, and answers with the item; it completes on the Vert.x context of the caller, where there is one,
   * whatever thread the item comes from. For work inside of steps: {@code context.step("pay", Receipt.class, () ->
   * future(client.pay(order)))}.
   */
  public static <T extends @Nullable Object> Future<T> future(Uni<T> uni) {
    return future(uni, Promise.<Void>promise().future());
  }

  private static <T extends @Nullable Object> Future<T> future(Uni<T> uni, Future<Void> unwanted) {
    Objects.requireNonNull(uni, "the handler answered null instead of a Uni");
    Context context = Vertx.currentContext();
    Promise<T> promise = Promise.promise();
    Cancellable subscription = uni.subscribe().with(promise::tryComplete, promise::tryFail);
    unwanted.onSuccess(over -> {
      if (promise.tryFail(new CancellationException("the attempt wants no more of its handler"))) {
        subscription.cancel();
      }
    });
    return context == null ? promise.future() : onContext(context, promise.future());
  }

  private static <T extends @Nullable Object> Future<T> onContext(
      Context context, Future<T> future) {
    Promise<T> there = Promise.promise();
    future.onComplete(result -> {
      if (Vertx.currentContext() == context) {
        there.handle(result);
      } else {
        ContextTurns.always(context, () -> there.handle(result));
      }
    });
    return there.future();
  }
}
