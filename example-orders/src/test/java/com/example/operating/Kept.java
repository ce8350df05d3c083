package com.example.operating;

import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.maintenance.RetentionOptions;
import java.time.Duration;

/** A deployment that keeps ended runs for a month. */
final class Kept {
  private Kept() {}

  static RunlaneDeployment forAMonth() {
    RunlaneDeployment deployment = new RunlaneDeployment()
        .setRetention(new RetentionOptions().setOlderThan(Duration.ofDays(30)));
    return deployment;
  }
}
