package dev.runlane.telemetry.traces;

import io.opentelemetry.api.trace.SpanContext;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The spans of the last attempts of runs that go on, as many as are worth remembering. For any thread. */
final class LastAttempts {
  private static final int MOST = 10_000;

  private final Map<String, SpanContext> byRun = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, SpanContext> eldest) {
      return size() > MOST;
    }
  };

  synchronized void add(String runId, SpanContext span) {
    byRun.put(runId, span);
  }

  synchronized @Nullable SpanContext remove(String runId) {
    return byRun.remove(runId);
  }
}
