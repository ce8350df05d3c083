package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the attempts that ended with their lease instead of an outcome: their run was claimed or delivered
 * again. Allowed where processes are killed, but not where they are stopped in order.
 */
public final class LostAttempts {
  private LostAttempts() {}

  /** One violation for each. */
  public static List<Violation> in(List<RunHistory> histories) {
    List<Violation> found = new ArrayList<>();
    histories.forEach(history -> walk(history, found));
    return found;
  }

  private static void walk(RunHistory history, List<Violation> found) {
    String owner = null;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      boolean again =
          event instanceof RunEvent.LeaseClaimed || event instanceof RunEvent.DeliveryRequested;
      if (again && owner != null) {
        found.add(new Violation(
            Rule.NO_LOST_ATTEMPT,
            history.runId(),
            "event " + row.sequence() + " takes it over from " + owner));
      }
      if (event instanceof RunEvent.LeaseClaimed claimed) {
        owner = claimed.lease().workerId();
      } else if (again
          || event instanceof RunEvent.Cancelled
          || OutcomeAttempt.of(event).isPresent()) {
        owner = null;
      }
    }
  }
}
