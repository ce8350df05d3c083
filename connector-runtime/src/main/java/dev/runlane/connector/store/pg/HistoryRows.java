package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;
import static dev.runlane.connector.store.pg.PgValues.jsonOrNull;
import static dev.runlane.connector.store.pg.PgValues.textOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.RecordedRun;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunResultFacts;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.RunTrigger;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

/** Entries of the history as rows. */
final class HistoryRows {
  private HistoryRows() {}

  static Tuple parameters(int env, RunHistoryEntry entry) {
    RunTrigger trigger = entry.trigger();
    RunResultFacts result = entry.result();
    return Tuple.of(env, entry.run().runId(), entry.run().traceId())
        .addString(entry.run().connector().connectorId())
        .addString(entry.run().connector().instanceId())
        .addString(trigger.source().value())
        .addString(trigger.kind().value())
        .addString(trigger.mode().value())
        .addInteger(trigger.attempt())
        .addString(entry.status().value())
        .addOffsetDateTime(utc(entry.startedAt()))
        .addOffsetDateTime(utc(entry.completedAt()))
        .addString(entry.terminalReason())
        .addString(entry.failureReason())
        .addString(entry.error())
        .addInteger(entry.httpStatus())
        .addLong(result.recordsEmitted())
        .addLong(result.reportedRecordsEmitted())
        .addBoolean(result.needsAttention())
        .addString(textOrNull(result.checkpointSummary()))
        .addString(result.knownGaps().text())
        .addString(textOrNull(result.state()))
        .addString(textOrNull(result.connectorError()));
  }

  static RecordedRun read(Row row) {
    return new RecordedRun(
        row.getLong("history_seq"),
        new RunHistoryEntry(
            EventRows.identity(row),
            RunRows.trigger(row),
            RunStatus.ofValue(row.getString("status")),
            instant(row, "started_at"),
            instant(row, "completed_at"),
            row.getString("terminal_reason"),
            row.getString("failure_reason"),
            row.getString("error"),
            row.getInteger("http_status"),
            result(row)));
  }

  private static RunResultFacts result(Row row) {
    return new RunResultFacts(
        row.getLong("records_emitted"),
        row.getLong("reported_records_emitted"),
        jsonOrNull(row, "checkpoint_summary"),
        json(row, "known_gaps"),
        jsonOrNull(row, "state"),
        jsonOrNull(row, "connector_error"),
        row.getBoolean("needs_attention"));
  }
}
