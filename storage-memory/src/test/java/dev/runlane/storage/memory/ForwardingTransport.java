package dev.runlane.storage.memory;

import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Does what another transport does; subclasses break one thing. */
class ForwardingTransport implements TransportAdapter {
  final TransportAdapter real;

  ForwardingTransport(TransportAdapter real) {
    this.real = real;
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return real.capabilities();
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return real.queues();
  }

  @Override
  public Future<Void> start() {
    return real.start();
  }

  @Override
  public Future<Void> close() {
    return real.close();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return real.publishWakeups(command);
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return real.wakeups();
  }
}
