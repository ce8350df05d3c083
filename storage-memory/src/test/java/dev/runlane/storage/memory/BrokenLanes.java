package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneCapabilities;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryLaneFixture.Composing;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.UnaryOperator;

/** Lanes that are put together wrongly. */
final class BrokenLanes {
  static final List<BrokenAdapter<Composing>> ALL = List.of(
      that(
          "starts the transport before the storage",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public Future<Void> start() {
              return transport().start().compose(started -> storage().start());
            }
          }),
          "Composition.a_lane_starts_the_storage_and_then_the_transport"),
      that(
          "closes the storage before the transport",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public Future<Void> close() {
              return storage().close().compose(closed -> transport().close());
            }
          }),
          "Composition.a_lane_closes_the_transport_and_then_the_storage"),
      that(
          "leaves the storage open when the transport does not close",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public Future<Void> close() {
              return transport().close().compose(closed -> storage().close());
            }
          }),
          "Composition.the_storage_is_closed_even_if_the_transport_does_not_close"),
      that(
          "leaves the storage open when the transport does not start",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public Future<Void> start() {
              return storage().start().compose(started -> transport().start());
            }
          }),
          "Composition.a_transport_that_does_not_start_closes_the_storage_and_is_the_failure"),
      that(
          "starts the transport though the storage did not start",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public Future<Void> start() {
              return Future.join(storage().start(), transport().start()).mapEmpty();
            }
          }),
          "Composition.a_storage_that_does_not_start_leaves_the_transport_alone"),
      that(
          "wraps its adapters",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public StorageAdapter storage() {
              return new ForwardingStorage(real.storage());
            }

            @Override
            public TransportAdapter transport() {
              return new ForwardingTransportAdapter(real.transport()) {};
            }
          }),
          "Composition.a_lane_keeps_the_very_adapters_it_was_made_of"),
      that(
          "adds capabilities that its adapters lack",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public LaneCapabilities capabilities() {
              return new LaneCapabilities(
                  real.capabilities().operatorReads(),
                  real.capabilities().productionDurable(),
                  MemoryStorage.CAPABILITIES,
                  real.capabilities().transport());
            }
          }),
          "Composition.a_lane_reports_the_capabilities_of_its_adapters_and_no_others"),
      that(
          "calls itself durable",
          lanes(lane -> new ForwardingLane(lane) {
            @Override
            public LaneCapabilities capabilities() {
              return new LaneCapabilities(
                  real.capabilities().operatorReads(),
                  true,
                  real.capabilities().storage(),
                  real.capabilities().transport());
            }
          }),
          "Composition.a_lane_without_options_is_called_lane_and_readable_but_not_durable"),
      that(
          "follows its options after it was made",
          real -> (storage, transport, options) -> {
            Lane lane = real.compose(storage, transport, options);
            return new ForwardingLane(lane) {
              @Override
              public String name() {
                return options.getName();
              }
            };
          },
          "Composition.a_lane_says_of_itself_what_its_options_say"),
      that(
          "takes something else for a missing adapter",
          real -> (storage, transport, options) -> real.compose(
              storage == null ? new MemoryStorage() : storage,
              transport == null ? new MemoryTransport() : transport,
              options),
          "Composition.a_missing_adapter_is_refused_at_once"),
      that(
          "does not look at its adapters before it starts",
          real -> (storage, transport, options) -> storage == null || transport == null
              ? real.compose(storage, transport, options)
              : unseen(storage, transport, options),
          "Composition.a_malformed_adapter_is_refused_at_once"));

  private BrokenLanes() {}

  private static UnaryOperator<Composing> lanes(UnaryOperator<Lane> breaking) {
    return real ->
        (storage, transport, options) -> breaking.apply(real.compose(storage, transport, options));
  }

  private static Lane unseen(
      StorageAdapter storage, TransportAdapter transport, LaneOptions options) {
    Lane shape = Lanes.create(new MemoryStorage(), new MemoryTransport(), options);
    return new ForwardingLane(shape) {
      @Override
      public StorageAdapter storage() {
        return storage;
      }

      @Override
      public TransportAdapter transport() {
        return transport;
      }
    };
  }
}
