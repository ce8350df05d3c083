package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks for steps that were asked for again while their request had no result, and for results that were recorded twice
 * or that nobody asked for, whoever does the step.
 */
final class StepRules {
  private final RunHistory history;
  private final List<Violation> found;

  StepRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  void check() {
    Set<String> open = new HashSet<>();
    for (RunEventRecord row : history.events()) {
      if (row.event() instanceof RunEvent.StepRequested asked && !open.add(asked.stepId())) {
        broken(row, "asks again for step " + asked.stepId() + ", which has no result yet");
      } else if (row.event() instanceof RunEvent.StepCompleted done
          && !open.remove(done.stepId())) {
        broken(row, "is another result of step " + done.stepId());
      }
    }
  }

  private void broken(RunEventRecord row, String what) {
    found.add(new Violation(
        Rule.STEP_RESULT_ONCE, history.runId(), "event " + row.sequence() + " " + what));
  }
}
