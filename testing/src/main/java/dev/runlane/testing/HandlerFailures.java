package dev.runlane.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What handlers failed with, by run: a history says of foreign exceptions only that the task failed. */
final class HandlerFailures {
  private final Map<String, List<Failed>> failures = new HashMap<>();

  void add(String runId, int attempt, Throwable failure) {
    failures.computeIfAbsent(runId, any -> new ArrayList<>()).add(new Failed(attempt, failure));
  }

  /** A line for each failure of a run; none: empty. */
  String of(String runId) {
    StringBuilder lines = new StringBuilder();
    for (Failed failed : failures.getOrDefault(runId, List.of())) {
      lines
          .append("\n  the handler of attempt ")
          .append(failed.attempt)
          .append(" failed with ")
          .append(failed.failure);
    }
    return lines.toString();
  }

  private record Failed(int attempt, Throwable failure) {}
}
