package dev.runlane.postgres;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgNotification;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one LISTEN connection of a process. It reconnects by itself; what was notified while it was down is
 * lost, so every listener is notified when that may have happened. It needs a session of its own: a
 * transaction pooler between here and Postgres breaks it.
 *
 * <p>Nothing is expected of a LISTEN connection for hours, so its silence says nothing: every three seconds it is asked
 * for a row, and one that does not answer within four more is closed at its socket and made anew.
 */
public final class PgListener {
  /** The vertx-pg-client has a subscriber of its own (5.0.8), which waits for ever for a server that is silent. */
  private static final Logger LOG = LoggerFactory.getLogger(PgListener.class);

  private static final Duration PROBED_EVERY = Duration.ofSeconds(3);
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(4);
  private static final Duration CLOSED_WITHIN = Duration.ofSeconds(1);
  private static final long FIRST_PAUSE_MILLIS = 250;
  private static final long LONGEST_PAUSE_MILLIS = 2_000;
  private static final long LONGEST_WAIT_SECONDS = 10;

  private final Vertx vertx;
  private final Context context;
  private final PgConnectOptions options;
  private final ConnectionBounds bounds;
  private final Duration probedEvery;
  private final Map<String, Channel> channels = new LinkedHashMap<>();
  private final FailureLog losses = new FailureLog(LOG, "the LISTEN connection");
  private @Nullable PgConnection connection; // null while there is none that listens
  private boolean connecting;
  private boolean closed;
  private int failedAttempts;

  /** A listener that connects with {@code options} when it is first needed. */
  public PgListener(Vertx vertx, PgConnectOptions options) {
    this(vertx, options, PROBED_EVERY, ANSWERED_WITHIN);
  }

  PgListener(Vertx vertx, PgConnectOptions options, Duration probedEvery, Duration answeredWithin) {
    this.vertx = vertx;
    this.context = StatementSlots.contextOf(vertx);
    this.options = PgTuning.plain(options);
    this.bounds = ConnectionBounds.of(answeredWithin, CLOSED_WITHIN);
    this.probedEvery = probedEvery;
  }

  /**
   * Listens to a channel; completes once LISTEN is in force. Fails with a retryable {@code
   * StorageUnavailable} when Postgres cannot be reached, after at most 10 s, and with {@code OperationCancelled} once
   * the listener is closed.
   *
   * @param payloads is given each payload, on the context that called
   * @param possibleLoss is called after each reconnect, on the context that called
   */
  public Future<Subscription> listen(
      String channel, Consumer<String> payloads, Runnable possibleLoss) {
    Listener listener = new Listener(vertx.getOrCreateContext(), payloads, possibleLoss);
    Promise<Subscription> promise = Promise.promise();
    context.runOnContext(turn -> Future.<Void>succeededFuture()
        .compose(start -> inForce(channel, listener))
        .map(listening -> (Subscription) () -> remove(channel, listener))
        .recover(PgFailures.during("listening"))
        .onComplete(result -> listener.context().runOnContext(back -> promise.handle(result))));
    return promise.future();
  }

  /** Ends all listening and closes the connection, within a second or so. Closing twice is harmless. */
  public Future<Void> close() {
    Promise<Void> promise = Promise.promise();
    context.runOnContext(turn -> {
      closed = true;
      List.copyOf(channels.values()).forEach(channel -> channel.fail(closed()));
      channels.clear();
      PgConnection open = connection;
      connection = null;
      if (open == null) {
        promise.complete();
      } else {
        open.close().onComplete(promise);
      }
    });
    return promise.future();
  }

  private static RunlaneException closed() {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the listener is closed");
  }

  /** While the connection is being made anew, LISTEN may take longer than anybody wants to wait. */
  private Future<Void> inForce(String name, Listener listener) {
    if (closed) {
      return Future.failedFuture(closed());
    }
    boolean known = channels.containsKey(name);
    Channel channel = channels.computeIfAbsent(name, Channel::new);
    channel.listeners.add(listener);
    PgConnection open = connection;
    if (open == null) {
      connect();
    } else if (!known) {
      put(open, Set.of(channel));
    }
    return channel
        .inForce
        .future()
        .timeout(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)
        .recover(
            failure -> remove(name, listener).compose(removed -> Future.failedFuture(failure)));
  }

  private void connect() {
    if (connecting || closed) {
      return;
    }
    connecting = true;
    PgConnections.connect(vertx, options, bounds).onComplete(made -> {
      connecting = false;
      if (made.failed()) {
        onRefused(made.cause());
      } else if (closed) {
        made.result().close();
      } else {
        onConnected(made.result());
      }
    });
  }

  private void onConnected(PgConnection made) {
    connection = made;
    made.notificationHandler(this::deliver);
    made.closeHandler(gone -> onLost(made, null));
    put(made, new LinkedHashSet<>(channels.values()));
    probeLater(made);
  }

  /**
   * Nobody waits for a first connection longer than it takes to fail; a lost one is made anew for as long as needed.
   */
  private void onRefused(Throwable failure) {
    boolean again = channels.values().stream().anyMatch(channel -> channel.wasInForce);
    if (again) {
      reconnectLater(failure);
    } else {
      List<Channel> waiting = List.copyOf(channels.values());
      channels.clear();
      waiting.forEach(channel -> channel.fail(failure));
    }
  }

  /** @param failure what ended the last connection, or kept a new one from being made; null: the server closed it */
  private void reconnectLater(@Nullable Throwable failure) {
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failedAttempts, 10));
    failedAttempts++;
    if (failure == null) {
      losses.noticed("it is lost, and made anew");
    } else {
      losses.failed(failure, Duration.ofMillis(pause));
    }
    vertx.setTimer(pause, fired -> {
      if (connection == null && !channels.isEmpty()) {
        connect();
      }
    });
  }

  private void onLost(PgConnection lost, @Nullable Throwable failure) {
    if (connection == lost) {
      connection = null;
      reconnectLater(failure);
    }
  }

  /** Has LISTEN put in force for these channels. */
  private void put(PgConnection open, Set<Channel> wanted) {
    if (wanted.isEmpty()) {
      return;
    }
    String listens = wanted.stream()
        .map(channel -> "LISTEN " + quoted(channel.name))
        .collect(Collectors.joining("; "));
    open.query(listens).execute().onComplete(done -> {
      if (done.succeeded()) {
        failedAttempts = 0;
        losses.succeeded();
        wanted.forEach(Channel::putInForce);
      } else if (connection != open || PgFailures.of("", done.cause()).isRetryable()) {
        onLost(open, done.cause()); // it comes again with the next connection
        open.close();
      } else {
        onListenRefused(open, wanted, done.cause());
      }
    });
  }

  /**
   * Fails those that ask for the first time. Others have long been told that they are heard: they come again with the
   * next connection, without the ones that may have been refused.
   */
  private void onListenRefused(PgConnection open, Set<Channel> wanted, Throwable failure) {
    for (Channel channel : wanted) {
      if (!channel.wasInForce) {
        channels.remove(channel.name, channel);
        channel.fail(failure);
      }
    }
    if (wanted.stream().anyMatch(channel -> channel.wasInForce)) {
      onLost(open, failure);
      open.close();
    }
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private void probeLater(PgConnection open) {
    vertx.setTimer(Math.max(1, probedEvery.toMillis()), fired -> {
      if (connection != open) {
        return;
      }
      open.query("SELECT 1").execute().onComplete(answered -> {
        if (answered.succeeded()) {
          probeLater(open);
        } else {
          onLost(open, answered.cause());
          open.close();
        }
      });
    });
  }

  private void deliver(PgNotification notification) {
    Channel channel = channels.get(notification.getChannel());
    if (channel != null) {
      channel.deliver(listener -> listener.payloads().accept(notification.getPayload()));
    }
  }

  private Future<Void> remove(String name, Listener listener) {
    Promise<Void> removed = Promise.promise();
    context.runOnContext(turn -> {
      Channel channel = channels.get(name);
      if (channel != null && channel.listeners.remove(listener) && channel.listeners.isEmpty()) {
        channels.remove(name);
        PgConnection open = connection;
        if (open != null) {
          open.query("UNLISTEN " + quoted(name))
              .execute()
              .onFailure(failure -> LOG.debug("UNLISTEN failed", failure));
        }
      }
      removed.complete();
    });
    return removed.future();
  }

  private record Listener(Context context, Consumer<String> payloads, Runnable possibleLoss) {}

  /** One LISTEN, however many listen to it in this process. */
  private static final class Channel {
    private final String name;
    private final Set<Listener> listeners = new LinkedHashSet<>();
    private final Promise<Void> inForce = Promise.promise();
    private boolean wasInForce;

    Channel(String name) {
      this.name = name;
    }

    void putInForce() {
      if (wasInForce) {
        LOG.info("LISTEN is in force again after a reconnect");
        deliver(listener -> listener.possibleLoss().run());
      }
      wasInForce = true;
      inForce.tryComplete();
    }

    void fail(Throwable failure) {
      inForce.tryFail(failure);
    }

    void deliver(Consumer<Listener> news) {
      for (Listener listener : listeners) {
        try {
          listener.context().runOnContext(turn -> news.accept(listener));
        } catch (RejectedExecutionException gone) { // with the worker pool of its verticle
          LOG.debug("a listener's context is gone", gone);
        }
      }
    }
  }
}
