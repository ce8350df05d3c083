package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.PruneRuns;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What people find runs by. */
@DisplayName("tags of runs")
public abstract class TagConformance extends OperatorConformance {
  private static final Map<String, String> ACME = Map.of("customer", "acme");
  private static final Map<String, String> ACME_EU = Map.of("customer", "acme", "region", "eu:1");

  @Test
  @Rule("operator")
  void the_tags_of_a_run_are_found_and_stand_in_its_history() {
    given(queued("one").tags(ACME_EU));
    given(queued("none"));
    given(queued("two").tags(Map.of("note", "a \uD83C\uDFE6 \"bank\"\\")));

    assertThat(tags(ENVIRONMENT, "two", "one", "none", "never", "one"))
        .containsExactly(
            new TaggedRun("one", ACME_EU),
            new TaggedRun("two", Map.of("note", "a \uD83C\uDFE6 \"bank\"\\")));
    assertThat(((RunEvent.Created) done(storage.listRunEvents(new ListRunEvents(
                    ENVIRONMENT, RunEventFilter.ofRun("one"), RunEventSort.HISTORY, null, null)))
                .data()
                .get(0)
                .event())
            .tags())
        .isEqualTo(ACME_EU);
    assertThat(done(storage.getRun(new GetRun(ENVIRONMENT, "one")))).isPresent();
  }

  @Test
  @Rule("operator")
  void the_tags_of_a_run_are_kept_whatever_its_payload_says() {
    given(queued("one").payload(Json.ofChecked("\"\\u0000\\ud800\"")).tags(ACME));

    assertThat(tags(ENVIRONMENT, "one")).containsExactly(new TaggedRun("one", ACME));
  }

  @Test
  @Rule("operator")
  void a_run_that_has_all_of_the_tags_is_listed_whatever_it_is_doing() {
    given(queued("waiting").tags(ACME_EU));
    given(succeeded("ended").tags(ACME_EU).at(seconds(1)));
    given(queued("half").tags(ACME));
    given(queued("other").tags(Map.of("customer", "ace", "region", "eu:1")));
    given(queued("none"));

    assertThat(list(ACME_EU, RunFilter.ALL)).containsExactly("ended", "waiting");
    assertThat(list(ACME, RunFilter.ALL)).containsExactlyInAnyOrder("ended", "waiting", "half");
    assertThat(list(Map.of("region", "eu"), RunFilter.ALL)).isEmpty();
    assertThat(list(Map.of("Customer", "acme"), RunFilter.ALL)).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_filter_holds_beside_the_tags() {
    given(queued("waiting").tags(ACME));
    given(succeeded("ended").tags(ACME));
    given(queued("other_task").task(OTHER_TASK).tags(ACME));
    given(queued("later").tags(ACME).at(minutes(5)));

    assertThat(list(ACME, RunFilter.ALL.withStatuses(Set.of(RunStatus.SUCCEEDED))))
        .containsExactly("ended");
    assertThat(list(ACME, RunFilter.ALL.withTaskIds(List.of(OTHER_TASK))))
        .containsExactly("other_task");
    assertThat(list(ACME, RunFilter.ALL.withCreated(minutes(1), null))).containsExactly("later");
  }

  @Test
  @Rule("operator")
  void tagged_runs_are_listed_in_pages_the_newest_first() {
    for (int i = 0; i < 5; i++) {
      given(queued("run_" + i).tags(ACME).at(seconds(i / 2)));
    }

    assertThat(pages(cursor -> operator.listTaggedRuns(
                new ListTaggedRuns(ENVIRONMENT, ACME, RunFilter.ALL, 2, cursor)))
            .stream()
            .map(page -> page.stream().map(RunSummary::id).toList()))
        .containsExactly(List.of("run_4", "run_3"), List.of("run_2", "run_1"), List.of("run_0"));
  }

  @Test
  @Rule({"operator", "S12"})
  void tagged_runs_are_listed_the_oldest_first_where_that_is_asked_for() {
    for (int i = 0; i < 6; i++) {
      given(queued("run_" + i).tags(ACME).at(seconds(i / 2)));
    }
    RunFilter between = RunFilter.ALL.withCreated(seconds(0), seconds(2));

    String cursor = done(operator.listTaggedRuns(oldestFirst(between, null))).nextCursor();

    assertThat(pages(next -> operator.listTaggedRuns(oldestFirst(between, next))).stream()
            .map(page -> page.stream().map(RunSummary::id).toList()))
        .containsExactly(List.of("run_0", "run_1", "run_2"), List.of("run_3"));
    assertThat(done(operator.listTaggedRuns(
                oldestFirst(RunFilter.ALL.withCreated(seconds(1), null), null)))
            .data())
        .extracting(RunSummary::id)
        .containsExactly("run_2", "run_3", "run_4");
    assertFails(
        operator.listTaggedRuns(new ListTaggedRuns(ENVIRONMENT, ACME, between, 3, cursor)),
        ErrorCode.VALIDATION_FAILED);
  }

  private static ListTaggedRuns oldestFirst(RunFilter filter, @Nullable String cursor) {
    return new ListTaggedRuns(ENVIRONMENT, ACME, filter, SortDirection.ASC, 3, cursor);
  }

  @Test
  @Rule("operator")
  void runs_with_keys_and_with_a_first_lease_have_their_tags_too() {
    done(storage.appendRunEvents(queued("keyed")
        .idempotencyKey("key", TTL_HOUR)
        .singletonKey("single")
        .tags(ACME)
        .creation()));
    done(storage.appendRunEvents(
        queued("leased").tags(ACME).creationWithLease(lease("token", minutes(1)))));
    done(storage.appendRunEvents(
        queued("bounded").queue(Given.bounded(1)).tags(ACME).creation()));
    done(storage.appendRunEvents(queued("large")
        .payload(Json.ofChecked("{\"n\":1e999999,\"tags\":{\"customer\":\"of the payload\"}}"))
        .tags(ACME)
        .creation()));

    assertThat(list(ACME, RunFilter.ALL))
        .containsExactlyInAnyOrder("keyed", "leased", "bounded", "large");
  }

  @Test
  @Rule("operator")
  void a_creation_that_lost_to_another_leaves_no_tags() {
    given(queued("first").idempotencyKey("key", TTL_HOUR));

    done(storage
        .appendRunEvents(
            queued("second").idempotencyKey("key", TTL_HOUR).tags(ACME).creation())
        .otherwiseEmpty());
    done(storage.appendRunEvents(queued("first").tags(ACME).creation()).otherwiseEmpty());

    assertThat(tags(ENVIRONMENT, "first", "second")).isEmpty();
    assertThat(list(ACME, RunFilter.ALL)).isEmpty();
  }

  @Test
  @Rule("operator")
  void many_runs_that_are_created_at_once_have_each_its_own_tags() {
    Race.Results<AppendedRun> race = race(Race.times(
        16,
        i -> adapter -> adapter.appendRunEvents((i % 2 == 0
                ? queued("run_" + i).tags(Map.of("number", String.valueOf(i)))
                : queued("run_" + i))
            .creation())));

    assertThat(race.failures()).isEmpty();
    for (int i = 0; i < 16; i++) {
      assertThat(list(Map.of("number", String.valueOf(i)), RunFilter.ALL))
          .isEqualTo(i % 2 == 0 ? List.of("run_" + i) : List.of());
    }
  }

  @Test
  @Rule("operator")
  void tags_go_with_their_run() {
    given(succeeded("gone").tags(ACME));
    given(queued("stays").tags(ACME));

    done(storage.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NEXT_YEAR, NEXT_YEAR, null, null)));

    assertThat(tags(ENVIRONMENT, "gone", "stays")).containsExactly(new TaggedRun("stays", ACME));
    assertThat(list(ACME, RunFilter.ALL)).containsExactly("stays");
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_tags() {
    given(queued("one").tags(ACME));

    assertThat(tags(OTHER_ENVIRONMENT, "one")).isEmpty();
    assertThat(done(operator.listTaggedRuns(
                new ListTaggedRuns(OTHER_ENVIRONMENT, ACME, RunFilter.ALL, null, null)))
            .data())
        .isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void tags_beyond_their_limits_are_refused_and_those_at_them_are_not() {
    Map<String, String> most = new TreeMap<>();
    for (int i = 0; i < 16; i++) {
      most.put(String.valueOf((char) ('a' + i)).repeat(64), "v".repeat(256));
    }
    given(queued("most").tags(most));
    assertThat(tags(ENVIRONMENT, "most")).containsExactly(new TaggedRun("most", most));

    Map<String, String> tooMany = new TreeMap<>(most);
    tooMany.put("one more", "v");
    for (Map<String, String> malformed : List.of(
        tooMany,
        Map.of("", "v"),
        Map.of("a:b", "v"),
        Map.of("n".repeat(65), "v"),
        Map.of("name", ""),
        Map.of("name", "v".repeat(257)),
        Map.of("name", "half a pair \uD800"),
        Map.of("name", "nul \0"))) {
      assertFails(
          storage.appendRunEvents(queued("never").tags(malformed).creation()),
          ErrorCode.VALIDATION_FAILED);
      assertFails(
          operator.listTaggedRuns(
              new ListTaggedRuns(ENVIRONMENT, malformed, RunFilter.ALL, null, null)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertThat(done(storage.getRun(new GetRun(ENVIRONMENT, "never")))).isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_questions_are_refused() {
    assertFails(
        operator.listTaggedRuns(
            new ListTaggedRuns(ENVIRONMENT, Map.of(), RunFilter.ALL, null, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listTaggedRuns(new ListTaggedRuns(ENVIRONMENT, ACME, RunFilter.ALL, 0, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listTaggedRuns(
            new ListTaggedRuns(ENVIRONMENT, ACME, RunFilter.ALL, null, "no cursor")),
        ErrorCode.VALIDATION_FAILED);
    given(queued("one").tags(ACME));
    given(queued("two").tags(ACME));
    String foreign = done(operator.listTaggedRuns(
            new ListTaggedRuns(ENVIRONMENT, ACME, RunFilter.ALL, 1, null)))
        .nextCursor();
    assertFails(
        operator.listTaggedRuns(
            new ListTaggedRuns(ENVIRONMENT, ACME_EU, RunFilter.ALL, 1, foreign)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.findTags(new FindTags(ENVIRONMENT, List.of(""))), ErrorCode.VALIDATION_FAILED);
  }

  private List<TaggedRun> tags(Environment environment, String... runIds) {
    return done(operator.findTags(new FindTags(environment, List.of(runIds))));
  }

  private List<String> list(Map<String, String> tags, RunFilter filter) {
    return done(operator.listTaggedRuns(new ListTaggedRuns(ENVIRONMENT, tags, filter, null, null)))
        .data()
        .stream()
        .map(RunSummary::id)
        .toList();
  }
}
