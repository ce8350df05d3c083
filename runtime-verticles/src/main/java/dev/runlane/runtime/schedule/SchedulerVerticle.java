package dev.runlane.runtime.schedule;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * While it is deployed, makes a run of each fire of the schedules of the runtime's tasks. Several instances
 * are harmless: each fire makes one run.
 */
public final class SchedulerVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public SchedulerVerticle(RoleRuntime runlane) {
    this(runlane, new SchedulerOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when there are schedules and the storage claims no occurrences.
   */
  public SchedulerVerticle(RoleRuntime runlane, SchedulerOptions options) {
    this(runlane.context(), new SchedulerOptions(options));
  }

  private SchedulerVerticle(RuntimeContext runtime, SchedulerOptions options) {
    super(runtime, "scheduler", new Scheduler(runtime, options), options);
  }
}
