package dev.runlane.benchmarks.steps;

import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Runs, one after the other or all at once, each of which asks for remote steps one after the other: the time from the
 * call of a step until the handler continues with its answer, and steps a second. All roles of the runtime are at work,
 * with their defaults.
 */
final class RunChain {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String step;
  private final int steps;
  private final Latencies latencies;
  private final long[] askedAt;
  private final boolean[] answered;
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger measured = new AtomicInteger();
  private double stepsPerSecond; // of runs at once

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
  static Future<JsonObject> oneByOne(
      Vertx vertx,
      PgConnectOptions address,
      StepTransport transport,
      String step,
      int runs,
      int steps) {
    RunChain chain = new RunChain(step, runs, steps);
    return chain.deployed(
        vertx,
        address,
        transport,
        "steps-run-chain",
        new RunlaneOptions(),
        (runlane, task) -> chain.runAll(runlane, task, 0, runs));
  }

  /**
   * Measures so many runs that begin together, after a tenth of them as warm-up.
   *
   * @param waiting whether attempts that only wait may do so without a slot
   */
  static Future<JsonObject> atOnce(
      Vertx vertx,
      PgConnectOptions address,
      StepTransport transport,
      String step,
      int runs,
      int steps,
      boolean waiting) {
    RunChain chain = new RunChain(step, runs, steps);
    int warmUp = runs / 10;
    RunlaneOptions options = new RunlaneOptions();
    if (!waiting) {
      options.setStepWaitWithoutSlot(Duration.ZERO);
    }
    String workload = waiting ? "steps-run-burst" : "steps-run-burst-released";
    return chain.deployed(vertx, address, transport, workload, options, (runlane, task) -> chain
        .burst(runlane, task, 0, warmUp)
        .compose(warm -> {
          chain.attempts.set(0);
          chain.measured.set(0);
          long began = System.nanoTime();
          return chain
              .burst(runlane, task, warmUp, runs)
              .onSuccess(done -> chain.stepsPerSecond =
                  (runs - warmUp) * steps * 1e9 / (System.nanoTime() - began));
        }));
  }

  private Future<JsonObject> deployed(
      Vertx vertx,
      PgConnectOptions address,
      StepTransport transport,
      String workload,
      RunlaneOptions options,
      BiFunction<Runlane, Task<Integer>, Future<Void>> work) {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(address));
    Task<Integer> task = Task.define("chain", Integer.class).handler(this::run);
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .stepTransport(transport)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .options(options)
        .build();
    return runlane
        .deploy(vertx, new RunlaneDeployment())
        .compose(deployed -> work.apply(runlane, task)
            .compose(done -> latencies.complete())
            .eventually(deployed::undeploy))
        .eventually(runlane::close)
        .map(done -> results(workload));
  }

  private Future<Void> burst(Runlane runlane, Task<Integer> task, int from, int to) {
    return Future.all(IntStream.range(from, to)
            .mapToObj(number -> runlane
                .trigger(task, number)
                .compose(triggered -> runlane.awaitRun(triggered.run().id(), PATIENCE))
                .onSuccess(ended -> {
                  measured.incrementAndGet();
                  attempts.addAndGet(ended.counters().attempts());
                }))
            .toList())
        .mapEmpty();
  }

  private Future<Void> runAll(Runlane runlane, Task<Integer> task, int number, int runs) {
    return number == runs
        ? Future.succeededFuture()
        : runlane
            .trigger(task, number)
            .compose(triggered -> runlane.awaitRun(triggered.run().id(), PATIENCE))
            .compose(ended -> {
              measured.incrementAndGet();
              attempts.addAndGet(ended.counters().attempts());
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

  private JsonObject results(String workload) {
    JsonObject results = latencies
        .results()
        .put("workload", workload)
        .put("runs", measured.get())
        .put("stepsPerRun", steps)
        .put("attemptsPerRun", attempts.get() / (double) measured.get());
    return stepsPerSecond == 0 ? results : results.put("stepsPerSecond", stepsPerSecond);
  }
}
