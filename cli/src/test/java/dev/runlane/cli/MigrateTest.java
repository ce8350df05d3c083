package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.storage.pg.PgStorageAdapter;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane migrate")
@DisplayNameGeneration(ReplaceUnderscores.class)
class MigrateTest {
  private static final AtomicInteger FRESH = new AtomicInteger();

  private OperatedFleet fleet;
  private String fresh;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
    fresh = "fresh_" + FRESH.incrementAndGet();
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  private long tables() {
    return fleet
        .sql("SELECT 1 FROM pg_tables WHERE schemaname = '" + fresh + "'")
        .size();
  }

  @Test
  void plan_lists_what_is_missing_and_changes_nothing() {
    Printed printed = fleet.runlane("migrate", "--plan", "--schema", fresh);

    assertThat(printed.exitCode()).isEqualTo(6);
    assertThat(printed.out())
        .startsWith("Schema " + fresh + " lacks migration 1 (runs) of storage-pg-reactive\n")
        .doesNotContain("job-queue");
    assertThat(tables()).isZero();
    assertThat(fleet.runlane("migrate", "--plan"))
        .isEqualTo(new Printed(0, "Schema " + fleet.schema + " lacks nothing.\n", ""));
  }

  @Test
  void an_address_with_a_parameter_that_is_not_known_is_refused_and_not_quoted() {
    Printed printed = fleet.runlane(
        "migrate", "--plan", "--database", "postgresql://me:secret@127.0.0.1/db?ssl_mode=require");

    assertThat(printed.exitCode()).isEqualTo(2);
    assertThat(printed.err()).contains("ssl_mode").doesNotContain("secret");
  }

  @Test
  void apply_brings_the_tables_and_a_second_time_does_nothing() {
    List<Migrator.Pending> missing =
        await(PgStorageAdapter.migrator(fresh).pending(fleet.vertx, OperatedFleet.connect()));
    Migrator.Pending latest = missing.get(missing.size() - 1);

    assertThat(fleet
            .runlane("migrate", "--apply", "--schema", fresh, "--module", "runs,jobs")
            .out())
        .contains("got migration " + latest.version() + " (" + latest.name()
            + ") of storage-pg-reactive\n")
        .contains("of job-queue\n");

    assertThat(fleet.runlane("runs", "list", "--schema", fresh).exitCode()).isZero();
    assertThat(fleet.runlane("migrate", "--apply", "--schema", fresh).out())
        .isEqualTo("Schema " + fresh + " lacks nothing.\n");
  }

  @Test
  void plan_tells_of_indexes_that_apply_would_make() {
    fleet.dropIndex("outbox_messages_failed");

    Printed planned = fleet.runlane("migrate", "--plan");

    assertThat(planned.exitCode()).isEqualTo(6);
    assertThat(planned.out())
        .isEqualTo("Schema " + fleet.schema
            + " lacks index outbox_messages_failed: --apply makes what is missing.\n");
    assertThat(fleet.json("migrate", "--plan").path("missingIndexes"))
        .hasToString("[\"outbox_messages_failed\"]");
  }

  @Test
  void a_module_that_fails_takes_back_nothing_of_what_is_told_of_those_before() {
    fleet.sql("CREATE SCHEMA " + fresh);
    fleet.sql("CREATE TABLE " + fresh + ".job_webhooks (taken int)");
    String[] apply = {"migrate", "--apply", "--schema", fresh, "--module", "runs,jobs"};

    Printed failed = fleet.runlane(apply);

    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.out()).contains("got migration 1 (runs) of storage-pg-reactive\n");
    assertThat(fleet.json(apply).path("applied")).isEmpty();
  }

  @Test
  void apply_makes_the_indexes_too_that_the_role_of_a_process_may_not_make() {
    fleet.sql("DROP INDEX {schema}.active_runs_due_task, {schema}.outbox_messages_failed");
    assertThat(fleet.runlane("doctor").out()).contains("outbox_messages_failed");

    assertThat(fleet.runlane("migrate", "--apply").exitCode()).isZero();

    assertThat(fleet.runlane("doctor").out()).doesNotContain("outbox_messages_failed");
  }

  @Test
  void indexes_that_the_release_before_follows_are_told_until_it_is_gone_and_are_dropped_then() {
    fleet.sql(
        "CREATE INDEX active_runs_due ON {schema}.active_runs (env, queue, kind, due_at, run_id)");
    fleet.charged(1);
    fleet.sql(
        "INSERT INTO {schema}.live_processes (env, process_id, host, version, roles, queues, task_ids,"
            + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen) SELECT env, 'old',"
            + " 'there', '', '{}', '{}', '{}', '{}', 1, 0, 30000, now(), now() + interval '1 hour'"
            + " FROM {schema}.active_runs");

    Printed planned = fleet.runlane("migrate", "--plan");
    Printed applied = fleet.runlane("migrate", "--apply");
    JsonNode told = fleet.json("migrate", "--apply");

    assertThat(planned.exitCode()).isZero();
    assertThat(planned.out())
        .contains("Schema " + fleet.schema + " has index active_runs_due, which nothing of this");
    assertThat(applied.exitCode()).isZero();
    assertThat(applied.out())
        .contains("Schema " + fleet.schema + " keeps index active_runs_due")
        .contains("Run this again");
    assertThat(told.path("supersededIndexes")).hasToString("[\"active_runs_due\"]");
    assertThat(told.path("missingIndexes")).isEmpty();

    fleet.sql("UPDATE {schema}.live_processes SET last_seen = now() - interval '2 minutes'");
    assertThat(fleet.runlane("migrate", "--apply").out())
        .isEqualTo("Schema " + fleet.schema + " lacks nothing.\n");
    assertThat(fleet.runlane("migrate", "--plan").out())
        .isEqualTo("Schema " + fleet.schema + " lacks nothing.\n");
  }

  @Test
  void indexes_that_another_process_is_at_are_left_to_it_and_told() {
    fleet.sql("DROP INDEX {schema}.outbox_messages_failed");
    PgConnection other = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    await(other
        .query(
            "SELECT pg_advisory_lock(hashtextextended('runlane indexes " + fleet.schema + "', 0))")
        .execute());

    Printed applied = fleet.runlane("migrate", "--apply");
    await(other.close());

    assertThat(applied.exitCode()).isZero();
    assertThat(applied.out()).contains("another process").contains("outbox_messages_failed");
    assertThat(fleet
            .sql(
                "SELECT 1 FROM pg_class WHERE oid = to_regclass('{schema}.outbox_messages_failed')")
            .size())
        .isZero();
  }

  @Test
  void sql_does_the_same_where_somebody_else_applies_it() {
    Printed script = fleet.runlane("migrate", "--sql", "--schema", fresh);
    assertThat(script.exitCode()).isZero();
    assertThat(tables()).isZero();

    fleet.sql(script.out());

    assertThat(fleet.runlane("migrate", "--plan", "--schema", fresh).exitCode()).isZero();
    assertThat(fleet.runlane("runs", "list", "--schema", fresh).exitCode()).isZero();
    assertThat(fleet.runlane("migrate", "--sql", "--schema", fresh).out()).isEmpty();
  }

  @Test
  void one_of_the_three_is_asked_for() {
    assertThat(fleet.runlane("migrate").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("migrate", "--plan", "--apply").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("migrate", "--sql", "--json").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("migrate", "--plan", "--module", "x").err())
        .isEqualTo("runlane: --module: there is no x; there are runs, jobs, connectors\n");
  }
}
