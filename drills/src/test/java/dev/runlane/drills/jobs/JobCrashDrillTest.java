package dev.runlane.drills.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.crash.CrashPoint.When;
import dev.runlane.drills.crash.Deaths;
import dev.runlane.drills.crash.StatementLine;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.jobs.JobHistory.Step;
import dev.runlane.drills.process.Await;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * A program with every kind of job in flight dies around each statement that changes something; its successor goes
 * on.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobCrashDrillTest {
  private static final int TOGETHER = 4;

  /** So many parts of the statements have a death each in the short form. */
  private static final int PARTS = 2;

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(2);

  private static final String SETTLED = """
      SELECT (SELECT count(*) FROM {s}.jobs
          WHERE state IN ('waiting', 'delayed', 'waiting-children', 'active') AND queue <> 'letters')
        + (SELECT count(*) FROM {s}.job_schedules WHERE next_at IS NOT NULL)
      """;
  private static final String JOBS =
      "SELECT id, name, queue, state, coalesce(failed_reason, ''), progress FROM {s}.jobs";
  private static final String METRICS =
      "SELECT coalesce(sum(completed), 0), coalesce(sum(failed), 0) FROM {s}.job_metrics"
          + " WHERE name = '__all__' AND granularity = 'minute'";
  private static final String LINES =
      "SELECT body FROM {s}.job_entries WHERE job_id = 'logs' AND kind = 0 ORDER BY number";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());

  @Test
  void a_program_that_dies_around_any_statement_loses_and_doubles_nothing() throws Exception {
    System.out.println("job crash drill: -Ddrills.seed=" + seed);

    Drill.run("job-crash", LEASE, drill -> {
      int statements = baseline(drill);
      List<Integer> points = Deaths.points(statements, PARTS, seed);
      int died = Deaths.tryAll(points, TOGETHER, (nth, when) -> crash(drill, nth, when));
      drill.report(died + " deaths around " + points.size() + " of " + statements + " statements");
      assertThat(died).isGreaterThanOrEqualTo(points.size());
    });
  }

  /** What happens when nothing does; answers how many statements that takes. */
  private static int baseline(Drill drill) {
    Scene scene = new Scene(drill, "crash_never");
    StatementLine line = StatementLine.open(scene.database());
    CrashingJobs only = CrashingJobs.open(line.options(), scene.schema(), "first");
    line.arm();
    Await.result(only.run(Set.of()));
    scene.awaitSettled();
    int statements = line.statements().size();
    only.close();
    line.close();
    scene.check();
    return statements;
  }

  /** Statements may go together now and then, so that there are fewer. */
  private static int crash(Drill drill, int nth, When when) {
    Scene scene =
        new Scene(drill, "crash_" + nth + "_" + when.name().toLowerCase(java.util.Locale.ROOT));
    StatementLine line = StatementLine.open(scene.database(), nth, when);
    CrashingJobs first = CrashingJobs.open(line.options(), scene.schema(), "first");
    line.arm();
    Future<Void> added = first.run(Set.of());
    Await.until(
        scene.schema() + " dies or is through",
        BOUND,
        () -> line.cut().isComplete() || added.succeeded() && scene.isSettled());
    boolean died = line.cut().isComplete();
    List<String> statements = line.statements();
    String last = died ? statements.get(nth - 1) : "none";
    first.abandon();
    line.close();
    line.awaitEnd(drill.database());
    try {
      recover(scene);
      scene.check();
    } catch (AssertionError broken) {
      throw new AssertionError(
          "%s, dead %s statement %s, %s".formatted(scene.schema(), when, nth, last), broken);
    }
    return died ? 0 : statements.size();
  }

  /** What a successor does: add what is not there, and work on. */
  private static void recover(Scene scene) {
    CrashingJobs second = CrashingJobs.open(scene.database(), scene.schema(), "second");
    try {
      Await.result(second.run(scene.known()));
      scene.awaitSettled();
    } finally {
      second.close();
    }
  }

  /** One schema. */
  private record Scene(Drill drill, String schema) {
    Scene {
      CrashingJobs.open(PgConnectOptions.fromUri(drill.address().toUri()), schema, "setup")
          .close();
      JobTables.create(drill.database(), schema);
    }

    PgConnectOptions database() {
      return PgConnectOptions.fromUri(drill.address().toUri());
    }

    /** Every job that was ever there. */
    Set<String> known() {
      return new HashSet<>(rows("SELECT DISTINCT job_id FROM {s}.drill_job_steps"));
    }

    boolean isSettled() {
      return drill.database().number(SETTLED.replace("{s}", schema)) == 0;
    }

    void awaitSettled() {
      Await.until(schema + " has no open job", BOUND, this::isSettled);
    }

    void check() {
      JobHistory history = JobHistory.read(drill.database(), schema);
      JobHistory once = history.without(CrashingJobs.LETTERS).without(CrashingJobs.AGAIN);
      assertThat(JobRules.violations(once, Integer.MAX_VALUE, Map.of())).isEmpty();
      Map<String, String> ends = new HashMap<>();
      List<String> repeated = new ArrayList<>();
      drill
          .database()
          .rows(
              JOBS.replace("{s}", schema),
              row -> List.of(
                  row.getString(1),
                  row.getString(2),
                  row.getString(3),
                  row.getString(4) + " " + row.getString(5)
                      + (row.getDouble(6) > 0 ? row.getInt(6) : "")))
          .forEach(row -> {
            if (List.of("tick", "series", "revived").contains(row.get(1))) {
              repeated.add(row.get(1) + " " + row.get(3));
            } else if (row.get(2).equals(CrashingJobs.LETTERS)) {
              repeated.add("letter " + row.get(3));
            } else {
              ends.put(row.get(0), row.get(3));
            }
          });
      assertThat(ends).isEqualTo(expected());
      assertThat(repeated)
          .containsExactlyInAnyOrder(
              "tick completed ",
              "tick completed ",
              "tick completed ",
              "series completed ",
              "series completed ",
              "series completed ",
              "revived failed no luck",
              "revived completed ",
              "letter waiting ");
      checkFires();
      checkMetrics(history);
      checkLines(history);
    }

    private static Map<String, String> expected() {
      Map<String, String> ends = new HashMap<>();
      for (String completed : List.of(
          "done-top",
          "done-parent",
          "child-done",
          "other-done",
          "other-fails",
          "goes-top",
          "drained-parent",
          "removed-parent",
          "obliterated-parent",
          "debounced",
          "again",
          "other-goes",
          "snoozes")) {
        ends.put(completed, "completed ");
      }
      ends.put("twice", "completed no luck");
      ends.put("logs", "completed 50");
      ends.put("child-fails", "failed no luck");
      ends.put("child-goes", "failed no luck");
      ends.put("fails-letter", "failed no luck");
      ends.put("fails-parent", "failed Child failed: no luck");
      ends.put("fails-top", "failed Child failed: Child failed: no luck");
      ends.put("cancelled", "failed Job cancelled");
      return ends;
    }

    private void checkFires() {
      assertThat(drill
              .database()
              .number("SELECT fired FROM " + schema + ".job_schedules WHERE key = 'schedule'"))
          .isEqualTo(CrashingJobs.RUNS);
      assertThat(drill
              .database()
              .number("SELECT count(*) FROM " + schema
                  + ".jobs WHERE deduplication_slot IS NOT NULL OR lock_token IS NOT NULL"))
          .isZero();
      assertThat(drill.database().number("SELECT count(*) FROM " + schema + ".job_pauses"))
          .isZero();
    }

    /** Every end is counted with the end itself. */
    private void checkMetrics(JobHistory history) {
      long completed = history.steps().stream()
          .filter(step ->
              "completed".equals(step.became()) || step.became() == null && step.endsHandOut())
          .count();
      long failed = history.steps().stream()
          .filter(step -> "failed".equals(step.became()))
          .count();
      assertThat(drill
              .database()
              .rows(METRICS.replace("{s}", schema), row -> List.of(row.getLong(1), row.getLong(2))))
          .containsExactly(List.of(completed, failed));
    }

    /** One line for each hand-out that came so far, that of the last one among them. */
    private void checkLines(JobHistory history) {
      int last = history.steps().stream()
          .filter(step -> step.jobId().equals("logs"))
          .mapToInt(Step::startedAttempts)
          .max()
          .orElseThrow();
      assertThat(rows(LINES)).doesNotHaveDuplicates().endsWith("line " + last);
    }

    private List<String> rows(String sql) {
      return drill
          .database()
          .rows(sql.replace("{s}", schema), row -> Objects.requireNonNull(row.getString(1)));
    }
  }
}
