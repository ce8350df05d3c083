package dev.runlane.storage.pg.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.pg.jdbc.TriggeredRun.Outcome;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Triggers in the transaction of an application that blocks. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JdbcTriggersTest {
  private static final JdbcDatabase DATABASE =
      JdbcDatabase.createForManyConnections("jdbc_triggers");

  private final JdbcTriggers triggers = JdbcTriggers.create();
  private Connection connection;

  @BeforeAll
  static void migrate() throws Exception {
    Vertx vertx = Vertx.vertx();
    DATABASE.migrate(vertx);
    vertx.close().await(60, TimeUnit.SECONDS);
    DATABASE.execute("CREATE TABLE orders (id integer PRIMARY KEY)");
  }

  @BeforeEach
  void begin() throws SQLException {
    DATABASE.execute("TRUNCATE orders, runlane.run_events, runlane.active_runs,"
        + " runlane.outbox_messages, runlane.idempotency_owners, runlane.singleton_owners,"
        + " runlane.environments");
    connection = DATABASE.connect();
    connection.setAutoCommit(false);
    JdbcDatabase.execute(connection, "INSERT INTO orders VALUES (1)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @Test
  void a_run_exists_if_and_only_if_the_application_commits() throws SQLException {
    triggers.trigger(connection, keyed("i", "s"));
    connection.rollback();
    assertThat(stored("active_runs") + stored("run_events") + stored("idempotency_owners"))
        .isZero();

    TriggeredRun run = triggers.trigger(connection, keyed("i", "s"));
    assertThat(run.outcome()).isEqualTo(Outcome.CREATED);
    assertThat(stored("active_runs")).isZero();
    connection.commit();

    assertThat(DATABASE.column(
            "SELECT run_id FROM runlane.active_runs JOIN runlane.environments" + " USING (env)"))
        .containsExactly(run.runId());
  }

  @Test
  void a_key_of_another_run_is_an_answer_and_the_transaction_goes_on() throws SQLException {
    TriggeredRun first = triggers.trigger(connection, keyed("i", null));
    TriggeredRun single = triggers.trigger(connection, keyed(null, "s"));

    assertThat(triggers.trigger(connection, keyed("i", null)))
        .isEqualTo(new TriggeredRun(first.runId(), Outcome.IDEMPOTENT_EXISTING));
    assertThat(triggers.trigger(connection, keyed("other", "s")))
        .isEqualTo(new TriggeredRun(single.runId(), Outcome.SINGLETON_EXISTING));
    connection.commit();

    assertThat(stored("active_runs")).isEqualTo(2);
    assertThat(stored("idempotency_owners")).isEqualTo(1);
    assertThat(DATABASE.column("SELECT id FROM orders")).containsExactly("1");
  }

  @Test
  void a_failure_leaves_the_transaction_as_it_was() throws SQLException {
    triggers.trigger(connection, keyed("i", null).setRunId("run_mine"));

    RunlaneException exists = refused(JdbcTrigger.of("t", "{}").setRunId("run_mine"));
    assertThat(exists.isConflict(StorageConflictKind.EVENT_SEQUENCE)).isTrue();
    RunlaneException nowhere =
        catchThrowableOfType(RunlaneException.class, () -> JdbcTriggers.in("nowhere", "default")
            .trigger(connection, JdbcTrigger.of("t", "{}")));
    assertThat(nowhere.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    connection.commit();

    assertThat(stored("active_runs")).isEqualTo(1);
    assertThat(DATABASE.column("SELECT id FROM orders")).containsExactly("1");
  }

  @Test
  void a_notification_that_fails_is_no_failure_of_the_trigger() throws SQLException {
    JdbcDatabase.execute(
        connection, "ALTER FUNCTION runlane.notify_run RENAME TO notify_run_elsewhere");

    TriggeredRun run = triggers.trigger(connection, JdbcTrigger.of("t", "{}").setNotifying(true));
    JdbcDatabase.execute(
        connection, "ALTER FUNCTION runlane.notify_run_elsewhere RENAME TO notify_run");
    connection.commit();

    assertThat(run.outcome()).isEqualTo(Outcome.CREATED);
    assertThat(DATABASE.column("SELECT run_id FROM runlane.active_runs"))
        .containsExactly(run.runId());
  }

  @Test
  void a_run_id_that_somebody_else_creates_at_this_moment_is_a_conflict() throws Exception {
    triggers.trigger(connection, keyed("before", null));
    connection.commit(); // the environment
    triggers.trigger(connection, JdbcTrigger.of("t", "{}").setRunId("run_raced"));
    try (Connection other = DATABASE.connect()) {
      other.setAutoCommit(false);
      CompletableFuture<RunlaneException> beside =
          CompletableFuture.supplyAsync(() -> catchThrowableOfType(
              RunlaneException.class,
              () -> triggers.trigger(other, JdbcTrigger.of("t", "{}").setRunId("run_raced"))));
      assertThat(Poll.until(Duration.ofSeconds(20), () -> !DATABASE
              .column("SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
              .isEmpty()))
          .as("the other waits for this transaction")
          .isTrue();
      connection.commit();

      assertThat(beside.get(20, TimeUnit.SECONDS).isConflict(StorageConflictKind.EVENT_SEQUENCE))
          .isTrue();
      other.rollback();
    }
  }

  @Test
  void a_wait_for_a_key_ends_with_the_lock_timeout_and_the_transaction_goes_on()
      throws SQLException {
    triggers.trigger(connection, keyed("i", null));
    connection.commit(); // the environment
    triggers.trigger(connection, keyed("mine", null));
    try (Connection other = DATABASE.connect()) {
      other.setAutoCommit(false);
      JdbcDatabase.execute(other, "SET lock_timeout = '20ms'");
      AtomicInteger tries = new AtomicInteger();
      RunlaneException waited = catchThrowableOfType(
          RunlaneException.class,
          () -> triggers.trigger(countingSavepoints(other, tries), keyed("mine", null)));
      assertThat(tries).as("one lock_timeout, not several").hasValue(1);
      assertThat(waited.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
      assertThat(waited.isRetryable()).isTrue();
      triggers.trigger(other, keyed("another", null));
      other.commit();
    }
    connection.rollback();

    assertThat(DATABASE.column("SELECT idempotency_key FROM runlane.idempotency_owners"))
        .containsExactlyInAnyOrder("i", "another");
  }

  private static Connection countingSavepoints(Connection connection, AtomicInteger made) {
    return (Connection) Proxy.newProxyInstance(
        JdbcTriggersTest.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("setSavepoint")) {
            made.incrementAndGet();
          }
          try {
            return method.invoke(connection, arguments);
          } catch (InvocationTargetException failed) {
            throw failed.getCause();
          }
        });
  }

  @Test
  void a_read_only_transaction_of_the_application_is_no_outage() throws SQLException {
    connection.rollback();
    connection.setReadOnly(true);

    RunlaneException refused = refused(JdbcTrigger.of("t", "{}"));

    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(refused).hasMessageContaining("read-only");
  }

  @Test
  void a_server_that_has_become_read_only_is_an_outage() throws SQLException {
    connection.rollback();
    JdbcDatabase.execute(connection, "SET TRANSACTION READ ONLY");

    RunlaneException refused = refused(JdbcTrigger.of("t", "{}"));

    assertThat(refused.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(refused.isRetryable()).isTrue();
  }

  /** Such as of transactions, before vacuum has been at work, or of notifications that nobody has read. */
  @Test
  void a_server_that_has_reached_a_limit_of_its_own_is_an_outage() throws SQLException {
    DATABASE.execute("CREATE FUNCTION reached() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN RAISE 'no more' USING ERRCODE = '54000'; END $$");
    DATABASE.execute("CREATE TRIGGER reached BEFORE INSERT ON runlane.active_runs"
        + " FOR EACH ROW EXECUTE FUNCTION reached()");
    try {
      RunlaneException refused = refused(JdbcTrigger.of("t", "{}"));

      assertThat(refused.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
      assertThat(refused.isRetryable()).isTrue();
    } finally {
      connection.rollback();
      DATABASE.execute("DROP FUNCTION reached CASCADE");
    }
  }

  @Test
  void a_serializable_transaction_that_lost_a_race_goes_on_or_is_begun_anew() throws SQLException {
    triggers.trigger(connection, keyed("before", null));
    connection.commit(); // the environment
    try (Connection other = DATABASE.connect()) {
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      JdbcDatabase.execute(other, "INSERT INTO orders VALUES (2)");
      TriggeredRun owner = triggers.trigger(connection, keyed("raced", null));
      connection.commit();

      RunlaneException lost = catchThrowableOfType(
          RunlaneException.class, () -> triggers.trigger(other, keyed("raced", null)));
      assertThat(lost.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
      assertThat(lost.isRetryable()).isTrue();
      triggers.trigger(other, keyed("another", null));
      other.commit();

      assertThat(triggers.trigger(other, keyed("raced", null)).runId()).isEqualTo(owner.runId());
      other.commit();
    }

    assertThat(stored("active_runs")).isEqualTo(3);
  }

  @Test
  void a_number_of_an_environment_that_was_rolled_back_is_not_kept() throws SQLException {
    triggers.trigger(connection, JdbcTrigger.of("t", "{}"));
    connection.rollback();
    triggers.trigger(connection, JdbcTrigger.of("t", "{}"));
    connection.commit();

    assertThat(DATABASE.column(
            "SELECT 1 FROM runlane.active_runs JOIN runlane.environments" + " USING (env)"))
        .hasSize(1);
  }

  @Test
  void with_auto_commit_each_trigger_is_a_transaction_of_its_own() throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);

    triggers.trigger(connection, keyed("i", "s"));

    assertThat(stored("active_runs")).isEqualTo(1);
    assertThat(triggers.trigger(connection, keyed("i", "other")).outcome())
        .isEqualTo(Outcome.IDEMPOTENT_EXISTING);
  }

  @Test
  void bad_input_is_refused_before_anything_is_stored() {
    assertInvalid(() -> JdbcTrigger.of("a:b", "{}"));
    assertInvalid(() -> JdbcTrigger.of("t", "{"));
    assertInvalid(() -> JdbcTrigger.of("t", "[".repeat(65) + "]".repeat(65)));
    assertInvalid(() -> keyed("a:b", null));
    assertInvalid(() -> keyed("", null));
    assertInvalid(() -> JdbcTrigger.of("t", "{}").setTags(Map.of("a", "")));
    assertInvalid(() -> JdbcTrigger.of("t", "{}").setMeta(Map.of("a", "x".repeat(20_000))));
    assertInvalid(() -> triggers.trigger(
        connection,
        JdbcTrigger.of("t", "{}").setRunAt(Instant.now().plus(Duration.ofDays(40_000)))));
    assertInvalid(() -> JdbcTriggers.in("runlane", "a:b"));
    assertThat(stored("run_events")).isZero();
  }

  private static void assertInvalid(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThat(catchThrowableOfType(RunlaneException.class, call).code())
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  private RunlaneException refused(JdbcTrigger trigger) {
    return catchThrowableOfType(
        RunlaneException.class, () -> triggers.trigger(connection, trigger));
  }

  private static JdbcTrigger keyed(String idempotency, String singleton) {
    JdbcTrigger trigger = JdbcTrigger.of("orders.charge", "{\"order\":1}");
    if (idempotency != null) {
      trigger.setIdempotencyKey(idempotency);
    }
    return singleton == null ? trigger : trigger.setSingletonKey(singleton);
  }

  private static int stored(String table) {
    return DATABASE.column("SELECT 1 FROM runlane." + table).size();
  }
}
