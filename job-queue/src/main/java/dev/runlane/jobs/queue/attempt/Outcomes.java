package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.jobs.queue.observe.JobAttemptOutcome;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the end of a handler means for its job. */
final class Outcomes {
  /**
   * How an attempt ends.
   *
   * @param outcome what is to be stored
   * @param error what it failed with; null where it did not, or where the handler said why in words
   */
  record Decision(JobOutcome outcome, @Nullable Throwable error) {
    /** The code of what it failed with, or null where it did not. */
    @Nullable
    ErrorCode code() {
      if (!(outcome instanceof JobOutcome.Failed || outcome instanceof JobOutcome.Retry)) {
        return null;
      }
      return error instanceof RunlaneException known ? known.code() : ErrorCode.TASK_FAILED;
    }
  }

  private final CallContext context;

  Outcomes(CallContext context) {
    this.context = context;
  }

  /**
   * How the attempt ends.
   *
   * @param reason what this job's handler was notified of, if anything
   * @param signal the signal that the call was given
   */
  Decision of(
      JobData job,
      JobResult result,
      Optional<JobSignalReason> reason,
      FiredSignal signal,
      Optional<Duration> timeout,
      Instant now) {
    if (reason.equals(Optional.of(JobSignalReason.CANCELLED))) {
      return new Decision(new JobOutcome.Cancelled(), null);
    }
    if (reason.equals(Optional.of(JobSignalReason.TIMEOUT))) {
      return failure(
          job,
          RunlaneException.of(
              ErrorCode.TASK_FAILED,
              "Job timed out after %dms",
              timeout.map(Duration::toMillis).orElse(0L)),
          now);
    }
    if (result instanceof JobResult.Done done) {
      return completed(job, done);
    }
    if (result instanceof JobResult.Unrecoverable end) {
      return new Decision(
          new JobOutcome.Failed(end.reason(), end.cause() == null ? null : stack(end.cause())),
          null);
    }
    if (result instanceof JobResult.Snoozed snoozed) {
      return new Decision(new JobOutcome.Snooze(now.plus(snoozed.duration())), null);
    }
    // Who gives up because of the worker, or of another job of the batch, uses no attempt.
    return signal.isFired()
        ? new Decision(new JobOutcome.Snooze(now), null)
        : failure(job, ((JobResult.Failed) result).error(), now);
  }

  /** Publishes the events of the job's end. */
  void publish(JobData job, Decision decision, FinishedJob change, Instant now) {
    Json returned =
        decision.outcome() instanceof JobOutcome.Completed done ? done.returnvalue() : null;
    context.jobs().changed(ChangeEvents.of(change, returned, now));
    JobEvent.Type type =
        switch (came(change.job())) {
          case COMPLETED -> JobEvent.Type.COMPLETED;
          case FAILED -> JobEvent.Type.FAILED;
          case CANCELLED -> JobEvent.Type.CANCELLED;
          case DELAYED -> JobEvent.Type.DELAYED;
          case WAITING, LOST -> JobEvent.Type.WAITING;
        };
    if (context.events().hasListeners(type)) {
      JobEvent event = JobEvent.about(type, new Job(context.jobs(), job)).withResult(returned);
      context
          .events()
          .emit(type == JobEvent.Type.FAILED ? event.withError(error(decision, change)) : event);
    }
  }

  /** What the attempt came to, by what was stored. */
  static JobAttemptOutcome came(JobChange change) {
    return switch (change.state()) {
      case COMPLETED -> JobAttemptOutcome.COMPLETED;
      case FAILED -> change.cancelled() ? JobAttemptOutcome.CANCELLED : JobAttemptOutcome.FAILED;
      case DELAYED -> JobAttemptOutcome.DELAYED;
      case WAITING, WAITING_CHILDREN, ACTIVE -> JobAttemptOutcome.WAITING;
    };
  }

  private Decision completed(JobData job, JobResult.Done done) {
    if (done.value() == null) {
      return new Decision(new JobOutcome.Completed(null), null);
    }
    try {
      Json value =
          context.jobs().payloads().encode("the return value of job " + job.id(), done.value());
      return new Decision(new JobOutcome.Completed(value), null);
    } catch (RunlaneException unstorable) {
      return new Decision(
          new JobOutcome.Failed(message(unstorable), stack(unstorable)), unstorable);
    }
  }

  private Decision failure(JobData job, Throwable error, Instant now) {
    return new Decision(afterFailure(job, error, now), error);
  }

  private JobOutcome afterFailure(JobData job, Throwable error, Instant now) {
    int failures = job.attemptsMade() + 1;
    if (failures >= job.options().effectiveAttempts()) {
      return new JobOutcome.Failed(message(error), stack(error));
    }
    JobBackoff backoff = job.options().backoff();
    if (backoff == null) {
      return new JobOutcome.Retry(now, message(error), stack(error));
    }
    try {
      Duration wait = context.backoffs().delay(backoff, failures);
      return new JobOutcome.Retry(now.plus(wait), message(error), stack(error));
    } catch (RuntimeException strategyFailed) {
      context.events().emit(JobEvent.error(job.queueName(), strategyFailed));
      return new JobOutcome.Failed(
          message(error) + "; not tried again, because " + message(strategyFailed), stack(error));
    }
  }

  private static Throwable error(Decision decision, FinishedJob change) {
    return decision.error() != null
        ? decision.error()
        : RunlaneException.of(
            ErrorCode.TASK_FAILED,
            "%s",
            Objects.requireNonNullElse(change.job().failedReason(), "failed"));
  }

  private static String message(Throwable error) {
    @Nullable String message = error.getMessage();
    return message == null || message.isBlank() ? error.getClass().getSimpleName() : message;
  }

  private static String stack(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
