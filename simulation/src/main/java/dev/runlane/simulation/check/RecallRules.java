package dev.runlane.simulation.check;

import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.HandlerCall;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds results of steps that are never the same again to the attempt that made them, and to one for each step. */
final class RecallRules {
  private final List<Violation> found;

  RecallRules(List<Violation> found) {
    this.found = found;
  }

  void check(RunHistory history) {
    if (!history.stored().taskId().equals(Catalogue.RECALLED)) {
      return;
    }
    int attempt = 0; // that owns the run; 0: none
    Map<String, String> names = new HashMap<>();
    Set<String> done = new HashSet<>();
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      if (event instanceof RunEvent.LeaseClaimed) {
        attempt = 0;
      } else if (event instanceof RunEvent.Started started) {
        attempt = started.attempt();
      } else if (event instanceof RunEvent.StepRequested asked) {
        names.put(asked.stepId(), asked.name());
      } else if (event instanceof RunEvent.StepCompleted completed && completed.output() != null) {
        checkResult(history, row, completed.output(), attempt);
        String name = names.get(completed.stepId());
        if (!done.add(completed.stepId())) {
          broken(history, row, "is another result of step " + name);
        }
      } else if (OutcomeAttempt.of(event).isPresent()) {
        attempt = 0;
      }
    }
  }

  private void checkResult(RunHistory history, RunEventRecord row, Json output, int attempt) {
    int maker = HandlerCall.makerOf(Long.parseLong(output.text()));
    if (maker != attempt) {
      broken(
          history,
          row,
          "is the result of attempt " + maker + ", when "
              + (attempt == 0 ? "none" : "attempt " + attempt) + " owned the run");
    }
  }

  private void broken(RunHistory history, RunEventRecord row, String what) {
    found.add(
        new Violation(Rule.STEP_REPLAY, history.runId(), "event " + row.sequence() + " " + what));
  }
}
