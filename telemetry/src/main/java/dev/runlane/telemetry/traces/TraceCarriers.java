package dev.runlane.telemetry.traces;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a run carries of its trace: {@code traceparent} and {@code tracestate}, as W3C Trace Context says. */
final class TraceCarriers {
  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
  private static final TextMapGetter<Map<String, String>> GETTER = new Getter();

  private TraceCarriers() {}

  /** The context of the trace that is carried; the root where there is none, or none that can be read. */
  static Context read(@Nullable Map<String, String> carrier) {
    return carrier == null ? Context.root() : W3C.extract(Context.root(), carrier, GETTER);
  }

  /**
   * Tells of a creation; answers what the created one carries. The caller's span is the parent, without one the trace
   * that the caller gave.
   */
  static Map<String, String> created(SpanBuilder creation, @Nullable Map<String, String> carrier) {
    Context current = Context.current();
    Context parent = Span.fromContext(current).getSpanContext().isValid() ? current : read(carrier);
    Span created = creation.setParent(parent).startSpan();
    created.end();
    return written(parent.with(created), carrier);
  }

  /** What is carried already, with the trace of {@code context}. */
  static Map<String, String> written(Context context, @Nullable Map<String, String> carrier) {
    Map<String, String> written = carrier == null ? new HashMap<>() : new HashMap<>(carrier);
    written.keySet().removeAll(W3C.fields());
    W3C.inject(context, written, (into, name, value) -> {
      if (into != null) {
        into.put(name, value);
      }
    });
    return written;
  }

  private static final class Getter implements TextMapGetter<Map<String, String>> {
    @Override
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }
}
