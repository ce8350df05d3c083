package dev.runlane.example;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.EventText;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is said at the end: runs by status, what failed and why, and the history of one run. */
final class Report {
  private static final int MOST_RUNS = 100_000;
  private static final int MOST_FAILURES = 10;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

  private final Shop shop;
  private final Screen screen;

  Report(Shop shop, Screen screen) {
    this.shop = shop;
    this.screen = screen;
  }

  /** Completes once everything is said. */
  Future<Void> print() {
    return new RunPages(shop.runlane().runs()).read(RunFilter.ALL, MOST_RUNS).compose(runs -> {
      printTable(runs);
      printFailures(runs);
      return printHistory(mostEventful(runs));
    });
  }

  private void printTable(List<RunSummary> runs) {
    Map<RunStatus, Long> total = counts(runs);
    Map<String, List<RunSummary>> byTask = runs.stream()
        .collect(Collectors.groupingBy(RunSummary::taskId, TreeMap::new, Collectors.toList()));
    StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "%-16s", "task"));
    total
        .keySet()
        .forEach(status -> head.append(String.format(Locale.ROOT, "%12s", status.value())));
    screen.say("");
    screen.say(head.toString());
    byTask.forEach((task, ofTask) -> {
      Map<RunStatus, Long> counts = counts(ofTask);
      StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-16s", task));
      total
          .keySet()
          .forEach(status ->
              row.append(String.format(Locale.ROOT, "%12d", counts.getOrDefault(status, 0L))));
      screen.say(row.toString());
    });
  }

  private static Map<RunStatus, Long> counts(List<RunSummary> runs) {
    return runs.stream()
        .collect(Collectors.groupingBy(
            RunSummary::status, () -> new EnumMap<>(RunStatus.class), Collectors.counting()));
  }

  private void printFailures(List<RunSummary> runs) {
    runs.stream()
        .filter(run -> run.status() == RunStatus.FAILED)
        .limit(MOST_FAILURES)
        .forEach(run -> {
          FailureRecord failure = run.failure();
          screen.say("order " + run.idempotencyKey() + " failed in " + run.taskId() + ": "
              + (failure == null ? "" : failure.message()));
        });
  }

  /** The most often retried run tells the most. */
  private static Optional<RunSummary> mostEventful(List<RunSummary> runs) {
    return runs.stream()
        .max(Comparator.comparingInt((RunSummary run) -> run.counters().retries())
            .thenComparingInt(run -> run.counters().releases()));
  }

  private Future<Void> printHistory(Optional<RunSummary> chosen) {
    if (chosen.isEmpty()) {
      return Future.succeededFuture();
    }
    String runId = chosen.get().id();
    return shop.runlane().runs().events(runId).map(page -> {
      screen.say("");
      screen.say("history of run " + runId);
      page.data().forEach(event -> screen.say(line(event)));
      return null;
    });
  }

  private static String line(RunEventRecord stored) {
    return String.format(
            Locale.ROOT,
            "%4d  %s  %-24s %s",
            stored.sequence(),
            TIME.format(stored.event().header().occurredAt()),
            stored.event().type().value(),
            stored.event().accept(new EventText()))
        .stripTrailing();
  }
}
