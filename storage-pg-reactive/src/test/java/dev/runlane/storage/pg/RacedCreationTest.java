package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static dev.runlane.storage.pg.Scene.find;
import static dev.runlane.storage.pg.Scene.unavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Creations that meet what somebody else does meanwhile. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RacedCreationTest {
  private final Scene scene = Scene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void an_id_that_is_taken_while_a_creation_waits_for_it_fails_that_one_alone() {
    PgStorageAdapter storage =
        scene.start(scene.options().setStatementSlots(1).setLockTimeout(Duration.ofSeconds(20)));
    PgConnection other = scene.begin();
    done(storage.on(other).appendRunEvents(TestRuns.queued("run_b").creation()));

    Future<AppendedRun> first = storage.appendRunEvents(TestRuns.queued("run_0").creation());
    Future<AppendedRun> before =
        storage.appendRunEvents(TestRuns.queued("run_a").creation());
    Future<AppendedRun> taken = storage.appendRunEvents(TestRuns.queued("run_b").creation());
    Future<AppendedRun> after = storage.appendRunEvents(TestRuns.queued("run_c").creation());
    Scene.until(() -> waiting() > 0);
    Scene.execute(other, "COMMIT");

    done(first);
    assertThat(done(before).run().id()).isEqualTo("run_a");
    assertThat(done(after).run().id()).isEqualTo("run_c");
    assertThat(failure(taken))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("run run_b exists already");
    assertThat(scene.rows("active_runs")).isEqualTo(4);
  }

  @Test
  void an_id_that_is_given_up_while_a_creation_waits_for_it_is_free() {
    PgStorageAdapter storage = scene.start(scene.options().setLockTimeout(Duration.ofSeconds(20)));
    PgConnection other = scene.begin();
    done(storage.on(other).appendRunEvents(TestRuns.queued("run_b").creation()));

    Future<AppendedRun> created =
        storage.appendRunEvents(TestRuns.queued("run_b").creation());
    Scene.until(() -> waiting() > 0);
    Scene.execute(other, "ROLLBACK");

    assertThat(done(created).run().id()).isEqualTo("run_b");
  }

  @Test
  void
      what_a_statement_created_stays_created_where_another_creation_of_it_fails_when_tried_again() {
    PgStorageAdapter storage = scene.start(scene.options().setStatementSlots(1));
    Map<String, String> tags = Map.of("customer", "7");
    scene.store(TestRuns.queued("run_owner").idempotencyKey("key", TTL_HOUR), storage);
    done(PgStorageFixture.sql(scene.vertx(), """
        CREATE FUNCTION {s}.meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.run_id = 'run_b' THEN
            RAISE EXCEPTION 'one key won and another one lost' USING ERRCODE = 'RL001';
          END IF;
          IF NEW.run_id <> 'run_a' THEN
            RETURN NULL;
          END IF;
          INSERT INTO {s}.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures, retries,
              releases, created_at, updated_at, started_at, finished_at)
            SELECT env, run_id, task_id, queue, 'failed', 5, 1, 1, 0, 0, created_at, updated_at, updated_at, updated_at
            FROM {s}.active_runs WHERE run_id = 'run_owner';
          DELETE FROM {s}.active_runs WHERE run_id = 'run_owner';
          RETURN NULL;
        END $$;
        CREATE TRIGGER meanwhile AFTER INSERT ON {s}.run_events
          FOR EACH ROW EXECUTE FUNCTION {s}.meanwhile()
        """.replace("{s}", scene.schema())));

    Future<AppendedRun> first =
        storage.appendRunEvents(TestRuns.queued("run_1").tags(tags).creation());
    Future<AppendedRun> created =
        storage.appendRunEvents(TestRuns.queued("run_a").tags(tags).creation());
    Future<AppendedRun> undecided = storage.appendRunEvents(
        TestRuns.queued("run_b").idempotencyKey("key", TTL_HOUR).tags(tags).creation());

    done(first);
    assertThat(done(created).run().id()).isEqualTo("run_a");
    unavailable(undecided);
    assertThat(find(storage, "run_b")).isEmpty();
  }

  @Test
  void a_key_that_is_taken_over_while_its_reset_waits_stays_the_new_owners() {
    PgStorageAdapter storage = scene.start(scene.options().setLockTimeout(Duration.ofSeconds(20)));
    scene.store(TestRuns.failed("run_1").idempotencyKey("key", TTL_HOUR), storage);
    PgConnection other = scene.begin();
    done(storage
        .on(other)
        .appendRunEvents(
            TestRuns.queued("run_2").idempotencyKey("key", TTL_HOUR).creation()));

    Future<Void> reset = storage.resetIdempotencyKey(
        new ResetIdempotencyKey(Scene.ENVIRONMENT, Scene.TASK, "key", Scene.NOON));
    Scene.until(() -> waiting("idempotency_owners") > 0 || reset.isComplete());
    Scene.execute(other, "COMMIT");

    assertConflict(reset, IDEMPOTENCY_KEY);
    assertThat(done(storage.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(Scene.ENVIRONMENT, Scene.TASK, "key", Scene.NOON))))
        .map(RunRecord::id)
        .contains("run_2");
  }

  private long waiting() {
    return waiting("run_events");
  }

  private long waiting(String table) {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%{schema}%TABLE%'
        """.replace("TABLE", table));
  }
}
