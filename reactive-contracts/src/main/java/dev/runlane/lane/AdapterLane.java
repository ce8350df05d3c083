package dev.runlane.lane;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Composition and order of start and close; no behaviour of its own. */
final class AdapterLane implements Lane {
  private final StorageAdapter storage;
  private final TransportAdapter transport;
  private final String name;
  private final LaneCapabilities capabilities;
  private final AtomicInteger closes = new AtomicInteger(); // how often it was closed

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
    int before = closes.get();
    return AdapterCall.of("storage.start", storage::start).compose(started -> openSince(before)
        .compose(open -> AdapterCall.of("transport.start", transport::start))
        .compose(open -> openSince(before).recover(this::closeTransport))
        .recover(failure -> closeStorage().transform((closed, second) -> {
          if (second != null) {
            failure.addSuppressed(second);
          }
          return Future.failedFuture(failure);
        })));
  }

  /** Fails where the lane was closed while it started: whoever did so waits for nothing that opens later. */
  private Future<Void> openSince(int before) {
    return closes.get() == before
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "lane %s was closed while it started", name));
  }

  private Future<Void> closeTransport(Throwable failure) {
    return AdapterCall.of("transport.close", transport::close).transform((closed, second) -> {
      if (second != null) {
        failure.addSuppressed(second);
      }
      return Future.failedFuture(failure);
    });
  }

  @Override
  public Future<Void> close() {
    closes.incrementAndGet();
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
