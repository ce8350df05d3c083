package dev.runlane.steps.sql;

import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that must be done once before all else. Whoever comes first has it done, whoever comes meanwhile
 * waits for it; a failure is not remembered, the next one tries again, and so it does where no answer comes.
 */
final class Readiness {
  private final Vertx vertx;
  private final Context context;
  private final Timers timers;
  private final Duration bound;
  private final Supplier<Future<Void>> work;
  private volatile boolean ready;
  private @Nullable Future<Void> underWay; // touched on the context only

  /** @param bound how long the work is waited for before it is begun once more */
  Readiness(
      Vertx vertx, Context context, Timers timers, Duration bound, Supplier<Future<Void>> work) {
    this.vertx = vertx;
    this.context = context;
    this.timers = timers;
    this.bound = bound;
    this.work = work;
  }

  /** Completes on the caller's context once the work is done. */
  Future<Void> reached() {
    if (ready) {
      return Future.succeededFuture();
    }
    Context caller = vertx.getOrCreateContext();
    Promise<Void> promise = Promise.promise();
    context.runOnContext(
        turn -> begin().onComplete(done -> caller.runOnContext(back -> promise.handle(done))));
    return promise.future();
  }

  private Future<Void> begin() {
    if (ready) {
      return Future.succeededFuture();
    }
    Future<Void> present = underWay;
    if (present == null) {
      Future<Void> done = Future.<Void>succeededFuture()
          .compose(start -> work.get())
          .onSuccess(there -> ready = true);
      present = timers.within(bound, done, TimeoutException::new).andThen(ended -> underWay = null);
      if (!present.isComplete()) {
        underWay = present;
      }
    }
    return present;
  }
}
