package dev.runlane.connector.process.line;

import io.vertx.core.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the standard error of a child to its end and keeps its tail. More is kept than is shown, so that the
 * text can be redacted with what stands before it, and a secret that the cut goes through is not shown in half. The
 * rest of a line whose beginning is gone is not shown.
 */
public final class StderrReader implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StderrReader.class);
  private static final int MARGIN_BYTES = 4 << 10;
  private static final int CHUNK_BYTES = MARGIN_BYTES;

  private final FileChannel channel;
  private final UnaryOperator<String> redaction;
  private final int tailBytes;
  private final LiveStderr live;

  // Guarded by this.
  private final byte[] kept; // a ring
  private long observed;

  /** One that has read nothing. */
  public StderrReader(
      FileChannel channel, UnaryOperator<String> redaction, Context context, int tailBytes) {
    this.channel = channel;
    this.redaction = redaction;
    this.tailBytes = tailBytes;
    live = new LiveStderr(redaction, context);
    kept = new byte[tailBytes + MARGIN_BYTES];
  }

  /** Every line from now on, redacted by itself; see {@link dev.runlane.connector.process.ChildProcess#onStderr}. */
  public void listen(Consumer<String> listener) {
    live.listen(listener);
  }

  @Override
  public void run() {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    byte[] bytes = new byte[CHUNK_BYTES];
    try (channel) {
      while (channel.read(chunk.clear()) >= 0) {
        int length = chunk.flip().remaining();
        chunk.get(bytes, 0, length);
        keep(bytes, length);
        live.add(bytes, length);
      }
    } catch (IOException closed) {
      LOG.debug("the standard error of a child is closed: {}", closed.toString());
    }
  }

  /** The tail as it is now. */
  public StderrTail tail() {
    byte[] raw;
    long seen;
    synchronized (this) {
      raw = ordered();
      seen = observed;
    }
    boolean cut = seen > raw.length;
    String text = new String(raw, StandardCharsets.UTF_8);
    String whole = cut ? fromNextLine(text) : text;
    String safe = redaction.apply(whole);
    return new StderrTail(
        last(safe), seen, (int) Math.min(seen, tailBytes), seen > tailBytes, !safe.equals(whole));
  }

  private synchronized void keep(byte[] bytes, int length) {
    int at = (int) (observed % kept.length);
    int first = Math.min(length, kept.length - at);
    System.arraycopy(bytes, 0, kept, at, first);
    System.arraycopy(bytes, first, kept, 0, length - first);
    observed += length;
  }

  private byte[] ordered() {
    if (observed <= kept.length) {
      return Arrays.copyOf(kept, (int) observed);
    }
    int at = (int) (observed % kept.length);
    byte[] ordered = new byte[kept.length];
    System.arraycopy(kept, at, ordered, 0, kept.length - at);
    System.arraycopy(kept, 0, ordered, kept.length - at, at);
    return ordered;
  }

  /** What begins within a line may be a secret whose name was cut off, and is then no secret to see. */
  private static String fromNextLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? "" : text.substring(end + 1);
  }

  private String last(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int start = Math.max(0, utf8.length - tailBytes);
    while (start < utf8.length && start > 0 && (utf8[start] & 0xC0) == 0x80) {
      start++; // never from inside a character
    }
    return new String(utf8, start, utf8.length - start, StandardCharsets.UTF_8);
  }
}
