package dev.runlane.storage.memory;

import dev.runlane.run.RunEvent;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** A storage that sends the wakeups of the runs that it creates, as a storage of its own process can. */
class WakingStorage extends ForwardingStorageAdapter {
  private static final Duration CLAIM = Duration.ofMinutes(1);

  private final TransportAdapter transport;

  WakingStorage(StorageAdapter storage, TransportAdapter transport) {
    super(storage);
    this.transport = transport;
  }

  @Override
  public Future<Void> start() {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return isSent(command)
        ? super.appendRunEvents(command.claimingOutboxFor(CLAIM))
            .compose(stored -> send(command, stored.claimedOutbox())
                .map(new AppendedRun(stored.run(), stored.events(), List.of())))
        : super.appendRunEvents(command);
  }

  /** Whether the wakeups that are due of it are sent. */
  boolean isSent(AppendRunEvents command) {
    return command.expectedSequence() == 0
        && command.events().stream().noneMatch(RunEvent.LeaseClaimed.class::isInstance);
  }

  /** Sends them, and says so. */
  Future<Void> send(AppendRunEvents command, List<ClaimedOutboxMessage> wakeups) {
    return transport
        .publishWakeups(new PublishWakeups(
            wakeups.stream().map(ClaimedOutboxMessage::toAttempt).toList()))
        .compose(sent -> published(command, wakeups));
  }

  /** Their messages have done their part. */
  Future<Void> published(AppendRunEvents command, List<ClaimedOutboxMessage> messages) {
    return delegate.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        command.environment(),
        messages.stream()
            .map(each ->
                new MarkOutboxMessagesPublished.Published(each.id(), each.claimToken(), null))
            .toList(),
        command.now()));
  }
}
