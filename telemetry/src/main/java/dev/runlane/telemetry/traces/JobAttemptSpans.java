package dev.runlane.telemetry.traces;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobAttemptOutcome;
import dev.runlane.run.ErrorCode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The spans of one call of a handler: of each job's attempt, and that of the call where it is for several. */
final class JobAttemptSpans implements JobAttemptObserver {
  private final Map<String, Span>
      attempts; // by job, those that have not ended; on the home context
  private final @Nullable Span batch;
  private final Context context;
  private final LastAttempts last;

  JobAttemptSpans(
      Map<String, Span> attempts, @Nullable Span batch, Context context, LastAttempts last) {
    this.attempts = attempts;
    this.batch = batch;
    this.context = context;
    this.last = last;
  }

  /** Names a job among those of all queues. */
  static String key(JobData job) {
    return job.queueName() + '\0' + job.id();
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // closed by who began the turn
  public Runnable turn() {
    Scope scope = context.makeCurrent();
    return scope::close;
  }

  @Override
  public void ended(JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {
    Span attempt = attempts.remove(job.id());
    if (attempt != null) {
      end(attempt, job, outcome, error);
    }
    if (attempts.isEmpty() && batch != null) {
      batch.end();
    }
  }

  private void end(
      Span attempt, JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {
    attempt.setAttribute(SpanNames.OUTCOME, outcome.value());
    if (outcome == JobAttemptOutcome.LOST) {
      attempt.setStatus(StatusCode.ERROR, "nothing was stored; the attempt is made again");
    } else if (error != null) {
      AttemptSpan.fail(attempt, error);
    }
    if (!outcome.isEnd()) {
      last.add(key(job), attempt.getSpanContext());
    }
    attempt.end();
  }
}
