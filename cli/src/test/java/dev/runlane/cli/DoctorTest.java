package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.doctor.Doctor;
import dev.runlane.cli.doctor.Finding;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each test breaks one thing on a real Postgres; only the check it is for may find more than before. */
@DisplayName("runlane doctor")
@DisplayNameGeneration(ReplaceUnderscores.class)
class DoctorTest {
  /** With the tables of jobs, too. */
  private static final ReusedSchemas WITH_JOBS = new ReusedSchemas("doctor_jobs_");

  private OperatedFleet fleet;

  @TempDir
  private Path folder;

  @BeforeEach
  void start() {
    operate(OperatedFleet.onEmptied());
  }

  private void operate(OperatedFleet operated) {
    fleet = operated;
    worker(1, "{default,one}", "{charge,hold}");
  }

  /** The sign of life of a process that is always there: its clock is far ahead, and nobody knows by how much. */
  private void worker(int slots, String queues, String tasks) {
    fleet.sql("DELETE FROM {schema}.live_processes");
    fleet.sql(
        "INSERT INTO {schema}.live_processes (env, process_id, host, version, roles, queues, task_ids,"
            + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen, schema_version)"
            + " SELECT env, 'w', 'here', '',"
            + " '{}', '" + queues + "', '" + tasks + "', '{}', " + slots
            + ", 0, 30000, now(), now() + interval '1 hour', 1 FROM {schema}.environments");
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  /** The findings without those that the test's own server has by itself: it is made to be fast, not to last. */
  private List<JsonNode> found(String... options) {
    List<String> arguments = new ArrayList<>(List.of("doctor"));
    arguments.addAll(List.of(options));
    List<JsonNode> found = new ArrayList<>();
    fleet.json(arguments.toArray(String[]::new)).path("findings").forEach(finding -> {
      if (!isOfTheTestsServer(finding)) {
        found.add(finding);
      }
    });
    return found;
  }

  private static boolean isOfTheTestsServer(JsonNode finding) {
    return finding.path("check").asText().equals("settings")
        && finding
            .path("text")
            .asText()
            .matches("(fsync|full_page_writes|synchronous_commit) is off.*");
  }

  private void assertFinds(String check, String severity, String text, String mend) {
    List<JsonNode> found = found();
    assertThat(found).as("%s", found).hasSize(1);
    assertThat(found.get(0).path("check").asText()).isEqualTo(check);
    assertThat(found.get(0).path("severity").asText()).isEqualTo(severity);
    assertThat(found.get(0).path("text").asText()).contains(text);
    assertThat(found.get(0).path("meaning").asText()).isNotEmpty();
    assertThat(found.get(0).path("mend").asText()).contains(mend);
  }

  @Test
  void finds_nothing_where_nothing_is_wrong_and_names_what_it_looked_at() {
    fleet.ended(1);
    fleet.charged(2);

    assertThat(found()).isEmpty();
    assertThat(fleet.runlane("doctor").out())
        .contains("ok       version\n", "ok       migrations\n", "ok       capacity\n");
    JsonNode answer = fleet.json("doctor");
    assertThat(answer.path("checks")).hasSize(32);
    assertThat(answer.path("schema").asText()).isEqualTo(fleet.schema);
    assertThat(answer.path("environment").asText()).isEqualTo("default");
    assertThat(answer.path("addressGivenByOption").asBoolean(true)).isFalse();
  }

  @Test
  void finds_a_migration_that_is_missing() {
    Row latest = fleet
        .sql("DELETE FROM {schema}.schema_migrations WHERE version ="
            + " (SELECT max(version) FROM {schema}.schema_migrations) RETURNING version, name")
        .iterator()
        .next();

    assertFinds(
        "migrations",
        "error",
        "migration " + latest.getInteger("version") + " (" + latest.getString("name") + ")",
        "runlane migrate --apply");
  }

  @Test
  void does_not_send_to_migrate_what_migrate_refuses() {
    fleet.sql("UPDATE {schema}.schema_migrations SET checksum = 'x' WHERE version = 2");

    assertFinds(
        "migrations", "error", "with another text", "runlane migrate --apply ends with the same");
    assertThat(fleet.runlane("migrate", "--apply").err()).contains("with another text");
  }

  @Test
  void finds_a_migration_of_jobs_and_of_connectors_that_is_missing_where_they_are_used() {
    fleet.runlane("migrate", "--apply", "--module", "jobs,connectors");
    assertThat(found()).isEmpty();
    fleet.sql(
        "DELETE FROM {schema}.schema_migrations m WHERE module <> 'storage-pg-reactive' AND version ="
            + " (SELECT max(version) FROM {schema}.schema_migrations l WHERE l.module = m.module)");

    assertThat(found())
        .extracting(each -> each.path("text").asText())
        .satisfiesExactly(
            jobs -> assertThat(jobs).contains("lacks migration ").contains(" of job-queue"),
            connectors -> assertThat(connectors)
                .contains("lacks migration ")
                .contains(" of connector-runtime"));
    assertThat(found()).allSatisfy(each -> assertThat(each.path("mend").asText())
        .startsWith("runlane migrate --apply"));
  }

  @Test
  void finds_that_there_are_no_tables_at_all() {
    assertThat(found("--schema", "nothing_here"))
        .extracting(each -> each.path("check").asText())
        .containsExactly("migrations");
  }

  @Test
  void finds_what_a_restore_of_a_part_of_the_schema_left_out() {
    fleet.sql("DROP TABLE {schema}.pruned_occurrences");
    fleet.sql("DROP FUNCTION {schema}.complete_step");
    fleet.sql("DROP TRIGGER fold_new_late_minutes ON {schema}.throughput_minutes");
    fleet.sql("ALTER TABLE {schema}.idempotency_owners DROP CONSTRAINT idempotency_owners_pkey");
    fleet.sql("DROP SEQUENCE {schema}.event_ids CASCADE");

    List<JsonNode> found = found();

    assertThat(found)
        .extracting(
            each -> each.path("check").asText() + ": " + each.path("text").asText())
        .containsExactlyInAnyOrder(
            lost("Function complete_step"),
            lost("Key idempotency_owners_pkey"),
            lost("Key pruned_occurrences_pkey"),
            lost("Sequence event_ids"),
            lost("Table pruned_occurrences"),
            lost("Trigger fold_new_late_minutes of table throughput_minutes"));
    assertThat(found).allSatisfy(each -> assertThat(each.path("mend").asText())
        .startsWith("Restore the whole schema from a dump"));
  }

  private static String lost(String what) {
    return "objects: " + what + " is missing, though schema_migrations says that it was made.";
  }

  @Test
  void finds_a_trigger_that_a_restore_of_data_alone_left_disabled_and_its_command_mends_it() {
    fleet.sql("ALTER TABLE {schema}.schedule_occurrences DISABLE TRIGGER USER");
    String mend = "ALTER TABLE \"" + fleet.schema
        + "\".schedule_occurrences ENABLE TRIGGER refuse_pruned_occurrence;";

    assertFinds(
        "objects",
        "error",
        "Trigger refuse_pruned_occurrence of table schedule_occurrences is disabled.",
        mend);

    fleet.sql(mend);
    assertThat(found()).isEmpty();
  }

  @Test
  void finds_a_sequence_that_a_copy_of_the_rows_alone_left_behind_and_its_command_mends_it() {
    fleet.ended(1);
    fleet.charged(2);
    fleet.sql("SELECT setval('{schema}.event_ids', 1)");
    String mend =
        "SELECT setval('\"" + fleet.schema + "\".event_ids', (SELECT max(event_id) FROM \""
            + fleet.schema + "\".run_events)); -- as the owner";

    assertFinds("sequences", "error", "event_ids gives numbers that rows have already", mend);

    fleet.sql(mend);
    assertThat(found()).isEmpty();
  }

  @Test
  void finds_every_sequence_that_is_behind_and_its_commands_mend_all_of_them() {
    fleet.ended(1);
    fleet.runlane("migrate", "--apply", "--module", "jobs,connectors");
    fleet.sql("UPDATE {schema}.run_events SET event_id = event_id + 1000");
    fleet.sql(
        "INSERT INTO {schema}.environments (env, environment_key) OVERRIDING SYSTEM VALUE VALUES (1000, 'old')");
    fleet.sql("INSERT INTO {schema}.job_groups (queue, group_id, served) VALUES ('q', 'g', 1000)");
    fleet.sql("INSERT INTO {schema}.job_group_marks (queue, number, group_id, priority, place)"
        + " VALUES ('q', 1000, 'g', 0, 1)");
    fleet.sql(
        "INSERT INTO {schema}.connector_environments (env, environment_key) OVERRIDING SYSTEM VALUE"
            + " VALUES (1000, 'old')");
    fleet.sql(
        "INSERT INTO {schema}.record_streams (env, connector_instance_id, stream, stream_number, run_id, batch)"
            + " OVERRIDING SYSTEM VALUE VALUES (1000, 'shelf', 'books', 1000, 'run_1', 1)");

    List<JsonNode> found = found();

    assertThat(found)
        .extracting(each -> each.path("text").asText().replaceAll(".*\\.(\\w+) gives .*", "$1"))
        .containsExactlyInAnyOrder(
            "environments_env_seq",
            "event_ids",
            "job_group_mark_numbers",
            "job_places",
            "connector_environments_env_seq",
            "record_streams_stream_number_seq");
    found.forEach(each -> fleet.sql(each.path("mend").asText()));
    assertThat(found()).isEmpty();
  }

  @Test
  void knows_every_sequence_that_migrations_make() {
    fleet.runlane("migrate", "--apply", "--module", "jobs,connectors");
    String looked = resource("/dev/runlane/cli/doctor/sql/doctor.sql");

    fleet
        .sql(
            "SELECT c.relname::text AS name, o.relname::text AS owner, a.attname::text AS attribute"
                + " FROM pg_class c LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'i'"
                + " LEFT JOIN pg_class o ON o.oid = d.refobjid"
                + " LEFT JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum = d.refobjsubid"
                + " WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'S'")
        .forEach(row -> assertThat(looked)
            .contains(
                row.getString("owner") == null
                    ? "'{schema}." + row.getString("name") + "'"
                    : "pg_get_serial_sequence('{schema}." + row.getString("owner") + "', '"
                        + row.getString("attribute") + "')"));
  }

  private static String resource(String name) {
    try (InputStream stream = DoctorTest.class.getResourceAsStream(name)) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void knows_every_object_that_migrations_make() {
    fleet.runlane("migrate", "--apply", "--module", "jobs,connectors");
    List<String> made = new ArrayList<>();
    fleet
        .sql(
            "SELECT c.relname::text AS name FROM pg_class c WHERE relnamespace = '{schema}'::regnamespace"
                + " AND relkind IN ('r', 'S') AND relname <> 'schema_migrations'"
                + " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i')"
                + " UNION SELECT proname::text FROM pg_proc WHERE pronamespace = '{schema}'::regnamespace"
                + " UNION SELECT tgname || ' of table ' || tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal"
                + " AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = '{schema}'::regnamespace)"
                + " UNION SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                + " WHERE i.indisunique AND c.relnamespace = '{schema}'::regnamespace"
                + " AND c.relname NOT IN ('schema_migrations_pkey', 'alerts_open')")
        .forEach(row -> made.add(row.getString("name").replace(fleet.schema + ".", "")));
    fleet.sql("CREATE TABLE {schema}.kept AS SELECT * FROM {schema}.schema_migrations");
    fleet.sql("DROP SCHEMA IF EXISTS {schema}_left CASCADE");
    fleet.sql("ALTER SCHEMA {schema} RENAME TO {schema}_left");
    fleet.sql("CREATE SCHEMA {schema}");
    fleet.sql("CREATE TABLE {schema}.schema_migrations AS SELECT * FROM {schema}_left.kept");
    fleet.sql("DROP SCHEMA {schema}_left CASCADE");

    assertThat(made).hasSizeGreaterThan(100);
    assertThat(found())
        .extracting(each -> each.path("text").asText())
        .allMatch(
            text -> text.endsWith(" is missing, though schema_migrations says that it was made."))
        .extracting(text -> text.replaceFirst("^\\w+ ", "").replaceFirst(" is missing, .*", ""))
        .containsExactlyInAnyOrderElementsOf(made);
  }

  @Test
  void finds_an_index_that_is_missing() {
    fleet.dropIndex("active_runs_reserved");

    assertFinds("indexes", "warning", "Index active_runs_reserved is missing", "CONCURRENTLY");
  }

  @Test
  void finds_an_index_that_migrations_leave_to_be_made_later() {
    fleet.dropIndex("active_runs_due_task");

    assertFinds(
        "indexes",
        "warning",
        "Index active_runs_due_task is missing",
        "runlane migrate --apply --schema ");
  }

  @Test
  void knows_every_index_that_migrations_make() {
    List<String> made = new ArrayList<>();
    fleet
        .sql("SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            + " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '{schema}'"
            + " AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)")
        .forEach(row -> made.add(row.getString("relname")));
    made.forEach(fleet::dropIndex);

    assertThat(found())
        .extracting(each -> each.path("text").asText())
        .containsExactlyInAnyOrderElementsOf(
            made.stream().map(index -> "Index " + index + " is missing.").toList());
  }

  @Test
  void finds_an_index_that_is_invalid() {
    fleet.sql("UPDATE pg_index SET indisvalid = false"
        + " WHERE indexrelid = '{schema}.active_runs_due_task'::regclass");

    assertFinds(
        "indexes", "warning", "active_runs_due_task is invalid", "REINDEX INDEX CONCURRENTLY");
  }

  @Test
  void finds_what_a_rebuild_of_an_index_left_and_does_not_make_it_anew() {
    fleet.sql("CREATE INDEX active_runs_due_task_ccnew ON {schema}.active_runs (env)");
    fleet.sql("UPDATE pg_index SET indisvalid = false"
        + " WHERE indexrelid = '{schema}.active_runs_due_task_ccnew'::regclass");
    String mend = "DROP INDEX CONCURRENTLY \"" + fleet.schema + "\".active_runs_due_task_ccnew;";

    assertFinds("indexes", "warning", "active_runs_due_task_ccnew was left by a REINDEX", mend);

    fleet.sql(mend);
    assertThat(found()).isEmpty();
  }

  @Test
  void finds_what_somebody_has_made_of_tables_and_its_commands_mend_it() {
    String other = "orders_of_" + fleet.schema;
    fleet.sql("CREATE TABLE public." + other + " (env integer, run_id text COLLATE \"C\","
        + " CONSTRAINT of_run FOREIGN KEY (env, run_id) REFERENCES {schema}.active_runs)");
    fleet.sql("CREATE FUNCTION public." + other + "() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN RETURN NULL; END $$");
    fleet.sql("CREATE TRIGGER audited AFTER INSERT ON {schema}.terminal_runs FOR EACH ROW"
        + " EXECUTE FUNCTION public." + other + "()");
    fleet.sql("CREATE RULE nothing AS ON DELETE TO {schema}.alerts DO INSTEAD NOTHING");
    fleet.sql("ALTER TABLE {schema}.log_lines SET UNLOGGED");
    fleet.sql("ALTER TABLE {schema}.webhooks REPLICA IDENTITY NOTHING");
    fleet.sql("CREATE PUBLICATION " + other + " FOR TABLE {schema}.webhooks, {schema}.active_runs");
    try {
      List<JsonNode> found = found();

      assertThat(found)
          .allMatch(finding -> finding.path("check").asText().equals("additions"))
          .extracting(finding ->
              finding.path("severity").asText() + " " + finding.path("text").asText())
          .containsExactly(
              "error Foreign key of_run of table " + other + " refers to table active_runs.",
              "warning Rule nothing of table alerts makes other statements of ours.",
              "note Trigger audited of table terminal_runs calls " + other + ", which is not ours.",
              "error Table log_lines is unlogged.",
              "error Table webhooks is in publication " + other + " and has no replica identity.");

      found.stream()
          .map(finding -> finding.path("mend").asText().replaceFirst("^See .*; or ", ""))
          .forEach(fleet::sql);
      assertThat(found()).isEmpty();
    } finally {
      fleet.sql("DROP PUBLICATION " + other);
      fleet.sql("DROP TABLE public." + other);
      fleet.sql("DROP FUNCTION public." + other);
    }
  }

  @Test
  void finds_row_level_security_that_hides_rows_from_the_role() {
    String role = "hidden_" + fleet.schema;
    fleet.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
    fleet.sql("GRANT USAGE ON SCHEMA {schema} TO " + role);
    fleet.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO " + role);
    fleet.sql("ALTER TABLE {schema}.active_runs ENABLE ROW LEVEL SECURITY");
    PgConnectOptions connect = OperatedFleet.connect().setUser(role).setPassword("p");

    List<Finding> found = examined(connect, Instant::now);
    assertThat(texts(found, "migrations"))
        .singleElement()
        .asString()
        .contains("row level security may hide rows of table active_runs");
    assertThat(texts(found, "objects")).isEmpty();
    fleet.sql("CREATE POLICY runlane ON {schema}.active_runs USING (true)");
    assertThat(texts(examined(connect, Instant::now), "migrations")).isEmpty();
  }

  @Test
  void takes_no_index_that_another_role_makes_at_this_moment_for_one_that_is_to_be_made_anew() {
    String role = "looks_" + fleet.schema;
    fleet.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
    fleet.sql("GRANT USAGE ON SCHEMA {schema} TO " + role);
    fleet.sql("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO " + role);
    fleet.sql("DROP INDEX {schema}.webhook_deliveries_due");
    PgConnection writer = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    await(writer.query("BEGIN").execute());
    await(writer
        .query("LOCK TABLE " + fleet.schema + ".webhook_deliveries IN ROW EXCLUSIVE MODE")
        .execute());
    PgConnection maker = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    Future<?> made = maker
        .query("CREATE INDEX CONCURRENTLY webhook_deliveries_due ON " + fleet.schema
            + ".webhook_deliveries (env, webhook_id, next_at)")
        .execute();
    OperatedFleet.until(() -> fleet
            .sql("SELECT 1 FROM pg_index WHERE NOT indisvalid"
                + " AND indexrelid = to_regclass('{schema}.webhook_deliveries_due')")
            .size()
        == 1);

    List<Finding> found =
        examined(OperatedFleet.connect().setUser(role).setPassword("p"), Instant::now);
    await(writer.query("COMMIT").execute());
    await(made);
    await(writer.close());
    await(maker.close());

    assertThat(found)
        .filteredOn(finding -> finding.check().equals("indexes"))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.severity()).isEqualTo(Finding.Severity.NOTE);
          assertThat(finding.text())
              .isEqualTo("Index webhook_deliveries_due is invalid, or is being made.");
          assertThat(finding.mend()).doesNotContain("REINDEX");
        });
  }

  @Test
  void finds_an_index_that_nothing_reads_once_its_successor_is_whole_and_its_command_mends_it() {
    fleet.sql(
        "CREATE INDEX active_runs_due ON {schema}.active_runs (env, queue, kind, due_at, run_id)");
    assertFinds(
        "indexes",
        "warning",
        "Index active_runs_due is read by nothing",
        "runlane migrate --apply");

    fleet.sql("UPDATE pg_index SET indisvalid = false"
        + " WHERE indexrelid = '{schema}.active_runs_due_task'::regclass");
    assertFinds("indexes", "warning", "active_runs_due_task is invalid", "REINDEX");

    fleet.runlane("migrate", "--apply");
    assertThat(found()).isEmpty();
  }

  @Test
  void finds_dead_rows() {
    fleet.close();
    operate(new OperatedFleet()); // whose sessions end, and are counted then
    fleet.sql("ALTER TABLE {schema}.outbox_messages SET (autovacuum_enabled = false)");
    fleet.sql(
        "INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,"
            + " available_at, next_at) SELECT 999, 'r', 1, 'm' || i, 'q', 'pending', now(), now(), now()"
            + " FROM generate_series(1, 60000) i");
    fleet.sql("DELETE FROM {schema}.outbox_messages WHERE env = 999");
    OperatedFleet.until(() -> fleet
            .sql("SELECT 1 FROM pg_stat_user_tables WHERE schemaname = '{schema}'"
                + " AND n_dead_tup = 60000")
            .size()
        == 1);

    assertFinds("dead_rows", "warning", "Table outbox_messages has 60000 dead rows", "VACUUM ");
  }

  @Test
  void finds_a_transaction_that_stays_open() {
    PgConnection connection = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    await(connection.query("BEGIN").execute());
    int pid = await(connection.query("SELECT pg_backend_pid()").execute())
        .iterator()
        .next()
        .getInteger(0);

    assertThat(found()).isEmpty();
    assertThat(found("--long-transaction", "0s")).anySatisfy(finding -> {
      assertThat(finding.path("check").asText()).isEqualTo("long_transactions");
      assertThat(finding.path("mend").asText())
          .isEqualTo("SELECT pg_terminate_backend(" + pid + ");");
    });
    await(connection.close());
  }

  @Test
  void says_that_a_role_without_rights_on_statistics_cannot_see_the_transactions_of_others() {
    String role = "looker_" + fleet.schema;
    fleet.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
    fleet.sql("GRANT USAGE ON SCHEMA {schema} TO " + role);
    fleet.sql("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO " + role);
    PgConnectOptions connect = OperatedFleet.connect().setUser(role).setPassword("p");
    PgConnection connection = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    await(connection.query("BEGIN").execute());

    List<Finding> found = examined(connect, Instant::now);

    assertThat(found)
        .filteredOn(finding -> finding.check().equals("long_transactions"))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.severity()).isEqualTo(Finding.Severity.NOTE);
          assertThat(finding.text())
              .matches("[1-9]\\d* sessions of other roles are not shown to " + role + "\\.");
        });
    fleet.sql("GRANT pg_read_all_stats TO " + role);
    assertThat(texts(examined(connect, Instant::now), "long_transactions")).isEmpty();
    await(connection.close());
  }

  @Test
  @Tag("full")
  void counts_the_connections_of_other_roles_too_without_rights_on_statistics() {
    String role = "counter_" + fleet.schema;
    fleet.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
    PgConnectOptions connect = OperatedFleet.connect().setUser(role).setPassword("p");
    int usable = fleet
        .sql("SELECT current_setting('max_connections')::integer"
            + " - current_setting('superuser_reserved_connections')::integer")
        .iterator()
        .next()
        .getInteger(0);
    List<PgConnection> held = new ArrayList<>();
    List<Finding> found;
    try {
      for (int i = 0; i < usable * 8 / 10; i++) {
        held.add(await(PgConnection.connect(fleet.vertx, OperatedFleet.connect())));
      }
      found = examined(connect, Instant::now);
    } finally {
      held.forEach(connection -> await(connection.close()));
    }

    assertThat(texts(found, "connections"))
        .singleElement()
        .asString()
        .endsWith(" of " + usable + " connections are in use.");
  }

  @Test
  void finds_wakeups_that_were_given_up() {
    wakeup("'dead_lettered'", "'infinity'", "now()");

    assertFinds(
        "outbox",
        "error",
        "1 wakeups were given up",
        "runlane outbox redrive --dead-letters --yes");
  }

  @Test
  void finds_wakeups_that_fail() {
    wakeup("'failed'", "now() + interval '1 hour'", "now()");

    assertFinds("outbox", "warning", "1 wakeups could not be published", "transport");
  }

  @Test
  void finds_wakeups_that_nobody_publishes() {
    wakeup("'pending'", "now() - interval '1 hour'", "now() - interval '1 hour'");

    assertFinds("outbox", "error", "1 wakeups are due for more than a minute", "outboxPublisher");
  }

  private void wakeup(String status, String nextAt, String availableAt) {
    fleet.charged(1);
    fleet.sql("DELETE FROM {schema}.outbox_messages");
    fleet.sql(
        "INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,"
            + " available_at, next_at) SELECT env, run_id, 2, 'm', queue, " + status + ", now(), "
            + availableAt + ", "
            + nextAt + " FROM {schema}.active_runs LIMIT 1");
  }

  @Test
  void
      finds_a_capacity_row_that_differs_from_the_runs_that_occupy_slots_and_its_command_mends_it() {
    await(fleet.worker.trigger(fleet.hold, "x"));
    fleet.worker.executeNext();
    OperatedFleet.until(
        () -> fleet.sql("SELECT 1 FROM {schema}.queue_capacity WHERE used = 1").size() == 1);
    fleet.sql("UPDATE {schema}.queue_capacity SET used = 3");

    assertFinds("capacity", "error", "the row counts 3 slots, but 1 runs occupy one", "UPDATE");

    fleet.sql(found().get(0).path("mend").asText());
    assertThat(found()).isEmpty();
  }

  @Test
  void its_command_mends_capacity_without_a_row_and_leaves_other_environments_alone() {
    await(fleet.worker.trigger(fleet.hold, "x"));
    fleet.worker.executeNext();
    OperatedFleet.until(
        () -> fleet.sql("SELECT 1 FROM {schema}.queue_capacity WHERE used = 1").size() == 1);
    fleet.sql("INSERT INTO {schema}.environments (environment_key) VALUES ('other')");
    fleet.sql("INSERT INTO {schema}.queue_capacity (env, queue, partition, used)"
        + " SELECT env, 'one', '', 5 FROM {schema}.environments WHERE environment_key = 'other'");
    fleet.sql("DELETE FROM {schema}.queue_capacity WHERE used = 1");

    assertFinds("capacity", "error", "the row counts 0 slots, but 1 runs occupy one", "INSERT");
    fleet.sql(found().get(0).path("mend").asText());

    assertThat(found()).isEmpty();
    assertThat(fleet.sql("SELECT 1 FROM {schema}.queue_capacity WHERE used = 5").size())
        .isEqualTo(1);
  }

  @Test
  void finds_due_runs_of_a_queue_that_no_living_process_has() {
    fleet.charged(1);
    fleet.sql("UPDATE {schema}.active_runs SET queue = 'orphans'");

    assertFinds(
        "queues",
        "error",
        "1 runs of queue orphans are due",
        "runlane runs cancel --queue orphans");
  }

  @Test
  void finds_due_runs_of_a_queue_that_living_processes_have_and_no_worker_takes() {
    fleet.charged(1);

    worker(1, "{one}", "{charge,hold}"); // the fleet's own process has begun, and has the queue
    assertFinds("queues", "error", "1 runs of queue default are due", "Start a worker");

    worker(0, "{default,one}", "{charge,hold}"); // a dispatcher, which reserves again and again
    assertFinds("queues", "error", "1 runs of queue default are due", "Start a worker");
    fleet.sql("UPDATE {schema}.active_runs SET dispatched_at = now() - interval '10 s',"
        + " dispatch_expires_at = now() + interval '50 s', due_at = now() + interval '50 s'");

    assertFinds("queues", "error", "1 runs of queue default are due", "Start a worker");
  }

  @Test
  void finds_runs_whose_worker_was_lost_and_that_nobody_takes() {
    await(fleet.worker.trigger(fleet.hold, "x"));
    fleet.worker.executeNext();
    OperatedFleet.until(() ->
        fleet.sql("SELECT 1 FROM {schema}.active_runs WHERE status = 'running'").size() == 1);
    fleet.sql("UPDATE {schema}.active_runs SET lease_expires_at = now() - interval '10 minutes'");

    assertFinds("leases", "error", "1 runs have lost their worker", "Start a worker");
  }

  @Test
  void finds_a_process_that_is_gone_and_still_holds_runs() {
    await(fleet.worker.trigger(fleet.hold, "x"));
    fleet.worker.executeNext();
    OperatedFleet.until(() ->
        fleet.sql("SELECT 1 FROM {schema}.active_runs WHERE status = 'running'").size() == 1);
    process("a_lost_one", "1 minute", "{one}", "{hold}");
    fleet.sql("UPDATE {schema}.live_processes p SET worker_ids = ARRAY[a.lease_worker]"
        + " FROM {schema}.active_runs a WHERE p.process_id = 'a_lost_one'");

    assertFinds(
        "processes",
        "warning",
        "Process a_lost_one on there gave no sign of life",
        "runlane workers --leases a_lost_one");
  }

  @Test
  void finds_a_living_process_whose_clock_is_off() {
    fleet.charged(1);
    process("another", "30 s", "{default}", "{charge}"); // by its own clock it lives
    fleet.sql("UPDATE {schema}.live_processes SET clock_offset_millis = -90000");

    assertFinds(
        "clocks",
        "error",
        "The clock of process another on there is 90000 ms behind the database's",
        "timedatectl set-ntp true");
  }

  @Test
  void says_how_its_commands_act_on_the_schema_and_environment_of_its_options() {
    fleet.charged(1);
    fleet.runlane("queues", "pause", "default");
    assertThat(fleet.runlane("doctor").out()).doesNotContain("export RUNLANE_SCHEMA");
    Map<String, String> blanks = fleet.variables();
    blanks.put("RUNLANE_SCHEMA", " " + fleet.schema + " ");
    blanks.put("RUNLANE_ENVIRONMENT", "");
    assertThat(Printed.by(blanks, Terminal.NONE, "doctor").out())
        .doesNotContain("export RUNLANE_SCHEMA");
    fleet.sql("UPDATE {schema}.environments SET environment_key = 'bob''s'");
    assertThat(fleet.runlane("doctor", "-e", "bob's").out())
        .endsWith("These commands act on the same runs after: export RUNLANE_SCHEMA=" + fleet.schema
            + " RUNLANE_ENVIRONMENT='bob'\\''s'\n");
  }

  @Test
  void says_that_its_commands_need_the_database_of_its_option_and_no_url() throws IOException {
    fleet.runlane("queues", "pause", "default");
    fleet.charged(1);
    Map<String, String> variables = fleet.variables();
    Path address = Files.writeString(
        folder.resolve("staging"), String.valueOf(variables.remove("RUNLANE_DATABASE")));
    String[] asked = {"doctor", "--database-file", address.toString()};
    assertThat(Printed.by(variables, Terminal.NONE, asked).out())
        .endsWith(
            "These commands act on the same runs, with the same --database or --database-file\n");

    variables.put("RUNLANE_DATABASE_FILE", "/etc/prod");
    variables.put("RUNLANE_URL", "https://prod");
    assertThat(Printed.by(variables, Terminal.NONE, asked).out())
        .endsWith("These commands act on the same runs after: unset RUNLANE_URL, with the same"
            + " --database or --database-file; without it on those of RUNLANE_DATABASE_FILE\n");
    assertThat(fleet
            .json("doctor", "--database-file", address.toString())
            .path("addressGivenByOption")
            .asBoolean())
        .isTrue();
  }

  @Test
  void finds_that_there_is_no_such_environment_and_names_those_that_there_are() {
    assertThat(found("-e", "nobody")).singleElement().satisfies(finding -> {
      assertThat(finding.path("check").asText()).isEqualTo("environment");
      assertThat(finding.path("severity").asText()).isEqualTo("warning");
      assertThat(finding.path("text").asText())
          .isEqualTo("There is no environment nobody in this schema, but default.");
      assertThat(finding.path("mend").asText()).isEqualTo("export RUNLANE_ENVIRONMENT=default");
    });
    fleet.sql("INSERT INTO {schema}.environments (environment_key) VALUES ('acme')");
    Printed printed = fleet.runlane("doctor", "-e", "nobody");
    assertThat(printed.exitCode()).isEqualTo(6);
    assertThat(printed.out())
        .contains("There is no environment nobody in this schema, but acme, default.")
        .contains(" checks of environment nobody in schema " + fleet.schema + ": ");
  }

  @Test
  void finds_a_queue_that_is_paused_while_its_runs_wait() {
    fleet.charged(1);
    fleet.runlane("queues", "pause", "default", "--reason", "the bank is away");
    fleet.runlane("queues", "pause", "one");

    assertFinds("paused", "warning", "but ada paused it at ", "runlane queues resume default");
    assertThat(found().get(0).path("text").asText()).endsWith(": the bank is away");
  }

  @Test
  void finds_a_webhook_that_was_not_told_of_ends() {
    fleet.charged(1);
    fleet.sql(
        "INSERT INTO {schema}.webhook_deliveries (env, webhook_id, run_id, status, ended_at, next_at)"
            + " SELECT env, 'billing', r, 'failed', now() - interval '1 hour', now() FROM"
            + " {schema}.environments, (VALUES ('one'), ('two')) v(r)");

    assertFinds("webhooks", "warning", "Webhook billing was not told of 2 ends", "WebhookVerticle");
  }

  /** A store of jobs in the schema of the runs, another one: what has no tables of jobs is for the other tests. */
  private PgJobStore jobStore() {
    fleet.close();
    operate(OperatedFleet.onEmptied(WITH_JOBS));
    return PgJobStore.create(
        fleet.vertx,
        new PgJobStoreOptions().setConnectOptions(OperatedFleet.connect()).setSchema(fleet.schema));
  }

  @Test
  void finds_a_webhook_that_was_not_told_of_ends_of_jobs() {
    PgJobStore jobs = jobStore();
    fleet.charged(1);
    assertThat(found()).isEmpty();
    await(jobs.connect().compose(connected -> jobs.disconnect()));
    assertThat(found()).isEmpty();
    fleet.sql(
        "INSERT INTO {schema}.job_webhook_deliveries (webhook_id, queue, job_id, name, state, created_at,"
            + " ended_at, attempts_made, cancelled, next_at) SELECT 'shop', 'mails', i::text, 'send', 'failed', now(),"
            + " now() - interval '1 hour', 1, false, now() FROM generate_series(1, 3) i");

    assertFinds(
        "job_webhooks",
        "warning",
        "Webhook shop was not told of 3 ends of jobs",
        "JobWebhookVerticle");
  }

  @Test
  void finds_a_job_queue_and_a_name_of_jobs_that_are_paused_while_jobs_wait() {
    PgJobStore store = jobStore();
    await(store.connect());
    Jobs jobs = Jobs.create(fleet.vertx, store);
    JobQueue mails = jobs.queue("mails");
    await(mails.add("remind", "ada"));
    await(mails.add("welcome", "ada"));
    await(mails.add(
        "welcome", "eve", JobOptions.builder().group(JobGroup.of("acme")).build()));
    await(mails.schedule(Duration.ofHours(1), "welcome", "bob", JobOptions.NONE));
    await(mails.pause("nobody's"));
    await(jobs.queue("empty").pause());
    assertThat(found()).isEmpty();

    await(mails.pause("welcome"));
    assertFinds(
        "paused_jobs",
        "warning",
        "Job queue mails is paused for jobs named welcome while 2 of them wait, the oldest since ",
        "runlane jobs resume mails --name welcome");
    fleet.sql(
        "UPDATE {schema}.jobs SET delay_until = '2026-01-02T03:04:05Z' WHERE state = 'delayed'");
    assertFinds(
        "paused_jobs",
        "warning",
        "while 3 of them wait, the oldest since 2026-01-02T03:04:05Z.",
        "runlane jobs resume mails --name welcome");

    await(mails.resume("welcome"));
    await(mails.pause());
    assertFinds(
        "paused_jobs",
        "warning",
        "Job queue mails is paused while 4 jobs wait",
        "runlane jobs resume mails");
    await(jobs.close());
    await(store.disconnect());
  }

  @Test
  void finds_jobs_that_wait_while_no_worker_takes_any_of_their_queue() {
    PgJobStore store = jobStore();
    await(store.connect());
    Jobs jobs = Jobs.create(fleet.vertx, store);
    JobQueue mails = jobs.queue("mails");
    await(mails.add("welcome", "ada"));
    await(mails.add("welcome", "eve"));
    await(mails.add("remind", "bob"));
    await(mails.schedule(Duration.ofHours(1), "welcome", "bob", JobOptions.NONE));
    assertThat(found()).isEmpty();
    fleet.sql("UPDATE {schema}.jobs SET created_at = now() - interval '11 minutes'"
        + " WHERE name = 'welcome'");

    assertWaiting("2 jobs of queue mails have waited for ten minutes and more");
    fleet.sql("UPDATE {schema}.jobs SET delay_until = '2026-01-02T03:04:05Z'"
        + " WHERE state = 'delayed'");
    assertWaiting("3 jobs of queue mails have waited for ten minutes and more, the oldest since"
        + " 2026-01-02T03:04:05Z, ");

    for (String sign : List.of(
        "UPDATE {schema}.jobs SET state = 'active', lock_until = now() + interval '1 minute'",
        "UPDATE {schema}.jobs SET state = 'completed', completed_at = now()",
        "UPDATE {schema}.jobs SET state = 'failed', failed_at = now()")) {
      fleet.sql(sign + " WHERE name = 'remind'");
      assertThat(found()).as(sign).isEmpty();
    }
    fleet.sql("UPDATE {schema}.jobs SET state = 'active', lock_until = now() - interval '1 minute'"
        + " WHERE name = 'remind'");
    assertWaiting("3 jobs of queue mails");
    fleet.sql(
        "INSERT INTO {schema}.job_metrics (queue, granularity, period_start, name, shard, completed, failed,"
            + " total_millis) VALUES ('mails', 'minute', date_trunc('minute', now()), 'remind', 0, 1, 0, 5)");
    assertThat(found()).as("one that has ended and was removed").isEmpty();
    await(jobs.close());
    await(store.disconnect());
  }

  private void assertWaiting(String text) {
    assertFinds("waiting_jobs", "warning", text, "runlane jobs list mails --state waiting");
  }

  @Test
  void finds_due_runs_of_a_task_that_no_living_process_has() {
    fleet.charged(1);
    process("another", "-1 hour", "{default}", "{refund}");
    process("a_lost_one", "1 minute", "{default}", "{charge}");

    assertFinds(
        "tasks",
        "error",
        "1 runs of task charge in queue default are due",
        "runlane runs cancel --task charge --queue default");
  }

  @Test
  void finds_runs_of_such_a_task_that_a_dispatcher_reserves_again_and_again() {
    fleet.charged(1);
    process("another", "-1 hour", "{default}", "{refund}");
    fleet.sql("UPDATE {schema}.active_runs SET dispatched_at = now() - interval '10 s',"
        + " dispatch_expires_at = now() + interval '50 s', due_at = now() + interval '50 s'");

    assertFinds(
        "tasks",
        "error",
        "1 runs of task charge in queue default are due",
        "runlane runs cancel --task charge --queue default");
  }

  private void process(String id, String silentFor, String queues, String tasks) {
    fleet.sql(
        "DELETE FROM {schema}.live_processes WHERE process_id NOT IN ('another', 'a_lost_one')");
    fleet.sql(
        "INSERT INTO {schema}.live_processes (env, process_id, host, version, roles, queues, task_ids,"
            + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen) SELECT env, '"
            + id
            + "', 'there', '', '{}', '" + queues + "', '" + tasks
            + "', '{}', 1, 1, 30000, now(), now() - interval '"
            + silentFor + "' FROM {schema}.active_runs LIMIT 1");
  }

  @Test
  void finds_remote_steps_that_nobody_looks_after() {
    fleet.charged(1);
    fleet.sql(
        "INSERT INTO {schema}.pending_steps (env, step_id, run_id, position, request_sequence, name, grp,"
            + " attempt, next_at, deadline_at) SELECT env, 's', run_id, 0, 1, 'render', 'pdf', 1, now() - interval '1 hour',"
            + " now() FROM {schema}.active_runs");

    assertFinds("steps", "warning", "1 remote steps of group pdf", "stepDispatcher");
  }

  @Test
  void finds_remote_steps_that_no_worker_answers() {
    fleet.charged(1);
    fleet.sql(
        "INSERT INTO {schema}.pending_steps (env, step_id, run_id, position, request_sequence, name, grp,"
            + " attempt, next_at, deadline_at, dispatched_at) SELECT env, g, run_id, 0, 1, 'render', g, 1, now() + interval"
            + " '1 hour', now() + interval '2 hours', now() - d FROM {schema}.active_runs, (VALUES"
            + " ('a new one', interval '9 minutes'), ('pdf', interval '11 minutes')) AS s(g, d)");

    assertFinds(
        "unanswered_steps",
        "warning",
        "1 remote steps of group pdf were given to its workers",
        "runlane steps list --group pdf");
  }

  @Test
  void finds_nothing_wrong_with_a_replication_slot_that_keeps_little() {
    String slot = "of_nobody_" + fleet.schema;
    fleet.sql("SELECT pg_create_physical_replication_slot('" + slot + "', true)");
    try {
      assertThat(found()).isEmpty();
    } finally {
      fleet.sql("SELECT pg_drop_replication_slot('" + slot + "')");
    }
  }

  @Test
  void finds_a_schedule_whose_last_three_fires_made_runs_that_failed() {
    fleet.fired(1, fleet.ended(-1));
    fleet.fired(2, fleet.ended(7));
    fleet.fired(3, fleet.ended(-3));
    fleet.fired(4, fleet.ended(-4));
    assertThat(found()).isEmpty();

    fleet.fired(5, fleet.ended(-5));

    assertFinds(
        "schedules",
        "error",
        "Schedule nightly of task charge fires, but its runs have failed since the fire of"
            + " 2026-01-03T00:00:00Z",
        "runlane runs list --status failed --task charge");
  }

  @Test
  void a_schedule_that_fires_no_more_is_not_found_though_its_last_runs_failed() {
    for (int day = 1; day <= 3; day++) {
      fleet.fired(day, fleet.ended(-day));
    }
    assertThat(failingSchedules()).hasSize(1);

    fleet.sql(
        "INSERT INTO {schema}.schedules (env, task_id, schedule_id, first_seen, paused_at, pause_actor_type)"
            + " SELECT env, 'charge', 'nightly', now(), now(), 'operator' FROM {schema}.environments");
    assertThat(failingSchedules()).as("paused").isEmpty();
    fleet.sql("UPDATE {schema}.schedules SET paused_at = NULL, pause_actor_type = NULL");
    assertThat(failingSchedules()).hasSize(1);

    fleet.sql(define("nightly", "disabled", "now() + interval '1 minute'"));
    assertThat(failingSchedules()).as("disabled").isEmpty();
    fleet.sql("DELETE FROM {schema}.schedule_definitions WHERE definition = 'disabled'");

    fleet.sql("UPDATE {schema}.schedule_definitions SET last_seen = now() - interval '3 days'");
    fleet.sql("UPDATE {schema}.live_processes SET roles = '{worker}'");
    assertThat(failingSchedules()).as("of a fleet that is gone").hasSize(1);
    fleet.sql(define("hourly", "@hourly", "now() - interval '1 day'"));
    assertThat(failingSchedules()).as("removed").isEmpty();
  }

  private static String define(String schedule, String definition, String lastSeen) {
    return "INSERT INTO {schema}.schedule_definitions (env, task_id, schedule_id, definition, counts_from, last_seen)"
        + " SELECT env, 'charge', '" + schedule + "', '" + definition + "', now(), " + lastSeen
        + " FROM {schema}.environments";
  }

  private List<JsonNode> failingSchedules() {
    return found().stream()
        .filter(each -> each.path("text").asText().contains("its runs have failed"))
        .toList();
  }

  @Test
  void finds_that_pools_may_open_more_connections_than_the_server_has() {
    fleet.charged(1);
    fleet.sql("INSERT INTO {schema}.processes (env, process_id, queues, queue_limits, expires_at)"
        + " SELECT min(env), 'p' || i, '{default}', '{0}', now() + interval '1 hour'"
        + " FROM {schema}.environments, generate_series(1, 500) i GROUP BY i");

    assertFinds("pools", "warning", "501 living processes may open", "poolOptions.maxSize");
  }

  @Test
  void finds_settings_that_lose_runs_and_rights_that_are_missing() {
    String role = "role_" + fleet.schema;
    fleet.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'p'");
    fleet.sql("GRANT USAGE ON SCHEMA {schema} TO " + role);
    fleet.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO " + role);
    fleet.sql("REVOKE DELETE ON {schema}.outbox_messages FROM " + role);
    fleet.sql("REVOKE EXECUTE ON FUNCTION {schema}.end_steps FROM PUBLIC");
    fleet.sql("ALTER ROLE " + role + " SET default_transaction_read_only = on");
    PgConnectOptions connect = OperatedFleet.connect().setUser(role).setPassword("p");

    List<Finding> found = examined(connect, Instant::now);

    assertThat(texts(found, "rights"))
        .containsExactly(
            "This role lacks EXECUTE on " + fleet.schema
                + ".end_steps(p_env integer, p_run_id text, p_at timestamp with time zone).",
            "This role lacks USAGE on " + fleet.schema + ".event_ids.",
            "This role lacks DELETE on " + fleet.schema + ".outbox_messages.");
    found.stream()
        .filter(finding -> finding.check().equals("rights"))
        .forEach(finding -> fleet.sql(finding.mend().replace("CURRENT_USER", role)));
    assertThat(texts(examined(connect, Instant::now), "rights")).isEmpty();
    assertThat(texts(found, "settings")).contains("transaction_read_only is on.");
    found.stream()
        .filter(finding -> finding.text().equals("transaction_read_only is on."))
        .forEach(finding -> fleet.sql(finding.mend()));
    assertThat(texts(examined(connect, Instant::now), "settings"))
        .doesNotContain("transaction_read_only is on.");
  }

  @Test
  void finds_a_clock_that_is_off() {
    assertThat(texts(examined(OperatedFleet.connect(), Instant::now), "clock")).isEmpty();

    List<Finding> ahead = examined(OperatedFleet.connect(), () -> Instant.now().plusSeconds(90));

    assertThat(texts(ahead, "clock"))
        .hasSize(1)
        .first()
        .asString()
        .contains("ahead of the database's");
    assertThat(ahead)
        .anyMatch(finding ->
            finding.severity() == Finding.Severity.ERROR && finding.check().equals("clock"));
  }

  private List<Finding> examined(PgConnectOptions connect, Clock clock) {
    return await(new Doctor(
                fleet.vertx,
                new DatabaseOptions.Settings(connect, fleet.schema, "default"),
                Duration.ofMinutes(5),
                Duration.ofSeconds(60),
                clock)
            .examine())
        .all();
  }

  private static List<String> texts(List<Finding> findings, String check) {
    return findings.stream()
        .filter(finding -> finding.check().equals(check))
        .map(Finding::text)
        .toList();
  }

  @Test
  void names_a_lock_that_it_would_wait_for_and_looks_at_the_rest() {
    fleet.charged(1);
    PgConnection holder = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
    await(holder.query("BEGIN").execute());
    await(holder.query("LOCK TABLE " + fleet.schema + ".queue_capacity").execute());

    List<JsonNode> found = found();

    await(holder.close());
    assertThat(found).as("%s", found).singleElement().satisfies(finding -> {
      assertThat(finding.path("check").asText()).isEqualTo("capacity");
      assertThat(finding.path("text").asText()).contains("55P03");
      assertThat(finding.path("mend").asText()).contains("AccessExclusiveLock");
    });
  }

  @Test
  void a_statement_that_takes_too_long_is_told_and_the_others_are_looked_at() {
    fleet.charged(1);
    fleet.sql(
        "INSERT INTO {schema}.queue_capacity SELECT env, 'one', '', 0 FROM {schema}.environments");
    fleet.sql(
        "INSERT INTO {schema}.webhook_deliveries (env, webhook_id, run_id, status, ended_at, next_at)"
            + " SELECT env, 'billing', 'one', 'failed', now(), now() FROM {schema}.environments");
    for (String table : List.of("queue_capacity", "webhook_deliveries")) {
      fleet.sql("ALTER TABLE {schema}." + table + " RENAME TO " + table + "_kept");
      fleet.sql("CREATE VIEW {schema}." + table + " AS SELECT * FROM {schema}." + table + "_kept"
          + " WHERE pg_sleep(3600) IS NOT NULL");
    }

    List<JsonNode> found = found("--answer-within", "5s");

    assertThat(found)
        .as("%s", found)
        .hasSize(2)
        .allSatisfy(finding -> {
          assertThat(finding.path("text").asText()).contains("57014");
          assertThat(finding.path("mend").asText()).contains("--answer-within");
        })
        .extracting(finding -> finding.path("check").asText())
        .containsExactly("capacity", "webhooks");
  }

  @Test
  void its_exit_code_and_its_text_tell_that_something_was_found() {
    fleet.dropIndex("active_runs_reserved");

    Printed printed = fleet.runlane("doctor");

    assertThat(printed.exitCode()).isEqualTo(6);
    assertThat(printed.out())
        .contains("warning  indexes: Index active_runs_reserved is missing.\n")
        .contains("         mend: runlane migrate --sql")
        .containsPattern("32 checks of environment default in schema " + fleet.schema
            + ": \\d errors?, \\d warnings?\n$");
    assertThat(fleet.at(new Terminal(80, true, true, false), "doctor").out())
        .contains("\u001b[33mwarning");
  }

  @Test
  void a_server_that_cannot_be_reached_is_told_without_its_address() {
    Printed printed = Printed.by(
        Map.of("RUNLANE_DATABASE", "postgresql://eve:s3cret@127.0.0.1:1/orders"),
        Terminal.NONE,
        "doctor");

    assertThat(printed.exitCode()).isEqualTo(5);
    assertThat(printed.err()).hasLineCount(1).doesNotContain("eve").doesNotContain("s3cret");
    assertThat(printed.out()).isEmpty();
  }
}
