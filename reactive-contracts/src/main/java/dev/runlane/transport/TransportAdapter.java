package dev.runlane.transport;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Wakes workers. Owns no run state, even where its backend is durable. Every method reports failures
 * through its future and never throws.
 */
public interface TransportAdapter {
  /** What this transport promises; the same set during its whole life. */
  Set<TransportCapability> capabilities();

  /**
   * The queues this transport has bindings for, or empty when bindings cannot be listed. Where present,
   * a runtime refuses to be built with a queue that has no equal policy here.
   */
  default Optional<List<QueuePolicy>> queues() {
    return Optional.empty();
  }

  /** Opens clients and connections; completes when wakeups can be published. Starting twice is harmless. */
  default Future<Void> start() {
    return Future.succeededFuture();
  }

  /** Closes what {@link #start()} opened. Closing twice is harmless; publishing afterwards fails. */
  default Future<Void> close() {
    return Future.succeededFuture();
  }

  /**
   * Publishes wakeups; outcome <i>i</i> belongs to attempt <i>i</i>, and there are as many outcomes as
   * attempts. Fails as a whole with {@link ErrorCode#TRANSPORT_UNAVAILABLE} or {@link
   * ErrorCode#TRANSPORT_PUBLISH_FAILED} only when the outcomes of single attempts cannot be trusted;
   * with {@link ErrorCode#VALIDATION_FAILED} when the command is malformed or names a queue without a
   * binding, in which case nothing is published.
   */
  Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command);

  /** Where consumers of this transport take wakeups one by one, if its provider shares them out. */
  default Optional<DeliverySource> deliveries() {
    return Optional.empty();
  }

  /** Asks whether the provider can be reached, if this transport has one of its own. */
  default Optional<TransportProbe> probe() {
    return Optional.empty();
  }

  /** Where this transport hands wakeups to the same process, if it does so by itself. */
  default Optional<WakeupSource> wakeups() {
    return Optional.empty();
  }
}
