package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReusedSessionsTest {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("sessions");

  private static final int TOGETHER = 10;

  private final ReusedSessions sessions = new ReusedSessions(DATABASE);

  @AfterEach
  void close() {
    sessions.close();
  }

  @Test
  void a_process_that_was_left_serves_the_next_who_connects() throws SQLException {
    String left = process(sessions.address());

    connectTo(left).close();
  }

  @Test
  void a_process_serves_one_connection_at_a_time() throws SQLException {
    try (Connection one = connect();
        Connection other = connect()) {
      assertThat(process(other)).isNotEqualTo(process(one));
    }
  }

  @Test
  void who_connects_finds_nothing_of_the_session_before() throws SQLException {
    String left;
    try (Connection before = connect()) {
      left = process(before);
      execute(before, """
          SET search_path = elsewhere;
          PREPARE asked AS SELECT 1;
          CREATE TEMPORARY TABLE noted (id integer);
          SELECT pg_advisory_lock(7);
          LISTEN news;
          """);
    }

    try (Connection next = connectTo(left)) {
      assertThat(answer(next, "SHOW search_path")).isEqualTo("\"$user\", public");
      assertThat(answer(next, "SELECT count(*) FROM pg_prepared_statements")).isEqualTo("0");
      assertThat(answer(next, "SELECT to_regclass('pg_temp.noted')")).isNull();
      assertThat(answer(next, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
          .isEqualTo("0");
      assertThat(answer(next, "SELECT count(*) FROM pg_listening_channels()")).isEqualTo("0");
    }
  }

  @Test
  void the_session_has_ended_when_its_connection_is_closed() throws SQLException {
    try (Connection next = Sql.connect(DATABASE)) {
      execute(next, "SET lock_timeout = '60s'");
      for (int i = 0; i < 20; i++) {
        Connection holder = connect();
        execute(holder, "SELECT pg_advisory_lock(7)");
        holder.close();

        execute(next, "SELECT pg_advisory_lock(7)");
        execute(next, "SELECT pg_advisory_unlock(7)");
      }
    }
  }

  @Test
  void a_transaction_that_was_left_open_ends_with_its_process() throws SQLException {
    Sql.execute(DATABASE, "CREATE TABLE orders (id integer)");
    String left;
    try (Connection careless = connect()) {
      careless.setAutoCommit(false);
      execute(careless, "INSERT INTO orders VALUES (1)");
      left = process(careless);
    }

    assertThat(process(sessions.address())).isNotEqualTo(left);
    assertThat(Sql.column(DATABASE, "SELECT id FROM orders")).isEmpty();
  }

  @Test
  void a_process_that_has_failed_or_was_ended_is_given_to_nobody() throws SQLException {
    String left = process(sessions.address());

    Sql.execute(
        DATABASE,
        "SELECT pg_terminate_backend(%1$s);".formatted(left)
            + " DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)"
                .formatted(left)
            + " LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");

    assertThat(processOnceTheEndHasArrived()).isNotEqualTo(left);
  }

  /** The server knows of the end of a process a moment before its connection closes. */
  private String processOnceTheEndHasArrived() throws SQLException {
    try {
      return process(sessions.address());
    } catch (SQLException lost) {
      return process(sessions.address());
    }
  }

  @Test
  void a_connection_ends_with_its_process() throws SQLException {
    try (Connection connection = connect()) {
      Sql.execute(DATABASE, "SELECT pg_terminate_backend(" + process(connection) + ")");

      assertThatThrownBy(() -> answer(connection, "SELECT 1")).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void a_statement_can_be_cancelled_and_takes_its_process_with_it() throws Exception {
    ExecutorService waiting = Executors.newSingleThreadExecutor();
    String left;
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      left = process(connection);
      Future<?> sleep = waiting.submit(() -> statement.execute("SELECT pg_sleep(60)"));
      Sql.execute(
          DATABASE,
          "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep')"
                  .formatted(left)
              + " LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");

      statement.cancel();

      assertThatThrownBy(sleep::get).hasMessageContaining("canceling statement");
    } finally {
      waiting.shutdown();
    }
    assertThat(process(sessions.address())).isNotEqualTo(left);
  }

  @Test
  void notifications_come_by_themselves() throws SQLException {
    try (Connection listening = connect()) {
      execute(listening, "LISTEN news");

      Sql.execute(DATABASE, "NOTIFY news, 'told'");

      assertThat(listening.unwrap(PGConnection.class).getNotifications(60_000))
          .extracting(each -> each.getParameter())
          .containsExactly("told");
    }
  }

  @Test
  void answers_are_as_long_as_the_server_makes_them() throws SQLException {
    try (Connection connection = connect()) {
      assertThat(answer(connection, "SELECT length(repeat('x', 3000000)) || repeat('y', 3000000)"))
          .hasSize(3_000_007);
      assertThat(answer(connection, "SELECT sum(n) FROM generate_series(1, 100000) n"))
          .isEqualTo(
              String.valueOf(IntStream.rangeClosed(1, 100_000).asLongStream().sum()));
    }
  }

  @Test
  void users_and_settings_have_processes_of_their_own() throws SQLException {
    String role = "guest_of_" + DATABASE.database();
    Sql.execute(DATABASE, "CREATE ROLE " + role + " LOGIN PASSWORD 'guest'");
    String left = process(sessions.address());
    PostgresAddress by = sessions.address();
    PostgresAddress guest = new PostgresAddress(by.host(), by.port(), by.database(), role, "guest");

    assertThat(process(guest)).isNotEqualTo(left);
    connectTo(left).close();
  }

  @Test
  void a_wrong_password_opens_neither_a_new_process_nor_one_that_was_left() throws SQLException {
    PostgresAddress by = sessions.address();
    PostgresAddress stranger =
        new PostgresAddress(by.host(), by.port(), by.database(), by.user(), "wrong");

    assertThatThrownBy(() -> process(stranger)).hasMessageContaining("password authentication");
    String left = process(by);
    assertThatThrownBy(() -> process(stranger)).hasMessageContaining("password authentication");

    connectTo(left).close();
  }

  @Test
  void closing_ends_connections_and_processes() throws SQLException {
    try (Connection connection = connect()) {
      String left = process(connection);

      sessions.close();

      assertThatThrownBy(() -> answer(connection, "SELECT 1")).isInstanceOf(SQLException.class);
      Sql.execute(
          DATABASE,
          "DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)".formatted(left)
              + " LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");
    }
  }

  private Connection connect() throws SQLException {
    return Sql.connect(sessions.address());
  }

  /** A process is free a moment after its connection is closed: until then others are begun, and left again. */
  private Connection connectTo(String process) throws SQLException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < Bounds.OF_A_WAIT.toNanos()) {
      List<Connection> others = new ArrayList<>();
      try {
        while (others.size() < TOGETHER) {
          Connection each = connect();
          if (process(each).equals(process)) {
            return each;
          }
          others.add(each);
        }
      } finally {
        for (Connection other : others) {
          other.close();
        }
      }
    }
    throw new AssertionError("process " + process + " was given to nobody any more");
  }

  private static String process(PostgresAddress address) throws SQLException {
    try (Connection connection = Sql.connect(address)) {
      return process(connection);
    }
  }

  private static String process(Connection connection) throws SQLException {
    return answer(connection, "SELECT pg_backend_pid()");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String answer(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
