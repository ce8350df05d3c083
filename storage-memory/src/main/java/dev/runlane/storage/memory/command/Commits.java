package dev.runlane.storage.memory.command;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.memory.kept.EventLog;
import dev.runlane.storage.memory.kept.KeyOwners;
import dev.runlane.storage.memory.kept.Outbox;
import dev.runlane.storage.memory.kept.OutboxRow;
import dev.runlane.storage.memory.kept.PendingSteps;
import dev.runlane.storage.memory.operator.Webhooks;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.Ids;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The one step that stores events, projection, key ownership, outbox messages and pending steps. Checks nothing, and
 * does nothing that can fail once it has begun. */
public final class Commits {
  private final Runs runs;
  private final EventLog events;
  private final KeyOwners owners;
  private final Outbox outbox;
  private final PendingSteps steps;
  private final Ids ids;
  private final Webhooks webhooks;

  public Commits(
      Runs runs,
      EventLog events,
      KeyOwners owners,
      Outbox outbox,
      PendingSteps steps,
      Ids ids,
      Webhooks webhooks) {
    this.runs = runs;
    this.events = events;
    this.owners = owners;
    this.outbox = outbox;
    this.steps = steps;
    this.ids = ids;
    this.webhooks = webhooks;
  }

  /** The run's sequence, 0 for one that does not exist. */
  long sequenceOf(String runId) {
    RunRecord run = runs.get(runId);
    return run == null ? 0 : run.eventSequence();
  }

  /** Fails unless the run is at the sequence the caller read. */
  void requireSequence(String runId, long expected) {
    long actual = sequenceOf(runId);
    if (actual != expected) {
      throw RunlaneException.conflict(
          EVENT_SEQUENCE, "run %s is at sequence %d, not %d", runId, actual, expected);
    }
  }

  /** Stores what follows an existing run, or a new one whose keys are its own already. */
  AppendedRun store(RunRecord projected, List<? extends RunEvent> facts) {
    List<RunEventRecord> rows = events.append(projected.id(), facts);
    runs.put(projected);
    owners.follow(projected);
    steps.follow(projected, facts);
    addMessages(projected, facts);
    tell(projected);
    return new AppendedRun(projected, rows, List.of());
  }

  private void tell(RunRecord projected) {
    if (projected.status().isTerminal()) {
      webhooks.ended(projected, events.tags(projected.id()));
    }
  }

  /** The same, and claims those of the new messages that are due. */
  AppendedRun storeAndClaim(
      RunRecord projected, List<? extends RunEvent> facts, Instant now, Duration claimFor) {
    OutboxRow.Claim claim = new OutboxRow.Claim(ids.token(), now.plus(claimFor));
    List<RunEventRecord> rows = events.append(projected.id(), facts);
    runs.put(projected);
    owners.follow(projected);
    steps.follow(projected, facts);
    List<ClaimedOutboxMessage> claimed = addMessages(projected, facts).stream()
        .filter(row -> row.isDueAt(now))
        .map(row -> outbox.claim(row, claim))
        .toList();
    tell(projected);
    return new AppendedRun(projected, rows, claimed);
  }

  private List<OutboxRow> addMessages(RunRecord projected, List<? extends RunEvent> facts) {
    List<OutboxRow> added = new ArrayList<>();
    for (RunEvent fact : facts) {
      if (fact instanceof RunEvent.DeliveryRequested requested) {
        added.add(outbox.add(
            ids.outboxMessageId(),
            message(requested, projected),
            projected.keys().concurrencyKey(),
            requested.delivery().availableAt()));
      }
    }
    return added;
  }

  private static DeliveryMessage message(RunEvent.DeliveryRequested event, RunRecord projected) {
    DeliveryIntent delivery = event.delivery();
    Map<String, String> own = delivery.traceCarrier() != null
        ? delivery.traceCarrier()
        : event.header().traceCarrier();
    return new DeliveryMessage(
        delivery.environment(),
        delivery.runId(),
        delivery.queue(),
        delivery.requestedAt(),
        own != null ? own : projected.traceCarrier());
  }
}
