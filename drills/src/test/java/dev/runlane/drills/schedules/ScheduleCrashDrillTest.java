package dev.runlane.drills.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.drills.crash.CrashPoint.When;
import dev.runlane.drills.crash.Deaths;
import dev.runlane.drills.crash.StatementLine;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.timing.ManualClock;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A scheduler of connectors dies around each statement that changes something; its successor continues. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ScheduleCrashDrillTest {
  private static final int TOGETHER = 3;

  /** So many parts of the statements have a death each in the short form. */
  private static final int PARTS = 1;

  private static final Duration BOUND = Duration.ofMinutes(2);

  private final long seed = Long.getLong("drills.seed", System.nanoTime());

  @Test
  void
      a_scheduler_that_dies_around_any_statement_starts_and_tells_nothing_twice_and_forgets_nothing()
          throws Exception {
    System.out.println("schedule crash drill: -Ddrills.seed=" + seed);

    Drill.run("schedule-crash", Duration.ofSeconds(2), drill -> {
      int statements = baseline(drill);
      List<Integer> points = Deaths.points(statements, PARTS, seed);
      int died = Deaths.tryAll(points, TOGETHER, (nth, when) -> crash(drill, nth, when));
      drill.report(died + " deaths around " + points.size() + " of " + statements + " statements");
      assertThat(died).isEqualTo(2 * points.size());
    });
  }

  private static PgConnectOptions database(Drill drill) {
    return PgConnectOptions.fromUri(drill.address().toUri());
  }

  /** What happens when nothing does; answers how many statements that takes. */
  private static int baseline(Drill drill) {
    ManualClock clock = ManualClock.at(CrashingSchedules.START);
    StatementLine line = StatementLine.open(database(drill));
    CrashingSchedules only = prepared(drill, line, "schedule_never", clock);
    line.arm();
    only.run();
    int statements = line.statements().size();
    check(only, CrashingSchedules.INTERVAL);
    only.close();
    line.close();
    return statements;
  }

  private static CrashingSchedules prepared(
      Drill drill, StatementLine line, String schema, ManualClock clock) {
    CrashingSchedules setup = CrashingSchedules.open(database(drill), schema, clock);
    setup.prepare();
    setup.close();
    return CrashingSchedules.open(line.options(), schema, clock);
  }

  /** Its successor's clock is where it left it. */
  private static int crash(Drill drill, int nth, When when) {
    String schema = "schedule_" + nth + "_" + when.name().toLowerCase(Locale.ROOT);
    ManualClock clock = ManualClock.at(CrashingSchedules.START);
    StatementLine line = StatementLine.open(database(drill), nth, when);
    CrashingSchedules first = prepared(drill, line, schema, clock);
    line.arm();
    runUntilDeath(first, line);
    boolean died = line.cut().isComplete();
    List<String> statements = line.statements();
    String last = died ? statements.get(nth - 1) : "none";
    first.abandon();
    line.close();
    line.awaitEnd(drill.database());
    CrashingSchedules second = CrashingSchedules.open(database(drill), schema, clock);
    try {
      second.run();
      check(second, CrashingSchedules.INTERVAL);
    } catch (AssertionError broken) {
      throw new AssertionError(
          "%s, dead %s statement %s, %s".formatted(schema, when, nth, last), broken);
    } finally {
      second.close();
    }
    return died ? 0 : statements.size();
  }

  /** What it does after its death fails or is never answered, and is nothing to anybody. */
  private static void runUntilDeath(CrashingSchedules first, StatementLine line) {
    Promise<Void> over = Promise.promise();
    Thread program = new Thread(
        () -> {
          try {
            first.run();
            over.complete();
          } catch (RuntimeException | AssertionError dead) {
            over.fail(dead);
          }
        },
        "schedules");
    program.setDaemon(true);
    program.start();
    Await.until(
        "it dies or is through",
        BOUND,
        () -> line.cut().isComplete() || over.future().isComplete());
  }

  private static void check(CrashingSchedules schedules, Duration interval) {
    List<RunHistoryEntry> runs = schedules.ended();
    assertThat(runs)
        .extracting(run -> run.failureReason() + " " + run.trigger().attempt())
        .containsExactlyElementsOf(CrashingSchedules.ENDS.stream()
            .map(end -> end.reason() + " " + end.attempt())
            .toList());
    assertThat(schedules.counted()).isEqualTo(runs.size());
    for (int next = 1; next < runs.size(); next++) {
      RunHistoryEntry run = runs.get(next);
      boolean waits = run.trigger().attempt() == 1 && run.trigger().source() == RunSource.SCHEDULED;
      assertThat(run.startedAt())
          .as("run %d starts when it is due", next + 1)
          .isAfterOrEqualTo(
              runs.get(next - 1).completedAt().plus(waits ? interval : Duration.ofSeconds(1)));
    }
    assertThat(schedules.skips())
        .containsExactly(
            "scheduler_backoff_applied: 4 failures in a row: permission_error",
            "needs_human_attention: connector_reported_failed",
            "single-use grant already consumed");
    assertThat(schedules.notices())
        .containsExactly(
            "schedule.back_off.started", "schedule.back_off.cleared", "schedule.attention_needed");
    assertThat(schedules.grant()).isEqualTo(GrantState.CONSUMED);
  }
}
