package dev.runlane.conformance.provider;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Transports of one {@link MemoryProvider} for each case, as they are or in a wrapper that is tried. */
public final class MemoryProviderFixture implements TransportFixture {
  private final MemoryProvider provider = new MemoryProvider();
  private final UnaryOperator<TransportAdapter> wrapping;
  private final List<TransportAdapter> opened = new ArrayList<>();

  /** {@code wrapping} makes what is tried out of a transport of the provider. */
  public MemoryProviderFixture(UnaryOperator<TransportAdapter> wrapping) {
    this.wrapping = wrapping;
  }

  @Override
  public Future<TransportAdapter> open() {
    TransportAdapter transport = wrapping.apply(provider.open());
    opened.add(transport);
    return transport.start().map(transport);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return Future.succeededFuture(provider.received());
  }

  @Override
  public Future<Void> rejectNext(int count) {
    provider.faults().refuseNext(count);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> breakDown() {
    provider.faults().breakDown();
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> restore() {
    provider.faults().restore();
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(TransportAdapter::close).toList()).mapEmpty();
  }
}
