package dev.runlane.storage.memory.kept;

import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.List;

/** The outbox commands: what a publisher claims, and what became of it. */
public final class OutboxMarks {
  private final Outbox outbox;
  private final Ids ids;

  public OutboxMarks(Outbox outbox, Ids ids) {
    this.outbox = outbox;
    this.ids = ids;
  }

  public List<ClaimedOutboxMessage> claim(ClaimOutboxMessages command) {
    List<OutboxRow> due = outbox.due(command.now(), command.limit(), command.outboxMessageIds());
    OutboxRow.Claim claim =
        new OutboxRow.Claim(ids.token(), command.now().plus(command.claimFor()));
    return due.stream().map(row -> outbox.claim(row, claim)).toList();
  }

  public void published(MarkOutboxMessagesPublished command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesPublished.Published::outboxMessageId,
        MarkOutboxMessagesPublished.Published::claimToken,
        mark -> row -> row.published(mark.providerMessageId()));
  }

  public void failed(MarkOutboxMessagesFailed command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesFailed.Failed::outboxMessageId,
        MarkOutboxMessagesFailed.Failed::claimToken,
        mark -> row -> {
          Instant next = mark.nextAvailableAt();
          return row.failed(mark.failure(), next == null ? command.now() : next, mark.counted());
        });
  }

  public void deadLettered(MarkOutboxMessagesDeadLettered command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesDeadLettered.DeadLettered::outboxMessageId,
        MarkOutboxMessagesDeadLettered.DeadLettered::claimToken,
        mark -> row -> row.deadLettered(mark.failure()));
  }
}
