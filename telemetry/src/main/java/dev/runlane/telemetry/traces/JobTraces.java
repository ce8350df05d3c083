package dev.runlane.telemetry.traces;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobsObserver;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the queues, flows and workers of jobs of a process do, as spans: given to {@code JobsBuilder.observer}. A job is
 * one trace with what added it, whatever process works on it, and all jobs of a flow are of one trace: it is carried
 * on with the job's options, as W3C Trace Context.
 *
 * <pre>
 *   caller ─► create JOB ─┬─► process JOB (attempt 1)
 *                         └─► process JOB (attempt 2), linked to attempt 1
 * </pre>
 *
 * <p>A call for a batch of several jobs has a span of its own, {@code process QUEUE}, which begins a trace and is
 * linked to those of the attempts. Spans hold names, ids, outcomes and error codes, never payloads or messages of
 * failures. For any thread.
 */
public final class JobTraces implements JobsObserver {
  private final MessagingSpans spans;
  private final LastAttempts last = new LastAttempts();

  private JobTraces(Tracer tracer) {
    spans = new MessagingSpans(tracer);
  }

  /** Spans of {@code openTelemetry}; such as that of vertx-opentelemetry's tracer. */
  public static JobTraces create(OpenTelemetry openTelemetry) {
    return new JobTraces(openTelemetry.getTracer("dev.runlane"));
  }

  /** The caller's span is the parent; without one the trace that the caller gave, in a flow that of its parent. */
  @Override
  public Map<String, String> jobAdded(
      String queueName, String jobName, @Nullable Map<String, String> carrier) {
    return TraceCarriers.created(
        spans.producer("create", "create", jobName, queueName).setAttribute(SpanNames.JOB, jobName),
        carrier);
  }

  @Override
  public JobAttemptObserver attemptStarted(List<JobData> jobs) {
    Map<String, Span> attempts = new LinkedHashMap<>();
    for (JobData job : jobs) {
      attempts.put(
          job.id(),
          spans
              .attempt(
                  job.name(),
                  job.queueName(),
                  job.id(),
                  job.startedAttempts(),
                  job.processedAt(),
                  last.remove(JobAttemptSpans.key(job)))
              .setParent(TraceCarriers.read(job.options().traceCarrier()))
              .setAttribute(SpanNames.JOB, job.name())
              .startSpan());
    }
    if (jobs.size() > 1) {
      Span batch = batch(jobs.get(0).queueName(), attempts);
      return new JobAttemptSpans(attempts, batch, Context.root().with(batch), last);
    }
    JobData only = jobs.get(0);
    Span attempt = attempts.values().iterator().next();
    Context context = TraceCarriers.read(only.options().traceCarrier()).with(attempt);
    return new JobAttemptSpans(attempts, null, context, last);
  }

  private Span batch(String queue, Map<String, Span> attempts) {
    SpanBuilder batch = spans
        .consumer("process", "process", queue, queue)
        .setNoParent()
        .setAttribute(SpanNames.BATCH, (long) attempts.size());
    attempts.values().forEach(attempt -> batch.addLink(attempt.getSpanContext()));
    return batch.startSpan();
  }
}
