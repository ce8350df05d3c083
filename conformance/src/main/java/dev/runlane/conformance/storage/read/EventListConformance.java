package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.EventIds;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A history is complete and in order, heartbeats included. */
@DisplayName("listing events")
public abstract class EventListConformance extends StorageConformance {
  private static final RunEventFilter ANY = new RunEventFilter(null, Set.of(), null, null);
  private static final RunEventSort NEWEST_FIRST =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.DESC);
  private static final RunEventSort OLDEST_FIRST =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);

  @Test
  @Rule("S25")
  void a_history_reads_in_both_directions_by_sequence() {
    given(running("run_1", minutes(1)));
    given(running("run_2", minutes(1)));
    RunEventFilter filter = RunEventFilter.ofRun("run_1");

    assertThat(list(filter, RunEventSort.HISTORY, 100))
        .extracting(RunEventRecord::sequence)
        .containsExactly(1L, 2L, 3L, 4L);
    assertThat(list(filter, new RunEventSort(RunEventSort.Field.SEQUENCE, SortDirection.DESC), 100))
        .extracting(RunEventRecord::sequence)
        .containsExactly(4L, 3L, 2L, 1L);
  }

  @Test
  @Rule("S26")
  void every_heartbeat_stays_visible() {
    RunRecord run = given(running("run_1", minutes(1)));
    for (int i = 1; i <= 60; i++) {
      run = Outcomes.done(
              storage.heartbeatRunLease(Commands.heartbeat(run, minutes(i + 1), seconds(i))))
          .run();
    }

    List<RunEventRecord> history = history(run);

    assertThat(history).hasSize(64);
    assertThat(history.stream().map(RunEventRecord::sequence))
        .containsExactlyElementsOf(Race.times(64, i -> i + 1L));
    assertThat(
            history.stream().filter(event -> event.event().type() == RunEventType.LEASE_HEARTBEAT))
        .hasSize(60);
  }

  @Test
  @Rule("S25")
  void events_of_many_runs_are_sorted_by_instant_and_then_by_id() {
    given(running("run_2", minutes(9)).at(seconds(5)));
    given(running("run_1", minutes(9)));
    given(queued("run_3"));

    List<RunEventRecord> events = list(ANY, OLDEST_FIRST, 100);
    List<RunEventRecord> backwards = new ArrayList<>(list(ANY, NEWEST_FIRST, 100));
    Collections.reverse(backwards);

    assertThat(events).hasSize(10).isSortedAccordingTo((one, other) -> {
      int byTime =
          one.event().header().occurredAt().compareTo(other.event().header().occurredAt());
      return byTime != 0 ? byTime : EventIds.compare(one.id(), other.id());
    });
    assertThat(backwards).isEqualTo(events);
  }

  @Test
  @Rule("S25")
  void filters_show_what_fits_them() {
    given(running("run_1", minutes(9)));
    given(queued("run_2").at(seconds(1)));
    given(queued("run_3").at(seconds(2)));
    given(queued("run_1").environment(OTHER_ENVIRONMENT));

    assertThat(list(
            new RunEventFilter(
                null, Set.of(RunEventType.CREATED, RunEventType.STARTED), null, null),
            OLDEST_FIRST,
            100))
        .extracting(event -> event.event().header().runId())
        .containsExactly("run_1", "run_1", "run_2", "run_3");
    assertThat(list(
            new RunEventFilter("run_1", Set.of(RunEventType.STARTED), null, null),
            OLDEST_FIRST,
            100))
        .extracting(RunEventRecord::sequence)
        .containsExactly(4L);
    assertThat(list(new RunEventFilter(null, Set.of(), seconds(1), seconds(2)), OLDEST_FIRST, 100))
        .extracting(event -> event.event().header().runId())
        .containsExactly("run_2", "run_2");
    assertThat(list(RunEventFilter.ofRun("run_missing"), RunEventSort.HISTORY, 100))
        .isEmpty();
  }

  @Test
  @Rule("S25")
  void pages_hold_every_event_once_whatever_their_size() {
    for (int i = 0; i < 6; i++) {
      given(running("run_" + i, minutes(9)).at(seconds(i / 2)));
    }

    for (RunEventSort sort : List.of(OLDEST_FIRST, NEWEST_FIRST)) {
      List<RunEventRecord> whole = list(ANY, sort, 100);
      assertThat(whole).hasSize(24);
      assertPages(ANY, sort, whole);
    }
  }

  @Test
  @Rule("S25")
  void creations_of_any_runs_are_a_part_of_all_events_in_the_same_order() {
    for (int i = 0; i < 6; i++) {
      given(running("run_b" + i, minutes(9)).at(seconds(i / 3)));
      given(succeeded("run_a" + i).at(seconds(i / 3)));
    }
    RunEventFilter all = new RunEventFilter(null, Set.of(RunEventType.CREATED), null, null);
    RunEventFilter first = new RunEventFilter(null, Set.of(RunEventType.CREATED), null, seconds(1));
    RunEventFilter second =
        new RunEventFilter(null, Set.of(RunEventType.CREATED), seconds(1), seconds(2));

    for (RunEventSort sort : List.of(OLDEST_FIRST, NEWEST_FIRST)) {
      List<RunEventRecord> created = list(ANY, sort, 100).stream()
          .filter(event -> event.event().type() == RunEventType.CREATED)
          .toList();
      for (int bytes : List.of(1, 300, 100_000)) {
        assertThat(StoredState.pages(cursor ->
                storage.listRunEvents(new ListRunEvents(ENVIRONMENT, all, sort, 5, cursor, bytes))))
            .as("%d bytes by %s", bytes, sort)
            .isEqualTo(created);
      }
      assertPages(all, sort, created);
      assertPages(
          first,
          sort,
          created.stream()
              .filter(event -> event.event().header().occurredAt().isBefore(seconds(1)))
              .toList());
      assertPages(
          second,
          sort,
          created.stream()
              .filter(event -> !event.event().header().occurredAt().isBefore(seconds(1)))
              .toList());
    }
  }

  @Test
  @Rule("S25")
  void a_page_ends_with_the_event_at_which_it_has_the_bytes_that_are_wanted() {
    RunRecord run = given(running("run_1", minutes(1)));
    for (int i = 1; i <= 12; i++) {
      run = Outcomes.done(
              storage.heartbeatRunLease(Commands.heartbeat(run, minutes(i + 1), seconds(i))))
          .run();
    }
    RunEventFilter filter = RunEventFilter.ofRun("run_1");

    for (RunEventSort.Field field : RunEventSort.Field.values()) {
      for (SortDirection direction : SortDirection.values()) {
        RunEventSort sort = new RunEventSort(field, direction);
        List<RunEventRecord> whole = list(filter, sort, 100);
        assertThat(whole).hasSize(16);
        for (int bytes : List.of(1, 300, 100_000)) {
          for (int limit : List.of(3, 16, 100)) {
            String cursor = null;
            List<RunEventRecord> shown = new ArrayList<>();
            do {
              Page<RunEventRecord> page = Outcomes.done(storage.listRunEvents(
                  new ListRunEvents(ENVIRONMENT, filter, sort, limit, cursor, bytes)));
              assertThat(page.data()).isNotEmpty();
              shown.addAll(page.data());
              cursor = page.nextCursor();
              boolean isFull = page.data().size() == limit || bytes(page.data()) >= bytes;
              assertThat(isFull || cursor == null)
                  .as("%d of %d bytes, at most %d", bytes(page.data()), bytes, limit)
                  .isTrue();
              assertThat(bytes(page.data().subList(0, page.data().size() - 1)))
                  .as("without its last event")
                  .isLessThan(bytes);
            } while (cursor != null && shown.size() <= whole.size());
            assertThat(shown).as("%d bytes by %s", bytes, sort).isEqualTo(whole);
          }
        }
      }
    }
  }

  private static int bytes(List<RunEventRecord> events) {
    return events.stream()
        .mapToInt(event -> RunEventJson.body(event.event()).text().length())
        .sum();
  }

  private void assertPages(RunEventFilter filter, RunEventSort sort, List<RunEventRecord> whole) {
    assertThat(whole).isNotEmpty();
    for (int size : List.of(1, 2, 5, 7, whole.size())) {
      assertThat(StoredState.pages(cursor ->
              storage.listRunEvents(new ListRunEvents(ENVIRONMENT, filter, sort, size, cursor))))
          .as("pages of %d by %s", size, sort)
          .isEqualTo(whole);
    }
  }

  @Test
  @Rule("S25")
  void events_written_between_two_pages_of_a_history_follow_on_it() {
    RunRecord run = given(running("run_1", minutes(1)));
    List<RunEventRecord> shown = new ArrayList<>();
    String cursor = null;
    for (int page = 0; page < 20; page++) {
      var found = Outcomes.done(storage.listRunEvents(new ListRunEvents(
          ENVIRONMENT, RunEventFilter.ofRun("run_1"), RunEventSort.HISTORY, 2, cursor)));
      shown.addAll(found.data());
      cursor = found.nextCursor();
      if (cursor == null) {
        break;
      }
      if (page == 0) {
        append(run, NOON, Events.succeeded(run, NOON));
      }
    }

    assertThat(shown).extracting(RunEventRecord::sequence).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  @Rule({"S23", "S25"})
  void a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum() {
    givenAll(Race.times(ContractDefaults.MAX_PAGE_LIMIT / 2 + 1, i -> queued("run_" + i)));

    assertThat(list(ANY, OLDEST_FIRST, null)).hasSize(ContractDefaults.PAGE_LIMIT);
    assertThat(list(ANY, OLDEST_FIRST, Integer.MAX_VALUE)).hasSize(ContractDefaults.MAX_PAGE_LIMIT);
  }

  private List<RunEventRecord> list(
      RunEventFilter filter, RunEventSort sort, @Nullable Integer limit) {
    return Outcomes.done(
            storage.listRunEvents(new ListRunEvents(ENVIRONMENT, filter, sort, limit, null)))
        .data();
  }
}
