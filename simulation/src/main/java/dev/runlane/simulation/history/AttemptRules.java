package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Counts starts and outcomes of each attempt of one run, without the reducer: a reducer that lets a second
 * outcome pass is found as well.
 */
final class AttemptRules {
  private final RunHistory history;
  private final List<Violation> found;
  private final Map<Integer, Integer> starts = new HashMap<>();
  private final Map<Integer, Integer> outcomes = new HashMap<>();
  private int current;
  private boolean leased;

  AttemptRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  void check() {
    for (RunEventRecord row : history.events()) {
      count(row.event());
    }
    starts.forEach((attempt, count) -> reportMoreThanOne("starts", attempt, count));
    outcomes.forEach((attempt, count) -> reportMoreThanOne("outcomes", attempt, count));
  }

  private void count(RunEvent event) {
    OptionalInt outcome = OutcomeAttempt.of(event);
    if (outcome.isPresent()) {
      int attempt = outcome.getAsInt();
      outcomes.merge(attempt, 1, Integer::sum);
      if (attempt != current || !leased) {
        found.add(new Violation(
            Rule.ONE_OUTCOME,
            history.runId(),
            "an outcome of attempt " + attempt + " while " + (leased ? current : "no attempt")
                + " was under way"));
      }
      leased = false;
    } else if (event instanceof RunEvent.Started started) {
      current = started.attempt();
      leased = true;
      starts.merge(current, 1, Integer::sum);
    } else if (event instanceof RunEvent.DeliveryRequested) {
      leased = false; // the lease had expired, or there was none
    } else if (event instanceof RunEvent.Cancelled) {
      if (leased) {
        outcomes.merge(current, 1, Integer::sum);
      }
      leased = false;
    }
  }

  private void reportMoreThanOne(String what, int attempt, int count) {
    if (count > 1) {
      found.add(new Violation(
          Rule.ONE_OUTCOME, history.runId(), count + " " + what + " of attempt " + attempt));
    }
  }
}
