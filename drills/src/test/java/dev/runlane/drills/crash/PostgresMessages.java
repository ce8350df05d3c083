package dev.runlane.drills.crash;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes one direction of a connection apart into the messages of the <a
 * href="https://www.postgresql.org/docs/current/protocol-message-formats.html">protocol</a>.
 */
final class PostgresMessages {
  private static final int LENGTH = 4;

  private final boolean ofClient;
  private final Consumer<Message> consumer;
  private final Map<String, String> prepared = new HashMap<>();
  private final Map<String, String> portals = new HashMap<>();
  private Buffer rest = Buffer.buffer();
  private boolean begins; // the client's first message has no type

  PostgresMessages(boolean ofClient, Consumer<Message> consumer) {
    this.ofClient = ofClient;
    this.consumer = consumer;
    begins = ofClient;
  }

  void add(Buffer data) {
    rest.appendBuffer(data);
    int from = 0;
    while (true) {
      int type = begins ? 0 : 1;
      if (rest.length() - from < type + LENGTH) {
        break;
      }
      int length = type + rest.getInt(from + type);
      if (rest.length() - from < length) {
        break;
      }
      Buffer bytes = rest.getBuffer(from, from + length);
      from += length;
      consumer.accept(begins ? new Message(bytes, ' ', null) : message(bytes));
      begins = false;
    }
    rest = rest.getBuffer(from, rest.length());
  }

  private Message message(Buffer bytes) {
    char type = (char) bytes.getByte(0);
    if (!ofClient) {
      return new Message(bytes, type, null);
    }
    int start = 1 + LENGTH;
    String first = text(bytes, start);
    return switch (type) {
      case 'P' -> {
        prepared.put(first, text(bytes, start + size(first)));
        yield new Message(bytes, type, null);
      }
      case 'B' -> {
        String name = text(bytes, start + size(first));
        portals.put(first, prepared.getOrDefault(name, ""));
        yield new Message(bytes, type, null);
      }
      case 'E' -> new Message(bytes, type, portals.getOrDefault(first, ""));
      case 'Q' -> new Message(bytes, type, first);
      default -> new Message(bytes, type, null);
    };
  }

  private static String text(Buffer bytes, int from) {
    int end = from;
    while (end < bytes.length() && bytes.getByte(end) != 0) {
      end++;
    }
    return bytes.getString(from, end, "UTF-8");
  }

  private static int size(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length + 1;
  }

  /**
   * One message.
   *
   * @param bytes all of it
   * @param type its letter, or a blank for the client's first
   * @param statement what it has carried out, or null
   */
  record Message(Buffer bytes, char type, @Nullable String statement) {
    /** Whether the server says that it is ready, once it has done this. */
    boolean asksForAnswer() {
      return type == 'S' || type == 'Q';
    }

    /** Whether the server is ready for the next. */
    boolean isReady() {
      return type == 'Z';
    }
  }
}
