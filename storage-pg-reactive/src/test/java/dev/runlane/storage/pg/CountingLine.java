package dev.runlane.storage.pg;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgConnectOptions;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One that counts the statements that are asked for. */
final class CountingLine extends ForwardingLine {
  private static final int HEADER = 5; // type and length

  private final AtomicLong statements = new AtomicLong();

  CountingLine(Vertx vertx, PgConnectOptions target) {
    super(vertx, target);
  }

  /** The statements that were executed so far, of all connections. */
  long statements() {
    return statements.get();
  }

  @Override
  Consumer<Buffer> hearing() {
    return new Frames()::add;
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
