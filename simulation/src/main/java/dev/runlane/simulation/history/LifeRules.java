package dev.runlane.simulation.history;

import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts the events of one life and looks for any after its end, without the reducer, which may be what is wrong. */
final class LifeRules {
  private final RunHistory history;
  private final List<Violation> found;

  LifeRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  void check() {
    Map<RunEventType, Integer> counts = new EnumMap<>(RunEventType.class);
    boolean ended = false;
    for (RunEventRecord row : history.events()) {
      if (ended) {
        found.add(new Violation(
            Rule.END, history.runId(), row.event().type().value() + " comes after its end"));
      }
      counts.merge(row.event().type(), 1, Integer::sum);
      ended = ended || isEnd(row.event());
    }
    RunCounters counters = history.stored().counters();
    int retries = counts.getOrDefault(RunEventType.RETRY_SCHEDULED, 0);
    int failures = retries + counts.getOrDefault(RunEventType.FAILED, 0);
    check("attempts", counters.attempts(), counts.getOrDefault(RunEventType.STARTED, 0));
    check("failures", counters.failures(), failures);
    check("retries", counters.retries(), retries);
    check("releases", counters.releases(), counts.getOrDefault(RunEventType.RELEASED, 0));
  }

  private static boolean isEnd(RunEvent event) {
    return event instanceof RunEvent.Succeeded
        || event instanceof RunEvent.Failed
        || event instanceof RunEvent.Cancelled;
  }

  private void check(String what, int counted, int happened) {
    if (counted != happened) {
      found.add(new Violation(
          Rule.COUNTERS,
          history.runId(),
          counted + " " + what + " are counted but " + happened + " happened"));
    }
  }
}
