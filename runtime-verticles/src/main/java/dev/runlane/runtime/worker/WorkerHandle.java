package dev.runlane.runtime.worker;

import io.vertx.core.Future;

/** A worker that was started. */
public interface WorkerHandle {
  /** Who owns its leases. */
  String workerId();

  /**
   * Completes once every slot is empty and none will be filled again: after a stop, or, for a draining
   * worker, when nothing was due any more. Fails when a draining worker could not look for work. Always the
   * same future.
   */
  Future<Void> closed();

  /**
   * Claims nothing any more, asks the attempts under way to give up and waits for them, within the drain
   * timeout. One that gives up has its run released for others at once; one that does not keeps its lease
   * until that expires, and its outcome is not recorded. Calling it again changes nothing.
   *
   * @return {@link #closed()}
   */
  Future<Void> stop();
}
