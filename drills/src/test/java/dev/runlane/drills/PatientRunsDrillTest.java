package dev.runlane.drills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.TriggerOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs wait for a worker that is not there yet. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PatientRunsDrillTest {
  private static final int RUNS = Boolean.getBoolean("drills.full") ? 100_000 : 1_000;
  private static final int AT_ONCE = 1_000;
  private static final Duration BOUND = Duration.ofMinutes(10);

  private static final String HELD =
      "SELECT count(*) FROM runlane.active_runs JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND (lease_token IS NOT NULL OR status <> 'released')";

  @Test
  void runs_that_await_a_worker_hold_nothing_and_all_end_when_it_comes() throws Exception {
    Drill.run("patient-runs", Duration.ofSeconds(30), drill -> {
      Vertx vertx = drill.runtime().vertx();
      RemoteRuntime runtime = RemoteRuntime.create(vertx, drill.target(), "patient");
      DeployedRunlane deployed =
          Await.result(runtime.runlane().deploy(vertx, RemoteRuntime.roles("patient")));
      try {
        for (int from = 0; from < RUNS; from += AT_ONCE) {
          List<Integer> numbers = IntStream.range(from, from + AT_ONCE).boxed().toList();
          Await.result(
              runtime.runlane().triggerAll(runtime.patient(), numbers, new TriggerOptions()));
        }
        String environment = drill.target().environment();
        Duration waiting = Await.until(
            "every run waits and holds neither lease nor slot",
            BOUND,
            () -> drill.database().number(HELD, environment) == 0
                && drill.openSteps(environment) == 2L * RUNS);
        assertThat(drill.activeRuns()).isEqualTo(RUNS);
        drill.report(RUNS + " runs wait after " + waiting.toMillis() + " ms");

        Await.result(runtime.startWorker());
        Duration ending = Await.until("every run has ended", BOUND, () -> drill.activeRuns() == 0);
        drill.awaitDone(BOUND);
        drill.report("and ended after " + ending.toMillis() + " ms");
        assertThat(drill.endedRuns()).isEqualTo(RUNS);
        assertThat(drill.openSteps(environment)).isZero();
      } finally {
        Await.result(deployed.undeploy().eventually(runtime::close));
      }
    });
  }
}
