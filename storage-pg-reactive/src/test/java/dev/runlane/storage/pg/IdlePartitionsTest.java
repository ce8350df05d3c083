package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is kept of a partition goes with the removal of old runs, once it has had none for a day. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class IdlePartitionsTest {
  private static final QueuePolicy QUEUE = QueuePolicy.bounded("customers", 1);

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_partition_that_has_had_no_run_for_a_day_is_forgotten() {
    end(create(storage, "run_1", "ada"));

    prune();
    assertThat(partitions()).as("is noted as idle").isEqualTo(1);
    prune();
    assertThat(partitions()).as("for less than a day").isEqualTo(1);
    letADayPass();
    prune();

    assertThat(partitions()).isZero();
  }

  @Test
  void a_partition_with_a_run_that_has_not_ended_stays() {
    create(storage, "run_1", "waiting");
    RunRecord running = create(storage, "run_2", "running");
    done(Scene.claimLease(storage, running, QUEUE)).orElseThrow();

    prune();
    letADayPass();
    prune();

    assertThat(partitions()).isEqualTo(2);
    assertThat(idle()).isZero();
  }

  @Test
  void a_partition_that_is_used_again_begins_a_new_day() {
    end(create(storage, "run_1", "ada"));
    prune();
    letADayPass();

    create(storage, "run_2", "ada");
    prune();
    assertThat(idle()).isZero();
    end(find("run_2"));
    prune();

    assertThat(partitions()).isEqualTo(1);
  }

  @Test
  void a_process_that_asks_for_a_partition_may_count_on_it_for_a_day() {
    end(create(storage, "run_1", "ada"));
    prune();
    letADayPass();
    PgStorageAdapter other = scene.start();

    end(other, create(other, "run_2", "ada"));
    prune();

    assertThat(partitions()).isEqualTo(1);
  }

  @Test
  void a_partition_that_is_gone_is_made_again_for_the_next_run() {
    end(create(storage, "run_1", "ada"));
    prune();
    letADayPass();
    prune();
    PgStorageAdapter other = scene.start();

    RunRecord run = create(other, "run_2", "ada");

    assertThat(done(Scene.claimLease(other, run, QUEUE))).isPresent();
    assertThat(partitions()).isEqualTo(1);
  }

  @Test
  void a_partition_that_somebody_holds_is_passed_over_and_nobody_waits_for_it() {
    end(create(storage, "run_1", "ada"));
    prune();
    letADayPass();
    PgConnection holding = scene.begin();
    Scene.execute(holding, "SELECT 1 FROM %s.queue_capacity FOR UPDATE".formatted(scene.schema()));

    prune();
    create(scene.start(), "run_2", "ada");

    assertThat(partitions()).isEqualTo(1);
    Scene.execute(holding, "ROLLBACK");
  }

  @Test
  void one_removal_looks_at_tens_of_thousands_of_partitions_and_the_next_goes_on_behind_them() {
    end(create(storage, "run_1", "ada"));
    Scene.execute(
        scene.connect(),
        ("INSERT INTO {schema}.queue_capacity (env, queue, partition, used)"
                + " SELECT c.env, c.queue, 'key_' || i, 0"
                + " FROM {schema}.queue_capacity c, generate_series(1, 50700) i")
            .replace("{schema}", scene.schema()));

    prune();
    assertThat(idle()).isEqualTo(50_000);
    prune();
    assertThat(idle()).isEqualTo(50_701);
    letADayPass();
    prune();

    assertThat(partitions()).isEqualTo(701);
  }

  @Test
  void runs_are_claimed_and_ended_and_slots_counted_while_idle_partitions_are_removed() {
    List<Future<?>> removals = new ArrayList<>();
    int ended = 0;
    for (int round = 0; round < 40; round++) {
      PgStorageAdapter process = round % 4 == 0 ? scene.start() : storage; // remembers nothing yet
      List<Future<RunRecord>> created = new ArrayList<>();
      letADayPass();
      removals.add(process.pruneRuns(pruning(100)));
      for (int key = 0; key < 3; key++) {
        created.add(queued("run_" + round + "_" + key, "key_" + key).storeIn(process));
      }
      letADayPass();
      removals.add(process.pruneRuns(pruning(100)));
      created.forEach(Outcomes::done);
      List<ClaimedRuns.Claimed> claimed =
          Scene.claim(process, List.of(QUEUE), "tok_" + round, 10).runs();
      removals.add(process.pruneRuns(pruning(100)));
      claimed.stream()
          .map(run -> Scene.succeed(process, run.run()))
          .toList()
          .forEach(Outcomes::done);
      ended += claimed.size();
    }
    removals.forEach(Outcomes::done);
    scene.audit();
    while (ended < 120) {
      List<ClaimedRuns.Claimed> rest =
          Scene.claim(storage, List.of(QUEUE), "tok_rest", 10).runs();
      assertThat(rest).isNotEmpty();
      rest.forEach(run -> done(Scene.succeed(storage, run.run())));
      ended += rest.size();
    }

    assertThat(scene.number("SELECT coalesce(sum(used), 0) FROM {schema}.queue_capacity"))
        .isZero();
    assertThat(scene.rows("active_runs")).isZero();
  }

  private static TestRun queued(String runId, String key) {
    return TestRuns.queued(runId).queue(QUEUE).concurrencyKey(key);
  }

  private RunRecord create(PgStorageAdapter process, String runId, String key) {
    return scene.store(queued(runId, key), process);
  }

  private RunRecord find(String runId) {
    return Scene.find(storage, runId).orElseThrow();
  }

  private void end(RunRecord run) {
    end(storage, run);
  }

  private static void end(PgStorageAdapter process, RunRecord run) {
    RunRecord leased = done(Scene.claimLease(process, run, QUEUE)).orElseThrow().run();
    done(Scene.succeed(process, leased));
  }

  private void prune() {
    PrunedRuns pruned = done(storage.pruneRuns(pruning(100)));
    assertThat(pruned.nextCursor()).isNull();
  }

  private static PruneRuns pruning(int limit) {
    return new PruneRuns(
        ENVIRONMENT, Set.of(RunStatus.SUCCEEDED), NOON.minusSeconds(1), NOON, limit, null);
  }

  private void letADayPass() {
    done(PgStorageFixture.sql(
        scene.vertx(),
        "UPDATE %s.queue_capacity SET idle_since = idle_since - interval '25 hours'"
            .formatted(scene.schema())));
  }

  private long partitions() {
    return scene.rows("queue_capacity");
  }

  private long idle() {
    return scene.number(
        "SELECT count(*) FROM {schema}.queue_capacity WHERE idle_since IS NOT NULL");
  }
}
