package dev.runlane.telemetry.traces;

import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Begins spans of what travels through a queue, named and labelled as OpenTelemetry's conventions for messaging. */
final class MessagingSpans {
  private final Tracer tracer;

  MessagingSpans(Tracer tracer) {
    this.tracer = tracer;
  }

  Tracer tracer() {
    return tracer;
  }

  /** Who begins the span of something that is put into a queue, such as {@code create NAME}. */
  SpanBuilder producer(String type, String operation, String of, String queue) {
    return begin(type, operation, of, queue).setSpanKind(SpanKind.PRODUCER);
  }

  /** Who begins the span of something that is taken from a queue. */
  SpanBuilder consumer(String type, String operation, String of, String queue) {
    return begin(type, operation, of, queue).setSpanKind(SpanKind.CONSUMER);
  }

  /** Who begins the span of an attempt, linked to the one {@code before}. */
  SpanBuilder attempt(
      String of,
      String queue,
      String id,
      long number,
      @Nullable Instant startedAt,
      @Nullable SpanContext before) {
    SpanBuilder attempt = consumer("process", "process", of, queue)
        .setAttribute(SpanNames.ID, id)
        .setAttribute(SpanNames.ATTEMPT, number);
    if (before != null) {
      attempt.addLink(before);
    }
    if (startedAt != null) {
      attempt.setStartTimestamp(startedAt);
    }
    return attempt;
  }

  private SpanBuilder begin(String type, String operation, String of, String queue) {
    return tracer
        .spanBuilder(operation + " " + of)
        .setAttribute(SpanNames.SYSTEM, "runlane")
        .setAttribute(SpanNames.OPERATION_TYPE, type)
        .setAttribute(SpanNames.OPERATION, operation)
        .setAttribute(SpanNames.QUEUE, queue);
  }
}
