package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.Subscription;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
  private final PgParts parts;
  private final String notify;
  private boolean closed;

  PgNotifyTransport(PgParts parts) {
    this.parts = parts;
    this.notify = parts.session().statements().get("notify");
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
      return notifyAll(command)
          .map(sent -> Collections.nCopies(command.attempts().size(), (WakeupPublishOutcome)
              new WakeupPublishOutcome.Published(null)));
    });
  }

  private Future<Void> notifyAll(PublishWakeups command) {
    Map<Environment, List<DeliveryMessage>> byEnvironment = new LinkedHashMap<>();
    command.attempts().forEach(attempt -> byEnvironment
        .computeIfAbsent(attempt.message().environment(), environment -> new ArrayList<>())
        .add(attempt.message()));
    List<Tuple> notifications = new ArrayList<>();
    byEnvironment.forEach((environment, messages) -> {
      String channel = NotifyChannel.wakeups(parts.schema(), environment);
      NotifyPayload.of(messages).forEach(payload -> notifications.add(Tuple.of(channel, payload)));
    });
    if (notifications.isEmpty()) {
      return Future.succeededFuture();
    }
    return parts
        .session()
        .client()
        .preparedQuery(notify)
        .executeBatch(notifications)
        .<Void>mapEmpty()
        .recover(failure -> Future.failedFuture(unavailable(failure)));
  }

  private static RunlaneException unavailable(Throwable failure) {
    RunlaneException ours = PgFailures.of("publishWakeups", failure);
    return ours.code() == ErrorCode.STORAGE_UNAVAILABLE
        ? RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE, failure, "NOTIFY could not be sent")
        : RunlaneException.of(ErrorCode.TRANSPORT_PUBLISH_FAILED, "NOTIFY failed")
            .causedBy(failure);
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
