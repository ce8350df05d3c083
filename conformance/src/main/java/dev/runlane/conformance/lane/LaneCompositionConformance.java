package dev.runlane.conformance.lane;

import static dev.runlane.run.ErrorCode.CONFIGURATION_INVALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A lane puts two adapters together and adds nothing of its own but their order. */
@DisplayName("composing lanes")
public abstract class LaneCompositionConformance extends LaneConformance {
  private final List<String> log = RecordingAdapter.newLog();

  @Test
  @Rule("L01")
  void a_lane_starts_the_storage_and_then_the_transport() {
    Lane lane = compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log));

    assertThat(log).isEmpty();
    Outcomes.done(lane.start());

    assertThat(log).containsExactly("storage.start", "transport.start");
  }

  @Test
  @Rule("L02")
  void a_lane_closes_the_transport_and_then_the_storage() {
    Lane lane = compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log));

    Outcomes.done(lane.close());

    assertThat(log).containsExactly("transport.close", "storage.close");
  }

  @Test
  @Rule("L02")
  void the_storage_is_closed_even_if_the_transport_does_not_close() {
    Lane lane =
        compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log).failing("close"));

    assertFailsWith("transport.close", lane.close());

    assertThat(log).containsExactly("transport.close", "storage.close");
  }

  @Test
  @Rule("L03")
  void a_transport_that_does_not_start_closes_the_storage_and_is_the_failure() {
    Lane lane =
        compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log).failing("start"));

    assertFailsWith("transport.start", lane.start());

    assertThat(log).containsExactly("storage.start", "transport.start", "storage.close");
  }

  @Test
  @Rule("L03")
  void a_storage_that_does_not_start_leaves_the_transport_alone() {
    Lane lane =
        compose(RecordingAdapter.storage(log).failing("start"), RecordingAdapter.transport(log));

    assertFailsWith("storage.start", lane.start());

    assertThat(log).doesNotContain("transport.start");
  }

  @Test
  @Rule("L04")
  void a_lane_keeps_the_very_adapters_it_was_made_of() {
    StorageAdapter storage = RecordingAdapter.storage(log).asStorage();
    TransportAdapter transport = RecordingAdapter.transport(log).asTransport();

    Lane lane = fixture.compose(storage, transport, new LaneOptions());

    assertThat(lane.storage()).isSameAs(storage);
    assertThat(lane.transport()).isSameAs(transport);
  }

  @Test
  @Rule("L05")
  void a_lane_reports_the_capabilities_of_its_adapters_and_no_others() {
    Lane lane = compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log));

    assertThat(lane.capabilities().storage()).containsExactly(StorageCapability.LEASES_RUNS);
    assertThat(lane.capabilities().transport())
        .containsExactly(TransportCapability.ORDERED_DELIVERY);
  }

  @Test
  @Rule("L06")
  void a_lane_says_of_itself_what_its_options_say() {
    LaneOptions options =
        new LaneOptions().setName("orders").setOperatorReads(false).setProductionDurable(true);
    Lane lane = fixture.compose(
        RecordingAdapter.storage(log).asStorage(),
        RecordingAdapter.transport(log).asTransport(),
        options);
    options.setName("changed later");

    assertThat(lane.name()).isEqualTo("orders");
    assertThat(lane.capabilities().operatorReads()).isFalse();
    assertThat(lane.capabilities().productionDurable()).isTrue();
  }

  @Test
  @Rule("L06")
  void a_lane_without_options_is_called_lane_and_readable_but_not_durable() {
    Lane lane = compose(RecordingAdapter.storage(log), RecordingAdapter.transport(log));

    assertThat(lane.name()).isEqualTo("lane");
    assertThat(lane.capabilities().operatorReads()).isTrue();
    assertThat(lane.capabilities().productionDurable()).isFalse();
  }

  @Test
  @Rule("L07")
  void a_missing_adapter_is_refused_at_once() {
    StorageAdapter storage = RecordingAdapter.storage(log).asStorage();
    TransportAdapter transport = RecordingAdapter.transport(log).asTransport();

    assertInvalid(() -> fixture.compose(null, transport, new LaneOptions()));
    assertInvalid(() -> fixture.compose(storage, null, new LaneOptions()));
  }

  @Test
  @Rule("L07")
  void a_malformed_adapter_is_refused_at_once() {
    for (String method : List.of("capabilities", "batch", "cancellations")) {
      assertInvalid(() -> compose(
          RecordingAdapter.storage(log).answeringNull(method), RecordingAdapter.transport(log)));
    }
    for (String method : List.of("capabilities", "queues", "deliveries", "wakeups")) {
      assertInvalid(() -> compose(
          RecordingAdapter.storage(log), RecordingAdapter.transport(log).answeringNull(method)));
    }
    assertThat(log).isEmpty();
  }

  @Test
  @Rule("L07")
  void unknown_and_malformed_options_are_refused_at_once() {
    for (JsonObject malformed : List.of(
        new JsonObject().put("durable", true),
        new JsonObject().put("name", ""),
        new JsonObject().put("name", 7),
        new JsonObject().put("operatorReads", "yes"))) {
      assertInvalid(() -> LaneOptions.fromJson(malformed));
    }
  }

  private Lane compose(RecordingAdapter storage, RecordingAdapter transport) {
    return fixture.compose(storage.asStorage(), transport.asTransport(), new LaneOptions());
  }

  private static void assertInvalid(ThrowingCallable building) {
    assertThatThrownBy(building)
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(CONFIGURATION_INVALID));
  }

  private static void assertFailsWith(String origin, Future<?> future) {
    assertThat(Outcomes.cause(future)).hasMessage(origin);
  }
}
