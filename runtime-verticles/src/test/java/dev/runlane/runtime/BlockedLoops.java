package dev.runlane.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.StallWitness;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Makes instances of Vert.x whose event loops must not be blocked, and keeps what was. */
public final class BlockedLoops {
  /** Far above what any turn takes, far below what a person would call blocked. */
  private static final long MOST_MILLIS = 1_000;

  private final StallWitness witness = StallWitness.ofProcess();
  private final List<String> blocked = new CopyOnWriteArrayList<>();

  public Vertx watched() {
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setMaxEventLoopExecuteTime(MOST_MILLIS)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setBlockedThreadCheckInterval(100));
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(this::keep);
    return vertx;
  }

  public void assertNone() {
    assertThat(blocked).as("event loops that were blocked").isEmpty();
  }

  /** Where this thread had no time either, the machine had none for the loop. */
  private void keep(BlockedThreadEvent event) {
    if (witness.hasMissedTicks(Duration.ofNanos(event.duration()))) {
      return;
    }
    StringBuilder text = new StringBuilder(event.toString());
    for (StackTraceElement element : event.thread().getStackTrace()) {
      text.append("\n  ").append(element);
    }
    blocked.add(text.toString());
  }
}
