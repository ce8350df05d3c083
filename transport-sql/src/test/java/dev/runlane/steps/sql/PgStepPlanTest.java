package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.runlane.run.Json;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Plans are made once, of what Postgres believes of the tables at that moment: mostly that they are empty, as results
 * are taken away as soon as they come. Each statement is prepared so here, on the only connection there is; then the
 * tables are filled, and Postgres' own counters say how many rows, index entries and pages the statement read: entries
 * that a scan of an index skips are in none of the first two.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgStepPlanTest {
  private static final int BACKLOG = 20_000;
  private static final int BATCH = 50;
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String GROUP = "measured";

  private final Vertx vertx = Vertx.vertx();
  private final SqlStepOptions options = SqlStepFixture.newPrefix();
  private final Pool pool = PgBuilder.pool()
      .connectingTo(SqlStepTransport.tuned(PgStepFixture.address()))
      .with(new PoolOptions().setMaxSize(1))
      .using(vertx)
      .build();
  private final StepTransport transport = SqlStepTransport.postgres(vertx, pool, options);
  private final PgConnection observer = done(PgConnection.connect(vertx, PgStepFixture.address()));

  @BeforeEach
  void createTables() {
    assumeTrue(
        number("SELECT count(*) FROM pg_proc WHERE proname = 'pg_stat_force_next_flush'") > 0,
        "a server that can be told to count at once, as from PostgreSQL 15 on");
    done(transport.start());
    done(transport.listMissingSteps(new ListMissingSteps(List.of())));
    for (String table : List.of("{tasks}", "{results}")) {
      sql("ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
    }
  }

  @AfterEach
  void close() {
    done(transport.close());
    done(pool.close());
    done(observer.close());
    done(vertx.close());
  }

  @Test
  void no_statement_planned_on_new_tables_reads_more_than_it_touches_once_they_are_full() {
    everyStatement("new");

    assertNothingElseIsRead();
  }

  @Test
  void nor_one_that_was_planned_on_emptied_and_vacuumed_ones() {
    fill(1_000, 1);
    empty();
    vacuum();
    everyStatement("empty");

    assertNothingElseIsRead();
  }

  @Test
  void nor_one_that_was_planned_on_ones_that_keep_their_pages_for_an_old_snapshot() {
    fill(1_000, 1);
    PgConnection old = done(PgConnection.connect(vertx, PgStepFixture.address()));
    done(old.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute());
    done(old.query(named("SELECT count(*) FROM {tasks}")).execute());
    empty();
    vacuum();
    everyStatement("held");

    assertNothingElseIsRead();
    done(old.close());
  }

  @Test
  void nor_one_that_was_planned_by_what_was_counted_while_one_group_had_everything() {
    fill(BACKLOG, 1);
    vacuum();
    everyStatement("analysed");
    empty();

    assertNothingElseIsRead();
  }

  private void assertNothingElseIsRead() {
    fill(BACKLOG, 100);
    assertThat(everyStatement("full")).hasSize(14).allSatisfy(reading -> {
      assertThat(reading.read().rows())
          .as("rows and index entries read by %s", reading.statement())
          .isLessThan(20L * BATCH);
      assertThat(reading.read().pages())
          .as("pages read by %s", reading.statement())
          .isLessThan(40L * BATCH);
    });
  }

  private record Read(long rows, long pages) {}

  private record Reading(String statement, Read read) {}

  private List<Reading> everyStatement(String name) {
    List<Reading> readings = new ArrayList<>();
    List<StepTask> steps = steps(name);
    List<StepTask> others = steps(name + "_other");
    List<String> ids = steps.stream().map(StepTask::stepId).toList();
    List<String> otherIds = others.stream().map(StepTask::stepId).toList();
    measure(
        readings, "dispatch", () -> done(transport.dispatchSteps(new DispatchSteps(steps, NOON))));
    List<ClaimedStepTask> tasks = new ArrayList<>();
    measure(readings, "claim tasks", () -> tasks.addAll(claim()));
    measure(
        readings,
        "renew tasks",
        () -> done(transport.renewStepTasks(
            new RenewStepTasks(tasks.stream().map(ClaimedStepTask::claim).toList(), NOON))));
    measure(
        readings,
        "record results",
        () -> done(transport.recordStepResults(new RecordStepResults(
            tasks.stream()
                .map(task -> new RecordStepResults.Ended(
                    task.claim(), new StepOutcome.Completed(Json.ofChecked("true")), NOON))
                .toList(),
            NOON))));
    measure(
        readings,
        "dispatch missing",
        () -> done(transport.dispatchMissingSteps(new DispatchSteps(others, NOON))));
    measure(readings, "missing", () -> done(transport.listMissingSteps(new ListMissingSteps(ids))));
    measure(readings, "list tasks", () -> assertThat(
            done(transport.listStepTasks(new ListStepTasks(otherIds))))
        .hasSize(BATCH));
    measure(readings, "list results", () -> assertThat(
            done(transport.listStepResults(new ListStepResults(NOON, MINUTE, null, BATCH))))
        .extracting(StepResultRef::stepId)
        .containsExactlyInAnyOrderElementsOf(ids));
    List<ClaimedStepResult> results = new ArrayList<>();
    measure(
        readings,
        "claim results",
        () -> results.addAll(
            done(transport.claimStepResults(new ClaimStepResults(ids, "engine", NOON, MINUTE)))));
    assertThat(results).hasSize(BATCH);
    measure(
        readings,
        "settle",
        () -> done(transport.settleStepResults(new SettleStepResults(
            results.subList(0, BATCH / 2).stream()
                .map(each -> new SettleStepResults.Settlement(each.claim(), null))
                .toList(),
            NOON))));
    measure(
        readings,
        "release results",
        () -> done(transport.releaseStepResults(new ReleaseStepResults(
            results.subList(BATCH / 2, BATCH).stream()
                .map(ClaimedStepResult::claim)
                .toList(),
            NOON,
            MINUTE,
            Duration.ZERO))));
    measure(readings, "discard results", () -> assertThat(done(transport.discardStepResults(
            new DiscardStepResults(ids, NOON.plus(MINUTE), NOON.plus(MINUTE), MINUTE))))
        .isEqualTo(BATCH / 2));
    List<ClaimedStepTask> again = claim();
    measure(
        readings,
        "release tasks",
        () -> done(transport.releaseStepTasks(
            new ReleaseStepTasks(again.stream().map(ClaimedStepTask::claim).toList()))));
    measure(readings, "withdraw", () -> assertThat(
            done(transport.withdrawSteps(new WithdrawSteps(otherIds))))
        .isEqualTo(BATCH));
    return readings;
  }

  private List<ClaimedStepTask> claim() {
    List<ClaimedStepTask> claimed = done(transport.claimStepTasks(
        new ClaimStepTasks(List.of(GROUP), "worker", NOON, MINUTE, BATCH)));
    assertThat(claimed).hasSize(BATCH);
    return claimed;
  }

  private static List<StepTask> steps(String name) {
    return IntStream.range(0, BATCH)
        .mapToObj(i -> StepTask.first(name, i, "echo", null).in(GROUP))
        .toList();
  }

  private void measure(List<Reading> readings, String statement, Runnable use) {
    Read before = read();
    use.run();
    Read after = read();
    readings.add(new Reading(
        statement, new Read(after.rows() - before.rows(), after.pages() - before.pages())));
  }

  private Read read() {
    countAtOnce(pool);
    return new Read(number("""
        SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname IN ({names}))
          + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname IN ({names}))
        """), number("""
        SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) FROM pg_statio_user_tables
        WHERE relname IN ({names})
        """));
  }

  /** Tasks of so many groups, and results, that none of the measured statements has any business with. */
  private void fill(int number, int groups) {
    sql("""
        INSERT INTO {tasks} (step_id, run_id, seq, name, grp, attempt, status, created_at)
        SELECT 'fill_' || i, 'fill_' || i, 0, 'echo', 'group_' || i % %1$d, 1, 'pending', 4000000000000 + i
        FROM generate_series(1, %2$d) i;
        INSERT INTO {results} (step_id, run_id, seq, status, created_at)
        SELECT 'fill_' || i, 'fill_' || i, 0, 'completed', 4000000000000 + i FROM generate_series(1, %2$d) i
        """.replace("%1$d", String.valueOf(groups)).replace("%2$d", String.valueOf(number)));
  }

  private void empty() {
    sql("DELETE FROM {tasks}; DELETE FROM {results}");
  }

  private void vacuum() {
    sql("VACUUM (ANALYZE) {tasks}");
    sql("VACUUM (ANALYZE) {results}");
  }

  private void sql(String statements) {
    done(observer.query(named(statements)).execute());
    countAtOnce(observer);
  }

  /** What a connection has read it else tells once a second. */
  private static void countAtOnce(SqlClient connection) {
    done(connection.query("SELECT pg_stat_force_next_flush()").execute());
  }

  private long number(String query) {
    return done(observer.query(named(query)).execute()).iterator().next().getLong(0);
  }

  private String named(String sql) {
    String tasks = options.getPrefix() + "_transport_tasks";
    String results = options.getPrefix() + "_transport_results";
    return sql.replace("{names}", "'" + tasks + "', '" + results + "'")
        .replace("{tasks}", '"' + tasks + '"')
        .replace("{results}", '"' + results + '"');
  }
}
