package dev.runlane.connector.process.line;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/**
 * Cuts bytes into lines in place. Only 0x0A ends a line; one CR before it is dropped; a line of nothing but
 * spaces, tabs and CRs is no line. Holds one buffer that grows to the longest line allowed and shrinks again.
 */
final class LineFramer {
  private static final int USUAL_BYTES = 64 << 10;
  private static final int LINE_END_BYTES = 2;

  private final int maxLineBytes;
  private byte[] buffer = new byte[USUAL_BYTES];
  private int filled; // bytes of the buffer that are of an unfinished line, or not looked at
  private int scanned; // of these, the ones known to hold no line end
  private long number; // of the line that was looked at last, from 1

  LineFramer(int maxLineBytes) {
    this.maxLineBytes = maxLineBytes;
  }

  /** Reads what is there, at least one byte; -1 at the end. */
  int readFrom(ReadableByteChannel channel) throws IOException {
    makeRoom();
    int room = Math.min(
        USUAL_BYTES, buffer.length - filled); // the JDK copies through a buffer of this size
    int read = channel.read(ByteBuffer.wrap(buffer, filled, room));
    filled += Math.max(0, read);
    return read;
  }

  /** The line that was looked at last, from 1: the one that is too long, once one is. */
  long number() {
    return number;
  }

  /** Forgets what was read and not handed on. */
  void drop() {
    filled = 0;
    scanned = 0;
  }

  /** Hands the lines on that are complete. False when one is too long; nothing after it is handed on. */
  boolean emit(Sink sink) throws InterruptedException {
    int start = 0;
    for (int i = scanned; i < filled; i++) {
      if (buffer[i] == '\n') {
        if (!emit(sink, start, i)) {
          return false;
        }
        start = i + 1;
      }
    }
    if (start > 0) { // else a long line would be copied onto itself at every read
      System.arraycopy(buffer, start, buffer, 0, filled - start);
      filled -= start;
    }
    scanned = filled;
    if (filled > maxLineBytes + 1) { // a CR may be the last
      number++;
      return false;
    }
    return true;
  }

  /** Hands on what follows the last line end. False when it is too long. */
  boolean finish(Sink sink) throws InterruptedException {
    int end = filled;
    drop();
    return emit(sink, 0, end);
  }

  private boolean emit(Sink sink, int start, int lineEnd) throws InterruptedException {
    number++;
    int end = lineEnd > start && buffer[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    if (end - start > maxLineBytes) {
      return false;
    }
    if (!isBlank(start, end)) {
      sink.line(buffer, start, end - start, number);
    }
    return true;
  }

  private boolean isBlank(int start, int end) {
    for (int i = start; i < end; i++) {
      if (buffer[i] != ' ' && buffer[i] != '\t' && buffer[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private void makeRoom() {
    if (filled == buffer.length) {
      long wanted = Math.min(2L * buffer.length, (long) maxLineBytes + LINE_END_BYTES);
      buffer = Arrays.copyOf(buffer, (int) Math.max(wanted, filled + 1L));
    } else if (filled < USUAL_BYTES && buffer.length > USUAL_BYTES) {
      buffer = Arrays.copyOf(buffer, USUAL_BYTES);
    }
  }

  /** Where lines go. */
  interface Sink {
    void line(byte[] bytes, int offset, int length, long number) throws InterruptedException;
  }
}
