package dev.runlane.storage.memory;

import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Takes every wakeup, says it is published, and forgets it. */
final class DoNothingTransport implements TransportAdapter {
  @Override
  public Set<TransportCapability> capabilities() {
    return Set.of(TransportCapability.values());
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return Optional.of(List.of(QueuePolicy.unbounded("default")));
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return Future.succeededFuture(command.attempts().stream()
        .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Published(null))
        .toList());
  }
}
