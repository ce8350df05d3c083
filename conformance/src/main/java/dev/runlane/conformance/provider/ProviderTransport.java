package dev.runlane.conformance.provider;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One process's way to a {@link MemoryProvider}. */
final class ProviderTransport implements TransportAdapter, WakeupSource, DeliverySource {
  private final MemoryProvider provider;
  private volatile boolean closed;

  ProviderTransport(MemoryProvider provider) {
    this.provider = provider;
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return Set.of(TransportCapability.DURABLE_DELIVERY);
  }

  @Override
  public Future<Void> close() {
    closed = true;
    return Future.succeededFuture();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      if (closed) {
        throw RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is closed");
      }
      provider.take(command);
      return Future.succeededFuture(command.attempts().stream()
          .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Published(null))
          .toList());
    });
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return Optional.of(this);
  }

  @Override
  public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
    return Future.succeededFuture(provider.subscribe(environment, listener));
  }

  @Override
  public Optional<DeliverySource> deliveries() {
    return Optional.of(this);
  }

  @Override
  public Deployable consumer(DeliveryWorker worker) {
    return new ProviderConsumer(provider, worker);
  }
}
