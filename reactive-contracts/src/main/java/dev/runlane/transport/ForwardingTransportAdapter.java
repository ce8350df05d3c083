package dev.runlane.transport;

import dev.runlane.run.QueuePolicy;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Does what another transport does: the base of wrappers, which override what they change. Every method of the contract
 * goes to the delegate's own, those that are added later too.
 *
 * <p>What a wrapper minds: {@link #wakeups()} and {@link #deliveries()} are the delegate's own, so what is published
 * around it is still heard there. A method never throws; a malformed command is refused before anything is done ({@link
 * PublishChecks}); and there are as many outcomes as attempts, in their order.
 */
public abstract class ForwardingTransportAdapter implements TransportAdapter {
  /** What is wrapped. */
  protected final TransportAdapter delegate;

  /** Starts nothing: the delegate is started when the wrapper is. */
  protected ForwardingTransportAdapter(TransportAdapter delegate) {
    this.delegate = Objects.requireNonNull(delegate);
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return delegate.capabilities();
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return delegate.queues();
  }

  @Override
  public Future<Void> start() {
    return delegate.start();
  }

  @Override
  public Future<Void> close() {
    return delegate.close();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return delegate.publishWakeups(command);
  }

  @Override
  public Optional<TransportProbe> probe() {
    return delegate.probe();
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return delegate.wakeups();
  }

  @Override
  public Optional<DeliverySource> deliveries() {
    return delegate.deliveries();
  }
}
