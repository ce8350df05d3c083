package dev.runlane.runtime.publish;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepVerticle;

/**
 * Publishes due outbox messages while it is deployed. Several instances, in one process or many, share the
 * messages; none is ever published by two of them at the same time.
 */
public final class OutboxPublisherVerticle extends SweepVerticle {
  /** A verticle for one deployment, with the default options. */
  public OutboxPublisherVerticle(RoleRuntime runlane) {
    this(runlane, new OutboxPublisherOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code ConfigurationInvalid} when they contradict one another and {@code CapabilityUnsupported}
   * when the storage persists no outbox.
   */
  public OutboxPublisherVerticle(RoleRuntime runlane, OutboxPublisherOptions options) {
    this(runlane.context(), new OutboxPublisherOptions(options));
  }

  private OutboxPublisherVerticle(RuntimeContext runtime, OutboxPublisherOptions options) {
    super(runtime, "outbox publisher", new OutboxPublisher(runtime, options), options);
  }
}
