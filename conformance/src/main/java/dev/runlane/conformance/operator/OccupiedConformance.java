package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which partitions of a bounded queue hold slots. */
@DisplayName("occupied slots of a queue")
public abstract class OccupiedConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void partitions_that_hold_slots_are_listed_the_fullest_first() {
    given(running("one", minutes(9)).queue(bounded(9)).concurrencyKey("acme"));
    given(running("lost", seconds(20)).queue(bounded(9)).concurrencyKey("acme"));
    given(reserved("reserved", minutes(9)).queue(bounded(9)).concurrencyKey("acme"));
    given(running("other", minutes(9)).queue(bounded(9)).concurrencyKey("beta"));
    given(running("without", minutes(9)).queue(bounded(9)));
    given(queued("waiting").queue(bounded(9)).concurrencyKey("gamma"));
    given(succeeded("over").queue(bounded(9)).concurrencyKey("delta"));

    assertThat(occupied(ENVIRONMENT, 10))
        .containsExactly(
            new OccupiedPartition("acme", 3),
            new OccupiedPartition(null, 1),
            new OccupiedPartition("beta", 1));
    assertThat(occupied(ENVIRONMENT, 1)).containsExactly(new OccupiedPartition("acme", 3));
  }

  @Test
  @Rule("operator")
  void queues_and_environments_have_their_own_partitions() {
    given(running("one", minutes(9)).queue(bounded(9)).environment(OTHER_ENVIRONMENT));

    assertThat(occupied(ENVIRONMENT, 10)).isEmpty();
    assertThat(occupied(OTHER_ENVIRONMENT, 10)).hasSize(1);
    assertThat(done(
            operator.listOccupied(new ListOccupied(OTHER_ENVIRONMENT, "other", minutes(1), 10))))
        .isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void a_malformed_question_is_refused() {
    assertFails(
        operator.listOccupied(new ListOccupied(ENVIRONMENT, "", NOON, 1)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listOccupied(new ListOccupied(ENVIRONMENT, "bounded", NOON, 0)),
        ErrorCode.VALIDATION_FAILED);
  }

  private List<OccupiedPartition> occupied(Environment environment, int limit) {
    return done(operator.listOccupied(new ListOccupied(environment, "bounded", minutes(1), limit)));
  }
}
