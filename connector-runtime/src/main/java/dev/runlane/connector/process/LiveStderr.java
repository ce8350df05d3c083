package dev.runlane.connector.process;

import io.vertx.core.Context;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Hands the lines of a standard error to one listener while they come; those it is too slow for are left out. */
final class LiveStderr {
  private static final int MOST_LINE_BYTES = 4 << 10; // a longer one comes in parts
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
      if (bytes[i] != '\n') {
        line.write(bytes[i]);
      }
      if (bytes[i] == '\n' || line.size() == MOST_LINE_BYTES) {
        tell(to, line.toString(StandardCharsets.UTF_8).stripTrailing());
        line.reset();
      }
    }
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
