package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.storage.StorageCapability.DURABLE_STATE;
import static dev.runlane.storage.StorageCapability.PROCESS_LOCAL_STATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** State is where its capabilities say, and adapters start and close as often as they are told. */
@DisplayName("state and life of an adapter")
public abstract class StateConformance extends StorageConformance {
  @Test
  @Rule("S95")
  void every_capability_that_a_full_storage_promises_is_reported() {
    assertThat(storage.capabilities())
        .containsAll(Set.of(
            StorageCapability.READS_RUN_HISTORY,
            StorageCapability.PRUNES_RUNS,
            StorageCapability.LEASES_RUNS,
            StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES,
            StorageCapability.PERSISTS_OUTBOX,
            StorageCapability.ENFORCES_IDEMPOTENCY,
            StorageCapability.ENFORCES_SINGLETON,
            StorageCapability.ENFORCES_QUEUE_CONCURRENCY));
    assertThat(storage.capabilities()).isEqualTo(storage.capabilities());
  }

  @Test
  @Rule("S96")
  void a_second_adapter_sees_what_the_first_has_stored_unless_state_is_local() {
    boolean shared = !storage.capabilities().contains(PROCESS_LOCAL_STATE);
    List<RunRecord> runs = givenAll(
        List.of(queued("run_1").idempotencyKey("key", TTL_HOUR), running("run_2", minutes(1))));
    StorageAdapter reader = shared ? Outcomes.done(fixture.open()) : storage;

    assertThat(StoredState.of(reader, Given.ENVIRONMENT)).isEqualTo(stored());
    RunRecord ended = Outcomes.done(reader.appendRunEvents(
            Commands.append(runs.get(1), Given.NOON, Events.succeeded(runs.get(1), Given.NOON))))
        .run();

    assertThat(read("run_2")).isEqualTo(ended);
    assertThat(stored().runs()).containsExactly(runs.get(0), ended);
  }

  @Test
  @Rule("S96")
  void durable_state_is_there_again_after_its_adapter_was_closed() {
    boolean durable = storage.capabilities().contains(DURABLE_STATE);
    givenAll(
        List.of(succeeded("run_1").idempotencyKey("key", TTL_HOUR), running("run_2", minutes(1))));
    StoredState before = stored();

    if (durable) {
      Outcomes.done(storage.close());
      storage = Outcomes.done(fixture.open());
    }

    assertNothingStored(before);
    assertThat(owner("key", Given.NOON)).contains("run_1");
    assertThat(unsettledOutbox()).containsExactlyInAnyOrder("run_1", "run_2");
  }

  @Test
  @Rule("S12")
  void starting_an_adapter_again_is_harmless() {
    RunRecord run = given(queued("run_1"));

    Outcomes.done(storage.start());
    Outcomes.done(storage.start());

    assertThat(read("run_1")).isEqualTo(run);
  }

  @Test
  @Rule("S12")
  void closing_an_adapter_twice_is_harmless() {
    given(queued("run_1"));

    Outcomes.done(storage.close());
    Outcomes.done(storage.close());
  }
}
