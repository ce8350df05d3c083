package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.QUEUE;
import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Outages that are known as such, and what is said of them. */
final class OutagePieces {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int FINISHED = 9;
  private static final Duration READ_ONLY = Duration.ofSeconds(10);
  private static final int LIVING = 340;
  private static final Duration SKEW = Duration.ofSeconds(90);
  private static final int HELD = 1_000;
  private static final int SECONDS_OF_OUTAGE = 20;
  private static final double LINES_A_SECOND = 10;

  private OutagePieces() {}

  /** Runs whose handlers are done while Postgres refuses every change, as after a failover. */
  static List<Figure> readOnly(Site site) {
    PostgresAddress database = site.createDatabase();
    Held held = new Held();
    try (Sql sql = Site.open(database);
        Instance instance = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(QUEUE).task(held.task))) {
      instance.work(new WorkerOptions());
      List<String> runs = held.begin(instance, FINISHED);
      sql.execute("ALTER SYSTEM SET default_transaction_read_only = on");
      sql.execute("SELECT pg_reload_conf()");
      try {
        Poll.pause(500); // every process of the server has read it
        held.end.complete();
        Poll.pause(READ_ONLY.toMillis());
      } finally {
        sql.execute("ALTER SYSTEM RESET default_transaction_read_only");
        sql.execute("SELECT pg_reload_conf()");
      }
      runs.forEach(run -> await(instance.runlane().awaitRun(run, PATIENCE)));
      return List.of(Figure.atMost(
          0,
          "outcomes dropped in 10 s of read-only, of " + FINISHED,
          "9",
          held.begun.get() - FINISHED));
    }
  }

  /** Runs that a process whose clock is ahead takes from one that works on them. */
  static List<Figure> clock(Site site) {
    PostgresAddress database = site.createDatabase();
    Held living = new Held();
    Held taken = new Held();
    WorkerOptions slots = new WorkerOptions().setConcurrency(LIVING);
    try (Instance instance = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(QUEUE).task(living.task));
        Instance ahead = Instance.onPostgres(Site.direct(database), (builder, vertx) -> builder
            .clock(() -> Clock.system().now().plus(SKEW))
            .queue(QUEUE)
            .task(taken.task))) {
      instance.work(slots);
      living.begin(instance, LIVING);
      ahead.work(slots);
      Poll.pause(20_000);
      living.end.complete();
      taken.end.complete();
      return List.of(Figure.atMost(
          0,
          "leases taken in 20 s by a process whose clock is 90 s ahead, of " + LIVING,
          "340",
          taken.begun.get()));
    }
  }

  /** Lines at the level of warnings and above while Postgres is gone and a thousand runs are held. */
  static List<Figure> log(Site site) {
    return List.of(linesWithout(site, "6,007", false), linesWithout(site, "82,000 in all", true));
  }

  private static Figure linesWithout(Site site, String before, boolean kafka) {
    PostgresAddress database = site.createDatabase();
    Held held = new Held();
    RunlaneOptions options = new RunlaneOptions().setLeaseDuration(Duration.ofSeconds(12));
    try (Instance instance = kafka
        ? Instance.onKafka(
            Site.direct(database),
            site.kafka().bootstrapServers(),
            (builder, vertx) -> builder.options(options).task(held.task))
        : Instance.onPostgres(
            Site.direct(database),
            (builder, vertx) -> builder.options(options).queue(QUEUE).task(held.task))) {
      instance.work(new WorkerOptions().setConcurrency(HELD));
      List<String> runs = held.begin(instance, HELD);
      try (Sql sql = Site.open(database)) {
        sql.execute(
            "CHECKPOINT"); // what earlier pieces wrote is not to be recovered in the time to start
      }
      int most;
      site.postgres().kill();
      try {
        most = mostLinesASecond(held);
      } finally {
        site.postgres().restart();
      }
      runs.forEach(run -> await(instance.runlane().awaitRun(run, PATIENCE)));
      return Figure.atMost(
          LINES_A_SECOND,
          "most lines of log in a second of an outage, " + HELD + " runs held"
              + (kafka ? ", behind Kafka" : ""),
          before,
          most);
    }
  }

  /** A first third of the outage with handlers at work, the others with outcomes that cannot be stored. */
  private static int mostLinesASecond(Held held) {
    int most = 0;
    try (CapturedErrors captured = CapturedErrors.begin()) {
      int seen = 0;
      for (int second = 0; second < SECONDS_OF_OUTAGE; second++) {
        if (second == SECONDS_OF_OUTAGE / 3) {
          held.end.complete();
        }
        Poll.pause(1_000);
        int lines = captured.lines().size();
        most = Math.max(most, lines - seen);
        seen = lines;
      }
      if (seen == 0) {
        throw new IllegalStateException("an outage was not told of");
      }
    }
    return most;
  }

  /** Runs whose handlers wait for one end. */
  private static final class Held {
    final AtomicInteger begun = new AtomicInteger();
    final Promise<Void> end = Promise.promise();
    final Task<Integer> task = Task.define("task", Integer.class).handler((number, context) -> {
      begun.incrementAndGet();
      return end.future().map(done -> TaskResult.done());
    });

    /** Triggers so many, and waits until the handlers of all have begun. */
    List<String> begin(Instance instance, int count) {
      List<String> runs = new ArrayList<>();
      await(instance
              .runlane()
              .triggerAll(task, IntStream.range(0, count).boxed().toList(), new TriggerOptions()))
          .forEach(result -> runs.add(result.run().id()));
      if (!Poll.until(PATIENCE, () -> begun.get() == count)) {
        throw new IllegalStateException(begun + " of " + count + " runs were begun");
      }
      return runs;
    }
  }
}
