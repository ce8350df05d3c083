package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.pgclient.PgConnectOptions;
import java.util.concurrent.atomic.AtomicLong;

/** The way to Postgres, as a port of this process that forwards to it and counts the statements it is asked for. */
final class CountingLine {
  private static final int HEADER = 5; // type and length

  private final PgConnectOptions target;
  private final NetClient client;
  private final NetServer server;
  private final AtomicLong statements = new AtomicLong();
  private int port;

  CountingLine(Vertx vertx, PgConnectOptions target) {
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

  /** The statements that were executed so far, of all connections. */
  long statements() {
    return statements.get();
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
      Frames frames = new Frames();
      near.handler(bytes -> {
        frames.add(bytes);
        far.write(bytes);
      });
      near.resume();
      far.pipeTo(near);
    });
  }

  /** What one connection asks; only its first message has no type. */
  private final class Frames {
    private Buffer rest = Buffer.buffer();
    private boolean begun;

    void add(Buffer bytes) {
      rest = rest.appendBuffer(bytes);
      while (rest.length() >= HEADER) {
        int length = begun ? 1 + rest.getInt(1) : rest.getInt(0);
        if (rest.length() < length) {
          return;
        }
        byte type = rest.getByte(0);
        if (begun && (type == 'E' || type == 'Q')) { // Execute, or a simple query
          statements.incrementAndGet();
        }
        begun = true;
        rest = rest.getBuffer(length, rest.length());
      }
    }
  }
}
