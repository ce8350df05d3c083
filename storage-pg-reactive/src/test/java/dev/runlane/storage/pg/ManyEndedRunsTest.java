package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.sqlclient.PoolOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists of runs behind more ended runs than a page looks at. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyEndedRunsTest {
  private static final int ENDED = 45_000;
  private static final int RARE = 9_000; // one in so many is of another queue and task

  /** Has the runs; each case gets a copy. */
  private static final PostgresAddress FILLED =
      PostgresServers.shared().createDatabase("many_ended");

  private final PostgresAddress database =
      PostgresServers.shared().copyDatabase(FILLED, "many_ended");
  private final Scene scene = on(database);
  private PgStorageAdapter storage;

  @BeforeAll
  static void fill() {
    try (Scene scene = on(FILLED)) {
      PgStorageAdapter storage = scene.start();
      scene.countReadsAtOnce();
      scene.store(TestRuns.queued("waits"), storage);
      scene.change("""
        INSERT INTO {schema}.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
          retries, releases, created_at, updated_at, started_at, finished_at)
        SELECT env, 'run_' || lpad(n::text, 10, '0'), CASE WHEN n %% %2$s = 0 THEN 'rare' ELSE 'common' END,
          CASE WHEN n %% %2$s = 0 THEN 'rare' ELSE 'common' END,
          CASE WHEN n %% 3 = 0 THEN 'failed' ELSE 'succeeded' END, 5, 1, 0, 0, 0, at, at, at, at
        FROM {schema}.environments, LATERAL (
          SELECT n, timestamptz '2025-01-01 00:00Z' + n * interval '1 s' AS at
          FROM generate_series(1, %1$s) AS n) AS s""".formatted(ENDED, RARE));
      scene.change("ANALYZE {schema}.terminal_runs");
    }
  }

  private static Scene on(PostgresAddress database) {
    return Scene.on(new PgStorageOptions()
        .setConnectOptions(PgStorageFixture.connectOptions(database))
        .setPoolOptions(new PoolOptions().setMaxSize(1)));
  }

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
    PostgresServers.shared().dropDatabase(database.database());
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void pages_along_an_index_read_their_rows_alone(SortDirection direction) {
    for (RunSort.Field field : RunSort.Field.values()) {
      RunSort sort = new RunSort(field, direction);
      assertReadsAtMost(2_000, RunFilter.ALL, sort);
    }
    assertReadsAtMost(
        2_000,
        RunFilter.ALL.withTaskIds(List.of("rare")),
        new RunSort(RunSort.Field.CREATED_AT, direction));
    assertReadsAtMost(
        2_000,
        RunFilter.ALL.withStatuses(Set.of(RunStatus.FAILED)),
        new RunSort(RunSort.Field.UPDATED_AT, direction));
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void a_page_of_a_task_that_statistics_do_not_have_reads_its_rows_alone(SortDirection direction) {
    execute("UPDATE {schema}.terminal_runs SET task_id = 'common' WHERE task_id = 'rare'");
    execute("ANALYZE {schema}.terminal_runs");
    execute("UPDATE {schema}.terminal_runs SET task_id = 'rare' WHERE queue = 'rare'");

    assertReadsAtMost(
        2_000,
        RunFilter.ALL.withTaskIds(List.of("rare")),
        new RunSort(RunSort.Field.CREATED_AT, direction));
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void a_filter_without_an_index_looks_at_a_part_and_pages_to_the_end_find_all(
      SortDirection direction) {
    for (RunSort.Field field : RunSort.Field.values()) {
      RunSort sort = new RunSort(field, direction);
      RunFilter rare = RunFilter.ALL.withQueues(List.of("rare"));
      List<String> found = new ArrayList<>();
      List<Long> read = new ArrayList<>();
      String cursor = null;
      do {
        long before = scene.rowsRead(storage);
        Page<RunSummary> page = page(rare, sort, cursor);
        read.add(scene.rowsRead(storage) - before);
        page.data().forEach(run -> found.add(run.id()));
        cursor = page.nextCursor();
      } while (cursor != null);

      List<String> all = new ArrayList<>();
      for (int number = RARE; number <= ENDED; number += RARE) {
        all.add(String.format(Locale.ROOT, "run_%010d", number));
      }
      if (direction == SortDirection.DESC) {
        Collections.reverse(all);
      }
      assertThat(found).as("%s", sort).isEqualTo(all);
      assertThat(read).as("%s", sort).hasSizeGreaterThan(1).allMatch(rows -> rows < 2 * ENDED);
    }
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void a_range_of_time_in_the_past_begins_where_it_is_and_pages_have_all_of_it(
      SortDirection direction) {
    RunSort sort = new RunSort(RunSort.Field.CREATED_AT, direction);
    Instant first = Instant.parse("2025-01-01T05:00:00Z"); // of the 12 h 30 min that there are
    RunFilter range = RunFilter.ALL.withCreated(first, first.plusSeconds(120));
    List<RunFilter> filters = List.of(
        range,
        range.withStatuses(Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED)),
        range.withQueues(List.of("common")),
        range.withTaskIds(List.of("common")));
    for (RunFilter filter : filters) {
      boolean withRare = filter.queues().isEmpty() && filter.taskIds().isEmpty();
      List<String> expected = new ArrayList<>();
      for (int number = 2 * RARE; number < 2 * RARE + 120; number++) {
        if (withRare || number % RARE != 0) {
          expected.add(String.format(Locale.ROOT, "run_%010d", number));
        }
      }
      if (direction == SortDirection.DESC) {
        Collections.reverse(expected);
      }
      List<String> found = new ArrayList<>();
      String cursor = null;
      do {
        long before = scene.pagesRead(storage, "terminal_runs");
        Page<RunSummary> page = page(filter, sort, cursor);
        assertThat(scene.pagesRead(storage, "terminal_runs") - before)
            .as("%s by %s", filter, sort)
            .isLessThan(50);
        page.data().forEach(run -> found.add(run.id()));
        cursor = page.nextCursor();
      } while (cursor != null);

      assertThat(found).as("%s by %s", filter, sort).isEqualTo(expected);
    }
  }

  @Test
  void a_filter_of_runs_with_a_common_tag_looks_at_a_part_and_pages_to_the_end_find_all() {
    execute("""
        INSERT INTO {schema}.run_tags (env, run_id, name, value, created_at)
        SELECT env, run_id, 'site', 'north', created_at FROM {schema}.terminal_runs""");
    execute("ANALYZE {schema}.run_tags");
    Map<String, String> tags = Map.of("site", "north");
    Instant first = Instant.parse("2025-01-01T05:00:00Z");

    assertThat(tagged(tags, RunFilter.ALL.withQueues(List.of("rare")), 16_000))
        .containsExactly(
            "run_0000045000",
            "run_0000036000",
            "run_0000027000",
            "run_0000018000",
            "run_0000009000");
    assertThat(tagged(tags, RunFilter.ALL.withCreated(first, first.plusSeconds(70)), 1_000))
        .hasSize(70)
        .startsWith("run_0000018069")
        .endsWith("run_0000018000");
  }

  /** All of them, while no page reads more rows and entries. */
  private List<String> tagged(Map<String, String> tags, RunFilter filter, long most) {
    OperatorStore operator = storage.operator().orElseThrow();
    List<String> found = new ArrayList<>();
    String cursor = null;
    do {
      long before = scene.rowsRead(storage);
      Page<RunSummary> page =
          done(operator.listTaggedRuns(new ListTaggedRuns(ENVIRONMENT, tags, filter, 50, cursor)));
      assertThat(scene.rowsRead(storage) - before).isLessThan(most);
      page.data().forEach(run -> found.add(run.id()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return found;
  }

  @Test
  void a_page_without_any_run_leads_on() {
    RunFilter none = RunFilter.ALL.withConcurrencyKey("nobody");

    Page<RunSummary> first = page(none, RunSort.NEWEST_FIRST, null);

    assertThat(first.data()).isEmpty();
    assertThat(first.nextCursor()).isNotNull();
    assertThat(
            page(RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED)), RunSort.NEWEST_FIRST, null)
                .data())
        .hasSizeGreaterThan(0);
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void creations_are_found_along_the_index_of_runs_however_many_events_there_are(
      SortDirection direction) {
    execute("""
        INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT r.env, r.run_id, s.sequence, s.type, r.created_at, e.body
        FROM {schema}.run_events e, {schema}.terminal_runs r
          CROSS JOIN (VALUES (1, 'run.created'), (5, 'run.succeeded')) AS s(sequence, type)
        WHERE e.run_id = 'waits' AND e.sequence = 1 AND r.created_at < timestamptz '2025-01-01 04:00Z'""");
    Instant from = Instant.parse("2025-01-01T01:00:00Z");
    RunEventFilter creations =
        new RunEventFilter(null, Set.of(RunEventType.CREATED), from, from.plusSeconds(7_200));

    List<String> found = new ArrayList<>();
    String cursor = null;
    for (int page = 0; page < 3; page++) {
      long before = scene.rowsRead(storage);
      Page<RunEventRecord> events = done(storage.listRunEvents(new ListRunEvents(
          ENVIRONMENT,
          creations,
          new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction),
          50,
          cursor)));
      assertThat(scene.rowsRead(storage) - before).isLessThan(1_000);
      events.data().forEach(event -> found.add(event.event().header().runId()));
      cursor = events.nextCursor();
    }

    int first = direction == SortDirection.ASC ? 3_600 : 10_799;
    int step = direction == SortDirection.ASC ? 1 : -1;
    assertThat(found)
        .isEqualTo(IntStream.range(0, 150)
            .mapToObj(place -> String.format(Locale.ROOT, "run_%010d", first + step * place))
            .toList());
  }

  @Test
  void
      in_the_order_of_changes_the_newest_active_runs_are_shown_and_a_page_says_that_others_are_missing() {
    execute("""
        INSERT INTO {schema}.active_runs (env, run_id, task_id, queue, status, kind, occupies, due_at, sequence,
          attempts, failures, retries, releases, created_at, updated_at)
        SELECT r.env, 'run_active_' || lpad(n::text, 6, '0'), 'common', 'common', 'queued', 0, false, at, 1, 0, 0, 0, 0,
          at, at + (n %% 7) * interval '1 day'
        FROM {schema}.environments r, generate_series(1, 10100) AS n,
          LATERAL (SELECT timestamptz '2027-01-01 00:00Z' + n * interval '1 s' AS at) AS t""".formatted());
    RunSort newest = new RunSort(RunSort.Field.UPDATED_AT, SortDirection.DESC);
    RunFilter active = RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED));

    long before = scene.rowsRead(storage);
    Page<RunSummary> page = page(active, newest, null);

    assertThat(scene.rowsRead(storage) - before).isLessThan(35_000);
    assertThat(page.isCut()).isTrue();
    assertThat(page.data())
        .extracting(RunSummary::id)
        .isEqualTo(IntStream.iterate(10_100, number -> number - 7)
            .limit(50)
            .mapToObj(number -> String.format(Locale.ROOT, "run_active_%06d", number))
            .toList());
    assertThat(page(active, RunSort.NEWEST_FIRST, null).isCut()).isFalse();
    RunFilter someHours = active.withCreated(Instant.parse("2027-01-01T00:00:00Z"), null);
    execute("DELETE FROM {schema}.active_runs WHERE run_id <= 'run_active_000101'");
    assertThat(page(someHours, newest, null).isCut()).isFalse();
    assertThat(page(RunFilter.ALL.withStatuses(Set.of(RunStatus.FAILED)), newest, null)
            .isCut())
        .isFalse();
  }

  @Test
  void counts_look_at_the_newest_runs_alone_and_say_so() {
    long before = scene.rowsRead(storage);

    RunCounts all = counts(RunFilter.ALL);
    RunCounts ofQueue = counts(RunFilter.ALL.withQueues(List.of("rare")));
    RunCounts ofTask = counts(RunFilter.ALL.withTaskIds(List.of("rare")));
    RunCounts ofNobody = counts(RunFilter.ALL.withConcurrencyKey("nobody"));

    assertThat(scene.rowsRead(storage) - before).isLessThan(4 * 2 * 10_000);
    assertThat(all.isCut()).isFalse();
    assertThat(all.counts())
        .containsEntry(RunStatus.QUEUED, 2) // the scene has one too
        .containsEntry(RunStatus.SUCCEEDED, 1_000)
        .containsEntry(RunStatus.FAILED, 1_000)
        .containsEntry(RunStatus.CANCELLED, 0);
    assertThat(ofQueue.isCut()).isTrue();
    assertThat(ofQueue.counts().get(RunStatus.FAILED)).isEqualTo(2); // the last two of five
    assertThat(ofTask.isCut()).isFalse();
    assertThat(ofTask.counts()).containsEntry(RunStatus.FAILED, 5);
    assertThat(ofNobody.isCut()).isTrue();
    assertThat(ofNobody.counts().values()).containsOnly(0);
  }

  private RunCounts counts(RunFilter filter) {
    return done(
        storage.operator().orElseThrow().countRuns(new CountRuns(ENVIRONMENT, filter, 1_000)));
  }

  private void assertReadsAtMost(long rows, RunFilter filter, RunSort sort) {
    String second = page(filter, sort, null).nextCursor();
    long before = scene.rowsRead(storage);
    page(filter, sort, null);
    page(filter, sort, second);
    assertThat(scene.rowsRead(storage) - before).as("%s by %s", filter, sort).isLessThan(rows);
  }

  private Page<RunSummary> page(RunFilter filter, RunSort sort, @Nullable String cursor) {
    return done(storage.listRuns(new ListRuns(ENVIRONMENT, filter, sort, 50, cursor)));
  }

  @Test
  void runs_of_very_many_events_are_removed_few_at_a_time_and_all_in_the_end() {
    execute("UPDATE {schema}.terminal_runs SET sequence = 99999 WHERE run_id <= 'run_0000000004'");
    Instant old = Instant.parse("2025-01-01T00:00:10Z");
    PruneRuns all = new PruneRuns(ENVIRONMENT, Set.of(), old, old, 100, null);

    List<Integer> removed = new ArrayList<>();
    String cursor = null;
    do {
      PrunedRuns pruned = done(storage.pruneRuns(
          new PruneRuns(all.environment(), all.statuses(), old, old, all.limit(), cursor)));
      removed.add(pruned.prunedRuns());
      cursor = pruned.nextCursor();
    } while (cursor != null);

    assertThat(removed).as("each call, succeeded ones first").containsExactly(2, 2, 4, 1);
  }

  private void execute(String sql) {
    scene.change(sql);
  }
}
