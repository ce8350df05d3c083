package dev.runlane.storage.memory;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Transports in memory for one case, as they are or behind something that breaks them. A process neither
 * refuses wakeups nor goes down for itself, so something that does stands in front; what it lets through
 * is received by a subscriber like any other.
 */
final class MemoryTransportFixture implements TransportFixture {
  private final UnaryOperator<TransportAdapter> wrapping;
  private final MemoryTransport transport;
  private final FaultyProvider provider = new FaultyProvider();
  private final List<TransportAdapter> opened = new ArrayList<>();

  MemoryTransportFixture(MemoryTransport transport, UnaryOperator<TransportAdapter> wrapping) {
    this.transport = transport;
    this.wrapping = wrapping;
  }

  static MemoryTransport bound() {
    return new MemoryTransport(List.of(QueuePolicy.unbounded("default")));
  }

  @Override
  public Future<TransportAdapter> open() {
    TransportAdapter fresh = wrapping.apply(provider.before(transport.another()));
    opened.add(fresh);
    return fresh.start().map(fresh);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return provider.received();
  }

  @Override
  public Future<Void> rejectNext(int count) {
    provider.rejectNext(count);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> breakDown() {
    provider.setReachable(false);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> restore() {
    provider.setReachable(true);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(TransportAdapter::close).toList()).mapEmpty();
  }
}
