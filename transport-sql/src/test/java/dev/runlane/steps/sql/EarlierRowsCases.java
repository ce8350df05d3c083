package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.Clock;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables that each release made and the rows it left in them, as files, are used by the code of today as they
 * are. A release adds its folder with {@code -Drelease.write=VERSION} on its own code, and nobody edits one afterwards.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
public abstract class EarlierRowsCases {
  private static final Path RELEASES = Path.of("src", "test", "resources", "releases");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String PREFIX = "{prefix}";
  private static final Set<String> CREATIONS = Set.of(
      "create_tables",
      "create_tasks",
      "create_results",
      "create_tasks_index",
      "create_results_index");
  private static final String WAITING = "release:waiting";
  private static final String LEFT = "release:left";

  private final Vertx vertx = Vertx.vertx();
  private final SqlStepFixture tables;
  private final String file;

  private final String resource;

  EarlierRowsCases(Function<Vertx, SqlStepFixture> fixture, String dialect) {
    tables = fixture.apply(vertx);
    file = "steps-" + dialect + ".json";
    resource = "%1$s/sql/%1$s.sql".formatted(dialect);
  }

  @AfterEach
  void close() {
    done(tables.close());
    done(vertx.close());
  }

  static List<Path> releases() throws Exception {
    try (Stream<Path> folders = Files.list(RELEASES)) {
      return folders.sorted().toList();
    }
  }

  /** The statements of this release that make the tables and indexes. */
  private List<String> schema() throws Exception {
    List<String> statements = new ArrayList<>();
    try (InputStream sql = SqlStepTransport.class.getResourceAsStream(resource)) {
      for (String named : new String(sql.readAllBytes(), UTF_8).split("-- name: ")) {
        if (CREATIONS.contains(named.lines().findFirst().orElse(""))) {
          String text = named
              .lines()
              .skip(1)
              .filter(line -> !line.startsWith("--"))
              .collect(Collectors.joining("\n"));
          Stream.of(text.split(";"))
              .map(statement -> statement.strip().replace("{schema}", "public"))
              .filter(statement -> !statement.isEmpty())
              .forEach(statements::add);
        }
      }
    }
    assertThat(statements).hasSize(4);
    return statements;
  }

  private JsonObject load(Path release) throws Exception {
    JsonObject stored = new JsonObject(Files.readString(release.resolve(file)));
    for (Object statement : stored.getJsonArray("schema")) {
      sql(((String) statement).replace(PREFIX, tables.options().getPrefix()));
    }
    insert(tables.tasks(), stored.getJsonArray("tasks"));
    insert(tables.results(), stored.getJsonArray("results"));
    return stored;
  }

  private void insert(String table, JsonArray rows) {
    for (Object each : rows) {
      JsonObject row = (JsonObject) each;
      List<String> columns = List.copyOf(row.fieldNames());
      done(tables.sql(
          "INSERT INTO " + table + " (" + String.join(", ", columns) + ") VALUES ("
              + IntStream.rangeClosed(1, columns.size())
                  .mapToObj(tables::place)
                  .collect(Collectors.joining(", "))
              + ")",
          Tuple.from(columns.stream().map(row::getValue).toList())));
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_tasks_are_claimed_and_worked_on(Path release) throws Exception {
    load(release);
    SqlStepTransport transport = (SqlStepTransport) done(tables.open());
    Instant now = Clock.system().now();

    List<ClaimedStepTask> claimed = done(transport.claimStepTasks(new ClaimStepTasks(
        List.of("release-waiting", "release-left", "other"), "worker", now, LEASE, 10)));

    assertThat(claimed.stream().map(ClaimedStepTask::task))
        .as("also the one of a worker that never came back")
        .containsExactlyInAnyOrder(WAITS, SECOND, LEFT_BEHIND);
    assertThat(claimed).allMatch(task -> task.inputFault() == null);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_results_are_delivered(Path release) throws Exception {
    load(release);
    SqlStepTransport transport = (SqlStepTransport) done(tables.open());
    Instant now = Clock.system().now();

    List<ClaimedStepResult> claimed = done(transport.claimStepResults(
        new ClaimStepResults(List.of("run_3:0", "run_4:0", "run_5:1"), "engine", now, LEASE)));

    assertThat(claimed.stream()
            .sorted(Comparator.comparing(each -> each.result().stepId()))
            .map(each -> each.result().outcome()))
        .containsExactlyElementsOf(OUTCOMES);
    assertThat(claimed).allMatch(each -> each.result().startedAt() != null);
  }

  /** A program of that release, which is still there, knows its own columns alone. */
  @ParameterizedTest
  @MethodSource("releases")
  void rows_of_today_go_into_its_tables_and_hold_all_that_its_own_held(Path release)
      throws Exception {
    JsonObject stored = load(release);
    sql("DELETE FROM " + tables.tasks());
    sql("DELETE FROM " + tables.results());

    JsonObject today = written();

    for (String part : List.of("tasks", "results")) {
      assertThat(today.getJsonArray(part)).hasSameSizeAs(stored.getJsonArray(part));
      for (int i = 0; i < today.getJsonArray(part).size(); i++) {
        JsonObject row = stable(today.getJsonArray(part).getJsonObject(i));
        JsonObject earlier = stable(stored.getJsonArray(part).getJsonObject(i));
        assertThat(row.getMap()).containsAllEntriesOf(earlier.getMap());
      }
    }
  }

  /** Without what is another each time: the times, and the mark of a claim. */
  private static JsonObject stable(JsonObject row) {
    JsonObject kept = new JsonObject();
    row.forEach(column -> kept.put(
        column.getKey(),
        column.getValue() != null
                && List.of("created_at", "claimed_at", "started_at", "claimed_by")
                    .contains(column.getKey())
            ? "set"
            : column.getValue()));
    return kept;
  }

  /** Not a test: writes the folder of the release that is named. */
  @Test
  @EnabledIfSystemProperty(named = "release.write", matches = ".+")
  void write() throws Exception {
    JsonObject stored = written();
    stored.put("schema", new JsonArray(schema()));
    Path folder = Files.createDirectories(RELEASES.resolve(System.getProperty("release.write")));
    Files.writeString(folder.resolve(file), stored.encodePrettily() + '\n');
  }

  private static final StepTask WAITS =
      StepTask.first("run_1", 0, WAITING, Json.ofChecked("{\"cents\":950,\"to\":\"\u00e4\"}"));
  private static final StepTask SECOND =
      new StepTask("run_1:1", "run_1", 1, "other:second", "other", null, 2);
  private static final StepTask LEFT_BEHIND = StepTask.first("run_2", 0, LEFT, null);
  private static final List<StepOutcome> OUTCOMES = List.of(
      new StepOutcome.Completed(Json.ofChecked("[1,\"two\"]")),
      new StepOutcome.Completed(null),
      new StepOutcome.Failed(new StepError("no money", "declined", false, null)));

  /** Tasks that wait, one of a worker that is gone, and results that nobody took. */
  private JsonObject written() {
    SqlStepTransport transport = (SqlStepTransport) done(tables.open());
    Instant past = Clock.system().now().minus(Duration.ofHours(1));
    List<StepTask> ended = List.of(
        StepTask.first("run_3", 0, "done:a", null),
        StepTask.first("run_4", 0, "done:b", null),
        new StepTask("run_5:1", "run_5", 1, "done:c", "done", null, 3));
    done(transport.dispatchSteps(new DispatchSteps(ended, past)));
    Map<String, ClaimedStepTask> claimed = done(transport.claimStepTasks(
            new ClaimStepTasks(List.of("done-a", "done-b", "done"), "worker", past, LEASE, 10)))
        .stream()
        .collect(Collectors.toMap(each -> each.task().stepId(), each -> each));
    done(transport.recordStepResults(new RecordStepResults(
        IntStream.range(0, ended.size())
            .mapToObj(i -> new RecordStepResults.Ended(
                claimed.get(ended.get(i).stepId()).claim(), OUTCOMES.get(i), past))
            .toList(),
        past)));
    done(transport.dispatchSteps(new DispatchSteps(List.of(LEFT_BEHIND), past)));
    done(transport.claimStepTasks(
        new ClaimStepTasks(List.of("release-left"), "gone", past, LEASE, 10)));
    done(transport.dispatchSteps(new DispatchSteps(List.of(WAITS, SECOND), past)));
    return new JsonObject()
        .put("tasks", rows(tables.tasks()))
        .put("results", rows(tables.results()));
  }

  private JsonArray rows(String table) {
    List<JsonObject> rows = new ArrayList<>();
    for (Row row : done(tables.sql("SELECT * FROM " + table, Tuple.tuple()))) {
      rows.add(row.toJson());
    }
    rows.sort(Comparator.comparing(row -> row.getString("step_id")));
    return new JsonArray(rows);
  }

  private void sql(String statement) {
    done(tables.sql(statement, Tuple.tuple()));
  }
}
