package dev.runlane.simulation.check;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.outbox.OutboxMessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Where all is well and no line is slow, a wakeup leaves soon: one that is to leave at once by the process that asked
 * for it, which tells its publisher, and any other by the next sweep or pass after it is due.
 */
final class PublishRules {
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  /** What a sweep takes itself, and what was claimed before. */
  private static final Duration OF_A_SWEEP = Duration.ofSeconds(5);

  private final Fleet fleet;
  private final Map<String, Instant> tried;
  private final List<Violation> found;

  PublishRules(Fleet fleet, List<Violation> found) {
    this.fleet = fleet;
    this.found = found;
    tried = fleet.transport().firstTries();
  }

  void check(RunHistory history) {
    if (!fleet.isSwift() || !fleet.stays()) {
      return;
    }
    List<OutboxMessageState> messages = fleet.stored().outbox(history.runId());
    List<RunEvent.DeliveryRequested> requests = history.events().stream()
        .filter(row -> row.event() instanceof RunEvent.DeliveryRequested)
        .map(row -> (RunEvent.DeliveryRequested) row.event())
        .toList();
    for (int index = 0; index < Math.min(messages.size(), requests.size()); index++) {
      check(requests.get(index), messages.get(index));
    }
  }

  private void check(RunEvent.DeliveryRequested request, OutboxMessageState message) {
    Instant asked = request.header().occurredAt();
    boolean isDueThen = !request.delivery().availableAt().isAfter(asked);
    Instant due = isDueThen ? asked : request.delivery().availableAt();
    Duration bound = isDueThen && fleet.hasRoles() ? AT_ONCE : fleet.sweep().plus(OF_A_SWEEP);
    Instant sent = tried.get(message.id());
    if ((sent == null || sent.isAfter(due.plus(bound))) && fleet.isCalm(due)) {
      found.add(new Violation(
          Rule.PUBLISHED,
          request.header().runId(),
          "its wakeup of " + asked + " was due at " + due + " and sent at " + sent));
    }
  }
}
