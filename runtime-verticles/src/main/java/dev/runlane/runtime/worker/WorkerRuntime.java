package dev.runlane.runtime.worker;

import dev.runlane.runtime.process.RoleRuntime;
import io.vertx.core.Future;

/** A runtime that starts workers. */
public interface WorkerRuntime extends RoleRuntime {
  /** Starts a worker on the caller's context: see {@link dev.runlane.runtime.Runlane#worker(WorkerOptions)}. */
  Future<WorkerHandle> worker(WorkerOptions options);
}
