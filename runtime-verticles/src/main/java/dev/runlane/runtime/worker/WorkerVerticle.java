package dev.runlane.runtime.worker;

import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, claims due runs and calls their handlers on its own context. Each instance is a worker
 * of its own with its own slots; handlers of several instances run on several event loops. Undeploying it
 * stops the worker: see {@link WorkerHandle#stop()}.
 */
public final class WorkerVerticle extends VerticleBase {
  private final WorkerRuntime runlane;
  private final WorkerOptions options;
  private @Nullable WorkerHandle worker;

  /** A verticle for one deployment, with the default options. */
  public WorkerVerticle(WorkerRuntime runlane) {
    this(runlane, new WorkerOptions());
  }

  /**
   * A verticle for one deployment; the options are copied. Throws {@code ConfigurationInvalid} for a queue
   * the runtime does not have, {@code CapabilityUnsupported} when the storage leases no runs.
   */
  public WorkerVerticle(WorkerRuntime runlane, WorkerOptions options) {
    this.runlane = runlane;
    this.options = new WorkerOptions(options);
    runlane.context().registry().policiesOf(options.getQueues());
    Capabilities.require(
        runlane.context().storage().capabilities(), StorageCapability.LEASES_RUNS, "a worker");
  }

  @Override
  public Future<?> start() {
    return runlane.worker(options).onSuccess(started -> worker = started);
  }

  @Override
  public Future<?> stop() {
    return worker == null ? Future.succeededFuture() : worker.stop();
  }
}
