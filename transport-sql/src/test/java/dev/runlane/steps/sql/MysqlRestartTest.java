package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.StepHandler;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.testinfra.mariadb.EmbeddedMariadb;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server of the class's own that stops, dies, comes back, and is set otherwise. */
@Tag("drill")
@DisplayNameGeneration(ReplaceUnderscores.class)
class MysqlRestartTest {
  private static final int STEPS = 600;
  private static final Duration LEASE = Duration.ofSeconds(3);

  private static final String LONGEST_PACKET = "1048576";

  private static @Nullable EmbeddedMariadb server;

  private final Vertx vertx = Vertx.vertx();
  private MySQLConnectOptions address;
  private SqlStepTransport transport;

  @AfterAll
  static void end() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void createDatabase() {
    MysqlStepFixture.requireServer();
    if (server == null) {
      server = MysqlStepFixture.server()
          .setting("max_allowed_packet", LONGEST_PACKET)
          .start();
    }
    address = MySQLConnectOptions.fromUri(server.createDatabase("steps").toUri());
  }

  /** The server gets back the settings that it was started with. */
  @AfterEach
  void close() {
    if (transport != null) {
      done(transport.close());
    }
    if (server != null) {
      sql("SET GLOBAL init_connect = '', GLOBAL max_allowed_packet = " + LONGEST_PACKET
          + ", GLOBAL read_only = 0");
    }
    done(vertx.close());
  }

  private void connect() {
    transport = MysqlSteps.transport(vertx, address, new SqlStepOptions());
  }

  @Test
  void a_transport_that_is_made_while_the_database_is_down_works_once_it_is_up() {
    server.stop();
    connect();
    assertThatThrownBy(() -> done(dispatch(step("run_1", null))))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> {
          assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
          assertThat(failure.isRetryable()).isTrue();
        });

    server.restart();

    assertThat(done(dispatch(step("run_1", null)))).isEqualTo(DispatchOutcome.DISPATCHED);
  }

  @Test
  void who_logs_in_is_asked_for_each_connection() {
    MySQLConnectOptions user = ordinaryUser();
    AtomicReference<String> password = new AtomicReference<>(user.getPassword());
    transport = MysqlSteps.transport(
        vertx,
        () -> password.get().isEmpty()
            ? Future.failedFuture("the vault is sealed")
            : Future.succeededFuture(new MySQLConnectOptions(user).setPassword(password.get())),
        new SqlStepOptions().setPoolSize(1));
    assertThat(done(dispatch(step("run_1", null)))).isEqualTo(DispatchOutcome.DISPATCHED);

    password.set("");
    connections().forEach(each -> sql("KILL CONNECTION " + each));
    until("nobody says who logs in", () -> failure(step("run_2", null))
        .filter(told -> told.isRetryable()
            && told.code() == ErrorCode.STORAGE_UNAVAILABLE
            && told.getMessage().contains("the vault is sealed"))
        .isPresent());
    sql("ALTER USER 'steps'@'%' IDENTIFIED BY 'another'");
    password.set("another");

    until("the next connection asks", () -> failure(step("run_2", null)).isEmpty());
    sql("DROP USER 'steps'@'%'");
  }

  private Optional<RunlaneException> failure(StepTask task) {
    return done(dispatch(task)
        .transform((answer, failure) ->
            Future.succeededFuture(Optional.ofNullable((RunlaneException) failure))));
  }

  private Future<DispatchOutcome> dispatch(StepTask task) {
    return transport.dispatchStep(task, Clock.system().now());
  }

  @Test
  void every_step_settles_once_although_the_database_is_killed_under_load() {
    connect();
    Map<String, Integer> calls = new ConcurrentHashMap<>();
    StepHandler handler = call -> {
      calls.merge(call.task().stepId(), 1, Integer::sum);
      return Future.succeededFuture(call.done(call.input().orElseThrow()));
    };
    RetryingEngine engine = new RetryingEngine(vertx, transport, LEASE);
    SqlStepTransport second = MysqlSteps.transport(vertx, address, new SqlStepOptions());
    SqlStepWorker[] workers = {
      SqlStepWorker.create(vertx, transport, StepScene.quick().setLease(LEASE).setConcurrency(4))
          .handle("echo", handler),
      SqlStepWorker.create(vertx, second, StepScene.quick().setLease(LEASE).setConcurrency(4))
          .handle("echo", handler)
    };
    done(engine.start(IntStream.range(0, STEPS)
        .mapToObj(i -> step("run_" + i, String.valueOf(i)))
        .toList()));
    for (SqlStepWorker worker : workers) {
      done(worker.start());
    }

    for (int kill = 1; kill <= 3; kill++) {
      int settled = kill * STEPS / 5;
      until("some are settled", () -> engine.settled.size() >= settled);
      server.kill();
      server.restart();
    }
    until("all are settled", () -> engine.settled.size() == STEPS);
    until("nothing is left", () -> rowsLeft() == 0);

    for (SqlStepWorker worker : workers) {
      done(worker.stop());
    }
    done(engine.stop());
    done(second.close());
    for (int i = 0; i < STEPS; i++) {
      assertThat(engine.settled.get("run_" + i))
          .isEqualTo(new StepOutcome.Completed(Json.ofChecked(String.valueOf(i))));
    }
    assertThat(calls).hasSize(STEPS);
  }

  @Test
  void sessions_that_the_server_begins_otherwise_are_set_up_for_us() {
    sql("SET GLOBAL init_connect = 'SET autocommit = 0, NAMES latin1'");
    transport = MysqlSteps.transport(vertx, ordinaryUser(), new SqlStepOptions().setPoolSize(1));
    String rocket = "\"\ud83d\ude80\"";

    assertThat(done(transport.listMissingSteps(new ListMissingSteps(List.of("run_1:0")))))
        .containsExactly("run_1:0");
    assertThat(done(dispatch(step("run_1", rocket)))).isEqualTo(DispatchOutcome.DISPATCHED);
    done(transport.listMissingSteps(new ListMissingSteps(List.of("run_1:0"))));
    sql("DELETE FROM durable_transport_tasks");

    assertThat(done(transport.listMissingSteps(new ListMissingSteps(List.of("run_1:0")))))
        .as("what others have written since the last look")
        .containsExactly("run_1:0");
    assertThat(done(dispatch(step("run_2", rocket)))).isEqualTo(DispatchOutcome.DISPATCHED);
    assertThat(done(claim("echo")))
        .extracting(each -> each.task().input())
        .containsExactly(Json.ofChecked(rocket));
  }

  @Test
  void a_server_that_logs_statements_is_an_invalid_configuration_that_names_both_settings() {
    try (EmbeddedMariadb logging = MysqlStepFixture.server()
        .setting("log_bin", "binary_log")
        .setting("server_id", "1")
        .setting("binlog_format", "STATEMENT")
        .start()) {
      MySQLConnectOptions shared = address;
      address = MySQLConnectOptions.fromUri(logging.createDatabase("steps").toUri());
      connect();

      RunlaneException failure = refused(dispatch(step("run_1", null)));
      assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure).hasMessageContaining("log_bin").hasMessageContaining("binlog_format");

      sql("SET GLOBAL binlog_format = 'MIXED'");
      done(transport.close());
      connect();
      assertThat(done(dispatch(step("run_1", null)))).isEqualTo(DispatchOutcome.DISPATCHED);
      done(transport.close());
      address = shared;
    }
  }

  @Test
  void a_step_that_is_too_long_for_a_short_packet_fails_none_that_goes_with_it() {
    sql("SET GLOBAL max_allowed_packet = 65536");
    transport = MysqlSteps.transport(vertx, address, new SqlStepOptions().setStatementSlots(1));
    done(dispatch(step("run_0", null))); // so that the tables are there

    Future<DispatchOutcome> before = dispatch(step("run_1", null)); // has the one slot
    List<Future<DispatchOutcome>> gathered = IntStream.range(2, 12)
        .mapToObj(i ->
            dispatch(step("run_" + i, "\"" + (i == 7 ? "\u00e4".repeat(20_000) : "short") + "\"")))
        .toList();

    assertThat(refused(gathered.get(5)).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(done(before)).isEqualTo(DispatchOutcome.DISPATCHED);
    for (Future<DispatchOutcome> each : gathered) {
      if (each != gathered.get(5)) {
        assertThat(done(each)).isEqualTo(DispatchOutcome.DISPATCHED);
      }
    }
  }

  /** {@code SET GLOBAL read_only} ends no connection, and neither does what proxies do to them in a failover. */
  @Test
  void connections_to_a_server_that_takes_no_more_writes_are_given_up() {
    transport = MysqlSteps.transport(vertx, ordinaryUser(), new SqlStepOptions().setPoolSize(3));
    until("those of the case before have ended", () -> connections().isEmpty());
    done(dispatch(step("run_1", null)));
    done(Future.join(IntStream.range(0, 20).mapToObj(i -> claim("g" + i)).toList()));
    Set<Long> before = connections();
    assertThat(before).hasSize(3);

    sql("SET GLOBAL read_only = 1");
    assertThat(refused(dispatch(step("run_2", null))).isRetryable()).isTrue();
    until("all are given up", () -> connections().stream().noneMatch(before::contains));
    sql("SET GLOBAL read_only = 0");

    assertThat(done(dispatch(step("run_2", null)))).isEqualTo(DispatchOutcome.DISPATCHED);
  }

  /** What an operator gives a program: no right to write where nobody may. */
  private MySQLConnectOptions ordinaryUser() {
    sql("CREATE USER IF NOT EXISTS 'steps'@'%' IDENTIFIED BY 'secret'");
    sql("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, INDEX ON `" + address.getDatabase()
        + "`.* TO 'steps'@'%'");
    return new MySQLConnectOptions(address).setUser("steps").setPassword("secret");
  }

  private Future<List<ClaimedStepTask>> claim(String group) {
    return transport.claimStepTasks(
        new ClaimStepTasks(List.of(group), "worker", Clock.system().now(), LEASE, 1));
  }

  /** The server's numbers of the ordinary user's connections. */
  private Set<Long> connections() {
    Set<Long> numbers = new HashSet<>();
    sql("SELECT id FROM information_schema.processlist WHERE user = 'steps'")
        .forEach(row -> numbers.add(row.getLong(0)));
    return numbers;
  }

  private RowSet<Row> sql(String statement) {
    return done(MySQLConnection.connect(vertx, address)
        .compose(
            connection -> connection.query(statement).execute().eventually(connection::close)));
  }

  private static RunlaneException refused(Future<?> call) {
    return done(call.transform((answer, failure) -> failure instanceof RunlaneException ours
        ? Future.succeededFuture(ours)
        : Future.failedFuture("a failure of ours was expected")));
  }

  private void until(String what, BooleanSupplier condition) {
    StepScene.until(vertx, what, condition);
  }

  private long rowsLeft() {
    return done(MySQLConnection.connect(vertx, address).compose(connection -> connection
        .query("SELECT (SELECT count(*) FROM durable_transport_tasks)"
            + " + (SELECT count(*) FROM durable_transport_results)")
        .execute()
        .map(rows -> rows.iterator().next().getLong(0))
        .eventually(connection::close)));
  }

  @Test
  void what_is_longer_than_a_packet_is_refused_and_stops_nobody() {
    connect();
    String large = "\"" + "\u00e4".repeat(600_000) + "\"";
    Map<String, StepOutcome> outcomes = new ConcurrentHashMap<>();
    RetryingEngine engine = new RetryingEngine(vertx, transport, LEASE);
    SqlStepWorker worker = SqlStepWorker.create(vertx, transport, StepScene.quick())
        .handle(
            "echo",
            call -> Future.succeededFuture(
                call.done(call.task().runId().equals("run_1") ? Json.ofChecked(large) : "small")));
    done(worker.start());

    assertThatThrownBy(() -> done(dispatch(step("run_0", large))))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
    done(engine.start(IntStream.range(1, 20)
        .mapToObj(i -> step("run_" + i, "\"" + "x".repeat(60_000) + "\""))
        .toList()));

    until("all are settled", () -> engine.settled.size() == 19);
    outcomes.putAll(engine.settled);
    assertThat(outcomes.remove("run_1"))
        .isInstanceOfSatisfying(StepOutcome.Failed.class, failed -> {
          assertThat(failed.error().code()).isEqualTo("unrecordable_result");
          assertThat(failed.error().mayBeRetried()).isFalse();
        });
    assertThat(outcomes.values())
        .containsOnly(new StepOutcome.Completed(Json.ofChecked("\"small\"")));
    done(worker.stop());
    done(engine.stop());
  }
}
