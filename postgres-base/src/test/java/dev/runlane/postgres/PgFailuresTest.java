package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgFailuresTest {
  private static final String SECRET = "s3cret";

  private final Database database = Database.shared();

  @BeforeEach
  void createTable() {
    database.sql("""
        SET client_min_messages = warning;
        DROP TABLE IF EXISTS rows;
        CREATE TABLE rows (
          id integer CONSTRAINT rows_pkey PRIMARY KEY,
          parent integer CONSTRAINT rows_parent REFERENCES rows,
          value text NOT NULL CONSTRAINT rows_value CHECK (value <> 'refused')
        );
        INSERT INTO rows VALUES (1, NULL, 'one'), (2, NULL, 'two')
        """);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void a_deadlock_may_be_sent_again_and_is_unavailability_in_the_end() {
    PgConnection one = database.connect();
    PgConnection other = database.connect();
    Database.done(one.query("SET deadlock_timeout = '20ms'; BEGIN").execute());
    Database.done(other.query("SET deadlock_timeout = '20ms'; BEGIN").execute());
    Database.done(one.query("UPDATE rows SET value = 'a' WHERE id = 1").execute());
    Database.done(other.query("UPDATE rows SET value = 'b' WHERE id = 2").execute());

    Future<?> first = one.query("UPDATE rows SET value = 'c' WHERE id = 2").execute();
    Future<?> second = other.query("UPDATE rows SET value = 'd' WHERE id = 1").execute();

    Throwable victim = Database.failure(
        Future.join(first, second).recover(failure -> Future.failedFuture(failure)));
    assertSentAgain(victim, "40P01");
    Database.done(one.query("ROLLBACK").execute());
  }

  @Test
  void a_lock_that_is_not_available_may_be_sent_again() {
    PgConnection holder = database.connect();
    Database.done(
        holder.query("BEGIN; SELECT 1 FROM rows WHERE id = 1 FOR UPDATE").execute());

    Throwable failure = Database.failure(database
        .connect()
        .query("SET lock_timeout = '20ms'; UPDATE rows SET value = 'x' WHERE id = 1")
        .execute());

    assertSentAgain(failure, "55P03");
  }

  @Test
  void a_statement_that_takes_too_long_is_not_sent_again() {
    Throwable failure = Database.failure(database
        .connect()
        .query("SET statement_timeout = '20ms'; SELECT pg_sleep(60)")
        .execute());

    assertThat(((PgException) failure).getSqlState()).isEqualTo("57014");
    assertOutage(failure);
  }

  @Test
  void a_plan_that_a_migration_outdated_may_be_sent_again() {
    PgConnection connection = database.connect();
    Database.done(connection
        .prepare("SELECT * FROM rows")
        .compose(statement -> statement.query().execute())
        .compose(rows -> connection.query("PREPARE p AS SELECT * FROM rows").execute())
        .compose(
            made -> connection.query("ALTER TABLE rows ADD COLUMN more text").execute()));

    assertSentAgain(Database.failure(connection.query("EXECUTE p").execute()), "0A000");
  }

  @Test
  void a_serialization_failure_may_be_sent_again() {
    PgConnection connection = database.connect();
    Database.done(connection
        .query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM rows")
        .execute());
    database.sql("UPDATE rows SET value = 'x' WHERE id = 1");

    assertSentAgain(
        Database.failure(
            connection.query("UPDATE rows SET value = 'y' WHERE id = 1").execute()),
        "40001");
  }

  @Test
  void a_named_constraint_is_a_lost_race_of_its_kind() {
    Throwable failure = violation("INSERT INTO rows VALUES (1, NULL, '" + SECRET + "')");

    RunlaneException ours = PgFailures.of(
        "creating", failure, Map.of("rows_pkey", StorageConflictKind.IDEMPOTENCY_KEY));

    assertThat(ours.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
    assertThat(ours.isRetryable()).isTrue();
    assertThat(ours).hasCause(failure);
    assertSilent(ours, failure);
  }

  /** As {@code REINDEX CONCURRENTLY} calls them, and a second time where the first is still there. */
  @ParameterizedTest
  @ValueSource(strings = {"rows_pkey_ccnew", "rows_pkey_ccold", "rows_pkey_ccnew12"})
  void a_second_index_that_a_rebuild_makes_or_left_refuses_what_the_first_one_would(String index) {
    database.sql("ALTER TABLE rows DROP CONSTRAINT rows_parent, DROP CONSTRAINT rows_pkey;"
        + " CREATE UNIQUE INDEX " + index + " ON rows (id)");
    Throwable failure = violation("INSERT INTO rows VALUES (1, NULL, '" + SECRET + "')");

    RunlaneException named = PgFailures.of(
        "creating", failure, Map.of("rows_pkey", StorageConflictKind.IDEMPOTENCY_KEY));

    assertThat(((PgException) failure).getConstraint()).isEqualTo(index);
    assertThat(named.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
    assertSentAgain(failure, "23505");
  }

  @ParameterizedTest
  @CsvSource({
    "23505, '(1, NULL, ''s3cret'')', constraint rows_pkey of table rows",
    "23514, '(3, NULL, ''refused'')', constraint rows_value of table rows",
    "23503, '(3, 9, ''s3cret'')', constraint rows_parent of table rows",
    "23502, '(3, NULL, NULL)', the constraint of column value of table rows"
  })
  void another_constraint_is_a_fault_of_the_adapter(String state, String row, String broken) {
    Throwable failure = violation("INSERT INTO rows VALUES " + row);

    RunlaneException ours = PgFailures.of(
        "creating", failure, Map.of("another_constraint", StorageConflictKind.IDEMPOTENCY_KEY));

    assertThat(((PgException) failure).getSqlState()).isEqualTo(state);
    assertThat(ours.code()).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    assertThat(ours.isRetryable()).isFalse();
    assertThat(PgFailures.mayBeSentAgain(failure)).isFalse();
    assertThat(PgFailures.isRolledBack(failure)).isTrue();
    assertThat(ours).hasMessage("creating broke " + broken + " (SQLSTATE " + state + ")");
    assertSilent(ours, failure);
  }

  @Test
  void a_role_that_may_only_read_is_told_as_one() {
    Throwable failure =
        violation("SET transaction_read_only = on; INSERT INTO rows VALUES (3, NULL, 'x')");

    assertOutage(failure);
    assertThat(PgFailures.of("creating", failure))
        .hasMessageContaining("default_transaction_read_only");
  }

  @Test
  void any_other_answer_of_postgres_is_an_internal_error() {
    Throwable failure = violation("SELECT 's3cret'::integer");

    RunlaneException ours = PgFailures.of("reading", failure);

    assertThat(ours.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(ours.isRetryable()).isFalse();
    assertSilent(ours, failure);
  }

  @Test
  void a_backend_that_was_terminated_is_an_outage_whose_outcome_is_unknown() {
    PgConnection connection = database.connect();

    Throwable told = Database.failure(
        connection.query("SELECT pg_terminate_backend(pg_backend_pid())").execute());
    Throwable later = Database.failure(connection.query("SELECT 1").execute());

    assertOutage(told);
    assertOutage(later);
  }

  @Test
  void a_refused_connection_is_an_outage() {
    assertOutage(Database.failure(
        PgConnection.connect(database.vertx(), database.options().setPort(1))));
  }

  @Test
  void a_server_that_hangs_up_during_the_handshake_is_an_outage() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Future<PgConnection> connecting = PgConnection.connect(
          database.vertx(), database.options().setHost("127.0.0.1").setPort(server.getLocalPort()));
      server.accept().close();

      assertOutage(Database.failure(connecting));
    }
  }

  @Test
  void an_unknown_host_is_an_outage() {
    assertOutage(Database.failure(PgConnection.connect(
        database.vertx(), database.options().setHost("no-such-host.invalid"))));
  }

  @Test
  void too_many_connections_are_an_outage() {
    String role = database.options().getDatabase() + "_crowded";
    database.sql("CREATE ROLE " + role + " LOGIN PASSWORD '" + SECRET + "' CONNECTION LIMIT 0");
    try {
      Throwable failure = Database.failure(PgConnection.connect(
          database.vertx(), database.options().setUser(role).setPassword(SECRET)));

      assertThat(((PgException) failure).getSqlState()).isEqualTo("53300");
      assertOutage(failure);
    } finally {
      database.sql("DROP ROLE " + role);
    }
  }

  @Test
  void a_pool_without_room_is_an_outage() {
    Pool pool = PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(1).setMaxWaitQueueSize(1))
        .connectingTo(database.options())
        .using(database.vertx())
        .build();
    SqlConnection only = Database.done(pool.getConnection());
    Future<?> waiting = pool.query("SELECT 1").execute();

    Future<?> oneTooMany = pool.query("SELECT 1").execute();

    assertOutage(Database.failure(oneTooMany));
    Database.done(only.close());
    Database.done(waiting);
    Database.done(pool.close());
  }

  @Test
  void a_wait_for_a_connection_that_takes_too_long_is_an_outage() {
    Pool pool = PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(1).setConnectionTimeout(1))
        .connectingTo(database.options())
        .using(database.vertx())
        .build();
    Database.inTheEnd(pool::getConnection);

    Future<?> statement = pool.query("SELECT 1").execute();
    Future<?> transaction = HeldConnections.transaction(pool, none -> Future.succeededFuture());

    assertOutage(Database.failure(statement));
    assertOutage(Database.failure(transaction));
  }

  @Test
  void our_own_failures_pass_and_unknown_ones_are_internal_errors() {
    RunlaneException ours = RunlaneException.validationFailed("no");
    IllegalStateException unknown = new IllegalStateException(SECRET);

    assertThat(PgFailures.of("anything", ours)).isSameAs(ours);
    assertThat(PgFailures.of("anything", unknown).code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(PgFailures.of("anything", unknown)).hasCause(unknown);
    assertSilent(PgFailures.of("anything", unknown), unknown);
    assertThat(
            Database.failure(Future.failedFuture(unknown).recover(PgFailures.during("anything"))))
        .isInstanceOf(RunlaneException.class)
        .hasCause(unknown);
  }

  private Throwable violation(String statement) {
    return Database.failure(database.connect().query(statement).execute());
  }

  private static void assertSentAgain(Throwable failure, String state) {
    assertThat(failure).isInstanceOfSatisfying(PgException.class, pg -> assertThat(pg.getSqlState())
        .isEqualTo(state));
    assertThat(PgFailures.mayBeSentAgain(failure)).isTrue();
    assertThat(PgFailures.isRolledBack(failure)).isTrue();
    assertUnavailable(failure);
  }

  private static void assertOutage(Throwable failure) {
    assertThat(PgFailures.mayBeSentAgain(failure)).isFalse();
    assertThat(PgFailures.isRolledBack(failure)).isFalse();
    assertUnavailable(failure);
  }

  private static void assertUnavailable(Throwable failure) {
    RunlaneException ours = PgFailures.of("trying", failure);
    assertThat(ours.code()).as("of %s", failure).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(ours.isRetryable()).isTrue();
    assertThat(ours).hasCause(failure);
    assertSilent(ours, failure);
  }

  /** The driver's words may hold values of rows: they stay in the cause. */
  private static void assertSilent(RunlaneException ours, Throwable failure) {
    assertThat(ours.getMessage()).doesNotContain(SECRET);
    if (failure instanceof PgException pg) {
      assertThat(ours.getMessage()).doesNotContain(pg.getErrorMessage());
    }
  }
}
