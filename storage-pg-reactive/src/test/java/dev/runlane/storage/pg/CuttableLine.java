package dev.runlane.storage.pg;

import dev.runlane.testinfra.process.FreePort;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way to Postgres, as a port of this process that forwards to it. Cut, it closes every connection and
 * refuses new ones; connected again, it listens on the same port.
 */
final class CuttableLine {
  private final Vertx vertx;
  private final PgConnectOptions target;
  private final NetClient client;
  private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
  private NetServer server;
  private final int port = FreePort.find(); // which nobody gets for a connection while it is cut

  CuttableLine(Vertx vertx, PgConnectOptions target) {
    this.vertx = vertx;
    this.target = target;
    this.client = vertx.createNetClient();
  }

  /** How to reach Postgres over this line. */
  PgConnectOptions options() {
    return new PgConnectOptions(target).setHost("127.0.0.1").setPort(port);
  }

  Future<Void> connect() {
    server = vertx.createNetServer().connectHandler(this::forward);
    return server.listen(port, "127.0.0.1").mapEmpty();
  }

  Future<Void> cut() {
    return server == null
        ? Future.succeededFuture()
        : server.close().compose(closed -> Future.join(
                sockets.stream().map(NetSocket::close).toList())
            .mapEmpty());
  }

  private void forward(NetSocket near) {
    near.pause();
    sockets.add(near);
    near.closeHandler(closed -> sockets.remove(near));
    client.connect(target.getPort(), target.getHost()).onComplete(connected -> {
      if (connected.failed()) {
        near.close();
        return;
      }
      NetSocket far = connected.result();
      near.closeHandler(closed -> {
        sockets.remove(near);
        far.close();
      });
      far.closeHandler(closed -> near.close());
      near.pipeTo(far);
      far.pipeTo(near);
    });
  }
}
