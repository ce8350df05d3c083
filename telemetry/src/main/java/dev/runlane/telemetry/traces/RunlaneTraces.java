package dev.runlane.telemetry.traces;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.transport.DeliveryMessage;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a process does, as spans: given to {@code RunlaneBuilder.observer}. A run is one trace, whatever process works
 * on it: its trigger is a child of the span that is current for the caller, and carries the trace on with the run,
 * over the outbox and Kafka's headers, as W3C Trace Context.
 *
 * <pre>
 *   caller ─► create TASK ─┬─► publish QUEUE
 *                          ├─► process TASK (attempt 1) ─► step NAME
 *                          └─► process TASK (attempt 2), linked to attempt 1
 * </pre>
 *
 * <p>Spans hold names, ids, outcomes and error codes, never payloads or messages of failures. For any thread.
 */
public final class RunlaneTraces implements RuntimeObserver {
  private final MessagingSpans spans;
  private final LastAttempts last = new LastAttempts();

  private RunlaneTraces(Tracer tracer) {
    spans = new MessagingSpans(tracer);
  }

  /** Spans of {@code openTelemetry}; such as that of vertx-opentelemetry's tracer. */
  public static RunlaneTraces create(OpenTelemetry openTelemetry) {
    return new RunlaneTraces(openTelemetry.getTracer("dev.runlane"));
  }

  /** The caller's span is the parent; without one the trace that the caller gave to the run. */
  @Override
  public Map<String, String> runTriggered(
      String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
    return TraceCarriers.created(
        spans
            .producer("create", "create", taskId, queue)
            .setAttribute(SpanNames.ID, runId)
            .setAttribute(SpanNames.TASK, taskId),
        carrier);
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    Context parent = TraceCarriers.read(run.traceCarrier());
    Span attempt = spans
        .attempt(
            run.taskId(),
            run.queue(),
            run.id(),
            run.counters().attempts(),
            run.startedAt(),
            last.remove(run.id()))
        .setParent(parent)
        .setAttribute(SpanNames.TASK, run.taskId())
        .startSpan();
    return new AttemptSpan(spans.tracer(), attempt, parent, run.id(), last);
  }

  /**
   * From when workers were asked for the try that ended it to its result; when its worker began is an event of the
   * span, by that worker's clock. A child of the run's creation: the attempt that asked may be over.
   */
  @Override
  public void remoteStepEnded(
      RunRecord run, RunEvent.StepRequested request, RunEvent.StepCompleted result) {
    Instant ended = result.header().occurredAt();
    Instant asked =
        result.dispatchedAt() == null ? request.header().occurredAt() : result.dispatchedAt();
    Span step = spans
        .tracer()
        .spanBuilder("remote " + request.name())
        .setSpanKind(SpanKind.CLIENT)
        .setParent(TraceCarriers.read(run.traceCarrier()))
        .setStartTimestamp(asked.isAfter(ended) ? ended : asked)
        .setAttribute(SpanNames.ID, run.id())
        .setAttribute(SpanNames.TASK, run.taskId())
        .setAttribute(SpanNames.STEP, request.name())
        .setAttribute(SpanNames.TRIES, (long) result.tries())
        .startSpan();
    if (request.group() != null) {
      step.setAttribute(SpanNames.GROUP, request.group());
    }
    if (result.startedAt() != null) {
      step.addEvent("begun", result.startedAt());
    }
    AttemptSpan.fail(step, result.failure());
    step.end(ended);
  }

  @Override
  public void wakeupPublished(DeliveryMessage wakeup) {
    if (isTraced(wakeup)) {
      publish(wakeup).end();
    }
  }

  @Override
  public void wakeupFailed(DeliveryMessage wakeup, FailureRecord failure, boolean deadLettered) {
    if (!isTraced(wakeup)) {
      return;
    }
    Span failed = publish(wakeup);
    failed.setAttribute(SpanNames.OUTCOME, deadLettered ? "dead_lettered" : "failed");
    AttemptSpan.fail(failed, failure.code());
    failed.end();
  }

  /** A wakeup that belongs to no trace would be one by itself, and say nothing. */
  private static boolean isTraced(DeliveryMessage wakeup) {
    return Span.fromContext(TraceCarriers.read(wakeup.traceCarrier()))
        .getSpanContext()
        .isValid();
  }

  private Span publish(DeliveryMessage wakeup) {
    return spans
        .producer("send", "publish", wakeup.queue(), wakeup.queue())
        .setAttribute(SpanNames.ID, wakeup.runId())
        .setParent(TraceCarriers.read(wakeup.traceCarrier()))
        .startSpan();
  }
}
