package dev.runlane.lane;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
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
   * ConfigurationInvalid} when an adapter is missing, or when a method that says what it can do answers
   * null or throws.
   */
  public static Lane create(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions options) {
    if (storage == null || transport == null) {
      throw RunlaneException.configurationInvalid(
          "lane %s needs a storage and a transport, but has no %s",
          options.getName(), storage == null ? "storage" : "transport");
    }
    requireAnswer(options, "storage.capabilities", () -> Set.copyOf(storage.capabilities()));
    requireAnswer(options, "storage.batch", storage::batch);
    requireAnswer(options, "storage.cancellations", storage::cancellations);
    requireAnswer(options, "storage.outbox", storage::outbox);
    requireAnswer(options, "transport.capabilities", () -> Set.copyOf(transport.capabilities()));
    requireAnswer(options, "transport.queues", transport::queues);
    requireAnswer(options, "transport.deliveries", transport::deliveries);
    requireAnswer(options, "transport.wakeups", transport::wakeups);
    return new AdapterLane(storage, transport, new LaneOptions(options));
  }

  private static void requireAnswer(
      LaneOptions options, String method, Supplier<? extends @Nullable Object> call) {
    try {
      Objects.requireNonNull(call.get());
    } catch (RuntimeException incomplete) {
      throw RunlaneException.configurationInvalid(
              "lane %s: %s() must answer, neither with null nor by throwing",
              options.getName(), method)
          .causedBy(incomplete);
    }
  }
}
