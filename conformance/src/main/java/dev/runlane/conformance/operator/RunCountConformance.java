package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunFilter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many runs of each status there are. */
@DisplayName("counting runs")
public abstract class RunCountConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void each_status_is_counted_whatever_statuses_the_filter_names() {
    given(queued("one"));
    given(queued("two"));
    given(running("three", minutes(9)));
    given(succeeded("four"));

    Map<RunStatus, Integer> counted =
        counts(Map.of(RunStatus.QUEUED, 2, RunStatus.RUNNING, 1, RunStatus.SUCCEEDED, 1));
    assertThat(count(ENVIRONMENT, RunFilter.ALL, 10)).isEqualTo(new RunCounts(counted, false));
    assertThat(count(ENVIRONMENT, RunFilter.ALL.withStatuses(Set.of(RunStatus.FAILED)), 10))
        .isEqualTo(new RunCounts(counted, false));
    assertThat(count(OTHER_ENVIRONMENT, RunFilter.ALL, 10))
        .isEqualTo(new RunCounts(counts(Map.of()), false));
  }

  @Test
  @Rule("operator")
  void no_more_of_a_status_are_counted_than_were_asked_for() {
    for (int run = 0; run < 3; run++) {
      given(queued("waits_" + run));
      given(succeeded("ended_" + run));
    }

    for (RunFilter filter : List.of(RunFilter.ALL, RunFilter.ALL.withTaskIds(List.of(TASK)))) {
      assertThat(count(ENVIRONMENT, filter, 2))
          .isEqualTo(
              new RunCounts(counts(Map.of(RunStatus.QUEUED, 2, RunStatus.SUCCEEDED, 2)), false));
    }
  }

  @Test
  @Rule("operator")
  void runs_are_counted_that_fit_the_filter() {
    given(queued("first"));
    given(succeeded("second"));
    given(queued("other").task(OTHER_TASK).at(minutes(1)));
    given(succeeded("another").task(OTHER_TASK).at(minutes(2)));
    given(queued("keyed").concurrencyKey("acme").at(minutes(2)));

    assertThat(count(ENVIRONMENT, RunFilter.ALL.withTaskIds(List.of(OTHER_TASK)), 10)
            .counts())
        .isEqualTo(counts(Map.of(RunStatus.QUEUED, 1, RunStatus.SUCCEEDED, 1)));
    assertThat(count(ENVIRONMENT, RunFilter.ALL.withTaskIds(List.of(TASK, OTHER_TASK)), 10)
            .counts())
        .isEqualTo(counts(Map.of(RunStatus.QUEUED, 3, RunStatus.SUCCEEDED, 2)));
    assertThat(count(ENVIRONMENT, RunFilter.ALL.withConcurrencyKey("acme"), 10).counts())
        .isEqualTo(counts(Map.of(RunStatus.QUEUED, 1)));
    assertThat(count(ENVIRONMENT, RunFilter.ALL.withCreated(minutes(1), minutes(2)), 10)
            .counts())
        .isEqualTo(counts(Map.of(RunStatus.QUEUED, 1)));
    assertThat(
            count(ENVIRONMENT, RunFilter.ALL.withQueues(List.of("nowhere")), 10).counts())
        .isEqualTo(counts(Map.of()));
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_queries_are_refused() {
    for (int atMost : List.of(-1, 0, CountRuns.MOST + 1)) {
      assertFails(
          operator.countRuns(new CountRuns(ENVIRONMENT, RunFilter.ALL, atMost)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.countRuns(new CountRuns(ENVIRONMENT, RunFilter.ALL.withQueues(List.of("")), 10)),
        ErrorCode.VALIDATION_FAILED);
  }

  private RunCounts count(Environment environment, RunFilter filter, int atMost) {
    return done(operator.countRuns(new CountRuns(environment, filter, atMost)));
  }

  /** Those that are none are 0. */
  private static Map<RunStatus, Integer> counts(Map<RunStatus, Integer> some) {
    Map<RunStatus, Integer> all = new EnumMap<>(RunStatus.class);
    for (RunStatus status : RunStatus.values()) {
      all.put(status, some.getOrDefault(status, 0));
    }
    return all;
  }
}
