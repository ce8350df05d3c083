package dev.runlane.runtime.report;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process's attempts write to the log: a line for each failure that was recorded, and counts of what an
 * outage does to all of them. Used on the home context only.
 */
public final class AttemptLog {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptLog.class);

  private final StackTraceLimiter traceLimiter;
  private final FailureLog heartbeats;
  private final FailureLog writes;
  private final FailureLog refusals;
  private final FailureLog reads;
  private final FailureLog lostLeases;

  public AttemptLog(Timers timers) {
    traceLimiter = new StackTraceLimiter(timers);
    heartbeats = new FailureLog(LOG, "the heartbeat of a lease", timers);
    writes = new FailureLog(LOG, "storing what happened to a run", timers);
    refusals = new FailureLog(LOG, "storing what the storage refuses of a run", timers);
    reads = new FailureLog(LOG, "reading a run that is worked on", timers);
    lostLeases = new FailureLog(LOG, "leases that were lost", timers);
  }

  public StackTraceLimiter traces() {
    return traceLimiter;
  }

  public FailureLog heartbeats() {
    return heartbeats;
  }

  public FailureLog writes() {
    return writes;
  }

  /** Of what is offered again though the storage has refused it; what others store ends none of it. */
  public FailureLog refusals() {
    return refusals;
  }

  public FailureLog reads() {
    return reads;
  }

  public FailureLog lostLeases() {
    return lostLeases;
  }

  /**
   * One line for a failure that was recorded: at WARN if the run is tried again, at ERROR if it is not.
   *
   * @param run as the outcome left it
   * @param cause what the handler threw, if it is known
   */
  public void ended(RunRecord run, RetryPolicy retry, @Nullable Throwable cause) {
    FailureRecord failure = run.failure();
    boolean retried = run.status() == RunStatus.RETRYING;
    if (failure == null || !(retried || run.status() == RunStatus.FAILED)) {
      return;
    }
    String line = String.format(
        Locale.ROOT,
        "run %s of task %s: attempt %d failed (%d of %d) with %s, %s: %s",
        run.id(),
        run.taskId(),
        run.counters().attempts(),
        run.counters().failures(),
        retry.maxAttempts(),
        failure.code().value(),
        retried ? "the next is due at " + run.runAt() : whyNotRetried(run, failure, retry),
        cause == null ? failure.message() : FailureLog.text(cause));
    Throwable trace = cause != null && traceLimiter.shouldLog(run.taskId(), cause)
        ? FailureLog.readable(cause)
        : null; // null: none is written
    if (retried) {
      LOG.warn(line, trace);
    } else {
      LOG.error(line, trace);
    }
  }

  private static String whyNotRetried(RunRecord run, FailureRecord failure, RetryPolicy retry) {
    return failure.retryable() && run.counters().failures() >= retry.maxAttempts()
        ? "which was the last"
        : "which is not retried";
  }
}
