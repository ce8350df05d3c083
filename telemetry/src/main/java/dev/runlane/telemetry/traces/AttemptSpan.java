package dev.runlane.telemetry.traces;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The span of one attempt: current in each turn of its handler, and the parent of its steps. */
final class AttemptSpan implements AttemptObserver {
  private final Tracer tracer;
  private final Span span;
  private final Context context;
  private final String runId;
  private final LastAttempts last;

  AttemptSpan(Tracer tracer, Span span, Context parent, String runId, LastAttempts last) {
    this.tracer = tracer;
    this.span = span;
    this.context = parent.with(span);
    this.runId = runId;
    this.last = last;
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // closed by who began the turn
  public Turn turn() {
    Scope scope = context.makeCurrent();
    return scope::close;
  }

  @Override
  public void stepEnded(
      String name, Instant began, Instant ended, int tries, @Nullable FailureRecord failure) {
    Span step = tracer
        .spanBuilder("step " + name)
        .setParent(context)
        .setStartTimestamp(began)
        .setAttribute(SpanNames.ID, runId)
        .setAttribute(SpanNames.STEP, name)
        .setAttribute(SpanNames.TRIES, (long) tries)
        .startSpan();
    fail(step, failure);
    step.end(ended.isBefore(began) ? began : ended);
  }

  @Override
  public void ended(AttemptOutcome outcome, @Nullable RunRecord run) {
    span.setAttribute(SpanNames.OUTCOME, outcome.value());
    if (run == null) {
      span.setStatus(StatusCode.ERROR, "nothing was stored; the attempt is made again");
    } else if (outcome == AttemptOutcome.FAILED || outcome == AttemptOutcome.RETRIED) {
      fail(span, run.failure());
    }
    if (run == null || run.status().isActive()) {
      last.add(runId, span.getSpanContext());
    }
    if (run == null) {
      span.end();
    } else {
      span.end(run.updatedAt());
    }
  }

  /** The code alone: a message may hold what is nobody's business here. */
  static void fail(Span failed, @Nullable FailureRecord failure) {
    if (failure != null) {
      fail(failed, failure.code());
    }
  }

  static void fail(Span failed, ErrorCode error) {
    failed.setStatus(StatusCode.ERROR, error.value());
    failed.setAttribute(SpanNames.ERROR, error.value());
  }
}
