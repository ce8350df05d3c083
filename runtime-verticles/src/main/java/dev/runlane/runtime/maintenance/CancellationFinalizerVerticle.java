package dev.runlane.runtime.maintenance;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * While it is deployed, cancels runs whose owner was asked to stop and has not been heard of since. Several
 * instances are harmless: one of them wins each run.
 */
public final class CancellationFinalizerVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public CancellationFinalizerVerticle(RoleRuntime runlane) {
    this(runlane, new CancellationFinalizerOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when the storage leases no runs.
   */
  public CancellationFinalizerVerticle(RoleRuntime runlane, CancellationFinalizerOptions options) {
    this(runlane.context(), new CancellationFinalizerOptions(options));
  }

  private CancellationFinalizerVerticle(
      RuntimeContext runtime, CancellationFinalizerOptions options) {
    super(runtime, "cancellation finalizer", new CancellationFinalizer(runtime, options), options);
  }
}
