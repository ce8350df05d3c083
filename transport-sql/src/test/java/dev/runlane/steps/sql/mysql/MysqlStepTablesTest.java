package dev.runlane.steps.sql.mysql;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.sql.MysqlStepFixture;
import dev.runlane.steps.sql.MysqlSteps;
import dev.runlane.steps.sql.SqlStepFixture;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.StepTablesCases;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MysqlStepTablesTest extends StepTablesCases {
  MysqlStepTablesTest() {
    super(MysqlStepFixture::new);
  }

  @Test
  void the_tables_are_exactly_the_published_ones() {
    assertThat(columns("_transport_tasks"))
        .containsExactly(
            "step_id varchar(191) NO",
            "run_id varchar(191) NO",
            "seq int NO",
            "name varchar(191) NO",
            "grp varchar(191) NO",
            "input longtext YES",
            "attempt int NO",
            "status varchar(32) NO",
            "claimed_by varchar(191) YES",
            "claimed_at bigint YES",
            "created_at bigint NO");
    assertThat(columns("_transport_results"))
        .containsExactly(
            "step_id varchar(191) NO",
            "run_id varchar(191) NO",
            "seq int NO",
            "status varchar(32) NO",
            "output longtext YES",
            "error longtext YES",
            "started_at bigint YES",
            "claimed_by varchar(191) YES",
            "claimed_at bigint YES",
            "created_at bigint NO");
  }

  /** The widths of integers for display, which only MariaDB names, are left out. */
  private List<String> columns(String table) {
    List<String> columns = new ArrayList<>();
    for (Row row : scene.sql(
        "SELECT concat(column_name, ' ', regexp_replace(column_type, '(?<=int)[(][0-9]+[)]', ''),"
            + " ' ', is_nullable) FROM information_schema.columns"
            + " WHERE table_schema = database() AND table_name = ? ORDER BY ordinal_position",
        scene.tables.options().getPrefix() + table)) {
      columns.add(row.getString(0));
    }
    return columns;
  }

  @Test
  void tables_are_created_by_many_at_once_also_by_others_without_our_lock() {
    for (int round = 0; round < 3; round++) {
      MysqlStepFixture fixture = new MysqlStepFixture(scene.vertx);
      List<StepTransport> transports = new ArrayList<>();
      List<Future<?>> started = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        StepTransport transport = fixture.transport(fixture.options());
        transports.add(transport);
        started.add(transport.listMissingSteps(new ListMissingSteps(List.of("a"))));
        started.add(fixture.createForeignTables("CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));
      }
      done(Future.join(started));
      transports.forEach(transport -> done(transport.close()));
      assertThat(indexes(fixture)).contains("order_idx");
    }
  }

  @Test
  void an_index_is_made_behind_a_long_reader_and_keeps_nobody_else_waiting() {
    MysqlStepFixture foreign = new MysqlStepFixture(scene.vertx);
    done(foreign.createForeignTables("CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));
    MySQLConnection longOne = connection();
    done(longOne.begin());
    done(longOne.query("SELECT 1 FROM " + foreign.tasks()).execute());
    Pool pool = MySQLBuilder.pool()
        .with(new PoolOptions().setMaxSize(1))
        .connectingTo(MysqlStepFixture.address())
        .using(scene.vertx)
        .build();
    SqlStepTransport transport = MysqlSteps.transport(scene.vertx, pool, foreign.options());

    Future<?> refused = transport.listMissingSteps(new ListMissingSteps(List.of()));
    scene.until(
        "the index waits",
        () -> scene
                .sql("SELECT 1 FROM information_schema.processlist"
                    + " WHERE state = 'Waiting for table metadata lock' AND info LIKE '%CREATE INDEX%"
                    + foreign.options().getPrefix() + "_transport_tasks_order_idx%'")
                .size()
            > 0);
    assertThat(scene.count(foreign.tasks())).as("read behind the index").isZero();
    assertThatThrownBy(() -> done(refused))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> {
          assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
          assertThat(failure.isRetryable()).isTrue();
        });
    done(longOne.query("COMMIT").execute());

    done(transport.listMissingSteps(new ListMissingSteps(List.of())));
    assertThat(indexes(foreign)).contains("tasks_order_idx");
    assertThat(done(pool.query("SELECT @@lock_wait_timeout = @@global.lock_wait_timeout")
                .execute())
            .iterator()
            .next()
            .getInteger(0))
        .as("whether the connection waits as before")
        .isEqualTo(1);
    done(longOne.close());
    done(transport.close());
    done(pool.close());
    done(foreign.close());
  }

  private MySQLConnection connection() {
    return done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
  }

  private String indexes(SqlStepFixture fixture) {
    StringBuilder indexes = new StringBuilder();
    for (String table : List.of(fixture.tasks(), fixture.results())) {
      scene
          .sql("SHOW INDEX FROM " + table + " WHERE seq_in_index = 1")
          .forEach(row -> indexes.append(row.getString(2)));
    }
    return indexes.toString();
  }

  @Test
  void nothing_is_created_where_everything_is_there() {
    List<String> before = new ArrayList<>();
    for (int start = 0; start < 2; start++) {
      SqlStepTransport transport = scene.tables.transport(scene.tables.options());
      done(transport.listMissingSteps(new ListMissingSteps(List.of())));
      done(transport.close());
      scene
          .sql("SELECT table_name, create_time FROM information_schema.tables"
              + " WHERE table_schema = database() ORDER BY table_name")
          .forEach(row -> before.add(String.valueOf(row.getValue(1))));
      assertThat(indexes(scene.tables)).containsOnlyOnce("tasks_order_idx");
    }
    assertThat(before.subList(0, before.size() / 2))
        .isEqualTo(before.subList(before.size() / 2, before.size()));
  }

  @Test
  void triggers_are_refused_because_nobody_could_be_signalled() {
    assertThatThrownBy(() -> MysqlSteps.transport(
            scene.vertx, MysqlStepFixture.address(), new SqlStepOptions().setSignalTriggers(true)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    assertThat(scene.transport.signals()).isEmpty();
  }

  @Test
  void a_prefix_with_which_an_index_could_not_be_named_is_refused_and_the_longest_other_works() {
    SqlStepOptions tooLong = new SqlStepOptions().setPrefix("p".repeat(37));
    assertThatThrownBy(() -> MysqlSteps.transport(scene.vertx, MysqlStepFixture.address(), tooLong))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    Pool pool = scene.tables.pool();
    assertThatThrownBy(() -> scene.tables.transport(pool, tooLong))
        .isInstanceOf(RunlaneException.class);
    done(pool.close());

    SqlStepTransport longest =
        scene.tables.transport(new SqlStepOptions().setPrefix("p".repeat(36)).setPoolSize(3));
    assertThat(done(longest.dispatchStep(step("run_1", null), now)))
        .isEqualTo(DispatchOutcome.DISPATCHED);
    done(longest.close());
  }

  @Test
  void claims_in_competition_are_disjoint_and_full() {
    scene.dispatch(IntStream.range(0, 400).mapToObj(i -> step("run_" + i, null)).toList());
    List<StepTransport> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      others.add(done(scene.tables.open()));
    }

    List<String> claimed = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      List<Future<List<ClaimedStepTask>>> claims = new ArrayList<>();
      others.forEach(each -> claims.add(each.claimStepTasks(
          new ClaimStepTasks(List.of("echo"), "w" + claims.size(), now, LEASE, 10))));
      claims.forEach(claim -> {
        List<ClaimedStepTask> tasks = done(claim);
        assertThat(tasks).hasSize(10);
        tasks.forEach(task -> claimed.add(task.task().stepId()));
      });
    }

    assertThat(claimed).hasSize(400).doesNotHaveDuplicates();
  }

  @Test
  void a_claim_that_is_open_keeps_nobody_from_the_other_rows_nor_from_inserting() {
    scene.dispatch(IntStream.range(0, 30)
        .mapToObj(i -> StepTask.first("run_" + i, 0, "echo", null))
        .toList());
    MySQLConnection open = done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
    done(open.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED").execute());
    done(open.begin());
    BoundStatement<MysqlTaskClaims.OfGroup> lockWaiting =
        new MysqlStatements(scene.tables.settings()).get(MysqlTaskClaims.LOCK_WAITING);
    List<String> held = new ArrayList<>();
    done(lockWaiting.execute(open, new MysqlTaskClaims.OfGroup("echo", 0L, now.toEpochMilli(), 10)))
        .forEach(row -> held.add(row.getString(0)));

    List<ClaimedStepTask> claimed = done(
        scene.transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 20)));
    assertThat(done(scene.transport.dispatchStep(step("run_new", null), now)))
        .isEqualTo(DispatchOutcome.DISPATCHED);

    assertThat(held).hasSize(10);
    assertThat(claimed)
        .hasSize(20)
        .extracting(each -> each.task().stepId())
        .doesNotContainAnyElementsOf(held);
    done(open.close());
  }

  @Test
  void a_claim_reads_the_index_in_its_order_whatever_the_backlog() {
    scene.sql("INSERT INTO " + scene.tables.tasks()
        + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
        + " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000),"
        + " k (j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j < 19)"
        + " SELECT concat('run_', j * 1000 + i, ':0'), concat('run_', j * 1000 + i), 0, 'echo',"
        + " concat('g', (j * 1000 + i) % 3), 1, 'pending', j * 1000 + i FROM n CROSS JOIN k");
    MysqlStatements statements = new MysqlStatements(scene.tables.settings());
    MySQLConnection connection =
        done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));

    for (SqlStatement<MysqlTaskClaims.OfGroup> name :
        List.of(MysqlTaskClaims.WAITING_OF_GROUP, MysqlTaskClaims.LOCK_WAITING)) {
      done(connection.query("FLUSH STATUS").execute());
      done(statements.get(name).execute(connection, new MysqlTaskClaims.OfGroup("g1", 0L, 9L, 10)));
      long read = 0;
      for (Row row :
          done(connection.query("SHOW SESSION STATUS LIKE 'Handler_read%'").execute())) {
        read += Long.parseLong(row.getString(1));
      }
      assertThat(read).as("rows read by " + name).isBetween(10L, 15L);
    }

    done(connection.close());
    assertThat(done(scene.transport.claimStepTasks(
            new ClaimStepTasks(List.of("g0", "g1", "g2"), "w", now, LEASE, 50))))
        .extracting(each -> each.dispatchedAt().toEpochMilli())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
  }

  @Test
  void what_is_deleted_from_a_small_table_waits_for_no_other_row() {
    String tasks = scene.tables.tasks();
    String results = scene.tables.results();
    scene.dispatch(IntStream.range(0, 8)
        .mapToObj(i -> StepTask.first("run_" + i, 0, "echo", null))
        .toList());
    scene.sql("INSERT INTO " + results + " (step_id, run_id, seq, status, created_at)"
        + " SELECT step_id, run_id, seq, 'completed', created_at FROM " + tasks);
    SqlConnection other = done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
    done(other.begin());
    lock(other, "run_0:0");
    done(other
        .query("SELECT 1 FROM " + results + " WHERE step_id = 'run_0:0' FOR UPDATE")
        .execute());
    SqlConnection own = done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
    done(own.query("SET SESSION innodb_lock_wait_timeout = 1").execute());
    MysqlStatements statements = new MysqlStatements(scene.tables.settings());
    List<String> others = IntStream.range(1, 8).mapToObj(i -> "run_" + i + ":0").toList();

    done(statements.byIds(own, MysqlStepTables.DELETE_TASKS, others));
    done(statements.byIds(own, MysqlStepTables.DELETE_RESULTS, others));

    assertThat(scene.count(tasks)).isEqualTo(1);
    assertThat(scene.count(results)).isEqualTo(1);
    done(own.close());
    done(other.close());
  }

  @Test
  void a_deadlock_with_others_is_tried_again_unnoticed() {
    scene.dispatch(step("run_1", null), step("run_2", null));
    SqlConnection other = done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
    done(other.begin());
    for (int i = 0; i < 50; i++) { // the heavier one survives
      done(other
          .query("INSERT INTO " + scene.tables.results()
              + " (step_id, run_id, seq, status, created_at) VALUES ('heavy:" + i
              + "', 'heavy', 0, 'completed', 1)")
          .execute());
    }
    lock(other, "run_2:0");
    long before = waits();

    Future<Integer> withdrawn =
        scene.transport.withdrawSteps(new WithdrawSteps(List.of("run_1:0", "run_2:0")));
    scene.until("it waits for the second row", () -> waits() > before);
    lock(other, "run_1:0"); // which it holds: a deadlock
    done(other.query("COMMIT").execute());

    assertThat(done(withdrawn)).isEqualTo(2);
    done(other.close());
  }

  /** How often a transaction had to wait for a row, since the server began. */
  private long waits() {
    Row status =
        scene.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'").iterator().next();
    return Long.parseLong(status.getString(1));
  }

  private void lock(SqlConnection connection, String stepId) {
    done(connection
        .preparedQuery("SELECT 1 FROM " + scene.tables.tasks() + " WHERE step_id = ? FOR UPDATE")
        .execute(Tuple.of(stepId)));
  }

  @Test
  void a_row_that_others_keep_longer_than_a_wait_is_waited_for_again() {
    scene.dispatch(step("run_1", null));
    StepClaim claim = done(scene.transport.claimStepTasks(
            new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1)))
        .get(0)
        .claim();
    SqlConnection other = done(MySQLConnection.connect(scene.vertx, MysqlStepFixture.address()));
    done(other.begin());
    lock(other, "run_1:0");
    long before = waits();

    Future<Void> released = scene.transport.releaseStepTasks(new ReleaseStepTasks(List.of(claim)));
    scene.until("it waits for the second time", () -> waits() > before + 1);
    done(other.query("COMMIT").execute());

    done(released);
    assertThat(scene.tasksWhere("claimed_at IS NULL")).isEqualTo(1);
    done(other.close());
  }

  @Test
  void what_a_collation_takes_for_the_same_is_told_apart() {
    MysqlStepFixture foreign = MysqlStepFixture.onForeignTables(
        scene.vertx, "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
    StepTransport transport = done(foreign.open());
    List<StepTask> steps = List.of(
        StepTask.first("rG", 0, "echo", null),
        StepTask.first("RG", 0, "echo", null),
        StepTask.first("r2", 0, "Echo", null));

    assertThat(done(transport.dispatchSteps(new DispatchSteps(steps, now))))
        .as("the second is in the way of the first, and waits")
        .containsExactlyInAnyOrder(
            DispatchOutcome.DISPATCHED, DispatchOutcome.BLOCKED, DispatchOutcome.DISPATCHED);
    assertThat(done(transport.listMissingSteps(new ListMissingSteps(List.of("rg:0", "r2:0")))))
        .containsExactly("rg:0");
    assertThat(done(transport.withdrawSteps(new WithdrawSteps(List.of("rg:0")))))
        .isZero();
    assertThat(done(
            transport.claimStepTasks(new ClaimStepTasks(List.of("Echo"), "w", now, LEASE, 10))))
        .extracting(each -> each.task().stepId())
        .containsExactly("r2:0");
    done(foreign.close());
  }

  @Test
  void tables_of_two_collations_are_looked_at_together() {
    MysqlStepFixture foreign = new MysqlStepFixture(scene.vertx);
    done(foreign.createForeignTables("CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"));
    scene.sql("ALTER TABLE " + foreign.results()
        + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci");
    StepTransport transport = done(foreign.open());
    done(transport.dispatchSteps(new DispatchSteps(List.of(step("run_1", null)), now)));

    assertThat(
            done(transport.listMissingSteps(new ListMissingSteps(List.of("run_1:0", "run_2:0")))))
        .containsExactly("run_2:0");
    done(foreign.close());
  }

  @Test
  void what_a_table_cannot_hold_fails_and_is_not_cut_or_replaced() {
    MysqlStepFixture latin = MysqlStepFixture.onForeignTables(
        scene.vertx, "CHARACTER SET latin1 COLLATE latin1_swedish_ci");
    StepTransport transport = done(latin.open());

    List<DispatchOutcome> stored = done(transport.dispatchSteps(new DispatchSteps(
        List.of(StepTask.first("run_1", 0, "\u00e4", Json.ofChecked("\"\u00e4\""))), now)));
    Future<DispatchOutcome> rocket = transport.dispatchStep(
        StepTask.first("run_2", 0, "\u00e4", Json.ofChecked("\"\ud83d\ude80\"")), now);

    assertThat(stored).containsExactly(DispatchOutcome.DISPATCHED);
    assertThatThrownBy(() -> done(rocket))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> {
          assertThat(failure.code())
              .as("the engine fails the step for it")
              .isEqualTo(ErrorCode.VALIDATION_FAILED);
          assertThat(failure.isRetryable()).isFalse();
        });
    assertThat(done(
            transport.claimStepTasks(new ClaimStepTasks(List.of("\u00e4"), "w", now, LEASE, 10))))
        .extracting(each -> each.task().input())
        .containsExactly(Json.ofChecked("\"\u00e4\""));
    done(latin.close());
  }

  @Test
  void a_dispatch_joins_a_transaction_that_repeats_its_reads() {
    Pool pool = scene.tables.pool();
    SqlStepTransport transport = scene.tables.transport(pool, scene.tables.options());

    DispatchOutcome outcome = done(pool.withTransaction(transaction -> transaction
        .query("SELECT count(*) FROM " + scene.tables.tasks()) // what it sees from now on
        .execute()
        .compose(read -> scene.transport.dispatchStep(step("run_1", null), now))
        .compose(others -> transport.on(transaction).dispatchStep(step("run_1", null), now))));

    assertThat(outcome).isEqualTo(DispatchOutcome.PENDING);
    assertThat(scene.count(scene.tables.tasks())).isEqualTo(1);
    done(transport.close());
    done(pool.close());
  }
}
