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
import org.springframework.context.SmartLifecycle;

/** Starts when all beans are there and stops before any of them is gone. */
final class RunlaneLifecycle implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(RunlaneLifecycle.class);

  private final Vertx vertx;
  private final Runlane runlane;
  private final RunlaneProperties properties;
  private volatile @Nullable Future<DeployedRunlane>
      deployed; // null: not started, or it does no work
  private volatile boolean running;

  RunlaneLifecycle(Vertx vertx, Runlane runlane, RunlaneProperties properties) {
    this.vertx = vertx;
    this.runlane = runlane;
    this.properties = properties;
  }

  @Override
  public void start() {
    RunlaneDeployment deployment = new RunlaneDeployment();
    deployment.setWorker(deployment.getWorker().setConcurrency(properties.concurrency()));
    if (properties.work()) {
      Future<DeployedRunlane> begun = runlane.deploy(vertx, deployment);
      deployed = begun;
      await(begun, properties.startTimeout(), "start");
    } else {
      await(runlane.start(), properties.startTimeout(), "start");
    }
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    Future<DeployedRunlane> roles = deployed;
    Future<Void> undeployed =
        roles == null ? Future.succeededFuture() : roles.compose(DeployedRunlane::undeploy);
    try {
      await(undeployed.transform(ended -> runlane.close()), properties.stopTimeout(), "stop");
    } catch (RuntimeException failure) {
      LOG.warn(
          "the stop has not ended as it should; what was under way is worked on again", failure);
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  private static void await(Future<?> work, Duration patience, String what) {
    try {
      work.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new IllegalStateException("no " + what + " of Runlane within " + patience, late);
    }
  }
}
