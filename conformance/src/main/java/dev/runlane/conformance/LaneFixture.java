package dev.runlane.conformance;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lane of real adapters on fresh, empty state, and the way it is put together. */
public interface LaneFixture extends Fixture {
  /** Opens a started lane of the adapters under test. */
  Future<Lane> open();

  /**
   * Puts a lane together from any adapters, null for one that is missing, in the very way the lane under
   * test is: usually {@code Lanes.create}.
   */
  Lane compose(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions options);

  /** The name of an unbounded queue that the lane's transport can publish to. */
  String queue();

  /** Every wakeup the lane's provider has accepted so far. */
  Future<List<DeliveryMessage>> received();
}
