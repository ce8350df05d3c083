package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Creations without keys whose run ids somebody else takes meanwhile. */
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
    while (waiting() == 0) {
      Thread.onSpinWait();
    }
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
    while (waiting() == 0) {
      Thread.onSpinWait();
    }
    Scene.execute(other, "ROLLBACK");

    assertThat(done(created).run().id()).isEqualTo("run_b");
  }

  private long waiting() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%{schema}%run_events%'
        """);
  }
}
