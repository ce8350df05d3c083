package dev.runlane.rxjava3;

import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.timing.ContextTurns;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Between Runlane's futures and RxJava's {@link Single}, {@link Maybe} and {@link Completable}. */
public final class RunlaneRx {
  private RunlaneRx() {}

  /**
   * A task whose handler answers with a {@link Single}. It is called on an event loop and must not block it; null, a
   * throw and an error are failures of the attempt. The subscription is disposed of where {@linkplain
   * TaskContext#unwanted() nothing of it is wanted any more}: when the run is asked to cancel or the lease is lost, and
   * the attempt ends as one that gave up; when the attempt is given up to wait for steps or sleeps; and when an attempt
   * that has timed out, or a worker that stops, waits no longer. Until then it goes on, so that a step under way is
   * recorded.
   */
  public static <P> Task<P> task(TaskDescription<P> description, SingleHandler<P> handler) {
    return description.handler(
        (payload, context) -> future(handler.handle(payload, context), context.unwanted()));
  }

  /** A task's work as a {@link Single}. */
  @FunctionalInterface
  public interface SingleHandler<P> {
    /** Makes one attempt. */
    Single<TaskResult> handle(P payload, TaskContext context);
  }

  /**
   * A call as a {@link Single}: it is made anew for each subscription, never before. A future of null fails it, as
   * RxJava has no such item. Disposing of a subscription does not undo the call.
   */
  public static <T> Single<T> single(Supplier<Future<T>> call) {
    return Single.create(emitter -> call.get().onComplete(emitter::onSuccess, emitter::tryOnError));
  }

  /** A call that may find nothing, such as {@code runs().get(id)}. */
  public static <T> Maybe<T> maybe(Supplier<Future<Optional<T>>> call) {
    return single(call).mapOptional(found -> found);
  }

  /** A call that has no result but its end. */
  public static Completable completable(Supplier<? extends Future<?>> call) {
    return Completable.create(
        emitter -> call.get().onComplete(done -> emitter.onComplete(), emitter::tryOnError));
  }

  /**
   * Subscribes, and answers with the item; it completes on the Vert.x context of the caller, where there is one,
   * whatever thread the item comes from. For work inside of steps.
   */
  public static <T> Future<T> future(Single<T> single) {
    return future(single, Promise.<Void>promise().future());
  }

  private static <T> Future<T> future(Single<T> single, Future<Void> unwanted) {
    Objects.requireNonNull(single, "the handler answered null instead of a Single");
    Promise<T> promise = Promise.promise();
    Future<T> future = onCallersContext(promise);
    Disposable subscription = single.subscribe(promise::tryComplete, promise::tryFail);
    unwanted.onSuccess(over -> {
      if (promise.tryFail(new CancellationException("the attempt wants no more of its handler"))) {
        subscription.dispose();
      }
    });
    return future;
  }

  /** The same for work without a result. */
  public static Future<@Nullable Void> future(Completable completable) {
    Promise<@Nullable Void> promise = Promise.promise();
    Future<@Nullable Void> future = onCallersContext(promise);
    var unused = completable.subscribe(promise::tryComplete, promise::tryFail);
    return future;
  }

  private static <T extends @Nullable Object> Future<T> onCallersContext(Promise<T> promise) {
    Context context = Vertx.currentContext();
    if (context == null) {
      return promise.future();
    }
    Promise<T> there = Promise.promise();
    promise.future().onComplete(result -> {
      if (Vertx.currentContext() == context) {
        there.handle(result);
      } else {
        ContextTurns.always(context, () -> there.handle(result));
      }
    });
    return there.future();
  }
}
