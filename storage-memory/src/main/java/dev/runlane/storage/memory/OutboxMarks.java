package dev.runlane.storage.memory;

import dev.runlane.storage.ClaimOutboxMessages;
import dev.runlane.storage.ClaimedOutboxMessage;
import dev.runlane.storage.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.MarkOutboxMessagesFailed;
import dev.runlane.storage.MarkOutboxMessagesPublished;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.List;

/** The outbox commands: what a publisher claims, and what became of it. */
final class OutboxMarks {
  private final Outbox outbox;
  private final Ids ids;

  OutboxMarks(Outbox outbox, Ids ids) {
    this.outbox = outbox;
    this.ids = ids;
  }

  List<ClaimedOutboxMessage> claim(ClaimOutboxMessages command) {
    List<OutboxRow> due = outbox.due(command.now(), command.limit(), command.outboxMessageIds());
    OutboxRow.Claim claim =
        new OutboxRow.Claim(ids.token(), command.now().plus(command.claimFor()));
    return due.stream().map(row -> outbox.claim(row, claim)).toList();
  }

  void published(MarkOutboxMessagesPublished command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesPublished.Published::outboxMessageId,
        MarkOutboxMessagesPublished.Published::claimToken,
        mark -> row -> row.published(mark.providerMessageId()));
  }

  void failed(MarkOutboxMessagesFailed command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesFailed.Failed::outboxMessageId,
        MarkOutboxMessagesFailed.Failed::claimToken,
        mark -> row -> {
          Instant next = mark.nextAvailableAt();
          return row.failed(mark.failure(), next == null ? command.now() : next);
        });
  }

  void deadLettered(MarkOutboxMessagesDeadLettered command) {
    outbox.mark(
        command.messages(),
        MarkOutboxMessagesDeadLettered.DeadLettered::outboxMessageId,
        MarkOutboxMessagesDeadLettered.DeadLettered::claimToken,
        mark -> row -> row.deadLettered(mark.failure()));
  }
}
