package dev.runlane.telemetry.health;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;

/** Has each event loop take a turn. */
final class EventLoops {
  private final VertxInternal vertx;

  EventLoops(Vertx vertx) {
    this.vertx = (VertxInternal) vertx;
  }

  /** Completes once each of them has; never where one is blocked for ever. */
  Future<Void> turn() {
    List<Future<Void>> turns = new ArrayList<>();
    for (EventExecutor loop : vertx.nettyEventLoopGroup()) {
      Promise<Void> turned = Promise.promise();
      loop.execute(turned::complete);
      turns.add(turned.future());
    }
    return Future.all(turns).mapEmpty();
  }
}
