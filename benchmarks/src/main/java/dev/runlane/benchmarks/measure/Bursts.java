package dev.runlane.benchmarks.measure;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.IntFunction;

/** Calls something many times, with a fixed number of calls under way. Lives on one context. */
public final class Bursts {
  private final IntFunction<Future<?>> call;
  private final int end;
  private final Promise<Void> done = Promise.promise();
  private int next;
  private int underWay;

  private Bursts(IntFunction<Future<?>> call, int from, int end) {
    this.call = call;
    this.end = end;
    next = from;
  }

  /** Completes when {@code call} has succeeded for each number; fails with the first failure. */
  public static Future<Void> run(
      Context context, int concurrency, int from, int end, IntFunction<Future<?>> call) {
    Bursts bursts = new Bursts(call, from, end);
    context.runOnContext(turn -> {
      for (int i = 0; i < concurrency && bursts.next < end; i++) {
        bursts.one();
      }
      if (from >= end) {
        bursts.done.complete();
      }
    });
    return bursts.done.future();
  }

  private void one() {
    underWay++;
    call.apply(next++).onComplete(result -> {
      underWay--;
      if (result.failed()) {
        done.tryFail(result.cause());
      } else if (next < end) {
        one();
      } else if (underWay == 0) {
        done.tryComplete();
      }
    });
  }
}
