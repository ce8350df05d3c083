package dev.runlane.jobs.postgres.life;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.BulkProgram;
import dev.runlane.jobs.postgres.JobScene;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.testinfra.process.Poll;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process is killed (SIGKILL) between two parts of its bulk changes. */
@Tag("drill")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobBulkKillTest {
  private static final int MANY = 2_500;
  private static final int QUEUES = BulkProgram.CHANGES.size();
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** How each queue's jobs stand before: state, when they are due, when they failed. */
  private static final Map<String, String> BEFORE = Map.of(
      "retried", "'failed', NULL, timestamptz '2026-03-04 12:00Z' + i * interval '1 ms'",
      "promoted", "'delayed', timestamptz '2026-03-05 12:00Z' + i * interval '1 ms', NULL",
      "cleaned", "'failed', NULL, timestamptz '2026-03-04 12:00Z' + i * interval '1 ms'",
      "drained", "'waiting', NULL, NULL",
      "obliterated", "'waiting', NULL, NULL");

  private final JobScene scene = JobScene.direct();
  private PgJobStore store;

  /** Every statement that would change more than one part's jobs of a queue waits while the gate is shut. */
  @BeforeEach
  void watchAndFill() {
    store = scene.connected();
    scene.sql("""
        CREATE TABLE {s}.touched (queue text, id text);
        CREATE FUNCTION {s}.touch() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO {s}.touched SELECT r.queue, r.id FROM touched_rows r;
          IF EXISTS (SELECT 1 FROM {s}.touched t WHERE t.queue IN (SELECT r.queue FROM touched_rows r)
              GROUP BY t.queue HAVING count(*) > 1000) THEN
            PERFORM pg_advisory_xact_lock_shared(hashtext('{s} gate'));
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER touch_updated AFTER UPDATE ON {s}.jobs REFERENCING NEW TABLE AS touched_rows
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.touch();
        CREATE TRIGGER touch_deleted AFTER DELETE ON {s}.jobs REFERENCING OLD TABLE AS touched_rows
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.touch()
        """);
    BEFORE.forEach(
        (queue, values) -> scene.sql("""
        INSERT INTO {s}.jobs (queue, id, place, name, priority, attempts_made, started_attempts, stalls, progress,
          pending_children, discarded, repeats, counted, removal, created_at, options, data, state, delay_until,
          failed_at)
        SELECT '{queue}', 'job_' || i, nextval('{s}.job_places'), 'a', 0, 0, 0, 0, 0, 0, false, false, false, 0,
          timestamptz '2026-03-04 12:00Z', '{}', '{}', {values}
        FROM generate_series(1, 2500) i
        """.replace("{queue}", queue).replace("{values}", values)));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void what_was_done_stays_done_and_the_same_calls_again_do_the_rest_once() throws Exception {
    PgConnection gate = done(scene.connect());
    done(gate.query(gate("pg_advisory_lock")).execute());
    Process program = BulkProgram.start(scene.databaseUri(), scene.options().getSchema());
    try {
      assertThat(Poll.until(PATIENCE, () -> !program.isAlive() || waiting() == QUEUES))
          .isTrue();
      assertThat(program.isAlive()).as("the program still works").isTrue();
    } finally {
      program.destroyForcibly().waitFor();
    }
    done(gate.query(gate("pg_advisory_unlock")).execute());
    done(gate.close());
    assertThat(Poll.until(PATIENCE, () -> connections("") == 0))
        .as("Postgres sees that nobody listens any more")
        .isTrue();

    Map<String, Long> committed = touched();
    assertThat(committed.values()).hasSize(QUEUES).allMatch(jobs -> jobs == BulkChanges.PART);
    BulkProgram.CHANGES.values().forEach(change -> done(change.apply(store)));

    assertThat(touched().values()).hasSize(QUEUES).allMatch(jobs -> jobs == MANY);
    assertThat(scene.number("SELECT count(DISTINCT (queue, id)) FROM {s}.touched"))
        .as("no job was changed twice")
        .isEqualTo((long) QUEUES * MANY);
    assertThat(done(store.countJobs("retried", JobState.WAITING))).isEqualTo(MANY);
    assertThat(done(store.countJobs("promoted", JobState.WAITING))).isEqualTo(MANY);
    assertThat(scene.number("SELECT count(*) FROM {s}.jobs")).isEqualTo(2L * MANY);
  }

  private String gate(String function) {
    return "SELECT " + function + "(hashtext('" + scene.options().getSchema() + " gate'))";
  }

  private long waiting() {
    return connections(" AND wait_event = 'advisory'");
  }

  private long connections(String which) {
    return scene.statistic("SELECT count(*) FROM pg_stat_activity WHERE application_name = '"
        + BulkProgram.NAME + "'" + which);
  }

  /** How many jobs of each queue were changed. */
  private Map<String, Long> touched() {
    Map<String, Long> touched = new HashMap<>();
    for (Row row : scene.sql("SELECT queue, count(*) FROM {s}.touched GROUP BY queue")) {
      touched.put(row.getString(0), row.getLong(1));
    }
    return touched;
  }
}
