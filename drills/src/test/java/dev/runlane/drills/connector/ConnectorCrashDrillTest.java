package dev.runlane.drills.connector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.crash.CrashPoint.When;
import dev.runlane.drills.crash.Deaths;
import dev.runlane.drills.crash.StatementLine;
import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * A controller in a process of its own is killed around each statement of a connector run that changes something:
 * acceptance, claim, events, batches, cursors, the run's end, its outcome. A successor on the same machine continues.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorCrashDrillTest {
  private static final int TOGETHER = 3;

  /** So many parts of the statements have a death each in the short form. */
  private static final int PARTS = 1;

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final String ACCEPTED = "accepted ";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());

  @Test
  void
      R6_S8_R3_S5_a_controller_killed_around_any_statement_keeps_what_it_flushed_and_commits_nothing_staged()
          throws Exception {
    System.out.println("connector crash drill: -Ddrills.seed=" + seed);

    Drill.run("connector-crash", LEASE, drill -> {
      int statements = baseline(drill);
      List<Integer> points = Deaths.points(statements, PARTS, seed);
      int died = Deaths.tryAll(
          points, TOGETHER, (nth, when) -> new Attempt(drill, nth, when).livedThrough());
      drill.report(died + " deaths around " + points.size() + " of " + statements + " statements");
      assertThat(died).isGreaterThanOrEqualTo(points.size());
    });
  }

  /** A run whose controller is killed only after it; answers how many statements it takes. */
  private static int baseline(Drill drill) {
    Attempt attempt = new Attempt(drill, Integer.MAX_VALUE, When.BEFORE);
    return attempt.livedThrough();
  }

  /** One death. */
  private static final class Attempt {
    private final Drill drill;
    private final int nth;
    private final When when;
    private final ConnectorScene scene;

    Attempt(Drill drill, int nth, When when) {
      this.drill = drill;
      this.nth = nth;
      this.when = when;
      String name = nth == Integer.MAX_VALUE ? "never" : nth + "_" + when;
      scene = ConnectorScene.create(drill, "connector_" + name.toLowerCase(Locale.ROOT));
    }

    /** How many statements there were; 0 where the line was cut. They go together now and then: there are fewer. */
    int livedThrough() {
      StatementLine line = StatementLine.open(scene.database(), nth, when);
      List<String> statements = List.of();
      try {
        JavaProcess process = drill.fork(
            scene.schema(),
            ConnectorCrashProgram.class,
            List.of(uri(line), scene.schema(), scene.polyfills().toString()));
        drill.awaitReady(process);
        line.arm();
        process.send("run");
        Await.until(
            scene.schema() + " dies or is through",
            BOUND,
            () -> line.cut().isComplete() || scene.isSettled());
        boolean died = line.cut().isComplete();
        process.kill();
        statements = line.statements();
        line.awaitEnd(drill.database());
        scene.recover(process.lastLine(ACCEPTED).map(said -> said.substring(ACCEPTED.length())));
        return died ? 0 : statements.size();
      } catch (AssertionError broken) {
        throw new AssertionError(
            "%s, killed %s statement %s of %s".formatted(scene.schema(), when, nth, statements),
            broken);
      } finally {
        line.close();
      }
    }

    /** The database of the scene, over the line. */
    private String uri(StatementLine line) {
      var options = line.options();
      return "postgresql://%s:%s@127.0.0.1:%s/%s"
          .formatted(
              options.getUser(), options.getPassword(), options.getPort(), options.getDatabase());
    }
  }
}
