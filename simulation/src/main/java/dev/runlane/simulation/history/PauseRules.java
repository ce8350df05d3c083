package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Looks for what was claimed or reserved of a queue long after it was paused. */
final class PauseRules {
  private final List<Pause> pauses;
  private final Duration within;
  private final Duration skew;
  private final List<Violation> found;

  /**
   * @param within how long after a pause something may still be claimed
   * @param skew how far the times of events may be off
   */
  PauseRules(List<Pause> pauses, Duration within, Duration skew, List<Violation> found) {
    this.pauses = pauses;
    this.within = within;
    this.skew = skew;
    this.found = found;
  }

  void check(RunHistory history) {
    if (pauses.isEmpty()) {
      return;
    }
    String queue = history.stored().queue();
    for (RunEventRecord row : history.events()) {
      if (isClaim(row.event())) {
        Instant at = row.event().header().occurredAt();
        pauses.stream()
            .filter(pause -> pause.name().equals(queue))
            .filter(pause -> at.isAfter(pause.from().plus(within).plus(skew))
                && at.isBefore(pause.until().minus(skew)))
            .forEach(pause -> found.add(new Violation(
                Rule.PAUSED,
                history.runId(),
                row.event().type().value() + " at " + at + " in " + pause)));
      }
    }
  }

  /** A reservation is a request of a delivery that ends. */
  private static boolean isClaim(RunEvent event) {
    return event instanceof RunEvent.LeaseClaimed
        || (event instanceof RunEvent.DeliveryRequested request
            && request.delivery().dispatchExpiresAt() != null);
  }
}
