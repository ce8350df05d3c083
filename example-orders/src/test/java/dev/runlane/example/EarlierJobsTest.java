package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.json.record.JobJson;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same as {@link EarlierReleasesTest} for jobs. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EarlierJobsTest {
  private static final Path RELEASES = Path.of("src", "test", "resources", "releases");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LATER = Duration.ofDays(300);

  private final Vertx vertx = Vertx.vertx();
  private ReleasedTables tables;
  private PgJobStore store;
  private Jobs jobs;
  private JobQueue queue;

  @BeforeEach
  void prepare() {
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("released_jobs").toUri());
    tables = new ReleasedTables(
        PgBuilder.pool()
            .with(new PoolOptions().setMaxSize(1))
            .connectingTo(database)
            .using(vertx)
            .build(),
        PgJobStore.class);
    store = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(database));
  }

  private void open() throws Exception {
    done(store.connect());
    jobs = Jobs.create(vertx, store);
    queue = jobs.queue("released");
  }

  private void work() {
    jobs.worker(
        "released",
        JobProcessor.of((job, signal) -> job.name().equals("fails")
            ? Future.succeededFuture(JobResult.failed(new IllegalStateException("always")))
            : Future.succeededFuture(JobResult.done(Map.of("of", job.name())))),
        new JobWorkerOptions());
  }

  @AfterEach
  void close() throws Exception {
    if (jobs != null) {
      done(jobs.close());
    }
    done(store.disconnect());
    done(vertx.close());
  }

  static List<Path> releases() throws Exception {
    try (Stream<Path> folders = Files.list(RELEASES)) {
      return folders.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_jobs_are_read_and_go_on(Path release) throws Exception {
    JsonNode stored = JSON.readTree(release.resolve("jobs.json").toFile());
    tables.load(stored.get("rows"));
    open();

    assertThat(stored.get("jobs")).hasSizeGreaterThanOrEqualTo(7);
    for (JsonNode job : stored.get("jobs")) {
      Job found = done(queue.getJob(job.get("id").asText())).orElseThrow();
      ReleasedTables.assertHasAllOf(written(found), job);
    }
    assertThat(done(queue.getSchedules()))
        .extracting(each -> each.jobName())
        .containsExactly("yearly");
    assertThat(done(queue.add("unique", "u", UNIQUE)).id()).isEqualTo("unique");

    work();
    done(queue.promoteJobs());
    for (String id : List.of("later", "grouped", "unique", "child", "parent")) {
      Job job = done(queue.getJob(id)).orElseThrow();
      assertThat(done(job.waitUntilFinished(Duration.ofSeconds(50)))).as(id).isPresent();
    }
  }

  private static final JobOptions UNIQUE = JobOptions.builder()
      .jobId("unique")
      .delay(LATER)
      .deduplication(JobDeduplication.byKey("u"))
      .build();

  /** Not a test: writes the file of the release that is named. */
  @Test
  @EnabledIfSystemProperty(named = "release.write", matches = ".+")
  void write() throws Exception {
    open();
    work();
    JobOptions later = JobOptions.builder().delay(LATER).build();
    Job completed = done(queue.add("works", Map.of("n", 1), id(JobOptions.NONE, "completed")));
    Job failed = done(queue.add(
        "fails",
        "f",
        id(
            JobOptions.builder()
                .attempts(2)
                .backoff(JobBackoff.fixed(Duration.ofMillis(10)))
                .deadLetterQueue("dead")
                .build(),
            "failed")));
    done(completed.log("a line"));
    done(queue.add("works", "l", id(later.toBuilder().priority(3).build(), "later")));
    done(queue.add("works", "g", id(later.toBuilder().group(JobGroup.of("a")).build(), "grouped")));
    done(queue.add("unique", "u", UNIQUE));
    done(jobs.flows()
        .add(FlowJob.of("parent", "released", "p")
            .with(id(JobOptions.NONE, "parent"))
            .after(FlowJob.of("child", "released", "c").with(id(later, "child")))));
    done(queue.upsertSchedule(
        "yearly", JobRepeat.cron("0 0 1 1 *"), "yearly", "y", JobOptions.NONE));
    done(completed.waitUntilFinished(Duration.ofSeconds(30)));
    done(failed
        .waitUntilFinished(Duration.ofSeconds(30))
        .recover(ended -> Future.succeededFuture()));
    ArrayNode all = JSON.createArrayNode();
    for (String id :
        List.of("completed", "failed", "later", "grouped", "unique", "parent", "child")) {
      all.add(written(done(queue.getJob(id)).orElseThrow()));
    }
    done(jobs.close());

    JSON.writerWithDefaultPrettyPrinter()
        .writeValue(
            Files.createDirectories(RELEASES.resolve(System.getProperty("release.write")))
                .resolve("jobs.json")
                .toFile(),
            Map.of("jobs", all, "rows", tables.read()));
  }

  private static JobOptions id(JobOptions options, String id) {
    return options.toBuilder().jobId(id).build();
  }

  private static JsonNode written(Job job) throws Exception {
    return JSON.readTree(JobJson.write(job.read()).text());
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future.await(60, TimeUnit.SECONDS);
  }
}
