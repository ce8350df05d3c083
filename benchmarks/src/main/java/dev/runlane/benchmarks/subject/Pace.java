package dev.runlane.benchmarks.subject;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;

/** Triggers runs at a fixed rate, whatever becomes of the earlier ones. Lives on one context. */
final class Pace {
  private static final long TICK_MILLIS = 5;

  private final RunlaneHost host;
  private final int perSecond;
  private final int from;
  private final int end;
  private final long startedAt = System.nanoTime();
  private final List<Future<?>> triggered = new ArrayList<>();
  private final Promise<Void> done = Promise.promise();

  private Pace(RunlaneHost host, int perSecond, int from, int end) {
    this.host = host;
    this.perSecond = perSecond;
    this.from = from;
    this.end = end;
  }

  /** Completes when all are triggered; fails with the first failure. */
  static Future<Void> run(RunlaneHost host, int perSecond, int from, int end) {
    Pace pace = new Pace(host, perSecond, from, end);
    host.context().runOnContext(turn -> pace.tick());
    return pace.done.future();
  }

  private void tick() {
    long due = (System.nanoTime() - startedAt) * perSecond / 1_000_000_000L + 1;
    while (triggered.size() < due && triggered.size() < end - from) {
      Payload payload = Payload.of(from + triggered.size());
      triggered.add(host.runlane().trigger(host.task(), payload));
    }
    if (triggered.size() < end - from) {
      host.vertx().setTimer(TICK_MILLIS, fired -> tick());
    } else {
      Future.all(triggered).<Void>mapEmpty().onComplete(done);
    }
  }
}
