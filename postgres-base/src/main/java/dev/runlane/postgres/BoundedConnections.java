package dev.runlane.postgres;

import io.vertx.core.Completable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.sqlclient.SqlConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.internal.Connection;
import io.vertx.sqlclient.internal.SqlConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionInternal;
import io.vertx.sqlclient.spi.ConnectionFactory;
import io.vertx.sqlclient.spi.Driver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections that can be closed whatever the server does. The client of vertx-sql-client 5.0.8 has no way to a
 * connection's socket (its close waits behind the statement under way) and none at all to one that is being made. So
 * each connection gets {@link Sockets} and a factory of its own, as {@code PgConnection.connect} does it too, and
 * closing it means to close both.
 *
 * @param <C> the driver's form of an address
 */
public final class BoundedConnections<C extends SqlConnectOptions> implements ConnectionFactory<C> {
  private final Vertx vertx;
  private final Driver<C> driver;
  private final Function<Vertx, ConnectionFactory<C>> factories;
  private final ConnectionBounds bounds;
  private final StatementFailures failures;
  private final Servers<C> servers;
  private final Runnable onConnected;
  private final Set<BoundedConnection> open = ConcurrentHashMap.newKeySet();
  private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
  private volatile int preferred; // of several servers the one that was connected to last
  private volatile boolean closed;

  /**
   * @param vertx for sockets
   * @param driver wraps the connections for those who use them
   * @param factories makes the factory of one connection, with the Vert.x it is given
   * @param bounds how long is waited for the server
   * @param failures which answers end a connection, or all of them
   */
  public BoundedConnections(
      Vertx vertx,
      Driver<C> driver,
      Function<Vertx, ConnectionFactory<C>> factories,
      ConnectionBounds bounds,
      StatementFailures failures) {
    this(vertx, driver, factories, bounds, failures, Servers.one(), () -> {});
  }

  /**
   * The same, which asks {@code servers} for each connection, and calls {@code onConnected} before it gives one out
   * that it has made.
   */
  BoundedConnections(
      Vertx vertx,
      Driver<C> driver,
      Function<Vertx, ConnectionFactory<C>> factories,
      ConnectionBounds bounds,
      StatementFailures failures,
      Servers<C> servers,
      Runnable onConnected) {
    this.vertx = vertx;
    this.driver = driver;
    this.factories = factories;
    this.bounds = bounds;
    this.failures = failures;
    this.servers = servers;
    this.onConnected = onConnected;
  }

  @Override
  public Future<SqlConnection> connect(Context context, C options) {
    ContextInternal caller = (ContextInternal) context;
    Promise<SqlConnection> connected = caller.promise();
    // Sockets must not end with the verticle on whose context a connection happens to be asked for.
    ContextInternal unowned =
        caller.owner().contextBuilder().withEventLoop(caller.nettyEventLoop()).build();
    List<C> candidates = servers.candidates(options);
    unowned.runOnContext(
        turn -> connect(caller, unowned, candidates, preferred % candidates.size(), 0)
            .onComplete(connected));
    return connected.future();
  }

  /** One server after the other, from the preferred one on; each has its share of the time for connecting. */
  private Future<SqlConnection> connect(
      ContextInternal caller, ContextInternal unowned, List<C> all, int place, int tried) {
    Promise<SqlConnection> connected = caller.promise();
    new Attempt(
            caller, unowned, all.get(place), bounds.connecting().dividedBy(all.size()), connected)
        .begin();
    return connected
        .future()
        .onSuccess(made -> preferred = place)
        .recover(failure -> closed || tried + 1 == all.size()
            ? Future.failedFuture(failure)
            : connect(caller, unowned, all, (place + 1) % all.size(), tried + 1)
                .recover(later -> Future.failedFuture(also(later, failure))));
  }

  private static Throwable also(Throwable last, Throwable before) {
    return new ConnectionFailure(
        ConnectionFailure.describe(before) + "; " + ConnectionFailure.describe(last), last);
  }

  /** Closes what is not at work: behind it may be a server that no longer is what it was. */
  private void closeIdle() {
    open.stream().filter(BoundedConnection::isIdle).forEach(BoundedConnection::cut);
  }

  @Override
  public void close(Completable<Void> completion) {
    closed = true;
    attempts.forEach(Attempt::giveUp);
    completion.succeed();
  }

  /** One connection that is being made. */
  private final class Attempt {
    private final ContextInternal caller;
    private final ContextInternal unowned;
    private final C options;
    private final Duration longest;
    private volatile String server; // with who logs in, once that is known
    private final Promise<SqlConnection> connected;
    private final Sockets sockets = new Sockets(vertx);
    private final ConnectionFactory<C> factory = factories.apply(sockets);

    Attempt(
        ContextInternal caller,
        ContextInternal unowned,
        C options,
        Duration longest,
        Promise<SqlConnection> connected) {
      this.caller = caller;
      this.unowned = unowned;
      this.options = options;
      this.longest = longest;
      this.connected = connected;
      this.server = describe(options);
    }

    private String describe(C address) {
      return address.getHost()
          + ':'
          + address.getPort()
          + '/'
          + address.getDatabase()
          + " as "
          + address.getUser();
    }

    void begin() {
      attempts.add(this);
      if (closed) {
        giveUp();
        return;
      }
      long timer =
          unowned.setTimer(longest.toMillis(), fired -> fail("no answer within " + longest, null));
      Promise<C> complete = unowned.promise(); // whoever says who logs in may do so on any thread
      servers.login(options).onComplete(complete);
      complete.future().compose(this::connect).onComplete(made -> {
        unowned.owner().cancelTimer(timer);
        attempts.remove(this);
        if (made.failed()) {
          fail(ConnectionFailure.describe(made.cause()), made.cause());
        } else {
          bind((SqlConnectionBase<?>) made.result());
        }
      });
    }

    /** Not for who has given up while it was asked who logs in. */
    private Future<SqlConnection> connect(C complete) {
      server = describe(complete);
      return connected.future().isComplete()
          ? Future.failedFuture("given up")
          : factory
              .connect(unowned, complete)
              .compose(made -> servers.check(complete, made).map(made));
    }

    void giveUp() {
      fail("the connections are closed", null);
    }

    private void fail(String reason, @Nullable Throwable cause) {
      attempts.remove(this);
      connected.tryFail(
          new ConnectionFailure("cannot connect to " + server + ": " + reason, cause));
      end();
    }

    private void end() {
      sockets.cut();
      factory.close((done, ignored) -> {});
    }

    private void bind(SqlConnectionBase<?> made) {
      BoundedConnection bounded = new BoundedConnection(
          unowned,
          made.unwrap(),
          server,
          bounds,
          failures,
          BoundedConnections.this::closeIdle,
          ended -> {
            open.remove(ended);
            end();
          });
      SqlConnectionInternal wrapped = driver.wrapConnection(caller, factory, bounded);
      bounded.init((Connection.Holder) wrapped);
      open.add(bounded);
      onConnected.run();
      if (closed || !connected.tryComplete(wrapped)) {
        bounded.cut();
        giveUp();
      }
    }
  }
}
