package dev.runlane.postgres;

import dev.runlane.transport.Subscription;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.pubsub.PgChannel;
import io.vertx.pgclient.pubsub.PgSubscriber;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one LISTEN connection of a process. It reconnects by itself; what was notified while it was down is
 * lost, so every listener is told when that may have happened. It needs a session of its own: a
 * transaction pooler between here and Postgres breaks it.
 */
public final class PgListener {
  private static final Logger LOG = LoggerFactory.getLogger(PgListener.class);
  private static final long RECONNECT_MILLIS = 250;
  private static final long LONGEST_WAIT_SECONDS = 10;

  private final Vertx vertx;
  private final Context context;
  private final PgSubscriber subscriber;
  private final Map<String, Channel> channels = new LinkedHashMap<>();
  private @Nullable Future<Void> connected;

  /** A listener that connects with {@code options} when it is first needed. */
  public PgListener(Vertx vertx, PgConnectOptions options) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.subscriber = PgSubscriber.subscriber(vertx, PgTuning.plain(options))
        .reconnectPolicy(retries -> RECONNECT_MILLIS);
  }

  /**
   * Listens to a channel; completes once LISTEN is in force. Fails with a retryable {@code
   * StorageUnavailable} when Postgres cannot be reached, after at most 10 s.
   *
   * @param payloads is given each payload, on the context that called
   * @param possibleLoss is called after each reconnect, on the context that called
   */
  public Future<Subscription> listen(
      String channel, Consumer<String> payloads, Runnable possibleLoss) {
    Listener listener = new Listener(vertx.getOrCreateContext(), payloads, possibleLoss);
    Promise<Subscription> promise = Promise.promise();
    context.runOnContext(turn -> Future.<Void>succeededFuture()
        .compose(start -> connect())
        .compose(ready -> inForce(channel, listener))
        .map(listening -> (Subscription) () -> remove(channel, listener))
        .recover(PgFailures.during("listening"))
        .onComplete(result -> listener.context().runOnContext(back -> promise.handle(result))));
    return promise.future();
  }

  /** Ends all listening and closes the connection. Closing twice is harmless. */
  public Future<Void> close() {
    return subscriber.closed() ? Future.succeededFuture() : subscriber.close();
  }

  /** While the connection is being made anew, LISTEN may take longer than anybody wants to wait. */
  private Future<Void> inForce(String channel, Listener listener) {
    return channel(channel)
        .add(listener)
        .timeout(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)
        .recover(
            failure -> remove(channel, listener).compose(removed -> Future.failedFuture(failure)));
  }

  private Future<Void> connect() {
    if (connected == null) {
      connected = subscriber.connect().onSuccess(open -> beQuiet()).recover(this::closeAgain);
    }
    return connected;
  }

  /** A subscriber that could not connect never answers a second attempt unless it was closed between. */
  private Future<Void> closeAgain(Throwable failure) {
    connected = null;
    return subscriber.close().transform((closed, second) -> Future.failedFuture(failure));
  }

  /** Each reconnect makes a new connection. */
  private void beQuiet() {
    PgConnection connection = subscriber.actualConnection();
    if (connection != null) {
      HeldConnections.quiet(connection);
    }
  }

  private Channel channel(String name) {
    return channels.computeIfAbsent(
        name, created -> new Channel(subscriber.channel(created), this::beQuiet));
  }

  private Future<Void> remove(String channel, Listener listener) {
    Promise<Void> removed = Promise.promise();
    context.runOnContext(turn -> {
      Channel open = channels.get(channel);
      if (open != null && open.remove(listener)) {
        channels.remove(channel);
      }
      removed.complete();
    });
    return removed.future();
  }

  private record Listener(Context context, Consumer<String> payloads, Runnable possibleLoss) {}

  /** One LISTEN, however many listen to it in this process. */
  private static final class Channel {
    private final PgChannel source;
    private final Map<Listener, Listener> listeners = new LinkedHashMap<>();
    private final Promise<Void> inForce = Promise.promise();

    Channel(PgChannel source, Runnable connected) {
      this.source = source;
      source.subscribeHandler(subscribed -> {
        connected.run();
        onSubscribed();
      });
      source.handler(payload -> listeners.values().forEach(each -> each.context()
          .runOnContext(turn -> each.payloads().accept(payload))));
      source.exceptionHandler(failure -> LOG.warn("LISTEN failed", failure));
    }

    Future<Void> add(Listener listener) {
      listeners.put(listener, listener);
      return inForce.future();
    }

    /** Whether nobody listens any more. */
    boolean remove(Listener listener) {
      listeners.remove(listener);
      if (listeners.isEmpty()) {
        source.handler(null);
      }
      return listeners.isEmpty();
    }

    private void onSubscribed() {
      if (!inForce.tryComplete()) {
        LOG.info("LISTEN is in force again after a reconnect");
        listeners.values().forEach(each -> each.context()
            .runOnContext(turn -> each.possibleLoss().run()));
      }
    }
  }
}
