package dev.runlane.runtime.host;

/**
 * Takes a blocking handler off its thread when its attempt is over: because its run waits for a sleep, which
 * holds no thread, or because the lease was lost or the time is up. It is not a failure and nothing is recorded
 * for it; the handler is called again from the top. A handler must not catch it.
 */
public final class AttemptUnwound extends Error {
  private static final long serialVersionUID = 1L;

  /** Thrown by the runtime in the thread of a blocking handler. */
  public AttemptUnwound(String runId) {
    super(
        "the attempt of run " + runId + " is over, this thread is not needed any more",
        null,
        false,
        false);
  }
}
