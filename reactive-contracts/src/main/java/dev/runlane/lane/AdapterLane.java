package dev.runlane.lane;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;

/** Composition and order of start and close; no behaviour of its own. */
final class AdapterLane implements Lane {
  private final StorageAdapter storage;
  private final TransportAdapter transport;
  private final String name;
  private final LaneCapabilities capabilities;

  AdapterLane(StorageAdapter storage, TransportAdapter transport, LaneOptions options) {
    this.storage = storage;
    this.transport = transport;
    this.name = options.getName();
    this.capabilities = new LaneCapabilities(
        options.isOperatorReads(),
        options.isProductionDurable(),
        storage.capabilities(),
        transport.capabilities());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LaneCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public StorageAdapter storage() {
    return storage;
  }

  @Override
  public TransportAdapter transport() {
    return transport;
  }

  @Override
  public Future<Void> start() {
    return AdapterCall.of("storage.start", storage::start)
        .compose(started -> AdapterCall.of("transport.start", transport::start)
            .recover(failure -> closeStorage().transform((closed, second) -> {
              if (second != null) {
                failure.addSuppressed(second);
              }
              return Future.failedFuture(failure);
            })));
  }

  @Override
  public Future<Void> close() {
    return AdapterCall.of("transport.close", transport::close)
        .transform((closed, failure) -> closeStorage().transform((ended, second) -> {
          Throwable first = failure != null ? failure : second;
          if (failure != null && second != null) {
            failure.addSuppressed(second);
          }
          return first == null ? Future.succeededFuture() : Future.failedFuture(first);
        }));
  }

  private Future<Void> closeStorage() {
    return AdapterCall.of("storage.close", storage::close);
  }
}
