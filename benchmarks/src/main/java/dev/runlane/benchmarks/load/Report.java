package dev.runlane.benchmarks.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All rounds of all workloads, and what is said about them. */
final class Report {
  private static final String OURS = "runlane";

  private final Map<String, List<Measurement>> rounds = new LinkedHashMap<>();

  void add(Measurement round) {
    rounds
        .computeIfAbsent(round.workload() + " " + round.system(), key -> new ArrayList<>())
        .add(round);
  }

  /** The median of each value, one measurement for each workload and system, in the order measured. */
  List<Measurement> medians() {
    return rounds.values().stream().map(Report::median).toList();
  }

  private static Measurement median(List<Measurement> rounds) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String name : rounds.get(0).values().keySet()) {
      double[] sorted =
          rounds.stream().mapToDouble(round -> round.value(name)).sorted().toArray();
      int half = sorted.length / 2;
      values.put(
          name, sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
    }
    return new Measurement(rounds.get(0).workload(), rounds.get(0).system(), values);
  }

  /** A table in Markdown, ratios first. */
  String table() {
    List<Measurement> medians = medians();
    StringBuilder table = new StringBuilder("""
        | workload | system | × rate | × CPU | runs/s | client µs | server µs | WAL B | writes | ms p50 / p90 / p99 |
        |---|---|---:|---:|---:|---:|---:|---:|---:|---:|
        """);
    for (Measurement each : medians) {
      table.append(String.format(
          Locale.ROOT,
          "| %s | %s | %s | %s | %,.0f | %.0f | %.0f | %,.0f | %.3f | %s |%n",
          each.workload(),
          each.system(),
          ratio(each, medians, "runsPerSecond"),
          ratio(each, medians, "cpuMicrosPerRun"),
          each.value("runsPerSecond"),
          each.value("clientMicrosPerRun"),
          each.value("serverMicrosPerRun"),
          each.value("walBytesPerRun"),
          each.value("writesPerRun"),
          latency(each)));
    }
    return table.toString();
  }

  private static String ratio(Measurement ours, List<Measurement> all, String value) {
    Optional<Measurement> other = all.stream()
        .filter(
            each -> each.workload().equals(ours.workload()) && !each.system().equals(OURS))
        .findFirst();
    return other
        .filter(each -> ours.system().equals(OURS))
        .map(each -> String.format(Locale.ROOT, "%.2f", ours.value(value) / each.value(value)))
        .orElse("");
  }

  private static String latency(Measurement each) {
    return each.values().containsKey("p50Millis")
        ? String.format(
            Locale.ROOT,
            "%.1f / %.1f / %.1f",
            each.value("p50Millis"),
            each.value("p90Millis"),
            each.value("p99Millis"))
        : "";
  }
}
