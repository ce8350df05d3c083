package dev.runlane.drills.connector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.process.os.HostProcesses;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.Database;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One schema with one connector, and what must hold of its runs whenever the controller died. The connector emits
 * records in batches of two streams, a cursor of each, and has a child of its own that no SIGTERM ends.
 */
record ConnectorScene(Drill drill, String schema, Path polyfills, Path pids) {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int BOOKS = 120;
  private static final int LOANS = 60;
  private static final int RECORDS = BOOKS + LOANS;

  /** What can have been flushed: batches of 50, and the rest of a stream before its cursor. */
  private static final Set<Long> FLUSHED = Set.of(0L, 50L, 100L, 120L, 170L, 180L);

  private static final String MANIFEST = """
      {"connector_id": "shelf", "version": "1", "streams": [
         {"name": "books", "primary_key": ["id"], "schema": {"required": ["id"]}},
         {"name": "loans", "primary_key": ["id"], "schema": {"required": ["id"]}}]}
      """;
  private static final String SCRIPT = """
      read -r start
      echo $$ >> '%1$s'
      (trap '' TERM; exec sleep 600) &
      echo $! >> '%1$s'
      emit() {
        i=0
        while [ $i -lt $2 ]; do
          echo '{"type":"RECORD","stream":"'$1'","key":"'$i'","emitted_at":"t","data":{"id":"'$i'"}}'
          i=$((i+1))
        done
        echo '{"type":"STATE","stream":"'$1'","cursor":{"count":'$2'}}'
      }
      emit books %2$s
      echo '{"type":"PROGRESS","message":"half way"}'
      emit loans %3$s
      echo '{"type":"DONE","status":"succeeded","records_emitted":%4$s}'
      read -r end
      exit 0
      """;

  private static final String TERMINAL = """
      SELECT event_type, data::json ->> 'records_flushed', data::json ->> 'state_streams_staged',
        event_seq = (SELECT max(e.event_seq) FROM {s}.spine_events e WHERE e.run_id = ?)
      FROM {s}.spine_events WHERE run_id = ? AND terminal
      """;
  private static final String KNOWN = """
      SELECT run_id FROM {s}.spine_events UNION SELECT run_id FROM {s}.run_history
      UNION SELECT run_id FROM {s}.controller_active_runs UNION SELECT run_id FROM {s}.terminal_runs
      UNION SELECT run_id FROM {s}.active_runs
      """;

  /** A new one. */
  static ConnectorScene create(Drill drill, String schema) {
    try {
      Path polyfills = Files.createTempDirectory("connectors-" + schema);
      Path folder = Files.createDirectory(polyfills.resolve(ConnectorHost.CONNECTOR));
      Path pids = polyfills.resolve("pids");
      Files.writeString(folder.resolve("manifest.json"), MANIFEST);
      Files.writeString(folder.resolve("launch.json"), "{\"command\": [\"sh\", \"connector.sh\"]}");
      Files.writeString(
          folder.resolve("connector.sh"), SCRIPT.formatted(pids, BOOKS, LOANS, RECORDS));
      return new ConnectorScene(drill, schema, polyfills, pids);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  PgConnectOptions database() {
    return PgConnectOptions.fromUri(drill.address().toUri());
  }

  /** Whether a run was accepted, and nothing is left to do about any. */
  boolean isSettled() {
    return number("SELECT count(*) FROM {s}.terminal_runs") > 0
        && number("SELECT count(*) FROM {s}.active_runs") == 0
        && number("SELECT count(*) FROM {s}.controller_active_runs") == 0;
  }

  /** The ids of all runs that anything is known of. */
  List<String> runs() {
    return rows(KNOWN, row -> row.getString(1));
  }

  /** A successor starts, settles what it finds, and runs the connector; checks what it found and what came of it. */
  void recover(Optional<String> acknowledged) {
    List<String> before = runs();
    assertThat(before).as("runs of the dead controller").hasSizeLessThanOrEqualTo(1);
    acknowledged.ifPresent(runId -> assertThat(before).containsExactly(runId));
    try (ConnectorHost second = ConnectorHost.start(database(), schema, polyfills, "second")) {
      assertThat(number("SELECT count(*) FROM {s}.controller_active_runs"))
          .as("R6.S8: locks of the dead controller")
          .isZero();
      checkNoChildLives();
      boolean completed = before.stream().allMatch(this::checkLost) && !before.isEmpty();
      String next = Await.result(second.run());
      Await.until("run " + next + " has ended", BOUND, this::isSettled);
      checkNext(next);
      checkDurable(before, completed, next);
    }
    checkNoChildLives();
  }

  /** What must hold of a run whose controller was killed; answers whether it had completed before. */
  private boolean checkLost(String runId) {
    List<String> types = terminal(runId);
    boolean completed = types.get(0).equals("run.completed");
    long changes = number("SELECT count(*) FROM {s}.record_changes WHERE run_id = ?", runId);
    long cursors = number("SELECT count(*) FROM {s}.connector_state");
    assertThat(types.get(0)).isIn("run.completed", "run.abandoned");
    assertThat(types.get(1)).as("flushed records of %s", runId).isEqualTo(Long.toString(changes));
    assertThat(number("SELECT count(*) FROM {s}.records")).as("kept records").isEqualTo(changes);
    assertThat(cursors).as("cursors after %s", types).isEqualTo(completed ? 2 : 0);
    assertThat(changes)
        .as("records after %s: whole batches", types)
        .isIn(completed ? Set.of((long) RECORDS) : FLUSHED);
    return completed;
  }

  /** The only terminal event of a run, which is its last. */
  private List<String> terminal(String runId) {
    List<List<String>> found = rows(
        TERMINAL,
        row -> List.of(row.getString(1), row.getString(2), row.getString(3), row.getString(4)),
        runId,
        runId);
    assertThat(found).as("terminal events of %s", runId).hasSize(1);
    assertThat(found.get(0).get(3))
        .as("the terminal event of %s is its last", runId)
        .isEqualTo("t");
    assertThat(number("SELECT count(*) FROM {s}.run_history WHERE run_id = ?", runId))
        .as("history of %s", runId)
        .isEqualTo(1);
    return found.get(0);
  }

  private void checkNext(String runId) {
    assertThat(terminal(runId)).startsWith("run.completed", Integer.toString(RECORDS), "2");
    assertThat(rows("SELECT DISTINCT run_id FROM {s}.connector_state", row -> row.getString(1)))
        .containsExactly(runId);
    assertThat(number("SELECT count(*) FROM {s}.records WHERE NOT deleted")).isEqualTo(RECORDS);
    assertThat(number("SELECT count(*) FROM {s}.record_changes"))
        .as("a record that was kept is not changed by the next run")
        .isEqualTo(RECORDS);
  }

  /** The runs on the lane end as their timelines say, and the statistics count each once. */
  private void checkDurable(List<String> before, boolean completed, String next) {
    before.forEach(
        runId -> assertThat(status(runId)).isEqualTo(completed ? "succeeded" : "failed"));
    assertThat(status(next)).isEqualTo("succeeded");
    assertThat(number("SELECT total_runs FROM {s}.scheduler_last_run_times"))
        .isEqualTo(before.size() + 1);
  }

  private String status(String runId) {
    return rows(
            "SELECT status FROM {s}.terminal_runs WHERE run_id = ?", row -> row.getString(1), runId)
        .get(0);
  }

  /** Neither the connector nor what it started. */
  void checkNoChildLives() {
    try {
      List<String> started = Files.exists(pids) ? Files.readAllLines(pids) : List.of();
      assertThat(started)
          .as("children that live")
          .noneMatch(pid -> HostProcesses.here().find(Long.parseLong(pid)).isPresent());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private long number(String sql, Object... parameters) {
    return drill.database().number(sql.replace("{s}", schema), parameters);
  }

  private <T> List<T> rows(String sql, Database.RowMapper<T> mapper, Object... parameters) {
    return drill.database().rows(sql.replace("{s}", schema), mapper, parameters);
  }
}
