package dev.runlane.connector.process.line;

/** Why nothing more is read from a child. */
public sealed interface OutputEnd {
  /** All was read: the child and whoever inherited its output have closed it. */
  record EndOfFile() implements OutputEnd {}

  /**
   * A line was longer than allowed. It was not decoded, and nothing after it was read.
   *
   * @param limit the most bytes of a line
   * @param number which line it was, from 1, blank ones counted
   */
  record LineTooLong(int limit, long number) implements OutputEnd {}

  /**
   * The child wrote more than a run may write.
   *
   * @param limit the most bytes of a run
   */
  record TooMuchOutput(long limit) implements OutputEnd {}

  /** The child is gone, but somebody it started still held its output open; all that was there has been read. */
  record Cut() implements OutputEnd {}

  /** Nobody wants the output any more; see {@link dev.runlane.connector.process.ChildProcess#discardOutput}. */
  record Discarded() implements OutputEnd {}

  /**
   * Reading, decoding or handling failed.
   *
   * @param cause with what
   */
  record Failed(Throwable cause) implements OutputEnd {}
}
