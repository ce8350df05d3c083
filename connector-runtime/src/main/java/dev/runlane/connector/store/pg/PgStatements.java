package dev.runlane.connector.store.pg;

import dev.runlane.connector.protocol.ManifestStream;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The statements, with the parts that several share filled in once. */
final class PgStatements {
  private static final String MUTABLE = "changed_mutable";
  private static final String APPEND_ONLY = "changed_append_only";

  /** What begins, holds, spends or gives back a claim on a schedule or a notice. */
  private static final List<String> OF_CLAIMS = List.of(
      "claim_schedules",
      "renew_claim",
      "claimed_schedule",
      "settle_schedule",
      "claim_notices",
      "postpone_notice",
      "remove_notice");

  private final SqlStatements statements;
  private final Map<String, String> parts;
  private final Map<String, String> filled = new ConcurrentHashMap<>();
  private final String ingestMutable;
  private final String ingestAppendOnly;

  PgStatements(SchemaName schema) {
    statements = SqlStatements.load(
        PgStatements.class,
        schema,
        "sql/records.sql",
        "sql/state.sql",
        "sql/timeline.sql",
        "sql/runs.sql",
        "sql/schedules.sql",
        "sql/manifests.sql");
    parts = Map.of(
        "refusal", statements.get("refusal"),
        "run_columns", statements.get("run_columns"),
        "event_columns", statements.get("event_columns"),
        "history_columns", statements.get("history_columns"),
        "schedule_columns", statements.get("schedule_columns"));
    ingestMutable = ingest(MUTABLE);
    ingestAppendOnly = ingest(APPEND_ONLY);
  }

  String get(String name) {
    return filled.computeIfAbsent(name, each -> statements.get(each, parts));
  }

  /** The texts, as they are sent, of the statements that a claim depends on. */
  List<String> ofClaims() {
    return OF_CLAIMS.stream().map(this::get).toList();
  }

  /** The statement that takes a batch of a stream of this kind. */
  String ingest(ManifestStream.Semantics semantics) {
    return switch (semantics) {
      case MUTABLE_STATE -> ingestMutable;
      case APPEND_ONLY -> ingestAppendOnly;
    };
  }

  private String ingest(String changed) {
    return statements.get(
        "ingest", Map.of("refusal", statements.get("refusal"), "changed", statements.get(changed)));
  }
}
