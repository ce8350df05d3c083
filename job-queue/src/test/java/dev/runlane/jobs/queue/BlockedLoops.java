package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.StallWitness;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Makes instances of Vert.x whose event loops must not be blocked, and keeps what was. */
final class BlockedLoops {
  private static final long MOST_MILLIS = 1_000;

  private final StallWitness witness = StallWitness.ofProcess();
  private final List<String> blocked = new CopyOnWriteArrayList<>();

  Vertx watched() {
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setMaxEventLoopExecuteTime(MOST_MILLIS)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setBlockedThreadCheckInterval(100));
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(event -> {
      // where the witness had no time either, the machine had none for the loop
      if (!witness.hasMissedTicks(Duration.ofNanos(event.duration()))) {
        blocked.add(event.toString());
      }
    });
    return vertx;
  }

  void assertNone() {
    assertThat(blocked).as("event loops that were blocked").isEmpty();
  }
}
