package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A cursor goes on with the very list it came from, or not at all. */
@DisplayName("cursors of lists")
public abstract class CursorConformance extends StorageConformance {
  private static final RunEventFilter ANY_EVENT = new RunEventFilter(null, Set.of(), null, null);
  private static final RunEventSort BY_TIME =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);

  private String runsCursor;
  private String eventsCursor;

  /** Three runs with six events, and a cursor after the first of each. */
  @BeforeEach
  final void givenCursors() {
    givenAll(Race.times(3, i -> queued("run_" + i)));
    String runs = Outcomes.done(runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, null))
        .nextCursor();
    String events = Outcomes.done(events(ANY_EVENT, BY_TIME, null)).nextCursor();
    if (runs == null || events == null) {
      throw new AssertionError("a page that is not the last one has no cursor");
    }
    runsCursor = runs;
    eventsCursor = events;
  }

  @Test
  @Rule("S24")
  void a_cursor_goes_on_after_its_page() {
    assertThat(Outcomes.done(runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, runsCursor))
            .data())
        .extracting(row -> row.id())
        .containsExactly("run_1");
    assertThat(Outcomes.done(events(ANY_EVENT, BY_TIME, eventsCursor)).data())
        .containsExactly(stored().events().get(1)); // runs stored together may mix their event ids
  }

  @Test
  @Rule("S24")
  void a_malformed_cursor_is_refused() {
    for (String malformed : List.of("", "x", "not a cursor", "!!!!", "AAAA", "run_1", "0")) {
      assertFails(
          runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, malformed), VALIDATION_FAILED);
      assertFails(events(ANY_EVENT, BY_TIME, malformed), VALIDATION_FAILED);
    }
    assertFails(
        runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, runsCursor + "x"),
        VALIDATION_FAILED);
  }

  @Test
  @Rule("S24")
  void a_cursor_of_runs_is_refused_with_another_filter() {
    for (RunFilter other : List.of(
        RunFilter.ALL.withStatuses(Set.of(RunStatus.QUEUED)),
        RunFilter.ALL.withTaskIds(List.of("orders.charge")),
        RunFilter.ALL.withQueues(List.of("default")),
        RunFilter.ALL.withConcurrencyKey("key"),
        RunFilter.ALL.withIdempotencyKey("key"),
        RunFilter.ALL.withSingletonKey("key"),
        RunFilter.ALL.withCreated(Given.NOON, null),
        RunFilter.ALL.withCreated(null, Given.NEXT_YEAR))) {
      assertFails(runs(ENVIRONMENT, other, RunSort.NEWEST_FIRST, runsCursor), VALIDATION_FAILED);
    }
  }

  @Test
  @Rule("S24")
  void a_cursor_of_runs_is_refused_with_another_sort_or_environment() {
    for (RunSort other : List.of(
        new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC),
        new RunSort(RunSort.Field.UPDATED_AT, SortDirection.DESC))) {
      assertFails(runs(ENVIRONMENT, RunFilter.ALL, other, runsCursor), VALIDATION_FAILED);
    }
    assertFails(
        runs(OTHER_ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, runsCursor),
        VALIDATION_FAILED);
  }

  @Test
  @Rule("S24")
  void a_cursor_of_events_is_refused_with_another_filter_or_sort() {
    for (RunEventFilter other : List.of(
        RunEventFilter.ofRun("run_1"),
        new RunEventFilter(null, Set.of(RunEventType.CREATED), null, null),
        new RunEventFilter(null, Set.of(), Given.NOON, null),
        new RunEventFilter(null, Set.of(), null, Given.NEXT_YEAR))) {
      assertFails(events(other, BY_TIME, eventsCursor), VALIDATION_FAILED);
    }
    assertFails(
        events(
            ANY_EVENT,
            new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.DESC),
            eventsCursor),
        VALIDATION_FAILED);
  }

  @Test
  @Rule("S24")
  void a_cursor_of_one_list_is_refused_by_the_other() {
    assertFails(
        runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, eventsCursor), VALIDATION_FAILED);
    assertFails(events(ANY_EVENT, BY_TIME, runsCursor), VALIDATION_FAILED);
  }

  @Test
  @Rule({"S24", "ids"})
  void a_cursor_goes_on_after_a_run_whatever_characters_its_id_holds() {
    List<String> ids = List.of(
        "a\nb", "a\n", "\n", "a\rb", "a\tb", "a b", "a,b", "a\"b", "a\\b", "a'b", "a|b", "ä€😀");
    ids.forEach(id -> given(queued(id)));
    List<String> all =
        Stream.concat(ids.stream(), Stream.of("run_0", "run_1", "run_2")).toList();

    assertThat(StoredState.pages(
            cursor -> runs(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, cursor)))
        .extracting(RunSummary::id)
        .containsExactlyInAnyOrderElementsOf(all);
    assertThat(StoredState.pages(cursor -> events(ANY_EVENT, BY_TIME, cursor)))
        .extracting(row -> row.event().header().runId())
        .containsExactlyInAnyOrderElementsOf(
            all.stream().flatMap(id -> Stream.of(id, id)).toList());
  }

  private Future<Page<RunSummary>> runs(
      Environment environment, RunFilter filter, RunSort sort, @Nullable String cursor) {
    return storage.listRuns(new ListRuns(environment, filter, sort, 1, cursor));
  }

  private Future<Page<RunEventRecord>> events(
      RunEventFilter filter, RunEventSort sort, @Nullable String cursor) {
    return storage.listRunEvents(new ListRunEvents(ENVIRONMENT, filter, sort, 1, cursor));
  }
}
