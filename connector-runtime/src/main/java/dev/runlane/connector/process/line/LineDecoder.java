package dev.runlane.connector.process.line;

/**
 * Turns the bytes of one line into what the run's handler takes. Called in order on the one thread that reads
 * the child's output, so that parsing never burdens an event loop.
 *
 * @param <T> what a line becomes
 */
@FunctionalInterface
public interface LineDecoder<T> {
  /**
   * Decodes a line. The array is only lent: its content is gone when the call returns. A line that is no good
   * is a value of {@code T}; what is thrown ends the reading as {@link OutputEnd.Failed}.
   *
   * @param bytes holds the line
   * @param offset where it begins
   * @param length its length, without line end, at least 1
   * @param number which line of the output it is, from 1, blank ones counted
   */
  T decode(byte[] bytes, int offset, int length, long number);
}
