package dev.runlane.lane;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import org.jspecify.annotations.Nullable;

/** Puts lanes together. */
public final class Lanes {
  private Lanes() {}

  /** A lane with default options. */
  public static Lane create(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport) {
    return create(storage, transport, new LaneOptions());
  }

  /**
   * A lane of these very adapters; nothing is emulated and no capability added. Throws {@code
   * ConfigurationInvalid} when an adapter is missing or reports no capabilities or no queues.
   */
  public static Lane create(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions options) {
    if (storage == null || transport == null) {
      throw RunlaneException.configurationInvalid(
          "lane %s needs a storage and a transport, but has no %s",
          options.getName(), storage == null ? "storage" : "transport");
    }
    requirePresent(options, "storage", "capabilities", storage.capabilities());
    requirePresent(options, "storage", "batch", storage.batch());
    requirePresent(options, "storage", "cancellations", storage.cancellations());
    requirePresent(options, "storage", "outbox", storage.outbox());
    requirePresent(options, "transport", "capabilities", transport.capabilities());
    requirePresent(options, "transport", "queues", transport.queues());
    requirePresent(options, "transport", "wakeups", transport.wakeups());
    return new AdapterLane(storage, transport, new LaneOptions(options));
  }

  private static void requirePresent(
      LaneOptions options, String adapter, String method, @Nullable Object answer) {
    if (answer == null) {
      throw RunlaneException.configurationInvalid(
          "lane %s: %s.%s() answers null", options.getName(), adapter, method);
    }
  }
}
