package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;
import static dev.runlane.connector.store.pg.PgValues.jsonOrNull;
import static dev.runlane.connector.store.pg.PgValues.textOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.StoredValues;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.sqlclient.Row;

/** Entries of the history as rows. */
final class HistoryRows {
  /** What is written of an entry. */
  static final Parameters<RunHistoryEntry> PARAMETERS = new Parameters<RunHistoryEntry>()
      .value("run_id", entry -> entry.run().runId())
      .value("trace_id", entry -> entry.run().traceId())
      .value("connector_id", entry -> entry.run().connector().connectorId())
      .value("instance_id", entry -> entry.run().connector().instanceId())
      .value("source", entry -> entry.trigger().names().source())
      .value("trigger_kind", entry -> entry.trigger().names().kind())
      .value("automation_mode", entry -> entry.trigger().names().mode())
      .value("attempt", entry -> entry.trigger().attempt())
      .value("status", entry -> entry.status().value())
      .value("started_at", entry -> utc(entry.startedAt()))
      .value("completed_at", entry -> utc(entry.completedAt()))
      .value("terminal_reason", RunHistoryEntry::terminalReason)
      .value("failure_reason", RunHistoryEntry::failureReason)
      .value("error", RunHistoryEntry::error)
      .value("http_status", RunHistoryEntry::httpStatus)
      .value("records_emitted", entry -> entry.result().recordsEmitted())
      .value("reported_records_emitted", entry -> entry.result().reportedRecordsEmitted())
      .value("needs_attention", entry -> entry.result().needsAttention())
      .value("checkpoint_summary", entry -> textOrNull(entry.result().checkpointSummary()))
      .value("known_gaps", entry -> entry.result().knownGaps().text())
      .value("state", entry -> textOrNull(entry.result().state()))
      .value("connector_error", entry -> textOrNull(entry.result().connectorError()));

  /** An entry that counts in the statistics. */
  static final SqlStatement<PgSession.Given<RunHistoryEntry>> INSERT =
      PgSession.statement("insert_history", PARAMETERS);

  private HistoryRows() {}

  /** A status of a later release is taken for the one of an end that no schedule acts on. */
  static RecordedRun read(Row row) {
    return new RecordedRun(
        row.getLong("history_seq"),
        new RunHistoryEntry(
            EventRows.identity(row),
            RunRows.trigger(row),
            StoredValues.findOr(RunStatus.CANCELLED, RunStatus::value, row.getString("status")),
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
