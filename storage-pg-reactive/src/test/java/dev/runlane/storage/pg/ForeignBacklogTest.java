package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.read.ListRunnableRuns;
import io.vertx.sqlclient.PoolOptions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a process reads to find its own due runs behind very many of a task that it does not have, with plans
 * that were made while the tables were empty.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@ParameterizedClass
@EnumSource(names = {"NEW", "VACUUMED", "REINDEXED_BESIDE_A_BACKUP"})
class ForeignBacklogTest {
  private static final int BACKLOG = 5_000;
  private static final int OWN = 20;
  private static final int MOST_READ = 1_000;
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 5);

  private final EmptyTables tables;
  private final Scene scene = Scene.direct();
  private PgStorageAdapter storage;

  ForeignBacklogTest(EmptyTables tables) {
    this.tables = tables;
  }

  @BeforeEach
  void planOnEmptyTables() {
    storage = scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
    if (tables != EmptyTables.NEW) {
      fill();
      tables.empty(scene, List.of("active_runs"));
    }
    claimBoth("tok_empty");
    list();
    fill();
    for (int i = 0; i < OWN; i++) {
      QueuePolicy queue = i % 2 == 0 ? DEFAULT_QUEUE : BOUNDED;
      done(storage.appendRunEvents(TestRuns.queued("run_own_" + i)
          .queue(queue)
          .concurrencyKey("key_1")
          .creation()
          .in(queue)));
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_claim_walks_no_runs_of_tasks_that_the_process_does_not_have() {
    long before = scene.rowsRead(storage);

    assertThat(claimBoth("tok_1")).isEqualTo(OWN / 2 + 5);

    assertThat(scene.rowsRead(storage) - before).isLessThan(MOST_READ);
  }

  @Test
  void a_list_of_runnable_runs_walks_none_either() {
    long before = scene.rowsRead(storage);

    assertThat(list()).isEqualTo(OWN / 2 + 5);

    assertThat(scene.rowsRead(storage) - before).isLessThan(MOST_READ);
  }

  private int claimBoth(String token) {
    return Scene.claim(storage, List.of(DEFAULT_QUEUE), token, 100).runs().size()
        + Scene.claim(storage, List.of(BOUNDED), token + "_bounded", 100).runs().size();
  }

  private int list() {
    return done(storage.listRunnableRuns(new ListRunnableRuns(
            ENVIRONMENT, List.of(DEFAULT_QUEUE, BOUNDED), List.of(Scene.TASK), NOON, 100)))
        .size();
  }

  /** Due runs of another task, in both queues and in the very partition, and all due longer. */
  private void fill() {
    scene.change("""
        INSERT INTO {s}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT 1, 'run_fill_' || q.queue || i, 'orders.refund', q.queue, q.partition, 'queued', 0, false,
          timestamptz '2026-03-04 11:00Z' + i * interval '1 millisecond', 2, 0, 0, 0, 0,
          timestamptz '2026-03-04 11:00Z', timestamptz '2026-03-04 11:00Z'
        FROM generate_series(1, {n}) i, (VALUES ('default', NULL), ('bounded', 'key_1')) q(queue, partition)
        """.replace("{s}", scene.schema()).replace("{n}", String.valueOf(BACKLOG)));
  }
}
