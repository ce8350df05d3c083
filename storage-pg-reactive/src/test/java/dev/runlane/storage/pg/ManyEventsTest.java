package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events of any runs, a second of which is asked for among many: the console does so once a second. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyEventsTest {
  private static final int EVENTS = 60_000;
  private static final Set<RunEventType> TYPES =
      Set.of(RunEventType.CREATED, RunEventType.SUCCEEDED);

  private final Scene scene = Scene.direct();

  @AfterEach
  void close() {
    scene.close();
  }

  @ParameterizedTest
  @EnumSource(SortDirection.class)
  void those_of_a_time_are_read_without_the_others_also_with_the_plan_of_an_empty_table(
      SortDirection direction) {
    PgStorageAdapter storage =
        scene.startAsFirst(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
    scene.store(TestRuns.queued("run_first").at(NOON.minusSeconds(60)), storage);
    Instant from = NOON.plusSeconds(EVENTS - 130);
    page(storage, from, direction, null, null); // plans
    scene.change("""
        INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT e.env, 'run_fill_' || i, 1, e.type, timestamptz '%s' + i * interval '1 s', e.body
        FROM {schema}.run_events e CROSS JOIN generate_series(0, %s) i
        WHERE e.run_id = 'run_first' AND e.sequence = 1""".formatted(NOON, EVENTS - 1));
    scene.change("SELECT brin_summarize_new_values('{schema}.run_events_occurred')");
    long all = scene.number("""
        SELECT pg_relation_size('{schema}.run_events') / current_setting('block_size')::bigint""");

    for (Integer bytes : new @Nullable Integer[] {null, 10_000}) {
      long before = scene.pagesRead(storage, "run_events");
      List<RunEventRecord> found = new ArrayList<>();
      String cursor = null;
      do {
        Page<RunEventRecord> page = page(storage, from, direction, cursor, bytes);
        found.addAll(page.data());
        cursor = page.nextCursor();
      } while (cursor != null);

      assertThat(found).as("in pages of %s bytes", bytes).hasSize(130);
      assertThat(scene.pagesRead(storage, "run_events") - before)
          .as("pages read, of %d that there are", all)
          .isLessThan(bytes == null ? all / 2 : 2 * all);
    }
  }

  private static Page<RunEventRecord> page(
      PgStorageAdapter storage,
      Instant from,
      SortDirection direction,
      @Nullable String cursor,
      @Nullable Integer bytes) {
    return done(storage.listRunEvents(new ListRunEvents(
        ENVIRONMENT,
        new RunEventFilter(null, TYPES, from, null),
        new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction),
        100,
        cursor,
        bytes)));
  }
}
