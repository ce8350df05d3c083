package dev.runlane.conformance;

import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.List;

/** A transport whose provider holds no wakeups yet, and a way to make that provider fail. */
public interface TransportFixture extends Fixture {
  /**
   * Opens a started transport; called again, another one with the same provider, or the same one where
   * the provider lives inside the transport.
   */
  Future<TransportAdapter> open();

  /** The name of a queue that the transport can publish to. */
  String queue();

  /** Every wakeup the provider has accepted so far, in any order, doubled where it holds it twice. */
  Future<List<DeliveryMessage>> received();

  /** From now on the provider refuses the next {@code count} wakeups, but stays reachable. */
  Future<Void> rejectNext(int count);

  /** The provider cannot be reached from now on, until {@link #restore()}. */
  Future<Void> breakDown();

  /** The provider can be reached again. Completes when wakeups can be published again. */
  Future<Void> restore();
}
