package dev.runlane.storage.pg;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** One that says that the server is PostgreSQL 16. */
final class OlderServerLine extends ForwardingLine {
  private static final Pattern VERSION = Pattern.compile("(?<=server_version\0)[0-9]{2}");

  private final List<String> asked = new CopyOnWriteArrayList<>();

  OlderServerLine(Vertx vertx, PgConnectOptions target) {
    super(vertx, target);
  }

  /** All that was asked so far, as it was sent. */
  String asked() {
    return String.join("", asked);
  }

  @Override
  Consumer<Buffer> hearing() {
    return bytes -> asked.add(bytes.toString(StandardCharsets.ISO_8859_1));
  }

  @Override
  Buffer answered(Buffer bytes) {
    String text = bytes.toString(StandardCharsets.ISO_8859_1);
    return Buffer.buffer(VERSION.matcher(text).replaceFirst("16"), "ISO-8859-1");
  }
}
