package dev.runlane.connectorkit.wire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the runtime, read by a daemon thread of their own, because a read of standard input
 * can be neither bounded in time nor interrupted. Reads ahead {@value #READ_AHEAD} lines.
 *
 * <p>For one reader at a time.
 */
public final class ProtocolInput {

  private static final int READ_AHEAD = 4;

  private final InputStream in;
  private final int maxLineBytes;
  private final BlockingQueue<Item> items = new LinkedBlockingQueue<>(READ_AHEAD);
  private boolean closed;

  public ProtocolInput(InputStream in, int maxLineBytes) {
    this.in = new BufferedInputStream(in);
    this.maxLineBytes = maxLineBytes;
  }

  public void start() {
    Thread reader = new Thread(this::readAll, "connector-input");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * The next line that is not blank.
   *
   * @param wait null means without limit
   * @return null once the runtime has closed the input, or when the wait is over
   * @throws IOException when the input could not be read, or the line is too long
   */
  public byte @Nullable [] next(@Nullable Duration wait) throws IOException, InterruptedException {
    if (closed) {
      return null;
    }
    Item item = wait == null ? items.take() : items.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
    if (item == null) {
      return null;
    }
    if (item.failure != null) {
      closed = true;
      throw new IOException(
          "the runtime's input ended: " + item.failure.getMessage(), item.failure);
    }
    closed = item.line == null;
    return item.line;
  }

  boolean isClosed() {
    return closed;
  }

  /** Waits for the end of the input and passes over what still comes. */
  public void awaitClose(Duration wait) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + wait.toNanos();
    while (!closed) {
      long leftNanos = deadlineNanos - System.nanoTime();
      if (leftNanos <= 0) {
        return;
      }
      next(Duration.ofNanos(leftNanos));
    }
  }

  private void readAll() {
    try {
      try {
        byte[] line = readLine();
        while (line != null) {
          items.put(new Item(line, null));
          line = readLine();
        }
        items.put(new Item(null, null));
      } catch (IOException | RuntimeException | Error broken) { // somebody waits for the next line
        items.put(new Item(null, broken));
      }
    } catch (InterruptedException nobodyInterruptsIt) {
      Thread.currentThread().interrupt();
    }
  }

  /** Only a line feed ends a line; a carriage return before it and blank lines are dropped. */
  private byte @Nullable [] readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next != '\n') {
        if (line.size() >= maxLineBytes) {
          throw new IOException("a line is longer than " + maxLineBytes + " bytes");
        }
        line.write(next);
      } else if (!isBlank(line)) {
        return line.toByteArray();
      } else {
        line.reset();
      }
    }
    return isBlank(line) ? null : line.toByteArray();
  }

  private static boolean isBlank(ByteArrayOutputStream line) {
    return line.size() == 0 || line.toString(StandardCharsets.UTF_8).isBlank();
  }

  /** A line, a failure, or neither: the end. */
  @SuppressWarnings("ArrayRecordComponent") // handed from one thread to the other, never compared
  private record Item(byte @Nullable [] line, @Nullable Throwable failure) {}
}
