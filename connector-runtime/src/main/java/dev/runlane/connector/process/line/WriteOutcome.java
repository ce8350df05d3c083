package dev.runlane.connector.process.line;

/** What became of a line for a child. */
public enum WriteOutcome {
  /** The operating system has taken all of it; whether the child reads it is not known. */
  WRITTEN,
  /** The child has closed its input, or is gone: the line, or a part of it, was not written. */
  STDIN_CLOSED,
  /** So much waits to be written that the line was not taken. */
  QUEUE_FULL
}
