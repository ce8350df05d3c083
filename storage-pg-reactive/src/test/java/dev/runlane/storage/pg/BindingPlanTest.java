package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.QueuePolicy;
import io.vertx.sqlclient.PoolOptions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a claim reads whose queue has a limit, or none, and runs that were written under the other policy. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ParameterizedClass
@EnumSource(names = {"NEW", "VACUUMED", "REINDEXED_BESIDE_A_BACKUP"})
class BindingPlanTest {
  private static final int FEW = 1_000;
  private static final int TIMES = 8;

  private final EmptyTables tables;
  private final Scene scene = Scene.direct();
  private PgStorageAdapter storage;

  BindingPlanTest(EmptyTables tables) {
    this.tables = tables;
  }

  @BeforeEach
  void plan_on_empty_tables() {
    storage = scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
    if (tables != EmptyTables.NEW) {
      fill("before", FEW);
      tables.empty(scene, List.of("active_runs"));
    }
    claim(bounded("first"));
    claim(QueuePolicy.unbounded("first"));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_limit_that_is_given_or_taken_reads_as_much_of_each_waiting_run_however_many_there_are() {
    fill("short", FEW);
    long givenToFew = readBy(bounded("short"));
    long takenFromFew = readBy(QueuePolicy.unbounded("short"));
    fill("long", TIMES * FEW);

    long given = readBy(bounded("long"));
    assertThat(waiting("'long' AND partition IS NULL")).isZero();
    long taken = readBy(QueuePolicy.unbounded("long"));
    assertThat(waiting("'long' AND partition IS NOT NULL")).isZero();

    assertThat(given).isBetween((long) TIMES * FEW, givenToFew * TIMES * 3 / 2);
    assertThat(taken).isBetween((long) TIMES * FEW, takenFromFew * TIMES * 3 / 2);
  }

  private long readBy(QueuePolicy queue) {
    long before = scene.rowsRead(storage);
    claim(queue);
    return scene.rowsRead(storage) - before;
  }

  private void claim(QueuePolicy queue) {
    assertThat(Scene.claim(storage, List.of(queue), "tok", 1).runs()).isEmpty();
  }

  private long waiting(String queueAndPartition) {
    return scene.number(
        "SELECT count(*) FROM {schema}.active_runs WHERE queue = " + queueAndPartition);
  }

  private static QueuePolicy bounded(String queue) {
    return QueuePolicy.bounded(queue, 1);
  }

  /** Runs that are due later, written for a queue without a limit. */
  private void fill(String queue, int runs) {
    done(PgStorageFixture.sql(scene.vertx(), """
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_fill_{q}' || i, 'orders.charge', '{q}', 'queued', 0, false,
          timestamptz '2026-03-04 12:00Z' + i * interval '1 second', 2, 0, 0, 0, 0,
          timestamptz '2026-03-04 12:00Z', timestamptz '2026-03-04 12:00Z'
        FROM generate_series(1, {n}) i
        """.replace("{s}", scene.schema())
        .replace("{q}", queue)
        .replace("{n}", String.valueOf(runs))));
  }
}
