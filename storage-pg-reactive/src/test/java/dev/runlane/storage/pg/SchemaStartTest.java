package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.GetRun;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What start() makes of a database, and what it leaves to others. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SchemaStartTest {
  private static final List<String> MIGRATIONS = List.of(
      "migrations/V001__runs.sql",
      "migrations/V002__awaiting.sql",
      "migrations/V003__pending_steps.sql",
      "migrations/V004__schedules_and_processes.sql",
      "migrations/V005__due_by_task.sql",
      "migrations/V006__pruned_occurrences.sql",
      "migrations/V007__operator.sql",
      "migrations/V008__log_lines.sql",
      "migrations/V009__resumed_queues.sql",
      "migrations/V010__throughput.sql",
      "migrations/V011__paused_schedules.sql",
      "migrations/V012__run_tags.sql",
      "migrations/V013__webhooks.sql",
      "migrations/V014__failed_messages.sql",
      "migrations/V015__idle_partitions.sql",
      "migrations/V016__trigger.sql",
      "migrations/V017__alerts.sql",
      "migrations/V018__known_tasks.sql",
      "migrations/V019__clock_offsets.sql",
      "migrations/V020__step_depths.sql",
      "migrations/V021__partition_lags.sql",
      "migrations/V022__superseded_indexes.sql",
      "migrations/V023__throughput_folds.sql",
      "migrations/V024__ends_of_reused_ids.sql",
      "migrations/V025__trigger_functions.sql",
      "migrations/V026__trigger_rules.sql",
      "migrations/V027__literals_of_trigger.sql",
      "migrations/V028__watch_ends_rights.sql",
      "migrations/V029__steps_of_an_ended_run.sql",
      "migrations/V030__steps_by_their_keys.sql");

  private final Scene scene = Scene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void processes_that_start_at_once_on_an_empty_database_all_work() {
    int processes = 4;
    List<PgStorageAdapter> adapters = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      adapters.add(PgStorageAdapter.create(scene.vertx(), scene.options()));
    }

    adapters.stream().map(PgStorageAdapter::start).toList().forEach(Outcomes::done);

    for (int i = 0; i < processes; i++) {
      scene.store(TestRuns.queued("run_" + i), adapters.get(i));
    }
    assertThat(scene.rows("active_runs")).isEqualTo(processes);
    assertThat(scene.rows("environments")).isEqualTo(1);
    assertThat(scene.rows("schema_migrations")).isEqualTo(MIGRATIONS.size());
    adapters.forEach(adapter -> done(adapter.close()));
  }

  @Test
  void schemas_of_one_database_share_nothing() {
    Scene other = Scene.open();
    try {
      PgStorageAdapter here = scene.start();
      PgStorageAdapter there = other.start();

      scene.store(TestRuns.queued("run_1"), here);

      assertThat(Scene.find(there, "run_1")).isEmpty();
      other.store(TestRuns.queued("run_1"), there);
      assertThat(scene.rows("active_runs")).isEqualTo(1);
      assertThat(other.rows("active_runs")).isEqualTo(1);
    } finally {
      other.close();
    }
  }

  /** Its functions would go on at the tables of the old name, which may be somebody else's by now. */
  @Test
  void a_schema_that_was_renamed_is_refused_until_it_has_its_name_again() {
    PgStorageAdapter first = scene.start();
    done(first.close());
    String other = scene.schema() + "_other";
    rename(scene.schema(), other);

    for (boolean migrates : List.of(true, false)) {
      PgStorageOptions options = scene.options().setSchema(other).setMigrate(migrates);
      RunlaneException refused =
          failure(PgStorageAdapter.create(scene.vertx(), options).start());

      assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(refused).hasMessageContaining("schema " + other + " had another name");
    }
    rename(other, scene.schema());
    scene.store(TestRuns.queued("run_1"), scene.start());
  }

  private void rename(String from, String to) {
    done(PgStorageFixture.sql(scene.vertx(), "ALTER SCHEMA " + from + " RENAME TO " + to));
  }

  @Test
  void an_applied_migration_that_has_another_text_refuses_to_start() {
    scene.start();
    done(PgStorageFixture.sql(
        scene.vertx(),
        "UPDATE " + scene.schema() + ".schema_migrations SET checksum = 'of another text'"));

    RunlaneException refused =
        failure(PgStorageAdapter.create(scene.vertx(), scene.options()).start());

    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  @Test
  void a_newer_release_in_the_schema_is_accepted() {
    scene.start();
    done(PgStorageFixture.sql(
        scene.vertx(),
        "INSERT INTO " + scene.schema() + ".schema_migrations (module, version, name, checksum)"
            + " VALUES ('storage-pg-reactive', 999, 'from_the_future', 'unknown')"));

    scene.store(TestRuns.queued("run_1"), scene.start());
  }

  @Test
  void without_migrating_a_schema_that_lacks_something_fails_the_start_by_name() {
    RunlaneException nothingThere =
        failure(PgStorageAdapter.create(scene.vertx(), scene.options().setMigrate(false))
            .start());
    scene.start();
    done(PgStorageFixture.sql(
        scene.vertx(), "DELETE FROM " + scene.schema() + ".schema_migrations WHERE version = 4"));
    RunlaneException behind =
        failure(PgStorageAdapter.create(scene.vertx(), scene.options().setMigrate(false))
            .start());

    assertThat(nothingThere.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(nothingThere.getMessage()).contains(scene.schema(), "1 (runs)", "3 (pending_steps)");
    assertThat(behind.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(behind.getMessage())
        .contains("4 (schedules_and_processes)")
        .doesNotContain("3 (pending_steps)");
  }

  @Test
  void a_schema_may_be_named_by_a_reserved_word() {
    for (String word : List.of("order", "user")) {
      done(PgStorageFixture.sql(scene.vertx(), "DROP SCHEMA IF EXISTS \"" + word + "\" CASCADE"));
      PgStorageAdapter storage = scene.start(scene.options().setSchema(word));

      scene.store(TestRuns.succeeded("run_1"), storage);
      assertThat(Scene.find(storage, "run_1")).isPresent();
      done(storage.close());
    }
    scene.start(); // so that there is something to audit
  }

  @Test
  void the_shipped_files_can_be_applied_by_another_tool() throws Exception {
    StringBuilder files = new StringBuilder("""
        CREATE SCHEMA {schema};
        CREATE TABLE {schema}.schema_migrations (module text NOT NULL, version integer NOT NULL,
          name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
          CONSTRAINT schema_migrations_pkey PRIMARY KEY (module, version));
        """);
    for (String migration : MIGRATIONS) {
      files.append(text(migration)).append("""
          INSERT INTO {schema}.schema_migrations (module, version, name, checksum)
          VALUES ('storage-pg-reactive', %s, '%s', '%s');
          """.formatted(
              migration.substring(12, 15),
              migration.substring(17, migration.length() - 4),
              HexFormat.of()
                  .formatHex(MessageDigest.getInstance("SHA-256")
                      .digest(text(migration).getBytes(StandardCharsets.UTF_8)))));
    }
    done(PgStorageFixture.sql(scene.vertx(), files.toString().replace("{schema}", scene.schema())));

    PgStorageAdapter storage = scene.start(scene.options().setMigrate(false));

    scene.store(TestRuns.succeeded("run_1"), storage);
    assertThat(scene.rows("terminal_runs")).isEqualTo(1);
  }

  @Test
  void starting_and_closing_twice_is_harmless() {
    PgStorageAdapter storage = scene.start();
    done(storage.start());
    scene.store(TestRuns.queued("run_1"), storage);

    done(storage.close());
    done(storage.close());

    assertThat(failure(storage.getRun(new GetRun(Scene.ENVIRONMENT, "run_1"))).code())
        .isNotNull();
  }

  @Test
  void a_server_that_cannot_be_reached_fails_the_start() {
    scene.start();
    PgStorageOptions elsewhere = scene.options();
    elsewhere.setConnectOptions(elsewhere.getConnectOptions().setPort(1));

    Scene.unavailable(PgStorageAdapter.create(scene.vertx(), elsewhere).start());
    Scene.unavailable(
        PgStorageAdapter.create(scene.vertx(), elsewhere.setMigrate(false)).start());
  }

  @Test
  void a_schema_that_would_need_quoting_is_refused_while_options_are_made() {
    assertThatThrownBy(() -> new PgStorageOptions().setSchema("Runlane; DROP"))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  private static String text(String migration) throws IOException {
    try (InputStream shipped = PgStorageAdapter.class.getResourceAsStream(migration)) {
      return new String(shipped.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
