package dev.runlane.storage.pg.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.storage.pg.jdbc.TriggeredRun.Outcome;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** {@code runlane.trigger}, for whoever has SQL alone. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlTriggerTest {
  private static final JdbcDatabase DATABASE = JdbcDatabase.createForManyConnections("sql_trigger");

  @BeforeAll
  static void migrate() throws Exception {
    Vertx vertx = Vertx.vertx();
    DATABASE.migrate(vertx);
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @BeforeEach
  void forget() {
    DATABASE.execute("TRUNCATE runlane.run_events, runlane.active_runs, runlane.outbox_messages,"
        + " runlane.idempotency_owners, runlane.singleton_owners, runlane.run_tags,"
        + " runlane.queue_bindings");
  }

  @Test
  void a_key_that_is_taken_answers_its_run() {
    String first = trigger("'t', '{}', idempotency_key => 'k'");
    String other = trigger("'t', '{}', singleton_key => 's'");

    assertThat(trigger("'t', '{}', idempotency_key => 'k'"))
        .isEqualTo(first.replace("created", "idempotent_existing"));
    assertThat(trigger("'t', '{}', idempotency_key => 'new', singleton_key => 's'"))
        .isEqualTo(other.replace("created", "singleton_existing"));
    assertThat(DATABASE.column("SELECT idempotency_key FROM runlane.idempotency_owners"))
        .containsExactly("k");
    assertThat(DATABASE.column("SELECT count(*) FROM runlane.active_runs")).containsExactly("2");
  }

  @Test
  void of_two_transactions_with_one_key_the_second_waits_and_answers_the_first_ones_run()
      throws Exception {
    try (Connection one = DATABASE.connect();
        Connection other = DATABASE.connect()) {
      one.setAutoCommit(false);
      String first = trigger(one, "'t', '{}', idempotency_key => 'k', singleton_key => 's'");
      int pid =
          Integer.parseInt(JdbcDatabase.column(other, "SELECT pg_backend_pid()").get(0));
      var waiting = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
        try {
          return trigger(other, "'t', '{}', idempotency_key => 'k', singleton_key => 's'");
        } catch (SQLException failure) {
          throw new AssertionError(failure);
        }
      });
      assertThat(Poll.until(Duration.ofSeconds(30), () -> !DATABASE
              .column("SELECT 1 FROM pg_locks WHERE NOT granted AND pid = " + pid)
              .isEmpty()))
          .as("the second waits")
          .isTrue();
      assertThat(waiting).isNotDone();
      one.commit();

      assertThat(waiting.get(20, TimeUnit.SECONDS))
          .isEqualTo(first.replace("created", "idempotent_existing"));
    }
  }

  @Test
  void a_rollback_leaves_nothing() throws Exception {
    try (Connection connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      trigger(connection, "'t', '{}', idempotency_key => 'k', tags => '{\"a\":\"b\"}'");
      connection.rollback();
    }

    for (String table :
        List.of("run_events", "active_runs", "outbox_messages", "idempotency_owners", "run_tags")) {
      assertThat(DATABASE.column("SELECT 1 FROM runlane." + table)).as(table).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "'', '{}' # RL002",
        "'a:b', '{}' # RL002",
        "repeat('é', 65), '{}' # RL002",
        "'t', NULL # RL002",
        "'t', to_jsonb(repeat('x', 1048576)) # RL002",
        "'t', (repeat('[', 65) || repeat(']', 65))::jsonb # RL002",
        "'t', '{}', queue => 'a:b' # RL002",
        "'t', '{}', environment => '' # RL002",
        "'t', '{}', run_at => 'infinity' # RL002",
        "'t', '{}', run_at => now() + interval '200 years' # RL002",
        "'t', '{}', idempotency_ttl => interval '1 day' # RL002",
        "'t', '{}', idempotency_key => 'k', idempotency_ttl => interval '-1 s' # RL002",
        "'t', '{}', idempotency_key => 'k', idempotency_ttl => interval '1 microsecond' # RL002",
        "'t', '{}', idempotency_key => repeat('k', 513) # RL002",
        "'t', '{}', singleton_key => '' # RL002",
        "'t', '{}', concurrency_key => 'a:b' # RL002",
        "'t', '{}', tags => '[]' # RL002",
        "'t', '{}', tags => '{\"a\":1}' # RL002",
        "'t', '{}', tags => '{\"a\":\"\"}' # RL002",
        "'t', '{}', meta => '\"text\"' # RL002",
        "'t', '{}', trace_carrier => '{\"a\":{}}' # RL002",
        "'t', '{}', run_id => 'a:b' # RL002",
        "'t', '{bad' # 22P02",
      })
  void bad_input_is_refused_by_sqlstate_and_nothing_is_stored(String arguments, String state) {
    SQLException refused = refused(arguments);

    assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo(state);
    assertThat(DATABASE.column("SELECT 1 FROM runlane.run_events")).isEmpty();
  }

  @Test
  void a_session_that_reads_backslashes_in_literals_triggers_as_any_other() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET standard_conforming_strings = off");

      assertThat(trigger(connection, "'t', '{\"a\":\"b\"}'")).contains("created");
      assertThat(trigger(connection, "'t', '{\"a\":[\"{[\"]}', meta => '{\"c\":\"}\"}'"))
          .contains("created");

      assertThat(JdbcDatabase.column(connection, "SHOW standard_conforming_strings"))
          .containsExactly("off");
    }
  }

  @Test
  void a_check_that_such_a_session_calls_by_itself_spoils_no_trigger() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET standard_conforming_strings = off");
      statement.execute("SELECT runlane.require_json('payload', '{\"a\":\"b\"}', 100)");

      assertThat(trigger(connection, "'t', '{\"a\":\"b\"}'")).contains("created");
    }
  }

  @Test
  void as_many_levels_and_tags_as_are_allowed_pass() {
    trigger("'t', (repeat('[', 64) || '\"}]{[\"' || repeat(']', 64))::jsonb");
    trigger("'t', '{}', tags => (SELECT jsonb_object_agg('tag' || n, 'v:' || n)"
        + " FROM generate_series(1, 16) n)");

    assertThat(refused("'t', '{}', tags => (SELECT jsonb_object_agg('tag' || n, 'v')"
                + " FROM generate_series(1, 17) n)")
            .getSQLState())
        .isEqualTo("RL002");
    assertThat(DATABASE.column("SELECT count(*) FROM runlane.run_tags")).containsExactly("16");
  }

  @Test
  void an_id_that_exists_is_refused_even_if_its_key_is_owned() {
    trigger("'t', '{}', run_id => 'run_mine', idempotency_key => 'k'");

    assertThat(
            refused("'t', '{}', run_id => 'run_mine', idempotency_key => 'k'").getSQLState())
        .isEqualTo("RL003");
    assertThat(refused("'t', '{}', run_id => 'run_mine'").getSQLState()).isEqualTo("RL003");
  }

  @Test
  void a_queue_that_no_process_has_is_refused_once_one_is_known() {
    trigger("'t', '{}', queue => 'first'");
    DATABASE.execute("INSERT INTO runlane.queue_bindings (env, queue, bounded)"
        + " SELECT env, 'known', false FROM runlane.environments");

    assertThat(refused("'t', '{}', queue => 'unknwon'").getSQLState()).isEqualTo("RL002");
    assertThat(trigger("'t', '{}', queue => 'known'")).contains("created");
  }

  @Test
  void a_table_s_trigger_may_call_it() {
    DATABASE.execute("""
        CREATE TABLE orders (id integer PRIMARY KEY, note text);
        CREATE FUNCTION order_placed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM runlane.trigger('orders.charge', to_jsonb(NEW), idempotency_key => 'order-' || NEW.id);
          RETURN NEW;
        END $$;
        CREATE TRIGGER order_placed AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION order_placed();
        INSERT INTO orders VALUES (7, 'now')
        """);

    assertThat(DATABASE.column(
            "SELECT body::jsonb -> 'payload' FROM runlane.run_events" + " WHERE sequence = 1"))
        .containsExactly("{\"id\": 7, \"note\": \"now\"}");
  }

  @Test
  void who_may_execute_it_needs_no_right_on_the_tables_and_nobody_may_unless_granted()
      throws Exception {
    DATABASE.execute(
        "CREATE ROLE cron_job LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA runlane TO"
            + " cron_job");
    try (Connection connection = DATABASE.connect("cron_job", "secret")) {
      SQLException refused =
          catchThrowableOfType(SQLException.class, () -> trigger(connection, "'t', '{}'"));
      assertThat(refused.getSQLState()).isEqualTo("42501");
      DATABASE.execute("GRANT EXECUTE ON FUNCTION runlane.trigger TO cron_job");
      assertThat(trigger(connection, "'t', '{}', idempotency_key => 'k', singleton_key => 's'"))
          .endsWith("created");
      SQLException kept = catchThrowableOfType(
          SQLException.class,
          () -> JdbcDatabase.column(connection, "SELECT 1 FROM runlane.run_events"));
      assertThat(kept.getSQLState()).isEqualTo("42501");
    } finally {
      DATABASE.execute("DROP OWNED BY cron_job; DROP ROLE cron_job");
    }
  }

  @Test
  void listeners_hear_of_it_with_the_commit_from_sql_and_from_jdbc() throws Exception {
    String channel = DATABASE
        .column("SELECT 'runlane_' || left(encode(sha256('runlane:default'), 'hex'), 16)")
        .get(0);
    try (Connection listener = DATABASE.connect();
        Connection caller = DATABASE.connect()) {
      JdbcDatabase.execute(listener, "LISTEN " + channel);
      caller.setAutoCommit(false);
      String run =
          trigger(caller, "'t', '{}', trace_carrier => '{\"a\":\"b\"}'").split(" ")[0];
      trigger(caller, "'t', '{}', wake => false");
      trigger(caller, "'t', '{}', run_at => now() + interval '1 hour'");
      JdbcTriggers.create()
          .trigger(
              caller,
              JdbcTrigger.of("t", "{}")
                  .setNotifying(true)
                  .setRunAt(Instant.now().plus(Duration.ofHours(1))));
      TriggeredRun overJdbc =
          JdbcTriggers.create().trigger(caller, JdbcTrigger.of("t", "{}").setNotifying(true));
      assertThat(overJdbc.outcome()).isEqualTo(Outcome.CREATED);
      assertThat(listener.unwrap(PGConnection.class).getNotifications(1)).isEmpty();
      caller.commit();

      List<PGNotification> heard = new ArrayList<>();
      assertThat(Poll.until(Duration.ofSeconds(30), () -> hear(listener, heard) == 2))
          .as("two are heard")
          .isTrue();
      assertThat(heard.get(0).getParameter())
          .startsWith("{\"v\":1,\"wakeups\":[{\"runId\":\"" + run + "\",\"queue\":\"default\",")
          .endsWith(",\"traceCarrier\":{\"a\": \"b\"}}]}");
      assertThat(heard.get(1).getParameter()).contains(overJdbc.runId());
    }
  }

  /** How many notifications there are by now: they arrive together, or one by one. */
  private static int hear(Connection listener, List<PGNotification> heard) {
    try {
      PGNotification[] more = listener.unwrap(PGConnection.class).getNotifications(1_000);
      heard.addAll(Arrays.asList(more == null ? new PGNotification[0] : more));
      return heard.size();
    } catch (SQLException failure) {
      throw new AssertionError("nothing is heard", failure);
    }
  }

  /** {@code RUN OUTCOME}. */
  private static String trigger(String arguments) {
    try (Connection connection = DATABASE.connect()) {
      return trigger(connection, arguments);
    } catch (SQLException failure) {
      throw new AssertionError(arguments, failure);
    }
  }

  private static String trigger(Connection connection, String arguments) throws SQLException {
    return JdbcDatabase.column(
            connection, "SELECT run_id || ' ' || outcome FROM runlane.trigger(" + arguments + ")")
        .get(0);
  }

  private static SQLException refused(String arguments) {
    try (Connection connection = DATABASE.connect()) {
      return catchThrowableOfType(SQLException.class, () -> trigger(connection, arguments));
    } catch (SQLException failure) {
      throw new AssertionError(arguments, failure);
    }
  }
}
