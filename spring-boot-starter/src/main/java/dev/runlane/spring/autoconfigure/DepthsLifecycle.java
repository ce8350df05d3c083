package dev.runlane.spring.autoconfigure;

import dev.runlane.runtime.Runlane;
import dev.runlane.telemetry.metrics.RunlaneDepths;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Shows what waits, from when the runtime has started until it stops, where the storage keeps that for operators. */
final class DepthsLifecycle implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(DepthsLifecycle.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Runlane runlane;
  private final MeterRegistry registry;
  private volatile @Nullable RunlaneDepths shown; // null: not started, or there is nothing to show

  DepthsLifecycle(Vertx vertx, Runlane runlane, MeterRegistry registry) {
    this.vertx = vertx;
    this.runlane = runlane;
    this.registry = registry;
  }

  /** Started behind the runtime, stopped before it. */
  @Override
  public int getPhase() {
    return RunlaneLifecycle.PHASE + 1;
  }

  @Override
  public void start() {
    if (runlane.lane().storage().operator().isPresent()) {
      shown = RunlaneDepths.create(vertx, runlane, registry);
    }
  }

  @Override
  public void stop() {
    RunlaneDepths depths = shown;
    shown = null;
    if (depths == null) {
      return;
    }
    try {
      depths.close().await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      LOG.warn("what waits is still being read after {}; the runtime stops all the same", PATIENCE);
    }
  }

  @Override
  public boolean isRunning() {
    return shown != null;
  }
}
