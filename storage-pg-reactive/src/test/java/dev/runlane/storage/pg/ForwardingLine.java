package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.pgclient.PgConnectOptions;
import java.util.function.Consumer;

/** The way to Postgres, as a port of this process that forwards to it and hears what is said. */
abstract class ForwardingLine {
  private final PgConnectOptions target;
  private final NetClient client;
  private final NetServer server;
  private int port;

  ForwardingLine(Vertx vertx, PgConnectOptions target) {
    this.target = target;
    client = vertx.createNetClient();
    server = vertx.createNetServer().connectHandler(this::forward);
  }

  /** What hears all that a new connection asks, before the server does. */
  abstract Consumer<Buffer> hearing();

  /** What is told in place of what the server answers. */
  Buffer answered(Buffer bytes) {
    return bytes;
  }

  /** How to reach Postgres over this line, once it listens. */
  final PgConnectOptions options() {
    return new PgConnectOptions(target).setHost("127.0.0.1").setPort(port);
  }

  final Future<Void> listen() {
    return server.listen(0, "127.0.0.1").map(listening -> {
      port = listening.actualPort();
      return null;
    });
  }

  private void forward(NetSocket near) {
    near.pause();
    client.connect(target.getPort(), target.getHost()).onComplete(connected -> {
      if (connected.failed()) {
        near.close();
        return;
      }
      NetSocket far = connected.result();
      near.closeHandler(closed -> far.close());
      far.closeHandler(closed -> near.close());
      Consumer<Buffer> heard = hearing();
      near.handler(bytes -> {
        heard.accept(bytes);
        far.write(bytes);
      });
      far.handler(bytes -> near.write(answered(bytes)));
      near.resume();
    });
  }
}
