package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One line for each attempt that failed: a retry at the level info, a failure for good at warn. It names the job, never
 * what is in it: of a handler's exception the class, whose message the job's own record has.
 */
final class AttemptLog {
  private AttemptLog() {}

  /** What a handler's end has come to; nothing where it is no failure. */
  static void ended(
      Logger log, JobData job, Outcomes.Decision decision, JobResult result, JobChange change) {
    if (change.cancelled()) {
      return;
    }
    if (change.state() == JobState.FAILED) {
      log.warn(
          "job {} ({}) of queue {} failed for good, attempt {} of {}: {}",
          job.id(),
          job.name(),
          job.queueName(),
          job.attemptsMade() + 1,
          job.options().effectiveAttempts(),
          reason(decision, result));
    } else if (decision.outcome() instanceof JobOutcome.Retry retry) {
      log.info(
          "job {} ({}) of queue {} failed, attempt {} of {}, and goes on at {}: {}",
          job.id(),
          job.name(),
          job.queueName(),
          job.attemptsMade() + 1,
          job.options().effectiveAttempts(),
          at(retry.at()),
          reason(decision, result));
    }
  }

  /** A job whose worker is gone. */
  static void lost(Logger log, JobData job, JobChange change) {
    if (change.state() == JobState.FAILED && !change.cancelled()) {
      log.warn(
          "job {} ({}) of queue {} failed for good: lost with its worker {} {} times, {} are allowed",
          job.id(),
          job.name(),
          job.queueName(),
          job.lockedBy(),
          job.stalls() + 1,
          job.options().effectiveMaxStalls());
    } else if (!change.cancelled()) {
      log.info(
          "job {} ({}) of queue {} was lost with its worker {}, loss {} of {} that are allowed, and goes on now",
          job.id(),
          job.name(),
          job.queueName(),
          job.lockedBy(),
          job.stalls() + 1,
          job.options().effectiveMaxStalls());
    }
  }

  private static String at(Instant time) {
    return time.toString();
  }

  private static String reason(Outcomes.Decision decision, JobResult result) {
    @Nullable
    Throwable error =
        result instanceof JobResult.Unrecoverable end ? end.cause() : decision.error();
    if (error instanceof RunlaneException known) {
      return known.code().value();
    }
    String code = ErrorCode.TASK_FAILED.value();
    return error == null
        ? code
        : code + " (" + Objects.requireNonNull(error).getClass().getName() + ")";
  }
}
