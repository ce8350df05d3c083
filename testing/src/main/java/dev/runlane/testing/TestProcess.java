package dev.runlane.testing;

import dev.runlane.runtime.HostedRoles;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** One life of a process: a runtime with all its roles, on its own line to what others share. */
final class TestProcess {
  private final Runlane runlane;
  private final StorageLine line;
  private final ProcessTimers timers;
  private @Nullable HostedRoles roles;

  /**
   * A process that has not started.
   *
   * @param line to the storage and the step transport
   * @param timers of its roles
   */
  TestProcess(Runlane runlane, StorageLine line, ProcessTimers timers) {
    this.runlane = runlane;
    this.line = line;
    this.timers = timers;
  }

  Runlane runlane() {
    return runlane;
  }

  Timers timers() {
    return timers;
  }

  Future<Void> start(RunlaneDeployment deployment) {
    return runlane.start().compose(started -> runlane.host(deployment)).map(hosted -> {
      roles = hosted;
      return null;
    });
  }

  /** Workers give back what they work on, as in a rolling restart. */
  Future<Void> stop() {
    Future<Void> stopped = roles == null ? Future.succeededFuture() : roles.stop();
    return stopped.transform(done -> runlane.close());
  }

  /** From now on nothing of it has any effect. */
  void kill() {
    line.cut();
    timers.die();
  }
}
