package dev.runlane.connector.process.line;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/** Reads, cuts and decodes what a child writes, on a thread of its own, until its end or a bound. */
public final class OutputReader<T> implements Runnable {
  private static final int MOST_ITEMS = 1_000; // of one hand-over

  private final FileChannel channel;
  private final LineFramer framer;
  private final LineDecoder<T> decoder;
  private final OutputWindow<T> window;
  private final DecodingPermits permits;
  private final int maxLineBytes;
  private final long maxOutputBytes;

  private List<T> items = new ArrayList<>();
  private LineNumbers numbers = new LineNumbers();
  private long itemBytes;
  private volatile long bytesRead;
  private volatile boolean reading; // inside a read that may wait for the child

  /** One that has read nothing. */
  public OutputReader(
      FileChannel channel,
      LineDecoder<T> decoder,
      OutputWindow<T> window,
      DecodingPermits permits,
      int maxLineBytes,
      long maxOutputBytes) {
    this.channel = channel;
    this.decoder = decoder;
    this.window = window;
    this.permits = permits;
    this.maxLineBytes = maxLineBytes;
    this.maxOutputBytes = maxOutputBytes;
    framer = new LineFramer(maxLineBytes);
  }

  @Override
  public void run() {
    OutputEnd end;
    try (channel) {
      end = read();
    } catch (AsynchronousCloseException closed) {
      end = new OutputEnd.Cut();
    } catch (Throwable failure) { // the decoder's too; somebody waits for the end
      end = new OutputEnd.Failed(failure);
    }
    window.end(items, numbers, itemBytes, end);
  }

  /** Bytes taken from the child so far. */
  public long bytesRead() {
    return bytesRead;
  }

  /** Whether it waits for the child, not for the handler. */
  public boolean isReading() {
    return reading;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
  private OutputEnd read() throws IOException, InterruptedException {
    for (int read = next(); read >= 0; read = next()) {
      bytesRead = bytesRead + read;
      if (bytesRead > maxOutputBytes) {
        return new OutputEnd.TooMuchOutput(maxOutputBytes);
      }
      if (!take()) {
        return tooLong();
      }
    }
    return decoded(framer::finish) ? new OutputEnd.EndOfFile() : tooLong();
  }

  private OutputEnd tooLong() {
    return new OutputEnd.LineTooLong(maxLineBytes, framer.number());
  }

  private int next() throws IOException {
    reading = true;
    try {
      return framer.readFrom(channel);
    } finally {
      reading = false;
    }
  }

  /** False when a line is too long. What nobody wants is still read, so that the child can continue to its end. */
  private boolean take() throws InterruptedException {
    if (window.isDiscarding()) {
      framer.drop();
      return true;
    }
    return decoded(framer::emit);
  }

  /** Decodes what {@code lines} hands on; false when a line is too long. Nobody waits for the handler in his turn. */
  private boolean decoded(Lines lines) throws InterruptedException {
    boolean fits;
    permits.acquire();
    try {
      fits = lines.emit(this::line);
    } finally {
      permits.release();
    }
    handOver();
    return fits;
  }

  private void line(byte[] bytes, int offset, int length, long number) throws InterruptedException {
    items.add(decoder.decode(bytes, offset, length, number));
    numbers.add(number);
    itemBytes += length;
    if (items.size() == MOST_ITEMS) {
      permits.release();
      try {
        handOver();
      } finally {
        permits.acquire();
      }
    }
  }

  private void handOver() throws InterruptedException {
    if (!items.isEmpty()) {
      window.put(items, numbers, itemBytes);
      items = new ArrayList<>();
      numbers = new LineNumbers();
      itemBytes = 0;
    }
  }

  /** A way the framer hands lines on. */
  private interface Lines {
    boolean emit(LineFramer.Sink sink) throws InterruptedException;
  }
}
