package dev.runlane.benchmarks.load;

import static dev.runlane.benchmarks.subject.RunlaneSubject.OVER_KAFKA;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What Runlane must come to beside others in one interleaved run, and what it should. A line is there once all that it
 * compares was measured.
 */
public final class Targets {
  private static final String OURS = "runlane";
  private static final String RATE = "runsPerSecond";
  private static final String JOBS = "jobsPerSecond";
  private static final List<String> PEERS = List.of("db-scheduler", "pg-boss", "graphile-worker");

  private final List<Measurement> medians;
  private final List<Line> lines = new ArrayList<>();

  private Targets(List<Measurement> medians) {
    this.medians = medians;
  }

  /** The lines, as a table in Markdown. */
  public static String table(List<Measurement> medians) {
    return tableOfRuns(List.of(medians));
  }

  /** The lines of several runs, whose figures are not compared with each other's; each once, from the first run. */
  public static String tableOfRuns(List<List<Measurement>> runs) {
    Map<String, Line> lines = new LinkedHashMap<>();
    for (List<Measurement> medians : runs) {
      Targets targets = new Targets(medians);
      targets.addLines();
      targets.lines.forEach(line -> lines.putIfAbsent(line.what(), line));
    }
    StringBuilder table = new StringBuilder("""
        | figure | now | must | aim |
        |---|---:|---:|---:|
        """);
    lines.values().forEach(line -> table.append(line.row()));
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
    within("bounded 100 × 10 ÷ unbounded", "bounded", "drain", 0.8, 0.9);
    within("bounded 1 000 × 1 ÷ unbounded", "bounded-1000", "drain", 0.6, 0.8);
    within("bounded, a key a run × 1 ÷ unbounded", "bounded-keys", "drain", 0.4, 0.6);
    addLinesOfSurroundings();
    addLinesOfOtherPrograms();
  }

  private void addLinesOfSurroundings() {
    add("start over Kafka at 200/s, p50 ms", value("latency", OVER_KAFKA, "p50Millis"), 5, 3, true);
    add(
        "drain of what is deployed, over Kafka ÷ over NOTIFY",
        quotient(value("deployed-drain", OVER_KAFKA, RATE), value("deployed-drain", OURS, RATE)),
        0.85,
        1,
        false);
    behind("blocks of claims and ends behind other runs ÷ empty", "blocksPerRun", 1.1);
    behind("server µs of claims and ends behind other runs ÷ empty", "serverMicrosPerRun", 1.3);
    within("two capped worker processes ÷ one", "processes-2", "processes-1", 1.8, 1.95);
    ratio("drain on a slow disk ÷ db-scheduler", "slow-disk-drain", "db-scheduler", 3, 5);
  }

  private void addLinesOfOtherPrograms() {
    most(
        "idle, all roles and ten bounded queues, statements/s",
        "idle",
        "statementsPerSecond",
        3,
        1);
    jobs("jobs: drain ÷ pg-boss", "jobs-drain", List.of("pg-boss"), 0.9);
    jobs("jobs: drain ÷ Graphile Worker", "jobs-drain", List.of("graphile-worker"), 0.75);
    jobs("jobs: add of 16 callers ÷ best peer", "jobs-add-16", PEERS, 1);
    add(
        "remote steps of 1 000 runs at once, steps/s",
        value("steps-run-burst", OURS, "stepsPerSecond"),
        4_000,
        0,
        false);
    most("the same, attempts a run", "steps-run-burst", "attemptsPerRun", 2, 0);
    most("soak: p99 of starts in the end ÷ before", "soak", "p99EndByBefore", 1.5, 1);
    most("soak: tables in the end ÷ after the transaction", "soak", "bytesEndByAfter", 1.05, 1);
  }

  private void behind(String what, String name, double must) {
    add(
        what,
        quotient(value("filled-drain", OURS, name), value("drain", OURS, name)),
        must,
        1,
        true);
  }

  private void jobs(String what, String workload, List<String> peers, double must) {
    Double best = peers.stream()
        .map(peer -> value(workload, peer, JOBS))
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(null);
    add(what, quotient(value(workload, OURS, JOBS), best), must, 0, false);
  }

  private void ratio(String what, String workload, String other, double must, double aim) {
    ratio(what, workload, workload, other, must, aim);
  }

  private void ratio(
      String what, String workload, String theirs, String other, double must, double aim) {
    Double ours = value(workload, OURS, RATE);
    add(what, quotient(ours, value(theirs, other, RATE)), must, aim, false);
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
    add(what, value(workload, OURS, name), must, aim, true);
  }

  private void within(String what, String workload, String other, double must, double aim) {
    add(what, quotient(value(workload, OURS, RATE), value(other, OURS, RATE)), must, aim, false);
  }

  private void add(String what, @Nullable Double now, double must, double aim, boolean atMost) {
    if (now != null) {
      lines.add(new Line(what, now, must, aim, atMost));
    }
  }

  private static @Nullable Double quotient(@Nullable Double ours, @Nullable Double others) {
    return ours == null || others == null ? null : ours / others;
  }

  /** The largest, where a system was measured with several numbers of slots. */
  private @Nullable Double value(String workload, String system, String name) {
    return medians.stream()
        .filter(each -> each.workload().equals(workload) && each.system().equals(system))
        .map(each -> each.values().get(name))
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  /**
   * A figure.
   *
   * @param must 0 where it is only looked at
   * @param atMost whether less is better
   */
  private record Line(String what, double now, double must, double aim, boolean atMost) {
    String row() {
      return String.format(
          Locale.ROOT,
          "| %s | %s%,.2f | %s | %s |%n",
          what,
          isMet() ? "" : "missed: ",
          now,
          must == 0 ? "" : must + (atMost ? " at most" : ""),
          aim == 0 ? "" : aim);
    }

    private boolean isMet() {
      return atMost ? now <= must : now >= must;
    }
  }
}
