package dev.runlane.simulation.check;

import dev.runlane.json.VertxJson;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds histories to lengths and counts: leases, slots that are held for a wakeup, attempts that are lost in a row, and
 * how long a payload that nobody can read is waited for.
 */
final class BoundRules {
  private static final String CRASH_LOOP = "crash_loop";
  private static final String UNDECODABLE = "undecodable_payload";

  private final Duration lease;
  private final Duration patience;
  private final Duration slack;
  private final Duration late;
  private final List<Violation> found;

  /**
   * @param patience how long a payload is waited for; zero: for longer than any world lasts
   * @param slack how far clocks may differ
   * @param late how late a command may be that was decided in time, with that
   */
  BoundRules(
      Duration lease, Duration patience, Duration slack, Duration late, List<Violation> found) {
    this.lease = lease;
    this.patience = patience;
    this.slack = slack;
    this.late = late;
    this.found = found;
  }

  void check(RunHistory history) {
    int lost = -1; // in a row, before the attempt under way; the first one follows none
    int released = 0; // the attempt of the last release in a row
    Instant since = Instant.MAX;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      Instant at = event.header().occurredAt();
      if (event instanceof RunEvent.LeaseClaimed claimed) {
        checkLease(event, claimed.lease());
      } else if (event instanceof RunEvent.LeaseHeartbeat renewed) {
        checkLease(event, renewed.lease());
      } else if (event instanceof RunEvent.DeliveryRequested requested) {
        checkSlot(history, requested);
      } else if (event instanceof RunEvent.Started) {
        lost++;
      } else if (event instanceof RunEvent.Failed failed && isOf(CRASH_LOOP, failed.failure())) {
        require(
            lost > Catalogue.mostLost(history.stored().taskId()), event, lost + " lost in a row");
      } else if (event instanceof RunEvent.Released release
          && UNDECODABLE.equals(release.reason())) {
        since = release.attempt() == released + 1 && since.isBefore(at) ? since : at;
        released = release.attempt();
        require(
            patience.isZero() || !since.plus(patience).plus(late).isBefore(at),
            event,
            "released again, and could not be read since " + since);
        lost = -1;
      } else if (event instanceof RunEvent.Released
          || event instanceof RunEvent.RetryScheduled
          || event instanceof RunEvent.StepRequested
          || event instanceof RunEvent.StepCompleted) {
        lost = -1;
      } else if (event instanceof RunEvent.Succeeded) {
        require(
            lost <= Catalogue.mostLost(history.stored().taskId()),
            event,
            "went on after " + lost + " lost in a row");
      }
    }
  }

  private void checkLease(RunEvent event, Lease granted) {
    require(
        !granted.expiresAt().isAfter(event.header().occurredAt().plus(lease).plus(slack)),
        event,
        "leased until " + granted.expiresAt());
  }

  private void checkSlot(RunHistory history, RunEvent.DeliveryRequested requested) {
    Instant expires = requested.delivery().dispatchExpiresAt();
    require(
        expires == null
            || !expires.isAfter(requested
                .header()
                .occurredAt()
                .plus(Catalogue.dispatchTimeout(history.stored().queue()))
                .plus(slack)),
        requested,
        "its slot is held until " + expires);
  }

  private static boolean isOf(String reason, @Nullable FailureRecord failure) {
    return failure != null
        && failure.meta() != null
        && reason.equals(VertxJson.object(failure.meta()).getString("reason"));
  }

  private void require(boolean holds, RunEvent event, String why) {
    if (!holds) {
      found.add(new Violation(
          Rule.BOUND,
          event.header().runId(),
          event.type().value() + " at " + event.header().occurredAt() + ": " + why));
    }
  }
}
