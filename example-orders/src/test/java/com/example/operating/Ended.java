package com.example.operating;

import dev.runlane.jobs.queue.Jobs;
import dev.runlane.runtime.Runlane;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;

/** How a program with a {@code main} of its own ends. */
final class Ended {
  private Ended() {}

  static void whenAsked(HttpServer server, Jobs jobs, Runlane runlane, Vertx vertx) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server
          .close() // takes no request any more that would trigger or add
          .transform(closed -> jobs.close()) // its handlers may still trigger runs
          .transform(closed -> jobs.store().disconnect())
          .transform(closed -> runlane.close())
          .await();
      vertx
          .close()
          .await(); // last, since it closes every pool, and by itself: it ends its own loops
    }));
  }
}
