package dev.runlane.storage;

import static dev.runlane.samples.Samples.EXACT;
import static dev.runlane.samples.Samples.FILTER;
import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.RUN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PruneRuns;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cursor continues where it was given out, and with any other request it is refused. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CursorsTest {
  private static final RunSort OLDEST = new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);
  private static final RunSort UPDATED = new RunSort(RunSort.Field.UPDATED_AT, SortDirection.DESC);
  private static final RunEventFilter HISTORY = RunEventFilter.ofRun(RUN);
  private static final Cursors HERE = Cursors.of(runs(PRODUCTION, FILTER, RunSort.NEWEST_FIRST));

  @Test
  void a_cursor_goes_on_with_the_same_request() {
    Cursors again = Cursors.of(new ListRuns(
        PRODUCTION,
        FILTER.withTaskIds(List.copyOf(FILTER.taskIds())).withQueues(List.of("other", "payments")),
        RunSort.NEWEST_FIRST,
        7,
        "ignored"));

    assertThat(again.decode(HERE.encode("a", "b"), 2)).contains(List.of("a", "b"));
    assertThat(HERE.decode(null, 2)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "\n", "a\nb", "\u00e4\ud83d\ude80", "=", "2026-03-04T12:00:00.123456Z"})
  void a_position_may_hold_any_id(String id) {
    assertThat(HERE.decode(HERE.encode(id, "x", id), 3)).contains(List.of(id, "x", id));
  }

  @ParameterizedTest
  @MethodSource("others")
  void a_cursor_of_another_request_is_refused(Cursors other) {
    refused(() -> HERE.decode(other.encode("a", "b"), 2));
    refused(() -> other.decode(HERE.encode("a", "b"), 2));
  }

  static Stream<Cursors> others() {
    return Stream.of(
            runs(PRODUCTION, FILTER, OLDEST),
            runs(PRODUCTION, FILTER, UPDATED),
            runs(new Environment("staging"), FILTER, RunSort.NEWEST_FIRST),
            filtered(FILTER.withStatuses(Set.of(RunStatus.QUEUED))),
            filtered(FILTER.withStatuses(Set.of())),
            filtered(FILTER.withTaskIds(List.of())),
            filtered(FILTER.withTaskIds(List.of("orders.charge", "x"))),
            filtered(FILTER.withQueues(List.of("payments"))),
            filtered(FILTER.withQueues(List.of("payments,5:other"))),
            filtered(FILTER.withConcurrencyKey(null)),
            filtered(FILTER.withConcurrencyKey("-")),
            filtered(FILTER.withIdempotencyKey("order-2")),
            filtered(FILTER.withSingletonKey(null)),
            filtered(FILTER.withCreated(null, EXACT)),
            filtered(FILTER.withCreated(NOON, null)),
            filtered(RunFilter.ALL))
        .map(Cursors::of);
  }

  @Test
  void a_list_of_events_has_cursors_of_its_own() {
    Cursors history = Cursors.of(events(HISTORY, RunEventSort.HISTORY));
    RunEventSort back = new RunEventSort(RunEventSort.Field.SEQUENCE, SortDirection.DESC);
    RunEventSort byTime = new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);
    String cursor = history.encode("4711");

    assertThat(history.decode(cursor, 1)).contains(List.of("4711"));
    refused(() -> HERE.decode(cursor, 1));
    refused(() -> Cursors.of(events(HISTORY, back)).decode(cursor, 1));
    refused(() -> Cursors.of(events(HISTORY, byTime)).decode(cursor, 1));
    refused(() ->
        Cursors.of(events(RunEventFilter.ofRun("run_2"), RunEventSort.HISTORY)).decode(cursor, 1));
    refused(() -> Cursors.of(events(
            new RunEventFilter(RUN, Set.of(RunEventType.STARTED), null, null),
            RunEventSort.HISTORY))
        .decode(cursor, 1));
    refused(() -> Cursors.of(
            events(new RunEventFilter(RUN, Set.of(), NOON, null), RunEventSort.HISTORY))
        .decode(cursor, 1));
    refused(() -> Cursors.of(
            events(new RunEventFilter(RUN, Set.of(), null, NOON), RunEventSort.HISTORY))
        .decode(cursor, 1));
  }

  @Test
  void a_prune_goes_on_with_its_statuses_and_cutoff_at_any_later_time() {
    Set<RunStatus> failed = Set.of(RunStatus.FAILED);
    Cursors prune = Cursors.of(new PruneRuns(PRODUCTION, failed, NOON, NOON, 1, null));
    String cursor = prune.encode("a");

    assertThat(Cursors.of(new PruneRuns(PRODUCTION, failed, NOON, EXACT, 500, cursor))
            .decode(cursor, 1))
        .contains(List.of("a"));
    refused(() ->
        Cursors.of(new PruneRuns(PRODUCTION, Set.of(), NOON, NOON, 1, null)).decode(cursor, 1));
    refused(() ->
        Cursors.of(new PruneRuns(PRODUCTION, failed, EXACT, NOON, 1, null)).decode(cursor, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "x", "====", "!", "\u00e4", "AAAA", "bm90IG91cnM"})
  void a_malformed_cursor_is_refused(String cursor) {
    refused(() -> HERE.decode(cursor, 2));
  }

  @Test
  void a_cursor_that_lost_a_part_or_more_is_refused() {
    int whole = HERE.encode("1").length();
    String cursor = HERE.encode("1", "2");

    for (int length = 0; length <= whole; length++) {
      String truncated = cursor.substring(0, length);
      refused(() -> HERE.decode(truncated, 2));
    }
  }

  @Test
  void a_cursor_with_another_number_of_parts_is_refused() {
    refused(() -> HERE.decode(HERE.encode("a"), 2));
    refused(() -> HERE.decode(HERE.encode("a", "b", "c"), 2));
  }

  @Test
  void a_huge_cursor_is_refused_before_it_is_read() {
    refused(() -> HERE.decode("A".repeat(2_049), 2));
    refused(() -> HERE.decode("A".repeat(10_000_000), 2));
    refused(() -> HERE.decode(HERE.encode("x".repeat(2_000)), 1));
  }

  @Test
  void a_tampered_fingerprint_is_refused() {
    byte[] bytes = Base64.getUrlDecoder().decode(HERE.encode("a", "b"));
    bytes[0] ^= 1;
    String tampered = Base64.getUrlEncoder().encodeToString(bytes);
    String invalid = Base64.getUrlEncoder()
        .encodeToString(
            new String(bytes, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.UTF_16));

    refused(() -> HERE.decode(tampered, 2));
    refused(() -> HERE.decode(invalid, 2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "today",
        "2026-13-01T00:00:00Z",
        "+10000-01-01T00:00:00Z",
        "0000-12-31T00:00:00Z"
      })
  void a_position_without_a_storable_instant_is_refused(String part) {
    refused(() -> Cursors.instant(part));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.0", "99999999999999999999", " 1"})
  void a_position_without_a_number_is_refused(String part) {
    refused(() -> Cursors.number(part));
  }

  @Test
  void instants_and_numbers_are_read_back() {
    assertThat(Cursors.instant(EXACT.toString())).isEqualTo(EXACT);
    assertThat(Cursors.number("-1")).isEqualTo(-1);
  }

  private static void refused(Runnable call) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, call::run);

    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  private static ListRuns filtered(RunFilter filter) {
    return runs(PRODUCTION, filter, RunSort.NEWEST_FIRST);
  }

  private static ListRuns runs(Environment environment, RunFilter filter, RunSort sort) {
    return new ListRuns(environment, filter, sort, null, null);
  }

  private static ListRunEvents events(RunEventFilter filter, RunEventSort sort) {
    return new ListRunEvents(PRODUCTION, filter, sort, null, null);
  }
}
