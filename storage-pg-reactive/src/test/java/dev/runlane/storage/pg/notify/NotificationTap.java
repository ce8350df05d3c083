package dev.runlane.storage.pg.notify;

import dev.runlane.run.Environment;
import dev.runlane.storage.pg.PgStorageFixture;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * Hears what Postgres was notified of, on a connection that no fault reaches. Notifications arrive in the
 * order of commits, so after one of its own it has heard all that were sent before.
 */
public final class NotificationTap {
  private static final List<Environment> ENVIRONMENTS = List.of(
      new Environment("conformance"),
      new Environment("elsewhere"),
      new Environment("e".repeat(64)));
  private static final String MARKERS = "tap_markers";

  private final Vertx vertx;
  private final PgStorageOptions options;
  private final Map<String, Environment> channels;
  private final Map<String, Promise<Void>> markers = new ConcurrentHashMap<>();
  private final List<DeliveryMessage> heard = new CopyOnWriteArrayList<>();
  private Future<PgConnection> opened = Future.failedFuture("the tap was not opened");

  public NotificationTap(Vertx vertx, PgStorageOptions options) {
    this.vertx = vertx;
    this.options = options;
    this.channels = ENVIRONMENTS.stream()
        .collect(Collectors.toConcurrentMap(
            environment -> NotifyChannel.wakeups(options.getSchema(), environment),
            environment -> environment));
  }

  public Future<Void> open() {
    String listen = channels.keySet().stream()
        .map(channel -> "LISTEN " + channel + ";")
        .collect(Collectors.joining("", "LISTEN " + MARKERS + ";", ""));
    opened = PgConnection.connect(vertx, PgStorageFixture.directOptions()).compose(connection -> {
      connection.notificationHandler(
          notification -> hear(notification.getChannel(), notification.getPayload()));
      return connection.query(listen).execute().map(connection);
    });
    return opened.mapEmpty();
  }

  /** Hears the wakeups of one more environment. */
  public Future<Void> watch(Environment environment) {
    String channel = NotifyChannel.wakeups(options.getSchema(), environment);
    channels.put(channel, environment);
    return opened
        .compose(connection -> connection.query("LISTEN " + channel).execute())
        .mapEmpty();
  }

  private void hear(String channel, String payload) {
    if (channel.equals(MARKERS)) {
      markers.getOrDefault(payload, Promise.promise()).tryComplete();
    } else {
      heard.addAll(NotifyPayload.read(channels.get(channel), payload));
    }
  }

  public Future<List<DeliveryMessage>> received() {
    String marker = options.getSchema() + "_" + markers.size();
    Promise<Void> reached = Promise.promise();
    markers.put(marker, reached);
    return opened
        .compose(connection ->
            connection.preparedQuery("SELECT pg_notify($1, $2)").execute(Tuple.of(MARKERS, marker)))
        .compose(sent -> reached.future())
        .map(all -> List.copyOf(heard));
  }

  public Future<Void> close() {
    return opened.transform(
        (connection, never) -> connection == null ? Future.succeededFuture() : connection.close());
  }
}
