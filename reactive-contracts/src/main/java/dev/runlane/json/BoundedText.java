package dev.runlane.json;

import java.io.IOException;
import java.io.Writer;

/**
 * Takes text up to twice what is allowed, so that what is a little too large can be told with its size, and what has no
 * end, or more than the memory, ends here.
 */
final class BoundedText extends Writer {
  private final StringBuilder text = new StringBuilder();
  private final long most; // characters, of which each has a byte at least
  private boolean full;

  BoundedText(int allowedBytes) {
    most = 2L * allowedBytes;
  }

  /** Whether more came than there is room for. */
  boolean isFull() {
    return full;
  }

  /** How many characters it has taken. */
  int length() {
    return text.length();
  }

  @Override
  public void write(char[] from, int offset, int length) throws IOException {
    requireRoom(length);
    text.append(from, offset, length);
  }

  @Override
  public void write(String from, int offset, int length) throws IOException {
    requireRoom(length);
    text.append(from, offset, offset + length);
  }

  @Override
  public void write(int character) throws IOException {
    requireRoom(1);
    text.append((char) character);
  }

  private void requireRoom(int length) throws IOException {
    if (full || text.length() + (long) length > most) {
      full = true;
      throw new IOException("there is no room for more");
    }
  }

  @Override
  public void flush() {
    // it is all here
  }

  @Override
  public void close() {
    // nothing was opened
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
