package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.CallingThreads;
import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;

/**
 * A measured process of Runlane: one JVM, one Vert.x, one runtime. Phases: {@code started} (tables exist
 * and are empty), {@code ready} (warm), {@code done} (with results).
 */
public final class RunlaneProcess {
  /** How much faster the JVMs are warmed up than measured: at the measured pace they would take minutes. */
  private static final int WARM_UP_HASTE = 5;

  private final Phases phases = new Phases();
  private final ProcessSettings settings = phases.settings();
  private final Workload workload = settings.workload();

  private final Supplier<Assembly> assembly;

  private RunlaneProcess(Supplier<Assembly> assembly) {
    this.assembly = assembly;
  }

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    main(() -> Assembly.PLAIN);
  }

  static void main(Supplier<Assembly> assembly) {
    try {
      new RunlaneProcess(assembly).run();
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
      case DEPLOYED_DRAIN -> drainDeployed();
      case SHARED_DRAIN -> drainShared();
      case PACED_TRIGGER -> trigger();
      case WAITING_WORKER -> work();
    }
  }

  private void enqueue() {
    try (RunlaneHost host =
            RunlaneHost.start(settings, assembly.get(), (payload, context) -> done());
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
      host.createMany(workload.concurrency(), from, end);
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

  private void drain() {
    Seen seen = new Seen(workload.allRuns());
    try (RunlaneHost host = RunlaneHost.start(settings, assembly.get(), (payload, context) -> {
      seen.add(payload.number());
      return done();
    })) {
      phases.reach("started");
      host.lookForWork();
      host.createMany(2, 0, workload.warmUp());
      host.drain(workload.concurrency());
      seen.requireOnce(0, workload.warmUp());
      host.createMany(2, workload.warmUp(), workload.allRuns());
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      host.drain(workload.concurrency());
      JsonObject results = watch.results();
      seen.requireOnce(workload.warmUp(), workload.allRuns());
      phases.reach("done", results);
    }
  }

  /** The clock runs from when the first handlers may end until every run has. */
  private void drainDeployed() {
    Seen seen = new Seen(workload.allRuns());
    Held held = new Held();
    try (RunlaneHost host = RunlaneHost.start(settings, assembly.get(), (payload, context) -> {
          seen.add(payload.number());
          return held.end().map(TaskResult.done());
        });
        Sql sql = Sql.open(settings.address())) {
      phases.reach("started");
      host.lookForWork();
      host.publishOutbox();
      host.work(new WorkerOptions().setConcurrency(workload.concurrency()));
      host.createMany(2, 0, workload.warmUp());
      host.awaitEnded(sql);
      held.begin();
      host.createMany(2, workload.warmUp(), workload.allRuns());
      host.awaitPublished(sql);
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      host.context().runOnContext(turn -> held.release());
      host.awaitEnded(sql);
      JsonObject results = watch.results();
      seen.requireOnce(0, workload.allRuns());
      phases.reach("done", results);
    }
  }

  private void drainShared() {
    try (RunlaneHost host =
        RunlaneHost.start(settings, assembly.get(), (payload, context) -> done())) {
      phases.reach("started");
      host.lookForWork();
      phases.reach("waiting");
      host.drain(workload.concurrency());
      phases.reach("ready");
      Stopwatch watch = Stopwatch.start();
      host.drain(workload.concurrency());
      phases.reach("done", watch.results());
    }
  }

  private void trigger() {
    try (RunlaneHost host =
            RunlaneHost.start(settings, assembly.get(), (payload, context) -> done());
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
    try (RunlaneHost host = RunlaneHost.start(settings, assembly.get(), (payload, context) -> {
      long latencyNanos = System.nanoTime() - payload.sentNanos();
      seen.add(payload.number());
      latencies.add(payload.number(), latencyNanos); // the last one lets the main thread look
      return done();
    })) {
      phases.reach("started");
      host.lookForWork();
      host.work(new WorkerOptions());
      phases.reach("ready");
      host.await(latencies.complete());
      seen.requireOnce(0, workload.allRuns());
      phases.reach("done", latencies.results());
    }
  }

  private static Future<TaskResult> done() {
    return Future.succeededFuture(TaskResult.done());
  }

  /** What handlers wait for, from {@link #begin} until {@link #release}. */
  private static final class Held {
    private volatile Promise<Void> end = Promise.promise();

    Held() {
      release();
    }

    void begin() {
      end = Promise.promise();
    }

    void release() {
      end.complete();
    }

    Future<Void> end() {
      return end.future();
    }
  }
}
