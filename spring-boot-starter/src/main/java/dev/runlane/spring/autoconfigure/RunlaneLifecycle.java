package dev.runlane.spring.autoconfigure;

import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.spring.RunlaneProperties;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts when all beans are there, before a web server takes requests, and stops after that has answered its last one.
 * What is stopped can be started again, as a test's context that is paused; the runtime is closed with the context.
 */
final class RunlaneLifecycle implements SmartLifecycle, DisposableBean {
  /** Below Spring Boot's web servers, whose last requests and stop are at 1024 and 2048 below the default. */
  static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

  private static final Logger LOG = LoggerFactory.getLogger(RunlaneLifecycle.class);
  private static final Duration BEYOND_DRAINING = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Runlane runlane;
  private final RunlaneProperties properties;
  private final RunlaneDeployment deployment;
  private volatile @Nullable Future<DeployedRunlane>
      deployed; // null: not started, or it does no work
  private volatile boolean running;

  RunlaneLifecycle(
      Vertx vertx, Runlane runlane, RunlaneProperties properties, RunlaneDeployment deployment) {
    this.vertx = vertx;
    this.runlane = runlane;
    this.properties = properties;
    this.deployment = deployment;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  @Override
  public void start() {
    if (properties.work()) {
      Future<DeployedRunlane> begun = runlane.deploy(vertx, deployment);
      deployed = begun;
      await(begun, properties.startTimeout(), "start");
    } else {
      await(runlane.start(), properties.startTimeout(), "start");
    }
    running = true;
  }

  /** Takes no run any more and waits for those under way; triggers go on until the context ends. */
  @Override
  public void stop() {
    running = false;
    Future<DeployedRunlane> roles = deployed;
    if (roles != null) {
      ended(
          roles.compose(DeployedRunlane::undeploy),
          properties.stopTimeout().plus(BEYOND_DRAINING),
          "stop");
    }
  }

  @Override
  public void destroy() {
    ended(runlane.close(), properties.stopTimeout().plus(BEYOND_DRAINING), "close");
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  private static void ended(Future<?> work, Duration patience, String what) {
    try {
      await(work, patience, what);
    } catch (RuntimeException failure) {
      LOG.warn(
          "the {} has not ended as it should; what was under way is worked on again",
          what,
          failure);
    }
  }

  private static void await(Future<?> work, Duration patience, String what) {
    try {
      work.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new IllegalStateException("no " + what + " of Runlane within " + patience, late);
    }
  }
}
