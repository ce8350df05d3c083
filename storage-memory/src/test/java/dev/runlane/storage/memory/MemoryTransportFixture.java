package dev.runlane.storage.memory;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.provider.FaultyTransport;
import dev.runlane.conformance.provider.ProviderFaults;
import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Transports in memory for one case, as they are or behind something that breaks them. A process neither
 * refuses wakeups nor goes down for itself, so faults stand in front; what they let through is received by a
 * subscriber like any other.
 */
final class MemoryTransportFixture implements TransportFixture {
  private final UnaryOperator<TransportAdapter> wrapping;
  private final MemoryTransport transport;
  private final ProviderFaults faults = new ProviderFaults();
  private final HeardWakeups heard = new HeardWakeups();
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
    TransportAdapter fresh =
        wrapping.apply(new FaultyTransport(heard.hearing(transport.another()), faults));
    opened.add(fresh);
    return fresh.start().map(fresh);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return heard.received();
  }

  @Override
  public Future<Void> rejectNext(int count) {
    faults.refuseNext(count);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> breakDown() {
    faults.breakDown();
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> restore() {
    faults.restore();
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(TransportAdapter::close).toList()).mapEmpty();
  }
}
