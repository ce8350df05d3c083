package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendedRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs are read as they are, in the order asked for. */
@DisplayName("reading runs")
public abstract class RunReadConformance extends StorageConformance {
  @Test
  @Rule("S20")
  void a_run_that_does_not_exist_is_empty() {
    given(queued("run_1"));

    assertThat(find("run_2")).isEmpty();
    assertThat(find(OTHER_ENVIRONMENT, "run_1")).isEmpty();
  }

  @Test
  @Rule("S20")
  void reading_a_run_changes_nothing() {
    given(running("run_1", minutes(1)));
    StoredState before = stored();

    find("run_1");
    find("run_2");

    assertNothingStored(before);
  }

  @Test
  @Rule("S21")
  void many_runs_come_in_the_order_asked_for() {
    RunRecord one = given(queued("run_1"));
    RunRecord two = given(succeeded("run_2"));
    RunRecord three = given(running("run_3", minutes(1)));

    assertThat(readAll("run_2", "run_3", "run_1")).containsExactly(two, three, one);
    assertThat(readAll("run_3", "run_1", "run_2")).containsExactly(three, one, two);
  }

  @Test
  @Rule("S21")
  void missing_runs_are_left_out_and_doubled_ids_are_answered_twice() {
    RunRecord one = given(queued("run_1"));
    RunRecord two = given(succeeded("run_2"));
    given(queued("run_3").environment(OTHER_ENVIRONMENT));

    assertThat(readAll("run_2", "run_missing", "run_1", "run_2", "run_3"))
        .containsExactly(two, one, two);
    assertThat(readAll("run_missing")).isEmpty();
    assertThat(readAll()).isEmpty();
  }

  @Test
  @Rule("S21")
  void hundreds_of_runs_are_read_at_once() {
    List<String> ids = new ArrayList<>(givenAll(Race.times(300, i -> queued("run_" + i))).stream()
        .map(RunRecord::id)
        .toList());
    Collections.reverse(ids);

    assertThat(readAll(ids.toArray(String[]::new)))
        .extracting(RunRecord::id)
        .containsExactlyElementsOf(ids);
  }

  @Test
  @Rule("S13")
  void what_a_caller_does_to_its_lists_changes_nothing_stored() {
    List<String> ids = new ArrayList<>(List.of("run_1"));
    AppendedRun created = appended(queued("run_1").creation());
    StoredState before = stored();

    GetRuns query = new GetRuns(ENVIRONMENT, ids);
    ids.clear();
    clear(Outcomes.done(storage.getRuns(query)));
    clear(history(created.run()));
    clear(claimOutbox(minutes(1), 10));

    assertNothingStored(before);
    assertThat(history(created.run())).extracting(RunEventRecord::sequence).containsExactly(1L, 2L);
    assertThat(claimOutbox(minutes(9), 10)).hasSize(1);
  }

  private List<RunRecord> readAll(String... runIds) {
    GetRuns query = new GetRuns(ENVIRONMENT, List.of(runIds));
    List<RunRecord> runs = Outcomes.done(storage.getRuns(query));
    assertThat(Outcomes.done(storage.getRunSummaries(query)))
        .isEqualTo(runs.stream().map(RunSummary::of).toList());
    return runs;
  }

  private static void clear(List<?> list) {
    try {
      list.clear();
    } catch (UnsupportedOperationException unmodifiable) {
      assertThat(list).isNotEmpty();
    }
  }
}
