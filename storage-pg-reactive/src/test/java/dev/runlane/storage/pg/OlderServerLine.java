package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/** The way to Postgres, as a port of this process that forwards to it and says that the server is PostgreSQL 16. */
final class OlderServerLine {
  private static final Pattern VERSION = Pattern.compile("(?<=server_version\0)[0-9]{2}");

  private final PgConnectOptions target;
  private final NetClient client;
  private final NetServer server;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private int port;

  OlderServerLine(Vertx vertx, PgConnectOptions target) {
    this.target = target;
    client = vertx.createNetClient();
    server = vertx.createNetServer().connectHandler(this::forward);
  }

  /** How to reach Postgres over this line, once it listens. */
  PgConnectOptions options() {
    return new PgConnectOptions(target).setHost("127.0.0.1").setPort(port);
  }

  Future<Void> listen() {
    return server.listen(0, "127.0.0.1").map(listening -> {
      port = listening.actualPort();
      return null;
    });
  }

  /** All that was asked so far, as it was sent. */
  String asked() {
    return String.join("", asked);
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
      near.handler(bytes -> {
        asked.add(bytes.toString(StandardCharsets.ISO_8859_1));
        far.write(bytes);
      });
      far.handler(bytes -> near.write(older(bytes)));
      near.resume();
    });
  }

  private static Buffer older(Buffer bytes) {
    String text = bytes.toString(StandardCharsets.ISO_8859_1);
    return Buffer.buffer(VERSION.matcher(text).replaceFirst("16"), "ISO-8859-1");
  }
}
