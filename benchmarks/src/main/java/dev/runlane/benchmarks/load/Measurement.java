package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Costs;
import dev.runlane.benchmarks.subject.Workload;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One round of one workload on one system, or the medians of several.
 *
 * @param workload its name
 * @param system what was measured
 * @param values by name, each name ending in its unit
 */
public record Measurement(String workload, String system, Map<String, Double> values) {
  public Measurement {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /** What a round used, a run. */
  static Measurement of(
      Workload workload, String system, JsonObject results, Costs costs, JsonObject more) {
    Map<String, Double> values = new LinkedHashMap<>();
    double runs = workload.runs();
    values.put("runsPerSecond", runs / (results.getLong("elapsedNanos") / 1e9));
    values.put("cpuMicrosPerRun", (costs.clientMicros() + costs.serverMicros()) / runs);
    values.put("clientMicrosPerRun", costs.clientMicros() / runs);
    values.put("serverMicrosPerRun", costs.serverMicros() / runs);
    values.put("walBytesPerRun", costs.walBytes() / runs);
    values.put("writesPerRun", costs.writes() / runs);
    more.forEach(entry -> values.put(entry.getKey(), ((Number) entry.getValue()).doubleValue()));
    return new Measurement(workload.name(), system, values);
  }

  /** What a program tells in JSON, with all its numbers. */
  public static Measurement told(JsonObject line) {
    Map<String, Double> values = new LinkedHashMap<>();
    line.forEach(entry -> {
      if (entry.getValue() instanceof Number number) {
        values.put(entry.getKey(), number.doubleValue());
      }
    });
    return new Measurement(line.getString("workload"), line.getString("system", "runlane"), values);
  }

  /** Throws when there is no such value. */
  public double value(String name) {
    return Objects.requireNonNull(values.get(name), name);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("workload", workload).put("system", system);
    values.forEach((name, value) -> json.put(name, Math.round(value * 1000) / 1000.0));
    return json;
  }
}
