package dev.runlane.connector.process.line;

import io.vertx.core.Context;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Hands the lines of a standard error to one listener while they come; those it is too slow for are left out. A line is
 * redacted as a whole or not shown: a part could end within a secret.
 */
final class LiveStderr {
  private static final int MOST_LINE_BYTES = 16 << 10;
  private static final String TOO_LONG = "(a line of more than 16 KiB)";
  private static final int MOST_LINES = 256; // on their way to the listener

  private final UnaryOperator<String> redaction;
  private final Context context;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(); // the reader's alone
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile @Nullable Consumer<String> listener;

  LiveStderr(UnaryOperator<String> redaction, Context context) {
    this.redaction = redaction;
    this.context = context;
  }

  void listen(Consumer<String> newListener) {
    listener = newListener;
  }

  /** Called by the reader. */
  void add(byte[] bytes, int length) {
    Consumer<String> to = listener;
    for (int i = 0; to != null && i < length; i++) {
      if (bytes[i] == '\n') {
        tell(to, text());
        line.reset();
      } else if (line.size() <= MOST_LINE_BYTES) {
        line.write(bytes[i]);
      }
    }
  }

  private String text() {
    return line.size() > MOST_LINE_BYTES
        ? TOO_LONG
        : line.toString(StandardCharsets.UTF_8).stripTrailing();
  }

  private void tell(Consumer<String> to, String text) {
    if (text.isEmpty() || underWay.get() >= MOST_LINES) {
      return;
    }
    underWay.incrementAndGet();
    String safe = redaction.apply(text);
    context.runOnContext(turn -> {
      underWay.decrementAndGet();
      to.accept(safe);
    });
  }
}
