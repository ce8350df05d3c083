package dev.runlane.simulation.check;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where all is well, a lease is renewed when a third of it is over, for as long as its attempt goes on. */
final class RenewalRules {
  /** A process looks after its leases so often, and a heartbeat is under way for a while. */
  private static final Duration LOOKS = Duration.ofSeconds(2);

  private final Fleet fleet;
  private final Duration longest;
  private final List<Violation> found;

  RenewalRules(Fleet fleet, List<Violation> found) {
    this.fleet = fleet;
    this.found = found;
    longest = fleet.lease().dividedBy(3).plus(LOOKS).plus(fleet.calmWait());
  }

  void check(RunHistory history) {
    Instant renewed = null;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      boolean begins = event instanceof RunEvent.LeaseClaimed;
      boolean goesOn = event instanceof RunEvent.LeaseHeartbeat;
      if (begins || goesOn || isEnd(event)) {
        check(history, renewed, event);
        renewed = begins || goesOn ? event.header().occurredAt() : null;
      }
    }
  }

  private static boolean isEnd(RunEvent event) {
    return OutcomeAttempt.of(event).isPresent()
        || event instanceof RunEvent.Cancelled
        || event instanceof RunEvent.DeliveryRequested;
  }

  private void check(RunHistory history, @Nullable Instant renewed, RunEvent event) {
    Instant at = event.header().occurredAt();
    if (renewed != null && renewed.plus(longest).isBefore(at) && fleet.isCalm(renewed)) {
      found.add(new Violation(
          Rule.RENEWED,
          history.runId(),
          event.type().value() + " at " + at + " follows a lease of " + renewed
              + ", which is renewed after " + longest + " at the latest"));
    }
  }
}
