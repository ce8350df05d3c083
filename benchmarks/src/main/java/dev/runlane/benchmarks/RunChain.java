package dev.runlane.benchmarks;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;

/**
 * Runs one after the other, each of which asks for remote steps one after the other: the time from the call of a
 * step until the handler continues with its answer. All roles of the runtime are at work, with their defaults.
 */
final class RunChain {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String step;
  private final int steps;
  private final Latencies latencies;
  private final long[] askedAt;
  private final boolean[] answered;
  private int attempts;

  private RunChain(String step, int runs, int steps) {
    this.step = step;
    this.steps = steps;
    latencies = new Latencies(runs * steps / 3, runs * steps); // the first third is the warm-up
    askedAt = new long[runs * steps];
    answered = new boolean[runs * steps];
  }

  /**
   * Measures so many runs; a third of them is the warm-up.
   *
   * @param step the name of the steps, which somebody answers
   */
  static Future<JsonObject> measure(
      Vertx vertx,
      PgConnectOptions address,
      StepTransport transport,
      String step,
      int runs,
      int steps) {
    RunChain chain = new RunChain(step, runs, steps);
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(address));
    Task<Integer> task = Task.define("chain", Integer.class).handler(chain::run);
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .stepTransport(transport)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();
    return runlane
        .deploy(vertx, new RunlaneDeployment())
        .compose(deployed -> chain
            .runAll(runlane, task, 0, runs)
            .compose(done -> chain.latencies.complete())
            .eventually(deployed::undeploy))
        .eventually(runlane::close)
        .map(done -> chain.results(runs));
  }

  private Future<Void> runAll(Runlane runlane, Task<Integer> task, int number, int runs) {
    return number == runs
        ? Future.succeededFuture()
        : runlane
            .trigger(task, number)
            .compose(triggered -> runlane.awaitRun(triggered.run().id(), PATIENCE))
            .compose(ended -> {
              attempts += ended.counters().attempts();
              return runAll(runlane, task, number + 1, runs);
            });
  }

  private Future<TaskResult> run(int number, TaskContext context) {
    Future<Void> last = Future.succeededFuture();
    for (int each = number * steps; each < (number + 1) * steps; each++) {
      int place = each;
      last = last.compose(before -> ask(place, context));
    }
    return last.map(TaskResult.done());
  }

  /** A replay asks again for what was answered before. */
  private Future<Void> ask(int place, TaskContext context) {
    if (askedAt[place] == 0) {
      askedAt[place] = System.nanoTime();
    }
    return context.remote(step, place, Integer.class).map(answer -> {
      if (answer != place) {
        throw new IllegalStateException("step " + place + " was answered with " + answer);
      }
      if (!answered[place]) {
        answered[place] = true;
        latencies.add(place, System.nanoTime() - askedAt[place]);
      }
      return null;
    });
  }

  private JsonObject results(int runs) {
    return latencies
        .results()
        .put("workload", "steps-run-chain")
        .put("runs", runs)
        .put("stepsPerRun", steps)
        .put("attemptsPerRun", attempts / (double) runs);
  }
}
