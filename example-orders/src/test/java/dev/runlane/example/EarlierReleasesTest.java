package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

/**
 * What each release has stored, its rows, events and records as files, is read by the code of today, and its runs go
 * on. A release adds its folder with {@code -Drelease.write=VERSION} on its own code, and nobody edits one afterwards.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EarlierReleasesTest {
  private static final Path RELEASES = Path.of("src", "test", "resources", "releases");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TaskQueue BOUNDED = TaskQueue.of("bounded").concurrencyLimit(2);

  private static final Task<String> DONE = Task.define("release.done", String.class)
      .idempotencyKey(payload -> payload, IdempotencyTtl.of(TriggerOptions.LONGEST_DELAY))
      .singletonKey(payload -> payload)
      .tag("customer", payload -> "of-" + payload)
      .schedule(Schedule.cron("yearly", "0 0 1 1 *", "Europe/Berlin")
          .payload("scheduled")
          .disabled())
      .handler(
          (payload, context) -> Future.succeededFuture(TaskResult.done(Map.of("of", payload))));
  private static final Task<String> FAILS = Task.define("release.fails", String.class)
      .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofMillis(10)))
      .handler((payload, context) -> Future.failedFuture("always"));
  private static final Task<String> STEPS = Task.define("release.steps", String.class)
      .handler((payload, context) -> context
          .step("first", String.class, () -> Future.succeededFuture("first of " + payload))
          .compose(first -> context
              .sleep(Duration.ofMinutes(2))
              .compose(slept -> context.step(
                  "second", String.class, () -> Future.succeededFuture("second after " + first))))
          .map(TaskResult::done));
  private static final Task<String> LATER = Task.define("release.later", String.class)
      .queue(BOUNDED)
      .concurrencyKey(payload -> payload)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));

  private final Vertx vertx = Vertx.vertx();
  private PgConnectOptions database;
  private ReleasedTables tables;
  private Runlane runlane;

  @BeforeEach
  void connect() {
    database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("releases").toUri());
    Pool pool = PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(1))
        .connectingTo(database)
        .using(vertx)
        .build();
    tables = new ReleasedTables(pool, PgStorageAdapter.class);
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .queue(BOUNDED)
        .tasks(List.of(DONE, FAILS, STEPS, LATER))
        .build();
  }

  @AfterEach
  void close() throws Exception {
    done(runlane.close());
    done(vertx.close());
  }

  static List<Path> releases() throws Exception {
    try (Stream<Path> folders = Files.list(RELEASES)) {
      return folders.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_rows_events_and_records_are_read(Path release) throws Exception {
    tables.load(JSON.readTree(release.resolve("rows.json").toFile()));
    done(runlane.start());
    JsonNode runs = JSON.readTree(release.resolve("runs.json").toFile());

    assertThat(runs).hasSizeGreaterThanOrEqualTo(5);
    for (JsonNode run : runs) {
      String id = run.get("record").get("id").asText();
      RunRecord record = done(runlane.runs().get(id)).orElseThrow();
      List<RunEventRecord> events = events(id);
      ReleasedTables.assertHasAllOf(tree(RunRecordJson.write(record).text()), run.get("record"));
      assertThat(events).hasSameSizeAs(run.get("events"));
      for (int i = 0; i < events.size(); i++) {
        ReleasedTables.assertHasAllOf(
            tree(RunEventJson.write(events.get(i)).text()), run.get("events").get(i));
        assertThat(
                RunEventJson.readRecord(Json.ofChecked(run.get("events").get(i).toString())))
            .isEqualTo(events.get(i));
      }
      RunRecord projected = RunReducer.projectRunEvents(
          null,
          ContractDefaults.NEW_EVENT_SEQUENCE,
          events.stream().map(RunEventRecord::event).toList());
      assertThat(projected).isEqualTo(record);
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_runs_go_on(Path release) throws Exception {
    tables.load(JSON.readTree(release.resolve("rows.json").toFile()));
    done(runlane.deploy(vertx, new RunlaneDeployment()));

    JsonNode runs = JSON.readTree(release.resolve("runs.json").toFile());
    List<RunRecord> waited = new ArrayList<>();
    for (JsonNode run : runs) {
      RunRecord before = RunRecordJson.read(Json.ofChecked(run.get("record").toString()));
      if (!before.status().isTerminal()) {
        waited.add(done(runlane.awaitRun(before.id(), Duration.ofSeconds(50))));
      }
    }

    assertThat(waited).extracting(RunRecord::status).containsOnly(RunStatus.SUCCEEDED);
    assertThat(waited)
        .extracting(RunRecord::output)
        .containsExactly(Json.ofChecked("\"second after first of s\""), Json.ofChecked("\"l\""));
    assertThat(done(runlane.trigger(DONE, "d")).outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(done(runlane.trigger(DONE, "another")).outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  private List<RunEventRecord> events(String runId) throws Exception {
    return done(runlane.runs().events(runId)).data();
  }

  /** Not a test: writes the folder of the release that is named. */
  @Test
  @EnabledIfSystemProperty(named = "release.write", matches = ".+")
  void write() throws Exception {
    done(runlane.deploy(vertx, new RunlaneDeployment()));
    List<String> ended = new ArrayList<>();
    ended.add(done(runlane.trigger(DONE, "d")).run().id());
    ended.add(done(runlane.trigger(FAILS, "f")).run().id());
    String steps = done(runlane.trigger(STEPS, "s")).run().id();
    String later = done(runlane.trigger(
            LATER,
            "l",
            new TriggerOptions().setDelay(Duration.ofMinutes(2)).setMeta(Map.of("by", "hand"))))
        .run()
        .id();
    String cancelled = done(runlane.trigger(
            LATER, "c", new TriggerOptions().setDelay(Duration.ofMinutes(2))))
        .run()
        .id();
    done(runlane.runs().cancel(cancelled, new RunActionOptions().setReason("not wanted")));
    ended.add(cancelled);
    for (String run : ended) {
      done(runlane.awaitRun(run, Duration.ofSeconds(30)));
    }
    while (done(runlane.runs().get(steps)).orElseThrow().status() != RunStatus.RELEASED) {
      done(vertx.timer(50));
    }
    List<Object> runs = new ArrayList<>();
    for (String id : Stream.concat(ended.stream(), Stream.of(steps, later)).toList()) {
      RunRecord record = done(runlane.runs().get(id)).orElseThrow();
      List<JsonNode> events = new ArrayList<>();
      for (RunEventRecord event : events(id)) {
        events.add(tree(RunEventJson.write(event).text()));
      }
      runs.add(Map.of("record", tree(RunRecordJson.write(record).text()), "events", events));
    }
    done(runlane.close());

    ObjectNode stored = tables.read();
    Path folder = Files.createDirectories(RELEASES.resolve(System.getProperty("release.write")));
    JSON.writerWithDefaultPrettyPrinter().writeValue(folder.resolve("rows.json").toFile(), stored);
    JSON.writerWithDefaultPrettyPrinter().writeValue(folder.resolve("runs.json").toFile(), runs);
  }

  private static JsonNode tree(String json) throws Exception {
    return JSON.readTree(json);
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future.await(60, TimeUnit.SECONDS);
  }
}
