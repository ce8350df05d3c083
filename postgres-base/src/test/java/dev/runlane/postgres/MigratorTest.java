package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MigratorTest {
  private static final String FIRST = "things/V001__things.sql";
  private static final String SECOND = "things/V002__names.sql";

  private final Database database = new Database();

  @AfterEach
  void close() {
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

    String logged = logged(() -> migrate("lane", FIRST));

    assertThat(logged).contains("WARN").contains("schema lane has migration 2 of things");
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
    Migrator second =
        new Migrator("names", MigratorTest.class, new SchemaName("lane"), List.of(SECOND));

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
  @ValueSource(strings = {"", "1lane", "Lane", "lane-1", "lane;", "\"lane\"", "läne", "a b"})
  void a_schema_whose_name_would_need_quoting_is_refused(String name) {
    assertThatThrownBy(() -> new SchemaName(name))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void the_longest_schema_name_has_63_characters() {
    migrate("s".repeat(63), FIRST);

    assertThatThrownBy(() -> new SchemaName("s".repeat(64))).isInstanceOf(RunlaneException.class);
  }

  private void migrate(String schema, String... resources) {
    Database.done(migrator(schema, resources).migrate(database.vertx(), database.options()));
  }

  private RunlaneException refused(Migrator migrator) {
    return (RunlaneException)
        Database.failure(migrator.migrate(database.vertx(), database.options()));
  }

  private static Migrator migrator(String schema, String... resources) {
    return new Migrator("things", MigratorTest.class, new SchemaName(schema), List.of(resources));
  }

  private List<String> applied(String schema) {
    List<String> applied = new ArrayList<>();
    for (Row row : database.sql("SELECT module || ' ' || version || ' ' || name FROM " + schema
        + ".schema_migrations ORDER BY 1")) {
      applied.add(row.getString(0));
    }
    return applied;
  }

  private static String logged(Runnable action) {
    PrintStream before = System.err;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    return captured.toString(StandardCharsets.UTF_8);
  }
}
