package dev.runlane.telemetry.traces;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.transport.DeliveryMessage;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
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
  private final Tracer tracer;
  private final LastAttempts last = new LastAttempts();

  private RunlaneTraces(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Spans of {@code openTelemetry}; such as that of vertx-opentelemetry's tracer. */
  public static RunlaneTraces create(OpenTelemetry openTelemetry) {
    return new RunlaneTraces(openTelemetry.getTracer("dev.runlane"));
  }

  /** The caller's span is the parent; without one the trace that the caller gave to the run. */
  @Override
  public Map<String, String> runTriggered(
      String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
    Context current = Context.current();
    Context parent = Span.fromContext(current).getSpanContext().isValid()
        ? current
        : TraceCarriers.read(carrier);
    Span created = messaging("create", "create " + taskId, SpanKind.PRODUCER, queue, runId)
        .setParent(parent)
        .setAttribute(SpanNames.TASK, taskId)
        .startSpan();
    created.end();
    return TraceCarriers.written(parent.with(created), carrier);
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    Context parent = TraceCarriers.read(run.traceCarrier());
    SpanBuilder builder = messaging(
            "process", "process " + run.taskId(), SpanKind.CONSUMER, run.queue(), run.id())
        .setParent(parent)
        .setAttribute(SpanNames.TASK, run.taskId())
        .setAttribute(SpanNames.ATTEMPT, (long) run.counters().attempts());
    SpanContext before = last.remove(run.id());
    if (before != null) {
      builder.addLink(before);
    }
    Instant startedAt = run.startedAt();
    if (startedAt != null) {
      builder.setStartTimestamp(startedAt);
    }
    return new AttemptSpan(tracer, builder.startSpan(), parent, run.id(), last);
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
    Span step = tracer
        .spanBuilder("remote " + request.name())
        .setSpanKind(SpanKind.CLIENT)
        .setParent(TraceCarriers.read(run.traceCarrier()))
        .setStartTimestamp(asked.isAfter(ended) ? ended : asked)
        .setAttribute(SpanNames.RUN, run.id())
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
    failed.setAttribute(SpanNames.ERROR, failure.code().value());
    failed.setAttribute(SpanNames.OUTCOME, deadLettered ? "dead_lettered" : "failed");
    failed.setStatus(StatusCode.ERROR, failure.code().value());
    failed.end();
  }

  /** A wakeup that belongs to no trace would be one by itself, and say nothing. */
  private static boolean isTraced(DeliveryMessage wakeup) {
    return Span.fromContext(TraceCarriers.read(wakeup.traceCarrier()))
        .getSpanContext()
        .isValid();
  }

  private Span publish(DeliveryMessage wakeup) {
    return messaging(
            "send", "publish " + wakeup.queue(), SpanKind.PRODUCER, wakeup.queue(), wakeup.runId())
        .setParent(TraceCarriers.read(wakeup.traceCarrier()))
        .startSpan();
  }

  private SpanBuilder messaging(
      String type, String name, SpanKind kind, String queue, String runId) {
    return tracer
        .spanBuilder(name)
        .setSpanKind(kind)
        .setAttribute(SpanNames.SYSTEM, "runlane")
        .setAttribute(SpanNames.OPERATION_TYPE, type)
        .setAttribute(SpanNames.OPERATION, name.substring(0, name.indexOf(' ')))
        .setAttribute(SpanNames.QUEUE, queue)
        .setAttribute(SpanNames.RUN, runId);
  }
}
