package dev.runlane.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.Database;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.CapturedErrors;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MigratorTest {
  private static final String FIRST = "things/V001__things.sql";
  private static final String SECOND = "things/V002__names.sql";

  private final Database database = Database.withoutSchemas();
  private final List<String> roles = new ArrayList<>();

  @AfterEach
  void close() {
    for (String role : roles) { // roles belong to the server, which other tests share
      database.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
    database.close();
  }

  @Test
  void an_empty_database_gets_schema_tables_and_a_record_of_each_migration() {
    migrate("lane", FIRST, SECOND);

    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
    database.sql("INSERT INTO lane.things (id, name) VALUES (lane.one(), 'one')");
  }

  @Test
  void migrating_again_changes_nothing() {
    migrate("lane", FIRST, SECOND);
    database.sql("INSERT INTO lane.things (id) VALUES (1)");

    migrate("lane", FIRST, SECOND);

    assertThat(database.sql("SELECT id FROM lane.things").size()).isEqualTo(1);
  }

  @Test
  void a_later_release_applies_only_what_is_missing() {
    migrate("lane", FIRST);
    database.sql("INSERT INTO lane.things (id) VALUES (1)");

    migrate("lane", FIRST, SECOND);

    assertThat(database.sql("SELECT name FROM lane.things").size()).isEqualTo(1);
    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void processes_that_start_at_once_on_an_empty_database_all_come_up(int processes) {
    List<Future<Void>> starts = IntStream.range(0, processes)
        .mapToObj(process ->
            migrator("lane", FIRST, SECOND).migrate(database.vertx(), database.options()))
        .toList();

    starts.forEach(Database::done);

    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
  }

  @Test
  void a_version_newer_than_this_release_is_accepted_with_a_warning() {
    migrate("lane", FIRST, SECOND);

    List<String> logged = CapturedErrors.during(() -> migrate("lane", FIRST));

    assertThat(logged)
        .anyMatch(line ->
            line.contains("WARN") && line.contains("schema lane has migration 2 of things"));
    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
  }

  @Test
  void an_applied_migration_that_has_another_text_now_is_refused() {
    migrate("lane", FIRST);

    RunlaneException failure = refused(migrator("lane", "changed/V001__things.sql", SECOND));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(applied("lane")).containsExactly("things 1 things");
  }

  @Test
  void a_migration_that_fails_leaves_nothing_of_itself_and_those_before_it() {
    RunlaneException failure = refused(migrator("lane", FIRST, "broken/V002__half.sql"));

    assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(applied("lane")).containsExactly("things 1 things");
    assertThat(database.sql("SELECT to_regclass('lane.half')").iterator().next().getValue(0))
        .isNull();
    migrate("lane", FIRST, SECOND);
  }

  @Test
  void schemas_of_one_database_know_nothing_of_each_other() {
    migrate("one", FIRST, SECOND);
    migrate("other", FIRST);

    assertThat(applied("one")).hasSize(2);
    assertThat(applied("other")).hasSize(1);
    database.sql(
        "INSERT INTO one.things (id) VALUES (1); INSERT INTO other.things (id) VALUES (1)");
  }

  @Test
  void modules_that_share_a_schema_count_their_versions_apart() {
    migrate("lane", FIRST);
    Migrator second = new Migrator(
        "names", MigratorTest.class::getResourceAsStream, new SchemaName("lane"), List.of(SECOND));

    Database.done(second.migrate(database.vertx(), database.options()));

    assertThat(applied("lane")).containsExactly("names 2 names", "things 1 things");
  }

  @Test
  void a_database_that_cannot_be_reached_is_storage_that_is_unavailable() {
    RunlaneException failure = (RunlaneException) Database.failure(
        migrator("lane", FIRST).migrate(database.vertx(), database.options().setPort(1)));

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
  }

  @Test
  void a_badly_named_or_missing_migration_is_refused_when_the_migrator_is_made() {
    assertThatThrownBy(() -> migrator("lane", "broken/v3_badly_named.sql"))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    assertThatThrownBy(() -> migrator("lane", "things/V003__missing.sql"))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1lane",
        "Lane",
        "lane-1",
        "lane;",
        "\"lane\"",
        "läne",
        "a b",
        "pg_lane",
        "information_schema"
      })
  void a_schema_that_cannot_have_the_name_is_refused_when_it_is_named(String name) {
    assertThatThrownBy(() -> new SchemaName(name))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void the_longest_schema_name_has_63_characters() {
    migrate("s".repeat(63), FIRST);

    assertThatThrownBy(() -> new SchemaName("s".repeat(64))).isInstanceOf(RunlaneException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"order", "user", "select", "table", "group", "end", "null"})
  void a_schema_may_be_named_by_a_reserved_word(String word) {
    migrate(word, FIRST, SECOND);
    migrate(word, FIRST, SECOND);

    assertThat(applied('"' + word + '"')).hasSize(2);
  }

  @Test
  void a_schema_that_is_not_to_be_migrated_is_held_to_its_version() {
    RunlaneException empty = notCurrent(migrator("lane", FIRST, SECOND));
    assertThat(empty.getMessage()).contains("lane", "1 (things)", "2 (names)", "things");
    assertThat(database.sql("SELECT to_regnamespace('lane')").iterator().next().getValue(0))
        .isNull();

    migrate("lane", FIRST);
    RunlaneException behind = notCurrent(migrator("lane", FIRST, SECOND));
    assertThat(behind.getMessage()).contains("2 (names)").doesNotContain("1 (things)");

    migrate("lane", FIRST, SECOND);
    Database.done(migrator("lane", FIRST, SECOND).verify(database.vertx(), database.options()));
    Database.done(migrator("lane", FIRST).verify(database.vertx(), database.options()));
    notCurrent(migrator("lane", "changed/V001__things.sql"));
  }

  @Test
  void a_schema_where_another_application_keeps_its_own_migrations_is_refused() {
    database.sql("CREATE SCHEMA lane;"
        + " CREATE TABLE lane.schema_migrations (version varchar NOT NULL PRIMARY KEY);"
        + " INSERT INTO lane.schema_migrations VALUES ('20260102030405')");
    Migrator ours = migrator("lane", FIRST);

    assertThat(List.of(refused(ours), notCurrent(ours), (RunlaneException)
            Database.failure(ours.pending(database.vertx(), database.options()))))
        .allSatisfy(failure -> assertThat(failure)
            .hasMessageContaining(
                "schema lane has a table schema_migrations of another application")
            .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code));
    assertThat(database.sql("SELECT version FROM lane.schema_migrations").size())
        .isEqualTo(1);
  }

  @Test
  void a_function_of_another_application_with_a_name_of_ours_refuses_no_start() {
    database.sql(
        "CREATE SCHEMA lane; CREATE FUNCTION lane.one(integer) RETURNS bigint LANGUAGE plpgsql AS"
            + " $$ BEGIN RETURN (SELECT count(*) FROM \"shop\".accounts); END $$");

    migrate("lane", FIRST, SECOND);

    Database.done(migrator("lane", FIRST, SECOND).verify(database.vertx(), database.options()));
  }

  @Test
  void a_role_that_may_only_read_what_was_applied_starts_on_a_current_schema() {
    migrate("lane", FIRST, SECOND);
    PgConnectOptions role = role("reader");
    database.sql("GRANT USAGE ON SCHEMA lane TO reader;"
        + " GRANT SELECT ON lane.schema_migrations TO reader");

    Database.done(migrator("lane", FIRST, SECOND).migrate(database.vertx(), role));
    Database.done(migrator("lane", FIRST, SECOND).verify(database.vertx(), role));
  }

  @Test
  void a_role_without_the_rights_for_what_is_missing_is_told_so() {
    migrate("lane", FIRST);
    PgConnectOptions role = role("dml_only");
    RunlaneException blind = refused(migrator("lane", FIRST), role);
    database.sql("GRANT USAGE ON SCHEMA lane TO dml_only;"
        + " GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA lane TO dml_only");
    RunlaneException refused = refused(migrator("lane", FIRST, SECOND), role);

    assertThat(blind.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(blind.getMessage()).contains("permission denied for schema lane");
    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(refused.getMessage()).contains("must be owner of table things");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create_table",
        "add_column",
        "add_constraint",
        "create_index",
        "create_function",
        "create_trigger",
        "change_rows",
        "drop_column"
      })
  void a_migration_behind_a_long_transaction_keeps_no_reader_or_writer_of_the_table_waiting(
      String kind) {
    migrate("lane", FIRST);
    database.sql("INSERT INTO lane.things (id) VALUES (1)");
    PgConnection longOne = database.connect();
    run(longOne, "BEGIN; SELECT id FROM lane.things; UPDATE lane.things SET id = id");

    Future<Void> migrated = migrator("lane", FIRST, "kinds/V002__" + kind + ".sql")
        .migrate(database.vertx(), database.options());
    PgConnection application = database.connect();
    run(application, "SET lock_timeout = '10s'"); // behind a waiting migration this would end it
    int id = 1;
    int waits = 0; // of the migration, seen from beside it
    while (waits < 2 && !migrated.isComplete()) {
      boolean waiting = run(application, """
          SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
          WHERE NOT l.granted AND a.datname = current_database()\
          """).size() > 0;
      waits += waiting ? 1 : 0;
      id++;
      run(application, "INSERT INTO lane.things (id) VALUES (" + id + ")");
      run(application, "SELECT count(*) FROM lane.things");
    }
    run(longOne, "COMMIT");
    Database.done(migrated);

    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 " + kind);
    assertThat(database.sql("SELECT id FROM lane.things").size()).isEqualTo(id);
  }

  @Test
  void a_migration_may_take_longer_than_the_roles_statements_and_transactions() {
    migrate("lane", FIRST);
    PgConnectOptions hasty = database.options();
    hasty.addProperty("statement_timeout", "250");
    if (database
            .sql("SELECT 1 FROM pg_settings WHERE name = 'transaction_timeout'")
            .size()
        == 1) {
      hasty.addProperty("transaction_timeout", "250"); // from PostgreSQL 17 on
    }

    Database.inTheEnd( // what comes before it may be too slow for such a role
        () -> migrator("lane", FIRST, "kinds/V002__slow.sql").migrate(database.vertx(), hasty));

    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 slow");
  }

  @Test
  void a_migration_that_waits_for_another_process_has_locked_no_table() {
    migrate("lane", FIRST);
    PgConnection other = database.connect();
    run(other, "SELECT pg_advisory_lock(hashtextextended('runlane migrations lane', 0))");

    Future<Void> migrated =
        migrator("lane", FIRST, SECOND).migrate(database.vertx(), database.options());
    for (int look = 0; look < 20; look++) {
      assertThat(database
              .sql("SELECT 1 FROM pg_locks WHERE relation = 'lane.things'::regclass"
                  + " AND mode <> 'AccessShareLock'")
              .size())
          .isZero();
    }
    assertThat(migrated.isComplete()).isFalse();
    run(other, "SELECT pg_advisory_unlock_all()");
    Database.done(migrated);

    assertThat(applied("lane")).hasSize(2);
  }

  @Test
  void a_migration_whose_process_dies_while_it_waits_leaves_nothing_half() {
    migrate("lane", FIRST);
    database.sql("INSERT INTO lane.things (id) VALUES (1)");
    PgConnection longOne = database.connect();
    run(longOne, "BEGIN; UPDATE lane.things SET id = id");
    Future<Void> migrated = migrator("lane", FIRST, "kinds/V002__drop_column.sql")
        .migrate(database.vertx(), database.options());
    while (database
            .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND query LIKE '%ADD COLUMN gone%'"
                + " AND pid <> pg_backend_pid()")
            .size()
        == 0) {
      assertThat(migrated.isComplete()).isFalse();
    }

    assertThat(((RunlaneException) Database.failure(migrated)).code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(applied("lane")).containsExactly("things 1 things");
    run(longOne, "COMMIT");
    migrate("lane", FIRST, "kinds/V002__drop_column.sql");
  }

  @Test
  void a_migration_that_never_gets_its_lock_gives_up_and_may_be_tried_again() {
    migrate("lane", FIRST);
    PgConnection longOne = database.connect();
    run(longOne, "BEGIN; SELECT id FROM lane.things");
    Migrator impatient = impatient();

    RunlaneException failure = refused(impatient);

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    assertThat(failure.getMessage()).contains("2 (names)");
    run(longOne, "COMMIT");
    Database.done(impatient.migrate(database.vertx(), database.options()));
  }

  @Test
  void a_migration_that_gives_up_names_who_holds_what_without_the_text_of_a_query() {
    migrate("lane", FIRST);
    PgConnection maintenance = database.connect();
    run(maintenance, "SET application_name = 'nightly'; BEGIN");
    run(maintenance, "LOCK lane.things IN SHARE UPDATE EXCLUSIVE MODE"); // as VACUUM does
    run(maintenance, "SELECT 'secret'");

    RunlaneException failure = refused(impatient());

    assertThat(failure)
        .hasMessageContaining("last had by: pid " + pid(maintenance)
            + " (client backend, application nightly, in a transaction since ")
        .hasMessageEndingWith(") has things");
    assertThat(failure.getMessage()).doesNotContain("secret", "SELECT");
  }

  @Test
  void a_role_that_may_not_see_others_names_their_pids() {
    PgConnectOptions owner = role("owner_" + database.options().getDatabase());
    database.sql("CREATE SCHEMA lane AUTHORIZATION " + owner.getUser());
    Database.done(migrator("lane", FIRST).migrate(database.vertx(), owner));
    PgConnection longOne = database.connect();
    run(longOne, "BEGIN; SELECT id FROM lane.things");

    RunlaneException failure = refused(impatient(), owner);
    run(longOne, "COMMIT");

    assertThat(failure)
        .hasMessageContaining("pid " + pid(longOne) + " (of another role, application ")
        .hasMessageEndingWith(") has things");
  }

  @Test
  void a_migration_that_gives_up_behind_another_process_names_it() {
    migrate("lane", FIRST);
    PgConnection other = database.connect();
    run(other, "SELECT pg_advisory_lock(hashtextextended('runlane migrations lane', 0))");

    assertThat(refused(impatient()))
        .hasMessageContaining("last had by: pid " + pid(other) + " (client backend")
        .hasMessageEndingWith(" makes such changes too");
  }

  private static int pid(PgConnection connection) {
    return run(connection, "SELECT pg_backend_pid()").iterator().next().getInteger(0);
  }

  private static Migrator impatient() {
    return new Migrator(
        "things",
        MigratorTest.class::getResourceAsStream,
        new SchemaName("lane"),
        List.of(FIRST, SECOND),
        Duration.ofMillis(100));
  }

  @Test
  void a_script_ends_where_a_lock_is_not_to_be_had_and_runs_when_it_is_printed_anew() {
    migrate("lane", FIRST);
    PgConnection longOne = database.connect();
    run(longOne, "BEGIN; SELECT id FROM lane.things");
    PgConnection operator = database.connect();

    PgException failure =
        (PgException) Database.failure(operator.query(script(FIRST, SECOND)).execute());
    run(operator, "ROLLBACK");

    assertThat(failure.getSqlState()).isEqualTo("55P03");
    assertThat(applied("lane")).containsExactly("things 1 things");
    run(longOne, "COMMIT");
    run(operator, script(FIRST, SECOND));
    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
    assertThat(script(FIRST, SECOND)).isEmpty();
  }

  @Test
  void a_script_and_a_process_migrate_one_after_the_other() {
    migrate("lane", FIRST);
    PgConnection process = database.connect();
    run(process, "SELECT pg_advisory_lock(hashtextextended('runlane migrations lane', 0))");

    Future<?> scripted = database.connect().query(script(FIRST, SECOND)).execute();
    while (database
            .sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            .size()
        == 0) {
      assertThat(scripted.isComplete()).isFalse();
    }
    run(process, "SELECT pg_advisory_unlock_all()");
    Database.done(scripted);

    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
  }

  @Test
  void a_script_applies_no_migration_twice_and_none_before_the_one_before_it() {
    String script = script(FIRST, SECOND);
    String second = script.substring(script.lastIndexOf("BEGIN;"));
    String preparation = script.substring(0, script.indexOf("-- Migration 1"));
    PgConnection operator = database.connect();
    run(operator, preparation);

    Throwable tooEarly = Database.failure(operator.query(second).execute());
    run(operator, "ROLLBACK");
    run(operator, script);
    Throwable twice = Database.failure(operator.query(second).execute());
    run(operator, "ROLLBACK");

    assertThat(tooEarly).hasMessageContaining("migration 2 (names) of things is not the next one");
    assertThat(twice).hasMessageContaining("migration 2 (names) of things is not the next one");
    assertThat(applied("lane")).containsExactly("things 1 things", "things 2 names");
  }

  private String script(String... resources) {
    Migrator migrator = migrator("lane", resources);
    return migrator.script(Database.done(migrator.pending(database.vertx(), database.options())));
  }

  @Test
  void a_server_that_is_too_old_is_refused() {
    assertThatThrownBy(new DatabaseSettings(
            120_022, "shop", "UTF8", "read committed", "origin", "me")::require)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID))
        .hasMessageContaining("PostgreSQL 12");
    new DatabaseSettings(130_000, "shop", "UTF8", "read committed", "origin", "me").require();
  }

  @Test
  void a_database_that_cannot_hold_every_text_is_refused() {
    String other = database.options().getDatabase() + "_latin1";
    database.sql("CREATE DATABASE " + other
        + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    try {
      RunlaneException failure =
          refused(migrator("lane", FIRST), database.options().setDatabase(other));

      assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure).hasMessageContaining("LATIN1").hasMessageContaining("ENCODING 'UTF8'");
    } finally {
      database.sql("DROP DATABASE " + other + " WITH (FORCE)");
    }
  }

  @Test
  void transactions_are_read_committed_whatever_the_role_has_as_its_default() {
    PgConnectOptions strict = role("strict_" + database.options().getDatabase());
    migrate("lane", FIRST);
    database.sql("GRANT USAGE ON SCHEMA lane TO " + strict.getUser()
        + "; GRANT SELECT ON lane.schema_migrations TO " + strict.getUser()
        + "; ALTER ROLE " + strict.getUser()
        + " SET default_transaction_isolation = 'serializable'");

    Database.done(migrator("lane", FIRST).migrate(database.vertx(), strict));
    PgConnection connection = Database.done(PgConnections.connect(
        database.vertx(),
        PgTuning.tuned(strict, Duration.ofSeconds(1), Duration.ofSeconds(1)),
        ConnectionBounds.of(Duration.ofSeconds(5), Duration.ofSeconds(5))));
    String isolation =
        run(connection, "SHOW transaction_isolation").iterator().next().getString(0);
    Database.done(connection.close());

    assertThat(isolation).isEqualTo("read committed");
  }

  @Test
  void a_role_of_another_isolation_is_refused_where_a_pooler_lets_nothing_be_set() {
    PgConnectOptions pooled = role("pooled_" + database.options().getDatabase());
    pooled.setUseLayer7Proxy(true);
    database.sql("ALTER ROLE " + pooled.getUser()
        + " SET default_transaction_isolation = 'repeatable read'");

    RunlaneException failure = refused(migrator("lane", FIRST), pooled);

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure)
        .hasMessageContaining("repeatable read")
        .hasMessageContaining("ALTER ROLE " + pooled.getUser());
  }

  @Test
  void a_role_in_whose_sessions_no_trigger_fires_is_refused() {
    PgConnectOptions replica = role("replica_" + database.options().getDatabase());
    database.sql("ALTER ROLE " + replica.getUser() + " SET session_replication_role = 'replica'");

    RunlaneException failure = refused(migrator("lane", FIRST), replica);

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure)
        .hasMessageContaining(
            "ALTER ROLE " + replica.getUser() + " SET session_replication_role = 'origin'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"things", "schema_migrations"})
  void a_role_from_which_row_level_security_may_hide_rows_is_refused(String table) {
    PgConnectOptions role = reader();
    database.sql("ALTER TABLE lane." + table + " ENABLE ROW LEVEL SECURITY");

    RunlaneException failure = refused(migrator("lane", FIRST), role);
    RunlaneException looking =
        (RunlaneException) Database.failure(migrator("lane", FIRST).verify(database.vertx(), role));

    assertThat(List.of(failure, looking)).allSatisfy(each -> assertThat(each)
        .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code)
        .hasMessageContaining("table " + table + " in schema lane"));
    migrate("lane", FIRST); // its owner sees all
    database.sql("ALTER TABLE lane." + table + " FORCE ROW LEVEL SECURITY;" + " ALTER TABLE lane."
        + table + " OWNER TO " + role.getUser());
    assertThat(refused(migrator("lane", FIRST), role).code())
        .isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "USING (true) WITH CHECK (true) | yes",
        "USING (true) | yes",
        "TO {role} USING (true) | yes",
        "TO {other} USING (true) | no",
        "FOR SELECT USING (true) | no",
        "WITH CHECK (true) | no",
        "USING (id > 7) | no",
        "USING (true) WITH CHECK (id > 7) | no",
        "AS RESTRICTIVE USING (true) | no"
      })
  void a_policy_that_lets_the_role_have_every_row_refuses_no_start(String policy, String starts) {
    PgConnectOptions role = reader();
    PgConnectOptions other = role("other_" + database.options().getDatabase());
    database.sql(
        "ALTER TABLE lane.things ENABLE ROW LEVEL SECURITY; CREATE POLICY one ON lane.things "
            + policy.replace("{role}", role.getUser()).replace("{other}", other.getUser()));

    Future<Void> start = migrator("lane", FIRST).migrate(database.vertx(), role);

    if (starts.equals("yes")) {
      Database.done(start);
    } else {
      assertThat(Database.failure(start)).hasMessageContaining("row level security");
    }
  }

  @Test
  void policies_for_each_command_are_as_good_as_one_for_all() {
    PgConnectOptions role = reader();
    database.sql("ALTER TABLE lane.things ENABLE ROW LEVEL SECURITY;"
        + " CREATE POLICY one ON lane.things FOR SELECT USING (true);"
        + " CREATE POLICY two ON lane.things FOR INSERT WITH CHECK (true);"
        + " CREATE POLICY three ON lane.things FOR UPDATE USING (true)");
    assertThat(refused(migrator("lane", FIRST), role)).hasMessageContaining("row level security");

    database.sql("CREATE POLICY four ON lane.things FOR DELETE USING (true)");

    Database.done(migrator("lane", FIRST).migrate(database.vertx(), role));
  }

  @Test
  void a_role_that_row_level_security_does_not_bind_starts() {
    PgConnectOptions role = reader();
    database.sql("ALTER TABLE lane.things ENABLE ROW LEVEL SECURITY; ALTER ROLE " + role.getUser()
        + " BYPASSRLS");

    Database.done(migrator("lane", FIRST).migrate(database.vertx(), role));
  }

  @Test
  void row_level_security_of_another_table_of_the_schema_refuses_no_start() {
    PgConnectOptions role = reader();
    database.sql(
        "CREATE TABLE lane.accounts (id integer); ALTER TABLE lane.accounts ENABLE ROW LEVEL SECURITY");

    Database.done(migrator("lane", FIRST).migrate(database.vertx(), role));
  }

  /** One that may start on the schema, of which the first migration is applied. */
  private PgConnectOptions reader() {
    migrate("lane", FIRST);
    PgConnectOptions role = role("reader_" + database.options().getDatabase());
    database.sql("GRANT USAGE, CREATE ON SCHEMA lane TO " + role.getUser()
        + "; GRANT SELECT ON ALL TABLES IN SCHEMA lane TO " + role.getUser());
    return role;
  }

  @Test
  void a_view_that_keeps_a_migration_from_its_column_is_named() {
    migrate("lane", FIRST);
    database.sql("CREATE VIEW lane.report AS SELECT id FROM lane.things");

    RunlaneException failure = refused(migrator("lane", FIRST, "kinds/V002__change_type.sql"));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(failure)
        .hasMessageContaining("2 (change_type) of things")
        .hasMessageContaining("report");
    assertThat(applied("lane")).containsExactly("things 1 things");
    database.sql("DROP VIEW lane.report");
    migrate("lane", FIRST, "kinds/V002__change_type.sql");
  }

  @Test
  void an_event_trigger_that_refuses_a_migration_is_told_in_its_words() {
    database.sql("CREATE FUNCTION public.frozen() RETURNS event_trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN RAISE 'no changes of tables this week'; END $$;"
        + " CREATE EVENT TRIGGER frozen ON ddl_command_start EXECUTE FUNCTION public.frozen()");
    try {
      RunlaneException failure = refused(migrator("lane", FIRST));

      assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure).hasMessageContaining("no changes of tables this week");
    } finally {
      database.sql("DROP EVENT TRIGGER frozen; DROP FUNCTION public.frozen()");
    }
    migrate("lane", FIRST);
  }

  private PgConnectOptions role(String name) {
    database.sql("CREATE ROLE " + name + " LOGIN PASSWORD 'secret'");
    roles.add(name);
    return database.optionsOf(name, "secret");
  }

  private static RowSet<Row> run(PgConnection connection, String sql) {
    return Database.done(connection.query(sql).execute());
  }

  private RunlaneException notCurrent(Migrator migrator) {
    RunlaneException failure =
        (RunlaneException) Database.failure(migrator.verify(database.vertx(), database.options()));
    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    return failure;
  }

  private RunlaneException refused(Migrator migrator, PgConnectOptions options) {
    return (RunlaneException) Database.failure(migrator.migrate(database.vertx(), options));
  }

  private void migrate(String schema, String... resources) {
    Database.done(migrator(schema, resources).migrate(database.vertx(), database.options()));
  }

  private RunlaneException refused(Migrator migrator) {
    return (RunlaneException)
        Database.failure(migrator.migrate(database.vertx(), database.options()));
  }

  private static Migrator migrator(String schema, String... resources) {
    return new Migrator(
        "things",
        MigratorTest.class::getResourceAsStream,
        new SchemaName(schema),
        List.of(resources));
  }

  private List<String> applied(String schema) {
    List<String> applied = new ArrayList<>();
    for (Row row : database.sql("SELECT module || ' ' || version || ' ' || name FROM " + schema
        + ".schema_migrations ORDER BY 1")) {
      applied.add(row.getString(0));
    }
    return applied;
  }
}
