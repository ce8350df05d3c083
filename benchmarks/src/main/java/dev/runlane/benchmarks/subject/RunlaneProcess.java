package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.CallingThreads;
import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A measured process of Runlane: one JVM, one Vert.x, one runtime. Phases: {@code started} (tables exist
 * and are empty), {@code ready} (warm), {@code done} (with results).
 */
public final class RunlaneProcess {
  private static final int MANY = 250;

  /** How much faster the JVMs are warmed up than measured: at the measured pace they would take minutes. */
  private static final int WARM_UP_HASTE = 5;

  private final Phases phases = new Phases();
  private final ProcessSettings settings = phases.settings();
  private final Workload workload = settings.workload();

  private final Supplier<Observation> observation;

  private RunlaneProcess(Supplier<Observation> observation) {
    this.observation = observation;
  }

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    main(() -> Observation.NONE);
  }

  static void main(Supplier<Observation> observation) {
    try {
      new RunlaneProcess(observation).run();
      System.exit(0);
    } catch (RuntimeException failure) {
      failure.printStackTrace();
      System.exit(1);
    }
  }

  private void run() {
    switch (workload.role()) {
      case ENQUEUE, ENQUEUE_THREADS, ENQUEUE_KEYED, ENQUEUE_MANY -> enqueue();
      case DRAIN -> drain();
      case PACED_TRIGGER -> trigger();
      case WAITING_WORKER -> work();
    }
  }

  private void enqueue() {
    try (RunlaneHost host =
            RunlaneHost.start(settings, observation.get(), (payload, context) -> done());
        Sql sql = Sql.open(settings.address())) {
      phases.reach("started");
      host.lookForWork();
      host.publishOutbox();
      create(host, 0, workload.warmUp());
      host.awaitPublished(sql);
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      create(host, workload.warmUp(), workload.allRuns());
      host.awaitPublished(sql);
      phases.reach("done", watch.results());
    }
  }

  private void create(RunlaneHost host, int from, int end) {
    if (workload.role() == Role.ENQUEUE_MANY) {
      createMany(host, workload.concurrency(), from, end);
    } else if (workload.role() == Role.ENQUEUE_THREADS) {
      CallingThreads.run(
          workload.concurrency(),
          from,
          end,
          number -> host.await(host.runlane().trigger(host.task(), Payload.of(number))));
    } else {
      host.await(
          Bursts.run(host.context(), workload.concurrency(), from, end, number -> host.runlane()
              .trigger(host.task(), Payload.of(number))));
    }
  }

  private static void createMany(RunlaneHost host, int callsAtOnce, int from, int end) {
    int calls = (end - from + MANY - 1) / MANY;
    host.await(Bursts.run(host.context(), callsAtOnce, 0, calls, call -> host.runlane()
        .triggerAll(
            host.task(),
            IntStream.range(from + call * MANY, Math.min(end, from + (call + 1) * MANY))
                .mapToObj(Payload::of)
                .toList(),
            new TriggerOptions())));
  }

  private void drain() {
    Seen seen = new Seen(workload.allRuns());
    try (RunlaneHost host = RunlaneHost.start(settings, observation.get(), (payload, context) -> {
      seen.add(payload.number());
      return done();
    })) {
      phases.reach("started");
      host.lookForWork();
      createMany(host, 2, 0, workload.warmUp());
      drain(host);
      seen.requireOnce(0, workload.warmUp());
      createMany(host, 2, workload.warmUp(), workload.allRuns());
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      drain(host);
      JsonObject results = watch.results();
      seen.requireOnce(workload.warmUp(), workload.allRuns());
      phases.reach("done", results);
    }
  }

  private void drain(RunlaneHost host) {
    WorkerOptions options =
        new WorkerOptions().setMode(WorkerMode.DRAIN).setConcurrency(workload.concurrency());
    Future<Void> closed = host.runlane().worker(options).compose(handle -> handle.closed());
    host.await(closed);
  }

  private void trigger() {
    try (RunlaneHost host =
            RunlaneHost.start(settings, observation.get(), (payload, context) -> done());
        Sql sql = Sql.open(settings.address())) {
      phases.reach("started");
      host.lookForWork();
      host.publishOutbox();
      int hurried = workload.warmUp() - workload.warmUp() / 10;
      host.await(Pace.run(host, WARM_UP_HASTE * workload.concurrency(), 0, hurried));
      host.await(Pace.run(host, workload.concurrency(), hurried, workload.warmUp()));
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      host.await(Pace.run(host, workload.concurrency(), workload.warmUp(), workload.allRuns()));
      JsonObject results = watch.results();
      host.awaitPublished(sql);
      phases.reach("done", results);
    }
  }

  private void work() {
    Seen seen = new Seen(workload.allRuns());
    Latencies latencies = new Latencies(workload.warmUp(), workload.allRuns());
    try (RunlaneHost host = RunlaneHost.start(settings, observation.get(), (payload, context) -> {
      long latencyNanos = System.nanoTime() - payload.sentNanos();
      seen.add(payload.number());
      latencies.add(payload.number(), latencyNanos); // the last one lets the main thread look
      return done();
    })) {
      phases.reach("started");
      host.lookForWork();
      host.await(host.runlane().worker(new WorkerOptions()));
      phases.reach("ready");
      host.await(latencies.complete());
      seen.requireOnce(0, workload.allRuns());
      phases.reach("done", latencies.results());
    }
  }

  private static Future<TaskResult> done() {
    return Future.succeededFuture(TaskResult.done());
  }
}
