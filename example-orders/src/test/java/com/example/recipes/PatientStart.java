package com.example.recipes;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** Starts a runtime as soon as its database is there. */
public final class PatientStart {
  private PatientStart() {}

  static Future<DeployedRunlane> deploy(Vertx vertx, Runlane runlane) {
    return runlane
        .deploy(vertx, new RunlaneDeployment())
        .recover(failure -> failure instanceof RunlaneException known && known.isRetryable()
            ? vertx.timer(1, TimeUnit.SECONDS).compose(waited -> deploy(vertx, runlane))
            : Future.failedFuture(failure));
  }
}
