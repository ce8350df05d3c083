package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.benchmarks.backlog.JobBacklog;
import dev.runlane.benchmarks.backlog.RunBacklog;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Single calls beside very much that waits. */
final class BacklogPieces {
  private static final int RETRIED = 200_000;
  private static final int SEARCHED = 200_000;
  private static final int GROUPED = 1_000_000;
  private static final int FOREIGN = 300_000;
  private static final double CLAIM_MILLIS = 5;
  private static final Map<String, String> LOOKS = Map.of(
      "jobs-list-queues", "`listQueues`",
      "jobs-counts", "the counts of a queue",
      "jobs-search-name", "a search by name",
      "jobs-search-payload", "a search by payload");

  private BacklogPieces() {}

  private interface Measured {
    List<Figure> by(JobBacklog backlog, Runnable vacuum);
  }

  /** One call that retries a failed queue. */
  static List<Figure> retryJobs(Site site) {
    return jobs(site, (backlog, vacuum) -> {
      JsonObject retry = backlog.measureRetry(RETRIED, vacuum);
      return List.of(Figure.atMost(
          60,
          "`retryJobs` on 200,000 jobs, s",
          "no answer in 300",
          retry.getDouble("p50Millis") / 1_000));
    });
  }

  /** Fetches of one job of ten thousand groups. */
  static List<Figure> groupedFetch(Site site) {
    return jobs(site, (backlog, vacuum) -> {
      JsonObject fetch = backlog.measure(GROUPED, vacuum).stream()
          .filter(each -> each.getString("workload").equals("jobs-fetch-group-alone"))
          .findAny()
          .orElseThrow();
      return List.of(
          Figure.atMost(
              2,
              "Postgres's CPU of a grouped fetch, 10,000 groups and 1,000,000 jobs, ms",
              "77",
              fetch.getDouble("serverMicrosPerCall") / 1_000),
          Figure.beside("the same until its answer, p50, ms", fetch.getDouble("p50Millis")));
    });
  }

  /** What an operator looks for. */
  static List<Figure> searches(Site site) {
    return jobs(site, (backlog, vacuum) -> {
      List<Figure> figures = new ArrayList<>();
      for (JsonObject each : backlog.measureSearches(SEARCHED, vacuum)) {
        figures.add(Figure.atMost(
            100,
            LOOKS.get(each.getString("workload")) + " over 200,000 jobs, p50, ms",
            "unbounded",
            each.getDouble("p50Millis")));
      }
      return figures;
    });
  }

  private static List<Figure> jobs(Site site, Measured measured) {
    PostgresAddress database = site.createDatabase();
    Vertx vertx = Vertx.vertx();
    try {
      PgJobStore store = PgJobStore.create(
          vertx, new PgJobStoreOptions().setConnectOptions(Site.direct(database)));
      await(store.connect());
      TimedCalls calls = new TimedCalls(site.scratch().pid());
      List<Figure> figures = measured.by(
          new JobBacklog(store, vertx.getOrCreateContext(), calls), () -> vacuum(database));
      await(store.disconnect());
      return figures;
    } finally {
      await(vertx.close());
    }
  }

  /** Claims beside due runs of a task that the process does not have. */
  static List<Figure> foreignClaim(Site site) {
    PostgresAddress database = site.createDatabase();
    Vertx vertx = Vertx.vertx();
    try {
      PgStorageAdapter storage = PgStorageAdapter.create(
          vertx, new PgStorageOptions().setConnectOptions(Site.direct(database)));
      List<JsonObject> claims = new RunBacklog(
              vertx, storage, new TimedCalls(site.scratch().pid()))
          .measure(FOREIGN, () -> vacuum(database));
      return List.of(
          Figure.beside(
              "a claim with nothing beside it, p50, ms", claims.get(0).getDouble("p50Millis")),
          Figure.atMost(
              CLAIM_MILLIS,
              "a claim beside 300,000 due runs of a foreign task, p50, ms",
              "725",
              claims.get(2).getDouble("p50Millis")),
          Figure.atMost(
              CLAIM_MILLIS,
              "a claim beside them that finds nothing, p50, ms",
              "725",
              claims.get(3).getDouble("p50Millis")));
    } finally {
      await(vertx.close());
    }
  }

  private static void vacuum(PostgresAddress database) {
    try (Sql sql = Site.open(database)) {
      sql.execute("VACUUM ANALYZE");
    }
  }
}
