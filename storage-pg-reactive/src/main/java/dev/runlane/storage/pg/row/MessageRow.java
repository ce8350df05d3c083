package dev.runlane.storage.pg.row;

import dev.runlane.postgres.statement.Columns;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.timing.Ids;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An outbox message to be written, one for each delivery request; claimed at birth where that is asked for. */
public record MessageRow(
    String messageId,
    long sequence,
    DeliveryMessage message,
    Instant availableAt,
    @Nullable String claimToken,
    Instant nextAt) {
  /** The parameters of the fragment {@code message_rows}. */
  public static final Columns<MessageRow> COLUMNS = new Columns<MessageRow>()
      .texts("message_run_ids", row -> row.message().runId())
      .longs("message_sequences", MessageRow::sequence)
      .texts("message_ids", MessageRow::messageId)
      .texts("message_queues", row -> row.message().queue())
      .texts("message_statuses", row -> row.status().value())
      .times("message_requested_times", row -> row.message().requestedAt())
      .times("message_available_times", MessageRow::availableAt)
      .times("message_next_times", MessageRow::nextAt)
      .texts("message_claim_tokens", MessageRow::claimToken)
      .texts("message_trace_carriers", row -> RunRows.traceText(row.message().traceCarrier()));

  /** The messages of {@code run} that {@code events}, of which the first has sequence {@code from}, ask for. */
  public static List<MessageRow> of(
      RunRecord run,
      List<? extends RunEvent> events,
      long from,
      Instant now,
      @Nullable Duration claimFor,
      Ids ids) {
    List<MessageRow> rows = new ArrayList<>();
    for (int index = 0; index < events.size(); index++) {
      if (events.get(index) instanceof RunEvent.DeliveryRequested requested) {
        rows.add(of(run, requested, from + index, now, claimFor, ids));
      }
    }
    return rows;
  }

  private static MessageRow of(
      RunRecord run,
      RunEvent.DeliveryRequested event,
      long sequence,
      Instant now,
      @Nullable Duration claimFor,
      Ids ids) {
    DeliveryIntent delivery = event.delivery();
    Map<String, String> trace = delivery.traceCarrier() != null
        ? delivery.traceCarrier()
        : event.header().traceCarrier();
    boolean claimed = claimFor != null && !delivery.availableAt().isAfter(now);
    return new MessageRow(
        ids.outboxMessageId(),
        sequence,
        new DeliveryMessage(
            delivery.environment(),
            delivery.runId(),
            delivery.queue(),
            delivery.requestedAt(),
            trace != null ? trace : run.traceCarrier()),
        delivery.availableAt(),
        claimed ? ids.token() : null,
        claimed ? now.plus(claimFor) : delivery.availableAt());
  }

  /** The messages among the {@code rows} of {@code run} that were claimed at birth, as their owner knows them. */
  public static List<ClaimedOutboxMessage> claimed(RunRecord run, List<MessageRow> rows) {
    List<ClaimedOutboxMessage> claimed = new ArrayList<>();
    for (MessageRow row : rows) {
      if (row.claimToken() != null) {
        claimed.add(new ClaimedOutboxMessage(
            row.messageId(),
            row.claimToken(),
            row.nextAt(),
            row.availableAt(),
            0,
            row.message(),
            run.keys().concurrencyKey()));
      }
    }
    return claimed;
  }

  private OutboxMessageStatus status() {
    return claimToken == null ? OutboxMessageStatus.PENDING : OutboxMessageStatus.CLAIMED;
  }
}
