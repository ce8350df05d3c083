package dev.runlane.postgres;

import dev.runlane.timing.ProcessWide;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.spi.PgDriver;
import io.vertx.sqlclient.ClientBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.spi.ConnectionFactory;
import java.util.function.Function;

/**
 * Connections to Postgres that do not outlive the server's silence: connecting, every statement and closing have a
 * deadline, at which the socket is closed. TCP keep-alive is on.
 */
public final class PgConnections {
  private PgConnections() {}

  /**
   * A pool of such connections, which outlives the verticle that makes it. A statement waits for a free one no longer
   * than it may take itself, and no longer than the options say. Closing the pool takes no longer than the bounds say.
   */
  public static Pool pool(
      Vertx vertx, PgConnectOptions address, PoolOptions options, ConnectionBounds bounds) {
    return pool(vertx, address, options, bounds, () -> {});
  }

  /**
   * The same for who remembers what the database holds: behind a new connection may be a server that was restored, or
   * promoted without the last commits.
   *
   * @param connected is called on any thread, before a connection that was made is given out
   */
  public static Pool pool(
      Vertx vertx,
      PgConnectOptions address,
      PoolOptions options,
      ConnectionBounds bounds,
      Runnable connected) {
    return pool(vertx, address, options, bounds, connected, made -> Future.succeededFuture());
  }

  /**
   * The same for who has given out what was remembered: statements that wait for a connection may carry it.
   *
   * @param check asks on a connection that was made, before {@code connected}; where it fails nobody gets the
   *     connection, and who waits for it fails alike
   */
  public static Pool pool(
      Vertx vertx,
      PgConnectOptions address,
      PoolOptions options,
      ConnectionBounds bounds,
      Runnable connected,
      Function<SqlConnection, Future<Void>> check) {
    return ProcessWide.make(
        vertx, () -> ClientBuilder.pool(new BoundedDriver(bounds, connected, check))
            .with(bounds.of(options))
            .connectingTo(address)
            .using(vertx)
            .build());
  }

  /** One such connection, whose loss is reported by the statement that fails with it. */
  public static Future<PgConnection> connect(
      Vertx vertx, PgConnectOptions address, ConnectionBounds bounds) {
    ContextInternal context = ((VertxInternal) vertx).getOrCreateContext();
    return Future.<Void>succeededFuture()
        .compose(begin -> new BoundedDriver(bounds, () -> {}, made -> Future.succeededFuture())
            .createConnectionFactory(vertx, new NetClientOptions())
            .connect(context, PgTuning.copy(address)))
        .map(connection -> HeldConnections.withLossHandler((PgConnection) connection));
  }

  private static final class BoundedDriver extends PgDriver {
    private final ConnectionBounds bounds;
    private final Runnable connected;
    private final Function<SqlConnection, Future<Void>> check;

    BoundedDriver(
        ConnectionBounds bounds, Runnable connected, Function<SqlConnection, Future<Void>> check) {
      this.bounds = bounds;
      this.connected = connected;
      this.check = check;
    }

    @Override
    public ConnectionFactory<PgConnectOptions> createConnectionFactory(
        Vertx vertx, NetClientOptions transport) {
      return new BoundedConnections<>(
          vertx,
          this,
          kept -> super.createConnectionFactory(kept, transport),
          bounds,
          PgFailures.OF_POSTGRES,
          new PgServers(vertx, check),
          connected);
    }
  }
}
