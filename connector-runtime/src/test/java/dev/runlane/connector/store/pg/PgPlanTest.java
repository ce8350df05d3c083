package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.ManifestStream.Semantics;
import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.pgclient.PgConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Every statement is planned once for all parameters, as a connection of the store's does it, and of what Postgres
 * believes of the tables at that moment: that they are empty, on the first day, or that they are still though they are
 * full, as while an old snapshot keeps their pages. All must probe what is named here and walk neither a table nor an
 * environment.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgPlanTest {
  /** These answer all rows of an environment. */
  private static final Set<String> LISTS = Set.of("active_runs", "schedules", "active_manifests");

  /** What is removed is looked for in each stream and connection. */
  private static final Pattern ONE_ROW_EACH =
      Pattern.compile(" on (record_streams|scheduler_last_run_times) ");

  private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");
  private static final Pattern ENVIRONMENT = Pattern.compile("Index Cond: \\(env = \\$\\d+\\)$");

  private final PgScene postgres = PgScene.direct();
  private final PgConnectorStoreOptions options = postgres.options();

  @AfterEach
  void close() {
    postgres.close();
  }

  @Test
  void every_statement_finds_its_rows_by_the_index_that_is_there_for_it() {
    postgres.connected(options);
    postgres.sql(options, "VACUUM (ANALYZE) " + tables());
    assertPlans("on empty tables");
    fill();
    assertPlans("on full tables");
  }

  @Test
  void so_it_does_while_an_old_snapshot_keeps_the_pages_of_emptied_tables() {
    postgres.connected(options);
    emptyBehindASnapshot("first");
    assertPlans("on emptied tables");
    fill();
    assertPlans("on tables that are taken to be empty");
  }

  /** As after a restore: of indexes that cost the same, Postgres takes the last that was made. */
  @Test
  void and_so_it_does_where_indexes_were_made_in_another_order() {
    postgres.connected(options);
    for (String index : List.of(
        "connector_grants_pkey",
        "controller_active_runs_pkey",
        "spine_events_bounds",
        "spine_events_terminal",
        "spine_events_pkey")) {
      postgres.sql(options, "REINDEX INDEX CONCURRENTLY {s}." + index);
    }
    emptyBehindASnapshot("second");
    fill();
    assertPlans("with other indexes");
  }

  private void emptyBehindASnapshot(String name) {
    fill();
    PgConnection old = done(postgres.connect());
    done(old.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute());
    done(old.query("SELECT count(*) AS " + name + " FROM pg_class").execute());
    postgres.sql(options, emptying());
    postgres.sql(options, "VACUUM (ANALYZE) " + tables());
    done(old.close());
  }

  private String emptying() {
    return tableNames().stream()
        .filter(table -> !table.equals("{s}.schema_migrations"))
        .map(table -> "DELETE FROM " + table + ";")
        .collect(Collectors.joining());
  }

  /** All of this schema: those of the others in the database are nothing to these plans. */
  private String tables() {
    return String.join(", ", tableNames());
  }

  private List<String> tableNames() {
    List<String> names = new ArrayList<>();
    postgres
        .sql(options, "SELECT tablename FROM pg_tables WHERE schemaname = '{s}'")
        .forEach(table -> names.add("{s}." + table.getString(0)));
    return names;
  }

  @Test
  void entries_that_are_too_young_to_be_removed_are_not_read() {
    postgres.connected(options);
    fill();
    postgres.sql(options, """
        INSERT INTO {s}.run_history (env, run_id, trace_id, connector_id, connector_instance_id, source, trigger_kind,
          automation_mode, attempt, status, started_at, completed_at, records_emitted, needs_attention, known_gaps)
        SELECT h.env, h.run_id, h.trace_id, 'c1', 'c1', h.source, h.trigger_kind, h.automation_mode, h.attempt,
          h.status, h.started_at, h.completed_at, 0, false, '[]' FROM {s}.run_history h""");
    BoundStatement<PgSession.Given<PgStatements.Old>> prune =
        PgStatements.bind(new SchemaName(options.getSchema())).get(PgHistory.PRUNE);
    PgConnection connection = tuned();

    StringBuilder plan = new StringBuilder();
    done(connection
            .preparedQuery("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + prune.sql())
            .execute(
                prune.tuple(new PgSession.Given<>(1, new PgStatements.Old(Instant.EPOCH, 100)))))
        .forEach(row -> plan.append(row.getString(0)).append('\n'));
    done(connection.close());

    assertThat(Pattern.compile("(?:actual rows=|Removed by Filter: )([0-9]+)")
            .matcher(plan)
            .results()
            .map(read -> Integer.valueOf(read.group(1))))
        .as(plan.toString())
        .isNotEmpty()
        .allMatch(read -> read <= 1_000);
  }

  private PgConnection tuned() {
    return done(PgConnection.connect(postgres.vertx(), PgConnectorStore.tuned(options)));
  }

  private void assertPlans(String when) {
    BoundStatements statements = PgStatements.bind(new SchemaName(options.getSchema()));
    PgConnection connection = tuned();
    promises(statements).forEach((statement, indexes) -> {
      String plan = plan(connection, statement);
      assertThat(plan).as("%s: %s", when, statement).doesNotContain("Seq Scan");
      indexes.forEach(index ->
          assertThat(plan).as("%s: %s", when, statement).containsPattern("using " + index + " "));
    });
    for (SqlStatement<?> statement : PgStatements.all()) {
      if (!LISTS.contains(statement.toString())) {
        String plan = plan(connection, text(statements, statement));
        assertThat(walks(plan))
            .as("%s: walks of all rows of an environment by %s:%n%s", when, statement, plan)
            .isEmpty();
      }
    }
    done(connection.close());
  }

  /** The scans of an index whose condition is missing, or no more than the environment. */
  private static List<String> walks(String plan) {
    List<String> lines = plan.lines().toList();
    List<String> walks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String next = i + 1 < lines.size() ? lines.get(i + 1) : "";
      if (lines.get(i).contains(" Scan ")
          && lines.get(i).contains(" using ")
          && !ONE_ROW_EACH.matcher(lines.get(i)).find()
          && (!next.contains("Index Cond: ") || ENVIRONMENT.matcher(next).find())) {
        walks.add(lines.get(i).strip());
      }
    }
    return walks;
  }

  private static Map<String, List<String>> promises(BoundStatements statements) {
    Map<String, List<String>> promises = new LinkedHashMap<>();
    for (Semantics semantics : Semantics.values()) {
      promises.put(
          text(statements, PgRecordSink.INGEST.get(semantics)),
          List.of("controller_active_runs_(pkey|run)", "records_pkey"));
    }
    promises.put(text(statements, EventRows.APPEND), List.of("controller_active_runs_(pkey|run)"));
    promises.put(
        text(statements, CursorCommits.COMMIT), List.of("controller_active_runs_(pkey|run)"));
    promises.put(text(statements, PgTimeline.EVENTS), List.of("spine_events_pkey"));
    promises.put(text(statements, PgTimeline.BOUNDS), List.of("spine_events_bounds"));
    promises.put(text(statements, PgTimeline.TERMINAL_EVENTS), List.of("spine_events_bounds"));
    promises.put(
        text(statements, PgTimeline.PRUNE),
        List.of("spine_events_prunable", "spine_events_bounds"));
    promises.put(text(statements, PgActiveRuns.LOCK), List.of("controller_active_runs_run"));
    promises.put(text(statements, PgActiveRuns.RUN), List.of("controller_active_runs_run"));
    promises.put(text(statements, PgHistory.LIST), List.of("run_history_pkey"));
    promises.put(text(statements, PgHistory.LIST_OF_INSTANCE), List.of("run_history_instance"));
    promises.put(text(statements, PgHistory.OUTCOMES), List.of("run_history_instance"));
    promises.put(text(statements, PgHistory.PRUNE), List.of("run_history_instance"));
    promises.put(
        text(statements, PgRecordSink.RECORDS), List.of("record_streams_pkey", "records_pkey"));
    promises.put(
        text(statements, PgRecordSink.CHANGES),
        List.of("record_streams_pkey", "record_changes_pkey"));
    promises.put(
        text(statements, PgRecordSink.PRUNE),
        List.of("record_streams_pkey", "record_changes_pkey"));
    promises.put(
        text(statements, PgRecordSink.RECORD), List.of("record_streams_pkey", "records_pkey"));
    return promises;
  }

  private static String text(BoundStatements statements, SqlStatement<?> statement) {
    return statements.get(statement).sql();
  }

  /** The connection has one plan made for all parameters; no server before PostgreSQL 16 explains it without any. */
  private static String plan(PgConnection connection, String statement) {
    int parameters = PARAMETER
        .matcher(statement)
        .results()
        .mapToInt(place -> Integer.parseInt(place.group(1)))
        .max()
        .orElse(0);
    String given = parameters == 0
        ? ""
        : "(" + String.join(", ", Collections.nCopies(parameters, "NULL")) + ")";
    StringBuilder plan = new StringBuilder();
    done(connection.query("PREPARE explained AS " + statement).execute());
    done(connection.query("EXPLAIN (COSTS OFF) EXECUTE explained" + given).execute())
        .forEach(row -> plan.append(row.getString(0)).append('\n'));
    done(connection.query("DEALLOCATE explained").execute());
    return plan.toString();
  }

  private void fill() {
    postgres.sql(options, """
        INSERT INTO {s}.record_streams (env, connector_instance_id, stream, run_id, batch)
        SELECT 1, 'c' || i, 'books', 'run_1', 1 FROM generate_series(1, 100) i;
        INSERT INTO {s}.records (stream_number, record_key, version, deleted, emitted_at, run_id, updated_at, data)
        SELECT i % 100, 'k' || i, 1, false, 'now', 'run_1', now(), '{}' FROM generate_series(1, 30000) i;
        INSERT INTO {s}.record_changes (stream_number, record_key, version, deleted, emitted_at, run_id, changed_at, data)
        SELECT i % 100, 'k' || i, 1, false, 'now', 'run_1', now(), '{}' FROM generate_series(1, 30000) i;
        INSERT INTO {s}.spine_events (env, run_id, event_id, event_type, status, occurred_at, recorded_at, trace_id,
          connector_id, connector_instance_id, actor_type, terminal, kept, data)
        SELECT 1, 'run_' || i / 30, 'evt_' || i, 'run.progress_reported', 'in_progress', now(), now(), 'trc', 'c', 'c',
          'runtime', i % 30 = 29, i % 30 = 29, '{}' FROM generate_series(0, 29999) i;
        INSERT INTO {s}.run_history (env, run_id, trace_id, connector_id, connector_instance_id, source, trigger_kind,
          automation_mode, attempt, status, started_at, completed_at, records_emitted, needs_attention, known_gaps)
        SELECT 1, 'run_' || i, 'trc', 'c' || i % 100, 'c' || i % 100, 'manual', 'manual', 'assisted', 1, 'succeeded',
          now(), now(), 0, false, '[]' FROM generate_series(1, 20000) i;
        INSERT INTO {s}.scheduler_last_run_times (env, connector_instance_id, total_runs, succeeded, failed,
          total_records)
        SELECT 1, 'c' || i, 0, 0, 0, 0 FROM generate_series(1, 100) i;
        INSERT INTO {s}.controller_active_runs (env, connector_instance_id, connector_id, run_id, trace_id,
          run_generation, started_at, source, trigger_kind, automation_mode, attempt, controller_id, host_id, boot_id,
          pid, start_ticks)
        SELECT 1, 'c' || i, 'c' || i, 'run_' || i, 'trc', i, now(), 'manual', 'manual', 'assisted', 1, 'ctl', 'h', 'b',
          1, 1 FROM generate_series(1, 100) i;
        ANALYZE\s""" + tables());
  }
}
