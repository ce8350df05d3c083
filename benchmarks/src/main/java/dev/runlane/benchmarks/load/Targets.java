package dev.runlane.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What Runlane must come to beside others in one interleaved run, and what it should. A line is there once all that it
 * compares was measured.
 */
final class Targets {
  private static final String OURS = "runlane";
  private static final String RATE = "runsPerSecond";
  private static final List<String> PEERS = List.of("db-scheduler", "pg-boss", "graphile-worker");

  private final List<Measurement> medians;
  private final List<Line> lines = new ArrayList<>();

  private Targets(List<Measurement> medians) {
    this.medians = medians;
  }

  /** The lines, as a table in Markdown. */
  static String table(List<Measurement> medians) {
    Targets targets = new Targets(medians);
    targets.addLines();
    StringBuilder table = new StringBuilder("""
        | figure | now | must | aim |
        |---|---:|---:|---:|
        """);
    targets.lines.forEach(line -> table.append(String.format(
        Locale.ROOT,
        "| %s | %s%,.2f | %s | %s |%n",
        line.what(),
        line.isMet() ? "" : "missed: ",
        line.now(),
        line.must() == 0 ? "" : line.must() + (line.atMost() ? " at most" : ""),
        line.aim() == 0 ? "" : line.aim())));
    return table.toString();
  }

  private void addLines() {
    ratio("drain ÷ db-scheduler", "drain", "db-scheduler", 3, 4.5);
    ratio("drain ÷ pg-boss", "drain", "pg-boss", 0.75, 1.1);
    ratio("drain ÷ Graphile Worker", "drain", "graphile-worker", 0.65, 1);
    ratio("drain ÷ floor", "drain", "floor", 0, 0);
    ratio(
        "drain with the default slots ÷ db-scheduler",
        "drain-default",
        "drain",
        "db-scheduler",
        3,
        4.5);
    best("trigger, 16 plain threads ÷ best peer", "enqueue-threads-16", "enqueue-16", 1, 1.4);
    best("trigger, 128 plain threads ÷ best peer", "enqueue-threads-128", "enqueue-128", 2, 3);
    ratio(
        "trigger of one event loop, 16 ÷ db-scheduler's threads",
        "enqueue-16",
        "db-scheduler",
        1.5,
        2);
    ratio("trigger of one event loop, 16 ÷ floor", "enqueue-16", "floor", 0, 0);
    ratio("trigger of one event loop, 128 ÷ floor", "enqueue-128", "floor", 0, 0);
    ratio("batch ÷ Graphile Worker", "enqueue-many", "graphile-worker", 0.8, 1.5);
    ratio("batch ÷ floor", "enqueue-many", "floor", 0, 0);
    sum("lifecycle of a batch and a drain, CPU µs", "cpuMicrosPerRun", 120, 80);
    sum("lifecycle of a batch and a drain, WAL KB", "walBytesPerRun", 4, 3, 1 / 1024.0);
    most("write transactions, 16 threads", "enqueue-threads-16", "writesPerRun", 0.2, 0.1);
    most("write transactions, 16 calls of one event loop", "enqueue-16", "writesPerRun", 0.2, 0.1);
    most("start at 200/s, p50 ms", "latency", "p50Millis", 2, 1.2);
    most("start at 200/s, p99 ms", "latency", "p99Millis", 10, 6);
    within("bounded 100 × 10 ÷ unbounded", "bounded", 0.8, 0.9);
    within("bounded 1 000 × 1 ÷ unbounded", "bounded-1000", 0.6, 0.8);
    within("bounded, a key a run × 1 ÷ unbounded", "bounded-keys", 0.4, 0.6);
  }

  private void ratio(String what, String workload, String other, double must, double aim) {
    ratio(what, workload, workload, other, must, aim);
  }

  private void ratio(
      String what, String workload, String theirs, String other, double must, double aim) {
    Double ours = value(workload, OURS, RATE);
    Double others = value(theirs, other, RATE);
    if (ours != null && others != null) {
      lines.add(new Line(what, ours / others, must, aim, false));
    }
  }

  /** Peers that have no threads call from their one. */
  private void best(String what, String threads, String calls, double must, double aim) {
    Double ours = value(threads, OURS, RATE);
    double best = PEERS.stream()
        .flatMap(peer -> List.of(threads, calls).stream().map(each -> value(each, peer, RATE)))
        .mapToDouble(rate -> rate == null ? 0 : rate)
        .max()
        .orElse(0);
    if (ours != null && best > 0) {
      lines.add(new Line(what, ours / best, must, aim, false));
    }
  }

  private void sum(String what, String name, double must, double aim) {
    sum(what, name, must, aim, 1);
  }

  private void sum(String what, String name, double must, double aim, double unit) {
    Double created = value("enqueue-many", OURS, name);
    Double drained = value("drain", OURS, name);
    if (created != null && drained != null) {
      lines.add(new Line(what, (created + drained) * unit, must, aim, true));
    }
  }

  private void most(String what, String workload, String name, double must, double aim) {
    Double now = value(workload, OURS, name);
    if (now != null) {
      lines.add(new Line(what, now, must, aim, true));
    }
  }

  private void within(String what, String workload, double must, double aim) {
    Double bounded = value(workload, OURS, RATE);
    Double unbounded = value("drain", OURS, RATE);
    if (bounded != null && unbounded != null) {
      lines.add(new Line(what, bounded / unbounded, must, aim, false));
    }
  }

  private @Nullable Double value(String workload, String system, String name) {
    return medians.stream()
        .filter(each -> each.workload().equals(workload) && each.system().equals(system))
        .findFirst()
        .map(each -> each.value(name))
        .orElse(null);
  }

  /**
   * A figure.
   *
   * @param must 0 where it is only looked at
   * @param atMost whether less is better
   */
  private record Line(String what, double now, double must, double aim, boolean atMost) {
    boolean isMet() {
      return atMost ? now <= must : now >= must;
    }
  }
}
