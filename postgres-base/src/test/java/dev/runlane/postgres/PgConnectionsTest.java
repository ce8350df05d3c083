package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.process.TcpLine;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A server that keeps its sockets open and answers nothing costs a deadline, and no connection for longer. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgConnectionsTest {
  private static final Duration DEADLINE = Duration.ofMillis(1_500);
  private static final Duration CLOSING = Duration.ofMillis(200);

  /** The line learns of the end of a socket a little later. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Database database = new Database();
  private final TcpLine line =
      new TcpLine(database.options().getHost(), database.options().getPort());
  private final Pool pool = pool(ConnectionBounds.of(DEADLINE, CLOSING));

  @AfterEach
  void close() {
    Database.done(pool.close());
    line.close();
    database.close();
  }

  @Test
  void every_kind_of_statement_ends_in_a_silent_server_and_works_after_it() {
    IntStream.range(0, 2).forEach(both -> works());
    List<Function<Pool, Future<?>>> kinds = List.of(
        each -> each.query("SELECT 1").execute(),
        each -> each.preparedQuery("SELECT $1::integer").execute(Tuple.of(1)),
        each -> HeldConnections.transaction(
            each, connection -> connection.query("SELECT 1").execute()),
        each -> each.withConnection(connection ->
            connection.prepare("SELECT 2").compose(prepared -> prepared.query().execute())));
    line.silence();

    List<Future<?>> sent =
        kinds.stream().<Future<?>>map(kind -> kind.apply(pool)).toList();
    sent.forEach(PgConnectionsTest::assertUnavailable);

    line.speak();
    works();
    assertThat(Poll.until(PATIENCE, () -> line.open() <= 2))
        .as("the others closed")
        .isTrue();
  }

  @Test
  void a_pool_outlives_the_verticle_that_made_it() {
    Pool[] made = new Pool[1];
    String verticle = Database.done(database.vertx().deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        made[0] = PgConnections.pool(
            vertx,
            database.options(),
            new PoolOptions().setMaxSize(1),
            ConnectionBounds.of(PATIENCE, CLOSING));
        return made[0].query("SELECT 1").execute();
      }
    }));
    Database.done(database.vertx().undeploy(verticle));

    Database.done(made[0].query("SELECT 1").execute());
    Database.done(made[0].close());
  }

  @Test
  void a_statement_of_a_verticle_that_is_undeployed_meanwhile_ends_at_its_deadline() {
    AtomicReference<Future<?>> sent = new AtomicReference<>();
    String verticle = Database.inTheEnd(
        () -> database.vertx().deployVerticle(context -> pool.getConnection().map(connection -> {
          line.silence();
          sent.set(connection.query("SELECT 1").execute());
          return null;
        })));

    Database.done(database.vertx().undeploy(verticle));

    assertUnavailable(sent.get());
  }

  @Test
  void a_silence_in_the_middle_of_a_transaction_fails_it_and_frees_its_connection() {
    Future<Void> cut = HeldConnections.transaction(pool, connection -> {
      line.silence();
      return connection.query("SELECT 1").execute().mapEmpty();
    });

    assertUnavailable(cut);
    line.speak();
    works();
  }

  @Test
  void a_commit_that_gets_no_answer_fails() {
    assertUnavailable(HeldConnections.transaction(
        pool, connection -> connection.query("SELECT 1").execute().map(rows -> {
          line.silence();
          return rows;
        })));
  }

  @Test
  void what_waits_for_a_connection_of_a_silent_server_ends_too() {
    line.silence();

    List<Future<?>> waiting = IntStream.range(0, 20)
        .<Future<?>>mapToObj(i -> i % 2 == 0
            ? pool.query("SELECT 1").execute()
            : pool.getConnection().compose(SqlConnection::close))
        .toList();

    waiting.forEach(PgConnectionsTest::assertUnavailable);
    line.speak();
    works();
  }

  @Test
  void a_server_that_lets_nobody_in_says_who_was_asked() {
    line.silence();

    RunlaneException failure = assertUnavailable(
        PgConnections.connect(database.vertx(), address(), ConnectionBounds.of(DEADLINE, CLOSING)));

    assertThat(failure)
        .hasMessageContaining("127.0.0.1:" + line.port())
        .hasMessageContaining(address().getDatabase())
        .hasMessageContaining("as " + address().getUser())
        .hasMessageContaining("no answer within");
  }

  @Test
  void a_refused_log_in_and_a_missing_database_are_told_in_the_servers_words() {
    ConnectionBounds bounds = ConnectionBounds.of(PATIENCE, CLOSING);

    RunlaneException password = assertUnavailable(
        PgConnections.connect(database.vertx(), address().setPassword("a wrong secret"), bounds));
    RunlaneException missing = assertUnavailable(
        PgConnections.connect(database.vertx(), address().setDatabase("nobody_made_it"), bounds));

    assertThat(password)
        .hasMessageContaining("password authentication failed")
        .hasMessageContaining("127.0.0.1:" + line.port());
    assertThat(password.getMessage()).doesNotContain("a wrong secret");
    assertThat(missing).hasMessageContaining("database \"nobody_made_it\" does not exist");
  }

  @Test
  void closing_a_pool_does_not_wait_for_a_silent_server() {
    Pool closing = pool(ConnectionBounds.of(Duration.ofMinutes(10), CLOSING));
    Database.done(closing.query("SELECT 1").execute());
    line.silence();
    Future<?> under = closing.query("SELECT 1").execute();
    Future<?> connecting = closing.query("SELECT 1").execute();

    Database.done(closing.close());

    assertUnavailable(under);
    assertUnavailable(connecting);
    assertThat(Poll.until(PATIENCE, () -> line.open() == 0))
        .as("all sockets closed")
        .isTrue();
  }

  @Test
  void connections_at_rest_close_at_once_whatever_the_close_timeout_is() {
    Duration longer = Duration.ofMinutes(10);
    Pool closing = pool(ConnectionBounds.of(longer, longer));
    Database.done(closing.query("SELECT 1").execute());
    line.silence();

    Database.done(closing.close());
  }

  @Test
  void a_vertx_closes_while_a_server_is_silent() {
    Vertx vertx = Vertx.vertx();
    ConnectionBounds bounds = ConnectionBounds.of(Duration.ofMinutes(10), CLOSING);
    Pool left = PgConnections.pool(vertx, address(), new PoolOptions().setMaxSize(3), bounds);
    List<SqlConnection> open = List.of(
        Database.done(left.getConnection()),
        Database.done(left.getConnection()),
        Database.done(PgConnections.connect(vertx, address(), bounds)));
    line.silence();
    open.forEach(connection -> connection.query("SELECT 1").execute());
    left.query("SELECT 1").execute(); // for which a connection is made

    Database.done(left.close());
    Database.done(open.get(2).close());

    Database.done(vertx.close());
  }

  @Test
  void a_connection_to_a_server_that_takes_no_writes_is_given_up_with_the_idle_ones() {
    PgConnection owner = database.connect();
    Database.done(owner.query("CREATE TABLE rows (id integer)").execute());
    String setting = "ALTER DATABASE " + address().getDatabase();
    Database.done(
        owner.query(setting + " SET default_transaction_read_only = on").execute());
    Pool patient = pool(ConnectionBounds.of(PATIENCE, CLOSING));
    List<SqlConnection> both =
        List.of(Database.done(patient.getConnection()), Database.done(patient.getConnection()));
    both.forEach(connection -> Database.done(connection.close()));
    Database.done(owner.query(setting + " RESET default_transaction_read_only").execute());

    RunlaneException refused = assertUnavailable(write(patient));
    String next = Database.done(write(patient).map("written").recover(PgConnectionsTest::words));
    while (!next.equals("written")) { // on a connection that was just being closed
      assertThat(next).as("the answer on the other connection").doesNotContain("25006");
      next = Database.done(write(patient).map("written").recover(PgConnectionsTest::words));
    }

    assertThat(refused).hasMessageContaining("25006").hasMessageContaining("no writes");
    Database.done(patient.close());
  }

  @Test
  void statements_under_a_lease_have_a_third_of_it_and_others_their_own_time() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    LeaseBound leases = new LeaseBound(timers);
    ConnectionBounds bounds = ConnectionBounds.of(Duration.ofSeconds(35), CLOSING)
        .underLease(leases, List.of("HEARTBEAT"));

    assertThat(bounds.ofStatement("HEARTBEAT")).hasSeconds(35);
    leases.requested(Duration.ofSeconds(30));
    leases.requested(Duration.ofSeconds(60));
    leases.requested(Duration.ZERO);

    assertThat(bounds.ofStatement("HEARTBEAT")).hasSeconds(10);
    assertThat(bounds.ofStatement(null)).as("of BEGIN and COMMIT").hasSeconds(10);
    assertThat(bounds.ofStatement("REPORT")).hasSeconds(35);
    assertThat(bounds.connecting()).hasSeconds(10);
    leases.requested(Duration.ofMillis(300));
    assertThat(bounds.ofStatement("HEARTBEAT")).isEqualTo(LeaseBound.LEAST);
    timers.advance(Duration.ofMinutes(10));
    assertThat(bounds.ofStatement("HEARTBEAT")).as("long after").hasSeconds(35);
    leases.requested(Duration.ofSeconds(60));
    assertThat(bounds.ofStatement("HEARTBEAT")).hasSeconds(20);
  }

  private Pool pool(ConnectionBounds bounds) {
    return PgConnections.pool(database.vertx(), address(), new PoolOptions().setMaxSize(2), bounds);
  }

  private PgConnectOptions address() {
    return database.options().setHost("127.0.0.1").setPort(line.port());
  }

  private static Future<?> write(Pool pool) {
    return pool.query("INSERT INTO rows VALUES (1)").execute();
  }

  private static Future<String> words(Throwable failure) {
    return Future.succeededFuture(PgFailures.of("writing", failure).getMessage());
  }

  private void works() {
    Database.inTheEnd(() -> pool.query("SELECT 1").execute());
  }

  private static RunlaneException assertUnavailable(Future<?> future) {
    RunlaneException failure = PgFailures.of("trying", Database.failure(future));
    assertThat(failure.code())
        .as("of %s", failure.getCause())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    return failure;
  }
}
