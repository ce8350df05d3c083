package dev.runlane.runtime.maintenance;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * While it is deployed, requests delivery for runs that became due, and reserves slots of bounded queues.
 * Several instances are harmless: one of them wins each run.
 */
public final class DispatcherVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public DispatcherVerticle(RoleRuntime runlane) {
    this(runlane, new DispatcherOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when the storage persists no outbox.
   */
  public DispatcherVerticle(RoleRuntime runlane, DispatcherOptions options) {
    this(runlane.context(), new DispatcherOptions(options));
  }

  private DispatcherVerticle(RuntimeContext runtime, DispatcherOptions options) {
    super(runtime, "dispatcher", new Dispatcher(runtime, options), options);
  }
}
