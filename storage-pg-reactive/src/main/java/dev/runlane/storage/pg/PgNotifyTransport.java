package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.notify.Notifications;
import dev.runlane.storage.pg.notify.NotifyChannel;
import dev.runlane.storage.pg.notify.NotifyPayload;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakeups over LISTEN and NOTIFY, for a lane without a broker. Every process of the environment hears
 * each wakeup, so it is a hint to look for work; many share one message. Nothing is kept for a process
 * that is not connected: the poll behind it and the outbox do that, and {@code durableDelivery} is not
 * reported.
 *
 * <p>Shares the pool and the LISTEN connection of its storage, which must be started before it and closed
 * after it, as a lane does.
 */
public final class PgNotifyTransport implements TransportAdapter, WakeupSource {
  private static final Logger LOG = LoggerFactory.getLogger(PgNotifyTransport.class);
  private static final WakeupPublishOutcome PUBLISHED = new WakeupPublishOutcome.Published(null);
  private static final WakeupPublishOutcome REFUSED = new WakeupPublishOutcome.Failed(
      new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "Postgres refused it.", true, null));

  private final PgParts parts;
  private boolean closed;

  PgNotifyTransport(PgParts parts) {
    this.parts = parts;
  }

  /** Whether this is the transport of the storage with these parts. */
  @SuppressWarnings("ReferenceEquality") // the very same pool
  boolean isOf(PgParts storage) {
    return parts == storage;
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return Collections.emptySet();
  }

  @Override
  public Future<Void> start() {
    closed = false;
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    closed = true;
    return Future.succeededFuture();
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return Optional.of(this);
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      if (closed) {
        throw RunlaneException.of(ErrorCode.TRANSPORT_UNAVAILABLE, "the transport is closed")
            .asRetryable();
      }
      return notifyAll(command);
    });
  }

  private Future<List<WakeupPublishOutcome>> notifyAll(PublishWakeups command) {
    List<Future<WakeupPublishOutcome>> outcomes =
        command.attempts().stream().map(attempt -> publish(attempt.message())).toList();
    return Future.join(outcomes)
        .map(joined -> outcomes.stream().map(Future::result).toList());
  }

  /** Gathered with the wakeups of other calls; what Postgres refuses stands alone in the end. */
  private Future<WakeupPublishOutcome> publish(DeliveryMessage message) {
    String channel = NotifyChannel.wakeups(parts.schema(), message.environment());
    return parts
        .notifications()
        .submit(new Notifications.Wakeup(channel, message))
        .transform((sent, failure) -> {
          if (failure == null) {
            return Future.succeededFuture(PUBLISHED);
          }
          if (failure instanceof RunlaneException ours
              && ours.code() == ErrorCode.STORAGE_UNAVAILABLE) {
            return Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.TRANSPORT_UNAVAILABLE, failure, "NOTIFY could not be sent"));
          }
          LOG.warn("Postgres refuses the wakeup of run {}", message.runId(), failure);
          return Future.succeededFuture(REFUSED);
        });
  }

  @Override
  public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
    return AdapterCall.of("subscribe", () -> parts
        .listener()
        .listen(
            NotifyChannel.wakeups(parts.schema(), environment),
            payload -> listener.onWakeups(NotifyPayload.read(environment, payload)),
            listener::onPossibleLoss));
  }
}
