package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.EventIds;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.PartitionHistory;
import dev.runlane.conformance.given.QueueDrain;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.RunEventRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The order of event ids is the order of what happened, where that can be told. */
@DisplayName("the order of event ids")
public abstract class EventOrderConformance extends StorageConformance {
  @Test
  @Rule("ids")
  void event_ids_are_decimal_and_unique_in_the_storage() {
    givenAll(Race.times(5, i -> running("run_" + i, minutes(1))));
    given(queued("run_0").environment(OTHER_ENVIRONMENT));
    List<RunEventRecord> events = new ArrayList<>(stored().events());
    events.addAll(StoredState.events(storage, OTHER_ENVIRONMENT));

    assertThat(events).hasSize(22).extracting(RunEventRecord::id).doesNotHaveDuplicates();
    assertThat(events).allSatisfy(event -> assertThat(event.id()).matches("[0-9]+"));
  }

  @Test
  @Rule("ids")
  void inside_a_run_later_events_have_greater_ids() {
    RunRecord run = given(running("run_1", minutes(1)));
    for (int i = 0; i < 20; i++) {
      given(queued("other_" + i));
      run = Outcomes.done(storage.heartbeatRunLease(Commands.heartbeat(run, minutes(i + 2), NOON)))
          .run();
    }
    append(run, NOON, Events.cancellationRequested(run, NOON), Events.succeeded(run, NOON));

    assertThat(EventIds.of(history(run))).hasSize(26).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @Rule("ids")
  void inside_a_bounded_partition_the_order_of_ids_is_the_order_in_which_slots_changed_hands() {
    QueuePolicy one = bounded(1);
    List<String> ids = givenAll(Race.times(12, i -> queued("run_" + i).queue(one))).stream()
        .map(RunRecord::id)
        .toList();

    Race.Results<Integer> race =
        race(Race.times(4, i -> adapter -> new QueueDrain(adapter, one, ids, i).run()));

    assertThat(race.failures()).isEmpty();
    List<RunEventRecord> events = StoredState.events(storage, ENVIRONMENT);
    assertThat(events).hasSize(12 * 4);
    assertThat(PartitionHistory.mostOccupied(events)).isEqualTo(1);
  }
}
