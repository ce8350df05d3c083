package dev.runlane.jobs.queue.job;

import io.vertx.core.Future;

/** Signals a handler to give up. Nothing is killed: a handler that does not look at it runs to its end. */
public interface JobSignal {
  /**
   * Completes with the first reason to give up, on the handler's own context. Never fails; stays open when
   * the handler ends by itself.
   */
  Future<JobSignalReason> fired();

  /** Whether {@link #fired()} has completed. Any thread may ask, a blocking handler's for example. */
  boolean isFired();

  /**
   * What {@code work} answers, or, if the signal fires first, a failure that means "gave up". The work itself
   * is not stopped.
   */
  <T> Future<T> untilFired(Future<T> work);
}
