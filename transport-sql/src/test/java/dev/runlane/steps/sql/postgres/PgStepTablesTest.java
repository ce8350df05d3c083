package dev.runlane.steps.sql.postgres;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.SettleStepResults.Settlement;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.sql.PgStepFixture;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.StepScene;
import dev.runlane.steps.sql.StepTablesCases;
import dev.runlane.steps.sql.row.StepRows;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PgStepTablesTest extends StepTablesCases {
  PgStepTablesTest() {
    super(PgStepFixture::new);
  }

  @Test
  void the_tables_are_exactly_the_published_ones() {
    assertThat(columns("_transport_tasks"))
        .containsExactly(
            "step_id character varying(191) NO",
            "run_id character varying(191) NO",
            "seq integer NO",
            "name character varying(191) NO",
            "grp character varying(191) NO",
            "input text YES",
            "attempt integer NO",
            "status character varying(32) NO",
            "claimed_by character varying(191) YES",
            "claimed_at bigint YES",
            "created_at bigint NO");
    assertThat(columns("_transport_results"))
        .containsExactly(
            "step_id character varying(191) NO",
            "run_id character varying(191) NO",
            "seq integer NO",
            "status character varying(32) NO",
            "output text YES",
            "error text YES",
            "started_at bigint YES",
            "claimed_by character varying(191) YES",
            "claimed_at bigint YES",
            "created_at bigint NO");
  }

  private List<String> columns(String table) {
    List<String> columns = new ArrayList<>();
    for (Row row : scene.sql(
        "SELECT column_name || ' ' || data_type || coalesce('(' || character_maximum_length || ')', '')"
            + " || ' ' || is_nullable FROM information_schema.columns WHERE table_name = $1"
            + " ORDER BY ordinal_position",
        scene.tables.options().getPrefix() + table)) {
      columns.add(row.getString(0));
    }
    return columns;
  }

  @Test
  void tables_are_created_by_many_at_once_also_by_others_without_our_lock() {
    for (int round = 0; round < 3; round++) {
      SqlStepOptions options = PgStepFixture.newPrefix().setSignalTriggers(true);
      String tasks = "\"" + options.getPrefix() + "_transport_tasks\"";
      List<StepTransport> transports = new ArrayList<>();
      List<Future<?>> started = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        StepTransport transport =
            SqlStepTransport.postgres(scene.vertx, PgStepFixture.address(), options);
        transports.add(transport);
        started.add(transport.listMissingSteps(new ListMissingSteps(List.of("a"))));
        scene.tables.sql(
            "CREATE TABLE IF NOT EXISTS " + tasks + " (step_id varchar(191) PRIMARY KEY,"
                + " run_id varchar(191) NOT NULL, seq integer NOT NULL, name varchar(191) NOT NULL,"
                + " grp varchar(191) NOT NULL, input text, attempt integer NOT NULL,"
                + " status varchar(32) NOT NULL, claimed_by varchar(191), claimed_at bigint,"
                + " created_at bigint NOT NULL)",
            Tuple.tuple());
      }
      done(Future.join(started));
      transports.forEach(transport -> done(transport.close()));
    }
  }

  @Test
  void what_is_missing_is_made_behind_a_long_reader_and_keeps_no_writer_waiting() {
    SqlStepOptions options = PgStepFixture.newPrefix();
    String tasks = "\"" + options.getPrefix() + "_transport_tasks\"";
    SqlStepTransport plain =
        SqlStepTransport.postgres(scene.vertx, PgStepFixture.address(), options);
    done(plain.listMissingSteps(new ListMissingSteps(List.of())));
    PgConnection longOne = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    run(longOne, "BEGIN");
    run(longOne, "SELECT 1 FROM " + tasks);
    Pool pool = scene.tables.pool(); // an application's, without any lock_timeout
    SqlStepTransport signalling = SqlStepTransport.postgres(
        scene.vertx, pool, new SqlStepOptions(options).setSignalTriggers(true));

    Future<?> ready = signalling.listMissingSteps(new ListMissingSteps(List.of()));
    PgConnection application = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    run(application, "SET lock_timeout = '10s'"); // behind a waiting DROP TRIGGER this would end it
    int waits = 0; // of the DDL, seen from beside it
    for (int i = 0; waits < 2 && !ready.isComplete(); i++) {
      waits += run(application, """
              SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
              WHERE NOT l.granted AND a.datname = current_database()""").size() > 0 ? 1 : 0;
      run(
          application,
          "INSERT INTO " + tasks + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
              + " VALUES ('run_" + i + ":0', 'run_" + i + "', 0, 'echo', 'echo', 1, 'pending', 1)");
    }
    run(longOne, "COMMIT");
    done(ready);

    assertThat(run(
                application,
                "SELECT 1 FROM pg_trigger WHERE tgname = '" + options.getPrefix()
                    + "_transport_signal'")
            .size())
        .isEqualTo(2);
    done(application.close());
    done(longOne.close());
    done(signalling.close());
    done(plain.close());
    done(pool.close());
  }

  private static RowSet<Row> run(PgConnection connection, String sql) {
    return done(connection.query(sql).execute());
  }

  @Test
  void a_transport_that_is_made_while_the_database_is_down_works_once_it_is_up() {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      PgConnectOptions address =
          PgConnectOptions.fromUri(server.createDatabase("steps").toUri());
      server.stop();
      SqlStepTransport transport =
          SqlStepTransport.postgres(scene.vertx, address, new SqlStepOptions());
      SqlStepWorker worker = scene
          .worker(transport, StepScene.quick())
          .handle("echo", call -> Future.succeededFuture(call.done()));
      done(worker.start());
      assertThatThrownBy(() -> done(transport.dispatchStep(step("run_1", null), now)))
          .cause()
          .cause()
          .isInstanceOfSatisfying(RunlaneException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
            assertThat(failure.isRetryable()).isTrue();
          });

      server.restart();

      assertThat(scene.inTheEnd(() -> transport.dispatchStep(step("run_1", null), now)))
          .isEqualTo(DispatchOutcome.DISPATCHED);
      Promise<Void> heard = Promise.promise();
      scene.vertx.setPeriodic(20, timer -> transport
          .claimStepResults(
              new ClaimStepResults(List.of("run_1:0"), "engine", Clock.system().now(), LEASE))
          .onSuccess(results -> {
            if (!results.isEmpty()) {
              scene.vertx.cancelTimer(timer);
              heard.tryComplete();
            }
          }));
      done(heard.future());
      done(worker.stop());
      done(transport.close());
    }
  }

  @Test
  void a_role_with_the_rights_of_the_readme_uses_tables_that_are_there() {
    SqlStepOptions options =
        new SqlStepOptions().setSchema("order").setPrefix("rights").setSignalTriggers(true);
    scene.sql("DROP SCHEMA IF EXISTS \"order\" CASCADE");
    scene.sql("CREATE SCHEMA \"order\"");
    scene.sql("DROP ROLE IF EXISTS step_dml");
    SqlStepTransport owner =
        SqlStepTransport.postgres(scene.vertx, PgStepFixture.address(), options);
    done(owner.listMissingSteps(new ListMissingSteps(List.of()))); // makes the tables
    scene.sql("CREATE ROLE step_dml LOGIN PASSWORD 'secret'");
    scene.sql("GRANT USAGE ON SCHEMA \"order\" TO step_dml");
    scene.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"order\" TO step_dml");
    SqlStepTransport transport = SqlStepTransport.postgres(
        scene.vertx, PgStepFixture.address().setUser("step_dml").setPassword("secret"), options);
    try {
      assertThat(done(transport.dispatchStep(step("run_1", null), now)))
          .isEqualTo(DispatchOutcome.DISPATCHED);
      List<ClaimedStepTask> claimed =
          done(transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1)));
      assertThat(claimed).hasSize(1);
      assertThat(done(transport.withdrawSteps(new WithdrawSteps(List.of("run_1:0")))))
          .isNotNull();
    } finally {
      done(transport.close());
      done(owner.close());
      scene.sql("DROP OWNED BY step_dml");
      scene.sql("DROP ROLE step_dml");
      scene.sql("DROP SCHEMA \"order\" CASCADE");
    }
  }

  @Test
  void a_role_from_which_row_level_security_may_hide_steps_is_refused() {
    scene.sql("CREATE ROLE step_hidden LOGIN PASSWORD 'secret'");
    scene.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON " + scene.tables.tasks() + ", "
        + scene.tables.results() + " TO step_hidden");
    scene.sql("ALTER TABLE " + scene.tables.results() + " ENABLE ROW LEVEL SECURITY");
    SqlStepTransport transport = SqlStepTransport.postgres(
        scene.vertx,
        PgStepFixture.address().setUser("step_hidden").setPassword("secret"),
        new SqlStepOptions(scene.tables.options()).setCreateTables(false));
    try {
      assertThatThrownBy(() -> done(transport.listMissingSteps(new ListMissingSteps(List.of()))))
          .cause()
          .cause()
          .hasMessageContaining("row level security may hide rows of table "
              + scene.tables.options().getPrefix() + "_transport_results")
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));

      scene.sql("CREATE POLICY runlane ON " + scene.tables.results() + " USING (true)");
      assertThat(done(transport.dispatchStep(step("run_1", null), now)))
          .isEqualTo(DispatchOutcome.DISPATCHED);
    } finally {
      done(transport.close());
      scene.sql("DROP OWNED BY step_hidden");
      scene.sql("DROP ROLE step_hidden");
    }
  }

  @Test
  void triggers_signal_what_others_insert() {
    SqlStepOptions options = new SqlStepOptions(scene.tables.options()).setSignalTriggers(true);
    SqlStepTransport transport =
        SqlStepTransport.postgres(scene.vertx, PgStepFixture.address(), options);
    done(transport.listMissingSteps(new ListMissingSteps(List.of())));
    Promise<Void> tasks = Promise.promise();
    Promise<Void> results = Promise.promise();
    done(transport.signals().orElseThrow().listen(new StepListener() {
      @Override
      public void onTasks(Set<String> groups) {
        tasks.tryComplete();
      }

      @Override
      public void onResults() {
        results.tryComplete();
      }

      @Override
      public void onPossibleLoss() {}
    }));

    scene.sql("INSERT INTO " + scene.tables.tasks()
        + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
        + " VALUES ('run_1:0', 'run_1', 0, 'echo', 'echo', 1, 'pending', 1)");
    done(tasks.future());
    done(scene.tables.putResult(
        new StepResult("run_2:0", "run_2", 0, new StepOutcome.Completed(null), now, now)));

    done(results.future());
    done(transport.close());
  }

  @Test
  void what_the_tables_refuse_keeps_no_signal_of_the_others_back() {
    Set<String> groups = ConcurrentHashMap.newKeySet();
    AtomicBoolean results = new AtomicBoolean();
    done(scene.transport.signals().orElseThrow().listen(new StepListener() {
      @Override
      public void onTasks(Set<String> signalled) {
        groups.addAll(signalled);
      }

      @Override
      public void onResults() {
        results.set(true);
      }

      @Override
      public void onPossibleLoss() {}
    }));
    scene.sql("ALTER TABLE " + scene.tables.tasks() + " ADD CHECK (run_id <> 'run_2')");
    scene.sql("ALTER TABLE " + scene.tables.results() + " ADD CHECK (run_id <> 'run_3')");

    assertRefused(scene.transport.dispatchSteps(new DispatchSteps(
        List.of(step("run_1", null), step("run_2", null), step("run_3", null)), now)));
    scene.until("workers are told", () -> groups.contains("echo"));

    List<RecordStepResults.Ended> ended = done(
            scene.transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 9)))
        .stream()
        .map(
            each -> new RecordStepResults.Ended(each.claim(), new StepOutcome.Completed(null), now))
        .toList();
    assertThat(ended).hasSize(2);
    assertRefused(scene.transport.recordStepResults(new RecordStepResults(ended, now)));
    scene.until("engines are told", results::get);
    assertThat(scene.count(scene.tables.results())).isEqualTo(1);
  }

  private static void assertRefused(Future<?> call) {
    assertThatThrownBy(() -> done(call))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION));
  }

  @Test
  void a_claim_is_sent_again_as_long_as_others_are_in_its_way_and_not_a_few_times_only() {
    scene.dispatch(StepTask.first("run_1", 0, "echo", null));
    loseTheNextUpdates(8);

    assertThat(done(scene.transport.claimStepTasks(
            new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1))))
        .hasSize(1);
  }

  @Test
  void what_loses_against_others_is_sent_again_but_for_a_callers_transaction() {
    scene.dispatch(StepTask.first("run_1", 0, "echo", null));
    List<StepClaim> claims = done(
            scene.transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1)))
        .stream()
        .map(ClaimedStepTask::claim)
        .toList();
    loseTheNextUpdates(2);

    assertThat(done(scene.transport.renewStepTasks(new RenewStepTasks(claims, now))))
        .hasSize(1);

    loseTheNextUpdates(2);
    SqlConnection connection = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    Transaction undone = done(connection.begin());
    StepTransport joined = ((SqlStepTransport) scene.transport).on(connection);
    Throwable failure = joined
        .withdrawSteps(new WithdrawSteps(List.of("run_1:0")))
        .transform(lost -> Future.succeededFuture(lost.cause()))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    assertThat(failure).isInstanceOf(RunlaneException.class).hasMessageContaining("40001");
    done(undone.rollback());
    done(connection.close());
  }

  @Test
  void a_result_stays_when_its_next_attempt_meets_a_task_that_somebody_else_is_dispatching() {
    StepTask first = step("run_1", "1");
    done(scene.tables.putResult(new StepResult(
        "run_1:0", "run_1", 0, new StepOutcome.Failed(StepError.of("busy", "later")), now, now)));
    StepClaim claim = claimed("engine").claim();
    PgConnection other = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    run(other, "BEGIN");
    run(
        other,
        "INSERT INTO " + scene.tables.tasks()
            + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
            + " VALUES ('run_1:0', 'run_1', 0, 'echo', 'echo', 1, 'pending', 1)");

    Future<List<SettleOutcome>> settled = scene.transport.settleStepResults(
        new SettleStepResults(List.of(new Settlement(claim, first.next())), now));
    scene.until("the settlement waits", () -> isWaitedFor(other));
    run(other, "COMMIT");

    assertThat(done(settled)).containsExactly(SettleOutcome.BLOCKED);
    assertThat(scene.count(scene.tables.results())).isEqualTo(1);
    done(other.close());
  }

  @Test
  void a_settlement_that_waits_for_the_release_of_its_claim_finds_it_lost() {
    done(scene.tables.putResult(
        new StepResult("run_1:0", "run_1", 0, new StepOutcome.Completed(null), now, now)));
    StepClaim claim = claimed("engine").claim();
    PgConnection other = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    run(other, "BEGIN");
    run(other, "UPDATE " + scene.tables.results() + " SET claimed_by = NULL, claimed_at = NULL");

    Future<List<SettleOutcome>> settled = scene.transport.settleStepResults(
        new SettleStepResults(List.of(new Settlement(claim, step("run_1", null).next())), now));
    scene.until("the settlement waits", () -> isWaitedFor(other));
    run(other, "COMMIT");

    assertThat(done(settled)).containsExactly(SettleOutcome.CLAIM_LOST);
    assertThat(scene.count(scene.tables.results())).isEqualTo(1);
    done(other.close());
  }

  private ClaimedStepResult claimed(String engine) {
    return done(scene.transport.claimStepResults(
            new ClaimStepResults(List.of("run_1:0"), engine, now, LEASE)))
        .get(0);
  }

  private static boolean isWaitedFor(PgConnection holder) {
    return run(
                holder,
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))")
            .size()
        > 0;
  }

  /** A sequence continues, whatever is rolled back. */
  private void loseTheNextUpdates(int losses) {
    String prefix = scene.tables.options().getPrefix();
    scene.sql("DROP SEQUENCE IF EXISTS " + prefix + "_tries CASCADE");
    scene.sql("CREATE SEQUENCE " + prefix + "_tries");
    scene.sql(
        "CREATE OR REPLACE FUNCTION " + prefix + "_lose() RETURNS trigger LANGUAGE plpgsql AS $$"
            + " BEGIN IF nextval('" + prefix + "_tries') <= " + losses + " THEN"
            + " RAISE EXCEPTION 'lost by this test' USING ERRCODE = '40001'; END IF;"
            + " RETURN coalesce(NEW, OLD); END $$");
    scene.sql("DROP TRIGGER IF EXISTS " + prefix + "_lose ON " + scene.tables.tasks());
    scene.sql("CREATE TRIGGER " + prefix + "_lose BEFORE UPDATE OR DELETE ON "
        + scene.tables.tasks() + " FOR EACH ROW EXECUTE FUNCTION " + prefix + "_lose()");
  }

  @Test
  void a_claim_costs_the_same_whatever_the_backlog() {
    SqlConnection connection =
        done(PgConnection.connect(scene.vertx, SqlStepTransport.tuned(PgStepFixture.address())));

    scene.sql("ALTER TABLE " + scene.tables.tasks() + " SET (autovacuum_enabled = false)");
    insertWaiting(1, 3_000); // never analyzed: plans are made without knowing what is there
    JsonObject small = claimPlan(connection);
    insertWaiting(3_001, 150_000);
    JsonObject large = claimPlan(connection);

    assertThat(large.encode()).contains("_tasks_order_idx").doesNotContain("Seq Scan");
    assertThat(rowsOf(large)).as("rows claimed").isEqualTo(rowsOf(small)).isEqualTo(10);
    assertThat(blocks(large))
        .as("blocks read, with one more level of the indexes for each row")
        .isLessThanOrEqualTo(blocks(small) + 3 * 10);
    done(connection.close());
    assertThat(done(scene.transport.claimStepTasks(
            new ClaimStepTasks(List.of("g0", "g1", "g2"), "w", now, LEASE, 50))))
        .extracting(each -> each.dispatchedAt().toEpochMilli())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
  }

  private void insertWaiting(int from, int to) {
    scene.sql("INSERT INTO " + scene.tables.tasks()
        + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
        + " SELECT 'run_' || i || ':0', 'run_' || i, 0, 'echo', 'g' || i % 3, 1, 'pending', i"
        + " FROM generate_series(" + from + ", " + to + ") AS i");
  }

  /** How the worker's own statement runs for ten tasks of three groups, undone. */
  private JsonObject claimPlan(SqlConnection connection) {
    BoundStatement<PgStepTables.ClaimTasks> claim =
        PgStepTables.statements(scene.tables.settings()).get(PgStepTables.CLAIM_TASKS);
    Transaction undone = done(connection.begin());
    JsonArray plan = done(connection
            .preparedQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + claim.sql())
            .execute(Tuple.of(
                new String[] {"g0", "g1", "g2"},
                new Long[] {0L, 0L, 0L},
                9L,
                10,
                "w/1",
                10L,
                StepRows.MOST_BYTES)))
        .iterator()
        .next()
        .getJsonArray(0);
    done(undone.rollback());
    return plan.getJsonObject(0).getJsonObject("Plan");
  }

  private static int rowsOf(JsonObject plan) {
    return plan.getDouble("Actual Rows").intValue();
  }

  private static int blocks(JsonObject plan) {
    return plan.getInteger("Shared Hit Blocks") + plan.getInteger("Shared Read Blocks");
  }

  @Test
  void what_a_database_that_is_not_unicode_cannot_hold_fails_its_step_and_no_other() {
    String name = "latin_" + scene.tables.options().getPrefix().toLowerCase(Locale.ROOT);
    PgConnection connection = done(PgConnection.connect(scene.vertx, PgStepFixture.address()));
    run(
        connection,
        "CREATE DATABASE " + name
            + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    SqlStepTransport transport = SqlStepTransport.postgres(
        scene.vertx, PgStepFixture.address().setDatabase(name), new SqlStepOptions());

    Future<List<DispatchOutcome>> both = transport.dispatchSteps(new DispatchSteps(
        List.of(step("run_1", "\"\u00e4\""), step("run_2", "\"\ud83d\ude80\"")), now));

    assertThatThrownBy(() -> done(both))
        .cause()
        .cause()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
    assertThat(done(
            transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 10))))
        .extracting(each -> each.task().input())
        .containsExactly(Json.ofChecked("\"\u00e4\""));
    done(transport.close());
    run(connection, "DROP DATABASE " + name + " WITH (FORCE)");
    done(connection.close());
  }

  @Test
  void options_have_a_json_form_and_refuse_what_they_do_not_know() {
    JsonObject json = new SqlStepOptions()
        .setPrefix("P_1")
        .setSchema("steps")
        .setCreateTables(false)
        .setSignalTriggers(true)
        .setBatchSize(3)
        .toJson();

    assertThat(new SqlStepOptions(json).toJson()).isEqualTo(json);
    for (JsonObject wrong : List.of(
        new JsonObject().put("prefx", "a"),
        new JsonObject().put("prefix", "a-b"),
        new JsonObject().put("prefix", "x".repeat(41)),
        new JsonObject().put("schema", "A"),
        new JsonObject().put("batchSize", 0),
        new JsonObject().put("createTables", "yes"))) {
      assertThatThrownBy(() -> new SqlStepOptions(wrong)).isInstanceOf(RunlaneException.class);
    }
  }
}
