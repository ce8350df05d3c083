package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
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
      return notifyAll(command);
    });
  }

  private Future<List<WakeupPublishOutcome>> notifyAll(PublishWakeups command) {
    Map<Environment, List<Place>> byEnvironment = new LinkedHashMap<>();
    WakeupPublishOutcome[] outcomes =
        new WakeupPublishOutcome[command.attempts().size()];
    for (int index = 0; index < outcomes.length; index++) {
      DeliveryMessage message = command.attempts().get(index).message();
      byEnvironment
          .computeIfAbsent(message.environment(), environment -> new ArrayList<>())
          .add(new Place(index, message));
    }
    List<Future<?>> sent = new ArrayList<>();
    byEnvironment.forEach((environment, places) -> {
      String channel = NotifyChannel.wakeups(parts.schema(), environment);
      int from = 0;
      for (NotifyPayload payload : payloads(places)) {
        int to = from + payload.wakeups();
        sent.add(send(channel, payload, places.subList(from, to), outcomes));
        from = to;
      }
    });
    return Future.join(sent).map(joined -> List.of(outcomes));
  }

  /** One notification. One that Postgres refuses is halved, so that a refused wakeup fails alone. */
  private Future<Void> send(
      String channel, NotifyPayload payload, List<Place> places, WakeupPublishOutcome[] outcomes) {
    return parts
        .session()
        .execute(notify, Tuple.of(channel, payload.text()))
        .transform((sent, failure) -> {
          if (failure == null) {
            places.forEach(place -> outcomes[place.index()] = PUBLISHED);
            return Future.succeededFuture();
          }
          RunlaneException ours = PgFailures.of("publishWakeups", failure);
          if (ours.code() == ErrorCode.STORAGE_UNAVAILABLE) {
            return Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.TRANSPORT_UNAVAILABLE, failure, "NOTIFY could not be sent"));
          }
          if (places.size() == 1) {
            LOG.warn(
                "Postgres refuses the wakeup of run {}", places.get(0).message().runId(), ours);
            outcomes[places.get(0).index()] = REFUSED;
            return Future.succeededFuture();
          }
          return sendHalves(channel, places, outcomes);
        });
  }

  private Future<Void> sendHalves(
      String channel, List<Place> places, WakeupPublishOutcome[] outcomes) {
    int middle = places.size() / 2;
    return sendWhole(channel, places.subList(0, middle), outcomes)
        .compose(first -> sendWhole(channel, places.subList(middle, places.size()), outcomes));
  }

  private Future<Void> sendWhole(
      String channel, List<Place> places, WakeupPublishOutcome[] outcomes) {
    return send(channel, payloads(places).get(0), places, outcomes);
  }

  private static List<NotifyPayload> payloads(List<Place> places) {
    return NotifyPayload.of(places.stream().map(Place::message).toList());
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

  /** A wakeup and where its outcome goes. */
  private record Place(int index, DeliveryMessage message) {}
}
