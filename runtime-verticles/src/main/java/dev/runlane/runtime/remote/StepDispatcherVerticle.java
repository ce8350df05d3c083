package dev.runlane.runtime.remote;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * While it is deployed, dispatches the remote steps of runs to workers of other processes, until each has a result or
 * has failed. Several instances are harmless: each step is looked after by one of them at a time.
 */
public final class StepDispatcherVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public StepDispatcherVerticle(RoleRuntime runlane) {
    this(runlane, new StepDispatcherOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when the runtime was built without a step transport.
   */
  public StepDispatcherVerticle(RoleRuntime runlane, StepDispatcherOptions options) {
    this(runlane.context(), new StepDispatcherOptions(options));
  }

  private StepDispatcherVerticle(RuntimeContext runtime, StepDispatcherOptions options) {
    super(runtime, "step dispatcher", new StepDispatcher(runtime, options), options);
  }
}
