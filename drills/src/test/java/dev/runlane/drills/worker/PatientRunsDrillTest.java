package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.RemoteRuntime;
import dev.runlane.drills.process.Await;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import io.vertx.core.Vertx;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs wait for a worker that is not there yet. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PatientRunsDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int RUNS = FULL ? 100_000 : 1_000;
  private static final int AT_ONCE = 1_000;
  private static final Duration BOUND = Duration.ofMinutes(10);

  /** A server process that has nothing more to do says within so long how much it has done. */
  private static final Duration TOLD = Duration.ofSeconds(11);

  private static final Duration IDLE = Duration.ofSeconds(FULL ? 30 : 5);

  /** What the sweeps of a process with all roles may need in a second, however many runs wait: usual are ten. */
  private static final long TRANSACTIONS_A_SECOND = 25;

  /** What was done before may be told late by a server process that stood still. */
  private static final int LOOKS = 6;

  private static final String HELD =
      "SELECT count(*) FROM runlane.active_runs JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND (lease_token IS NOT NULL OR status <> 'released')";

  private static final String NOT_ASKED =
      "SELECT count(*) FROM runlane.pending_steps JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND (dispatched_at IS NULL OR claim_token IS NOT NULL)";

  private static final String TRANSACTIONS =
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

  private static final String CONNECTIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";

  private static final String IN_TRANSACTION =
      CONNECTIONS + " AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
          + " AND backend_type = 'client backend'";

  private static final String EVENTS =
      "SELECT count(*) FROM runlane.run_events JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ? AND type = ?";

  private static final String RUNS_WITH_EVENT =
      EVENTS.replace("count(*)", "count(DISTINCT run_id)");

  /** Everything but the worker of the steps, with the usual pauses: they are what waiting costs. */
  private static RunlaneDeployment roles() {
    return RemoteRuntime.roles("patient")
        .setWorker(new WorkerOptions().setWorkerId("patient").setConcurrency(64))
        .setStepDispatcher(new StepDispatcherOptions())
        .setStepResults(new StepDeliveryOptions());
  }

  @Test
  void runs_that_await_a_worker_cost_and_hold_nothing_and_all_end_once_when_it_comes()
      throws Exception {
    Drill.run("patient-runs", Duration.ofSeconds(30), drill -> {
      Vertx vertx = drill.runtime().vertx();
      RemoteRuntime runtime = RemoteRuntime.create(vertx, drill.target(), "patient");
      DeployedRunlane deployed = Await.result(runtime.runlane().deploy(vertx, roles()));
      try {
        String environment = drill.target().environment();
        long connections = drill.database().number(CONNECTIONS);
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();

        trigger(runtime);
        Duration waiting = Await.until(
            "every run waits, holds neither lease nor slot, and a worker was asked",
            BOUND,
            () -> drill.database().number(HELD, environment) == 0
                && drill.openSteps(environment) == 2L * RUNS
                && drill.database().number(NOT_ASKED, environment) == 0
                && drill.outboxMessages(environment) == 0);
        drill.report(RUNS + " runs wait after " + waiting.toSeconds() + " s");
        assertThat(drill.activeRuns()).isEqualTo(RUNS);

        long patient = transactionsWhileIdle(drill);
        drill.report("while they wait " + patient + " transactions in " + IDLE.toSeconds() + " s");
        assertThat(patient).isLessThan(TRANSACTIONS_A_SECOND * IDLE.toSeconds());
        // A sweep may be under way at any one look; one that a run kept open would be there at
        // each.
        Await.until(
            "no transaction is open", BOUND, () -> drill.database().number(IN_TRANSACTION) == 0);
        assertThat(drill.database().number(CONNECTIONS)).isLessThan(connections + 20);
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThan(threads + 50);

        Await.result(runtime.startWorker());
        Duration ending = Await.until("every run has ended", BOUND, () -> drill.activeRuns() == 0);
        drill.awaitDone(environment, BOUND);
        drill.report("all ended after " + ending.toSeconds() + " s");
        assertThat(drill.endedRuns()).isEqualTo(RUNS);
        Await.until("no step is left", BOUND, () -> drill.openSteps(environment) == 0);
        for (String once : List.of("run.step_requested", "run.step_completed", "run.succeeded")) {
          assertThat(drill.database().number(EVENTS, environment, once))
              .as(once)
              .isEqualTo(RUNS);
          assertThat(drill.database().number(RUNS_WITH_EVENT, environment, once))
              .as("runs with " + once)
              .isEqualTo(RUNS);
        }
      } finally {
        Await.result(deployed.undeploy().eventually(runtime::close));
      }
    });
  }

  private static void trigger(RemoteRuntime runtime) {
    for (int from = 0; from < RUNS; from += AT_ONCE) {
      List<Integer> numbers = IntStream.range(from, from + AT_ONCE).boxed().toList();
      Await.result(runtime.runlane().triggerAll(runtime.patient(), numbers, new TriggerOptions()));
    }
  }

  /** How many transactions the database sees while nobody asks for anything; looks again where they are too many. */
  private static long transactionsWhileIdle(Drill drill) {
    drill.pass(TOLD);
    long seen = Long.MAX_VALUE;
    for (int look = 0; look < LOOKS && seen >= TRANSACTIONS_A_SECOND * IDLE.toSeconds(); look++) {
      long before = drill.database().number(TRANSACTIONS);
      drill.pass(IDLE);
      seen = drill.database().number(TRANSACTIONS) - before;
    }
    return seen;
  }
}
