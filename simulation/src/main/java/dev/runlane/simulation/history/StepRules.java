package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Looks for results of remote steps that were recorded twice, or that nobody asked for. */
final class StepRules {
  private final RunHistory history;
  private final List<Violation> found;

  StepRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  void check() {
    Set<String> remote = new HashSet<>();
    Set<String> open = new HashSet<>();
    for (RunEventRecord row : history.events()) {
      if (row.event() instanceof RunEvent.StepRequested asked && asked.dispatch() != null) {
        remote.add(asked.stepId());
        open.add(asked.stepId());
      } else if (row.event() instanceof RunEvent.StepCompleted done
          && remote.contains(done.stepId())
          && !open.remove(done.stepId())) {
        found.add(new Violation(
            Rule.STEP_RESULT_ONCE,
            history.runId(),
            "event " + row.sequence() + " is another result of step " + done.stepId()));
      }
    }
  }
}
