package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.FrozenProcess;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Closing, and triggering, while a server is away. */
final class ClosePieces {
  private static final int RUNS = 8;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final double CLOSE_SECONDS =
      RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.toSeconds() + 2.0;
  private static final double TRIGGER_SECONDS = 1;

  private ClosePieces() {}

  /** How a server goes away; closing what begins it brings the server back. */
  private enum Outage {
    POSTGRES_GONE("Postgres gone", "31", "92") {
      @Override
      AutoCloseable begin(Site site) {
        site.postgres().kill();
        return site.postgres()::restart;
      }
    },
    POSTGRES_FROZEN("Postgres frozen", "> 120", "> 120") {
      @Override
      AutoCloseable begin(Site site) {
        return FrozenProcess.withChildren(site.postgres().pid());
      }
    },
    BROKER_GONE("broker gone", "13 to 22", "13 to 22") {
      @Override
      AutoCloseable begin(Site site) {
        site.kafka().kill();
        return site.kafka()::restart;
      }
    },
    BROKER_FROZEN("broker frozen", "26", "26") {
      @Override
      AutoCloseable begin(Site site) {
        return FrozenProcess.withChildren(site.kafka().pid());
      }
    };

    private final String words;
    private final String beforeOf30;
    private final String beforeOf90;

    Outage(String words, String beforeOf30, String beforeOf90) {
      this.words = words;
      this.beforeOf30 = beforeOf30;
      this.beforeOf90 = beforeOf90;
    }

    abstract AutoCloseable begin(Site site);
  }

  static Piece withPostgresGone() {
    return site -> close(site, Outage.POSTGRES_GONE);
  }

  static Piece withPostgresFrozen() {
    return site -> close(site, Outage.POSTGRES_FROZEN);
  }

  static Piece withBrokerGone() {
    return site -> close(site, Outage.BROKER_GONE);
  }

  static Piece withBrokerFrozen() {
    return site -> close(site, Outage.BROKER_FROZEN);
  }

  private static List<Figure> close(Site site, Outage outage) throws Exception {
    List<Figure> figures = new ArrayList<>(close(site, outage, 30, outage.beforeOf30));
    figures.addAll(close(site, outage, 90, outage.beforeOf90));
    return figures;
  }

  /** Closing a runtime and its Vert.x, whose handlers have just come to an end that cannot be stored. */
  private static List<Figure> close(Site site, Outage outage, int lease, String before)
      throws Exception {
    PostgresAddress database = site.createDatabase();
    CountDownLatch begun = new CountDownLatch(RUNS);
    Promise<Void> finish = Promise.promise();
    Task<Integer> task = Task.define("task", Integer.class).handler((number, context) -> {
      begun.countDown();
      return finish.future().map(done -> TaskResult.done(number));
    });
    RunlaneOptions options = new RunlaneOptions().setLeaseDuration(Duration.ofSeconds(lease));
    Instance instance = Instance.onKafka(
        Site.direct(database),
        site.kafka().bootstrapServers(),
        (builder, vertx) -> builder.options(options).task(task));
    instance.work(new WorkerOptions());
    for (int i = 0; i < RUNS; i++) {
      await(instance.runlane().trigger(task, i));
    }
    if (!begun.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("runs were not begun");
    }
    AutoCloseable back = outage.begin(site);
    double runtime;
    double all;
    try {
      finish.complete();
      Future<?> late = instance.runlane().trigger(task, RUNS);
      Elapsed elapsed = Elapsed.fromNow();
      Future<?> closed = instance.runlane().close().otherwiseEmpty();
      Poll.until(PATIENCE, closed::isComplete);
      runtime = elapsed.seconds();
      Future<?> vertx = instance.vertx().close();
      Poll.until(PATIENCE, vertx::isComplete);
      all = elapsed.seconds();
      if (!late.isComplete()) {
        System.out.println("(a trigger made meanwhile has no answer)");
      }
    } finally {
      back.close();
    }
    String when = outage.words + ", leases of " + lease + " s, s";
    return List.of(
        Figure.atMost(CLOSE_SECONDS, "close with " + when, before, runtime),
        Figure.atMost(CLOSE_SECONDS, "the same with its Vert.x, " + when, before, all));
  }

  /** Triggers, one after the other, at the moment a broker vanishes and while it is away. */
  static List<Figure> brokerTrigger(Site site) throws Exception {
    List<Figure> figures = new ArrayList<>();
    for (Outage outage : List.of(Outage.BROKER_GONE, Outage.BROKER_FROZEN)) {
      PostgresAddress database = site.createDatabase();
      Task<Integer> task = Task.define("task", Integer.class)
          .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
      try (Instance instance = Instance.onKafka(
          Site.direct(database),
          site.kafka().bootstrapServers(),
          (builder, vertx) -> builder.task(task))) {
        instance.work(new WorkerOptions());
        triggerFor(3, instance, task); // warm
        AutoCloseable back = outage.begin(site);
        double slowest;
        try {
          slowest = triggerFor(15, instance, task);
        } finally {
          back.close();
        }
        figures.add(Figure.atMost(
            TRIGGER_SECONDS,
            "the slowest `trigger` in 15 s with the " + outage.words + ", s",
            outage == Outage.BROKER_GONE ? "11" : "not known",
            slowest));
      }
    }
    return figures;
  }

  /** The slowest of the triggers that one caller makes for so long; all succeed. */
  private static double triggerFor(int seconds, Instance instance, Task<Integer> task) {
    Elapsed all = Elapsed.fromNow();
    double slowest = 0;
    for (int i = 0; all.seconds() < seconds; i++) {
      Elapsed one = Elapsed.fromNow();
      await(instance.runlane().trigger(task, i));
      slowest = Math.max(slowest, one.seconds());
    }
    return slowest;
  }
}
