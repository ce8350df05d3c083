package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.key.RunFence;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** The statements, and what several of them are given. */
final class PgStatements {
  /** A connection, by its id. */
  static final Parameters<String> OF_INSTANCE =
      new Parameters<String>().value("instance_id", id -> id);

  /** A run, by its id. */
  static final Parameters<String> OF_RUN = new Parameters<String>().value("run_id", id -> id);

  private PgStatements() {}

  static BoundStatements bind(SchemaName schema) {
    return SqlStatements.load(
            PgStatements.class::getResourceAsStream,
            schema,
            "sql/records.sql",
            "sql/state.sql",
            "sql/timeline.sql",
            "sql/runs.sql",
            "sql/schedules.sql",
            "sql/manifests.sql")
        .bind(Placeholders.NUMBERED, all());
  }

  /** Not a constant: those that it names are made of constants of this class. */
  static List<SqlStatement<?>> all() {
    return Stream.of(
            EnvironmentNumber.STATEMENTS,
            CursorCommits.STATEMENTS,
            PgActiveRuns.STATEMENTS,
            PgGrants.STATEMENTS,
            PgHistory.STATEMENTS,
            PgManifests.STATEMENTS,
            PgRecordSink.STATEMENTS,
            PgRunEnds.STATEMENTS,
            PgSchedules.STATEMENTS,
            PgStates.STATEMENTS,
            PgTimeline.STATEMENTS)
        .<SqlStatement<?>>flatMap(List::stream)
        .toList();
  }

  /** The texts, as they are sent, of the statements that a claim on a schedule or a notice depends on. */
  static List<String> ofClaims(BoundStatements statements) {
    return Stream.concat(PgSchedules.OF_CLAIMS.stream(), Stream.of(PgActiveRuns.CLAIMED_SCHEDULE))
        .map(statement -> statements.get(statement).sql())
        .toList();
  }

  /** The oldest, to be removed. */
  record Old(Instant than, long limit) {
    static final Parameters<Old> PARAMETERS = new Parameters<Old>()
        .value("older_than", old -> PgValues.utc(old.than()))
        .value("limit", Old::limit);
  }

  /** A run that writes. */
  record Fenced(RunFence fence, Instant now) {
    static final Parameters<Fenced> PARAMETERS = new Parameters<Fenced>()
        .value("instance_id", each -> each.fence().instanceId())
        .value("run_id", each -> each.fence().runId())
        .value("generation", each -> each.fence().generation())
        .value("now", each -> PgValues.utc(each.now()));
  }
}
