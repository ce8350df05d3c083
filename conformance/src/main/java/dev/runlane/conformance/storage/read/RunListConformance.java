package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.failed;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Operators page through runs without losing or repeating one. */
@DisplayName("listing runs")
public abstract class RunListConformance extends StorageConformance {
  private static final RunSort OLDEST_FIRST =
      new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);

  @Test
  @Rule("S22")
  void a_row_tells_everything_of_its_run_but_payload_output_and_meta() {
    RunRecord run = given(retrying("run_1", minutes(5))
        .idempotencyKey("idempotent", TTL_HOUR)
        .singletonKey("single")
        .concurrencyKey("tenant"));
    RunRecord leased = given(running("run_2", minutes(5)).at(minutes(1)));

    List<RunSummary> rows = list(RunFilter.ALL, OLDEST_FIRST);

    assertThat(run.createdAt()).isAfterOrEqualTo(NOON);
    assertThat(rows).containsExactly(RunSummary.of(run), RunSummary.of(leased));
  }

  @Test
  @Rule("S22")
  void each_filter_shows_what_fits_it() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));
    given(running("run_2", minutes(5)).task(OTHER_TASK).singletonKey("single").at(minutes(1)));
    given(failed("run_3").queue(EMAILS).at(minutes(2)));
    given(succeeded("run_4").concurrencyKey("tenant").at(minutes(3)));

    assertShown(RunFilter.ALL, "run_1", "run_2", "run_3", "run_4");
    assertShown(
        RunFilter.ALL.withStatuses(Set.of(RunStatus.RUNNING, RunStatus.FAILED)), "run_2", "run_3");
    assertShown(RunFilter.ALL.withTaskIds(List.of(OTHER_TASK)), "run_2");
    assertShown(RunFilter.ALL.withQueues(List.of("emails", "unknown")), "run_3");
    assertShown(RunFilter.ALL.withConcurrencyKey("tenant"), "run_4");
    assertShown(RunFilter.ALL.withIdempotencyKey("key"), "run_1");
    assertShown(RunFilter.ALL.withSingletonKey("single"), "run_2");
    assertShown(RunFilter.ALL.withCreated(minutes(1), minutes(3)), "run_2", "run_3");
    assertShown(RunFilter.ALL.withCreated(minutes(3), null), "run_4");
  }

  @Test
  @Rule("S22")
  void all_filters_given_must_hold() {
    given(queued("run_1").task(OTHER_TASK).queue(EMAILS));
    given(queued("run_2").task(OTHER_TASK));
    given(queued("run_3").queue(EMAILS));

    assertShown(
        RunFilter.ALL.withTaskIds(List.of(OTHER_TASK)).withQueues(List.of("emails")), "run_1");
    assertShown(
        RunFilter.ALL.withTaskIds(List.of(OTHER_TASK)).withStatuses(Set.of(RunStatus.SUCCEEDED)));
  }

  @Test
  @Rule("S22")
  void runs_of_another_environment_are_not_shown() {
    given(queued("run_1"));
    given(queued("run_2").environment(OTHER_ENVIRONMENT));

    assertShown(RunFilter.ALL, "run_1");
  }

  @Test
  @Rule("S22")
  void both_fields_sort_in_both_directions() {
    given(succeeded("run_1").at(minutes(2)));
    given(cancelled("run_2").at(minutes(1)));
    RunRecord touched = given(queued("run_3"));
    append(touched, minutes(3), Events.cancelled(touched, minutes(3)));

    assertSorted(RunSort.Field.CREATED_AT, SortDirection.ASC, "run_3", "run_2", "run_1");
    assertSorted(RunSort.Field.CREATED_AT, SortDirection.DESC, "run_1", "run_2", "run_3");
    assertSorted(RunSort.Field.UPDATED_AT, SortDirection.ASC, "run_2", "run_1", "run_3");
    assertSorted(RunSort.Field.UPDATED_AT, SortDirection.DESC, "run_3", "run_1", "run_2");
  }

  @Test
  @Rule("S22")
  void equal_instants_are_told_apart_by_run_id_in_the_same_direction() {
    for (String id : List.of("run_b", "run_a", "run_d", "run_c")) {
      given(queued(id));
    }

    assertSorted(RunSort.Field.CREATED_AT, SortDirection.ASC, "run_a", "run_b", "run_c", "run_d");
    assertSorted(RunSort.Field.UPDATED_AT, SortDirection.DESC, "run_d", "run_c", "run_b", "run_a");
  }

  @Test
  @Rule("S22")
  void pages_hold_every_run_once_whatever_their_size() {
    for (int i = 0; i < 12; i++) {
      given(queued("run_" + (char) ('a' + i)).at(seconds(i / 4)));
    }

    for (RunSort sort : List.of(OLDEST_FIRST, RunSort.NEWEST_FIRST)) {
      List<String> whole = ids(list(RunFilter.ALL, sort));
      assertThat(whole).hasSize(12);
      for (int size : List.of(1, 3, 5, 11, 12)) {
        assertThat(ids(StoredState.pages(cursor ->
                storage.listRuns(new ListRuns(ENVIRONMENT, RunFilter.ALL, sort, size, cursor)))))
            .as("pages of %d", size)
            .isEqualTo(whole);
      }
    }
  }

  @Test
  @Rule("S22")
  void runs_created_between_two_pages_neither_repeat_nor_hide_others() {
    List<String> before =
        givenAll(Race.times(9, i -> queued("run_" + i).at(seconds(i / 3)))).stream()
            .map(RunRecord::id)
            .toList();
    List<String> shown = new ArrayList<>();
    String cursor = null;
    for (int page = 0; page < 20; page++) {
      Page<RunSummary> found = Outcomes.done(storage.listRuns(
          new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, 2, cursor)));
      shown.addAll(ids(found.data()));
      given(queued("run_late_" + page).at(seconds(60 + page)));
      cursor = found.nextCursor();
      if (cursor == null) {
        break;
      }
    }

    assertThat(cursor).isNull();
    assertThat(shown).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  @Rule({"S22", "S23"})
  void a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum() {
    int count = ContractDefaults.MAX_PAGE_LIMIT + 1;
    givenAll(Race.times(count, i -> cancelled("run_" + i)));

    assertThat(page(null).data()).hasSize(ContractDefaults.PAGE_LIMIT);
    assertThat(page(Integer.MAX_VALUE).data()).hasSize(ContractDefaults.MAX_PAGE_LIMIT);
    assertThat(page(Integer.MAX_VALUE).nextCursor()).isNotNull();
    assertThat(page(3).data()).hasSize(3);
  }

  @Test
  @Rule("S22")
  void the_last_page_has_no_cursor() {
    givenAll(Race.times(3, i -> queued("run_" + i)));

    assertThat(page(10).nextCursor()).isNull();
    assertThat(page(2).nextCursor()).isNotNull();
  }

  @Test
  @Rule({"S22", "formats"})
  void bounds_finer_than_a_microsecond_are_cut() {
    given(queued("run_1"));

    assertThat(Outcomes.done(storage.listRuns(new ListRuns(
                ENVIRONMENT,
                RunFilter.ALL.withCreated(NOON.plusNanos(999), NOON.plusNanos(1_999)),
                RunSort.NEWEST_FIRST,
                null,
                null)))
            .data())
        .extracting(RunSummary::id)
        .containsExactly("run_1");
    assertThat(Outcomes.done(storage.listRuns(new ListRuns(
                ENVIRONMENT,
                RunFilter.ALL.withCreated(null, NOON.plusNanos(999)),
                RunSort.NEWEST_FIRST,
                null,
                null)))
            .data())
        .isEmpty();
  }

  private Page<RunSummary> page(@Nullable Integer limit) {
    return Outcomes.done(storage.listRuns(
        new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, limit, null)));
  }

  private List<RunSummary> list(RunFilter filter, RunSort sort) {
    return Outcomes.done(storage.listRuns(new ListRuns(ENVIRONMENT, filter, sort, 100, null)))
        .data();
  }

  private void assertShown(RunFilter filter, String... runIds) {
    assertThat(ids(list(filter, OLDEST_FIRST))).as("%s", filter).containsExactly(runIds);
  }

  private void assertSorted(RunSort.Field field, SortDirection direction, String... runIds) {
    assertThat(ids(list(RunFilter.ALL, new RunSort(field, direction))))
        .as("%s %s", field, direction)
        .containsExactly(runIds);
  }

  private static List<String> ids(List<RunSummary> rows) {
    return rows.stream().map(RunSummary::id).toList();
  }
}
