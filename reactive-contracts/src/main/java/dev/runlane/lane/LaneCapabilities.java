package dev.runlane.lane;

import dev.runlane.storage.StorageCapability;
import dev.runlane.transport.TransportCapability;
import java.util.Set;

/**
 * What a lane promises.
 *
 * @param operatorReads whether operators may read runs and histories through it
 * @param productionDurable whether it is safe as a production boundary for state and delivery
 * @param storage the storage's own promises
 * @param transport the transport's own promises
 */
public record LaneCapabilities(
    boolean operatorReads,
    boolean productionDurable,
    Set<StorageCapability> storage,
    Set<TransportCapability> transport) {
  /** Copies the sets. */
  public LaneCapabilities {
    storage = Set.copyOf(storage);
    transport = Set.copyOf(transport);
  }
}
