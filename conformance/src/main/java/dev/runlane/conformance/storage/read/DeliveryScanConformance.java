package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Maintenance is shown the runs that nobody else will wake. */
@DisplayName("scanning for runs that need delivery")
public abstract class DeliveryScanConformance extends StorageConformance {
  @Test
  @Rule("S34")
  void due_retrying_and_released_runs_and_expired_leases_are_shown_by_the_instant_they_are_due() {
    given(running("run_3", minutes(3)));
    given(released("run_2", minutes(2)));
    given(retrying("run_1", minutes(1)));

    List<RunnableRunRef> found = scan(minutes(3), 10);

    assertThat(runIds(found)).containsExactly("run_1", "run_2", "run_3");
    assertThat(found)
        .extracting(RunnableRunRef::availableAt)
        .containsExactly(minutes(1), minutes(2), minutes(3));
    assertThat(runIds(scan(minutes(3), 2))).containsExactly("run_1", "run_2");
    assertThat(runIds(scan(minutes(2), 10))).containsExactly("run_1", "run_2");
  }

  @Test
  @Rule({"S34", "m9"})
  void scheduled_runs_which_own_an_outbox_message_are_left_to_it_for_five_seconds() {
    given(scheduled("run_1", minutes(1)));

    assertThat(scan(minutes(1), 10)).isEmpty();
    assertThat(scan(minutes(1).plusSeconds(4), 10)).isEmpty();
    assertThat(runIds(scan(minutes(1).plusSeconds(6), 10))).containsExactly("run_1");
  }

  @Test
  @Rule({"S34", "m9"})
  void a_limited_scan_shows_those_due_longest_also_where_a_scheduled_one_had_to_wait() {
    given(scheduled("run_1", minutes(1)));
    given(retrying("run_2", minutes(1).plusSeconds(3)));

    assertThat(runIds(scan(minutes(2), 1))).containsExactly("run_1");
  }

  @Test
  @Rule("S34")
  void queued_leased_cancelling_and_terminal_runs_are_not_shown() {
    given(queued("run_1"));
    given(running("run_2", minutes(60)));
    given(cancellationRequested("run_3", minutes(1)));
    given(succeeded("run_4"));

    assertThat(scan(minutes(10), 10)).isEmpty();
  }

  @Test
  @Rule("S34")
  void a_fresh_delivery_request_takes_a_run_off_the_list() {
    RunRecord run = given(retrying("run_1", minutes(1)));

    append(run, minutes(2), Events.delivery(run, minutes(2), minutes(2)));

    assertThat(scan(minutes(10), 10)).isEmpty();
    assertThat(claimOutbox(minutes(2), 10)).hasSize(2);
  }

  @Test
  @Rule({"S34", "m8"})
  void only_the_named_queues_and_environment_are_shown() {
    given(retrying("run_1", minutes(1)));
    given(retrying("run_2", minutes(1)).queue(EMAILS));
    given(retrying("run_3", minutes(1)).queue(Given.bounded(1)));
    given(retrying("run_4", minutes(1)).environment(OTHER_ENVIRONMENT));

    assertThat(runIds(scan(minutes(1), 10))).containsExactly("run_1");
    assertThat(Outcomes.done(storage.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(ENVIRONMENT, List.of(), NOON, 10))))
        .isEmpty();
  }

  private List<RunnableRunRef> scan(Instant now, int limit) {
    return Outcomes.done(storage.listRunsNeedingDelivery(
        new ListRunsNeedingDelivery(ENVIRONMENT, List.of("default"), now, limit)));
  }

  private static List<String> runIds(List<RunnableRunRef> found) {
    return found.stream().map(RunnableRunRef::runId).toList();
  }
}
