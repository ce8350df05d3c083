package dev.runlane.runtime.maintenance;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * While it is deployed, removes terminal runs once they are old enough; none, unless the options say how old
 * that is. Several instances are harmless, but do the same work.
 */
public final class RetentionVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public RetentionVerticle(RoleRuntime runlane) {
    this(runlane, new RetentionOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when runs are to be removed and the storage prunes none.
   */
  public RetentionVerticle(RoleRuntime runlane, RetentionOptions options) {
    this(runlane.context(), new RetentionOptions(options));
  }

  private RetentionVerticle(RuntimeContext runtime, RetentionOptions options) {
    super(runtime, "retention", new Retention(runtime, options), options);
  }
}
