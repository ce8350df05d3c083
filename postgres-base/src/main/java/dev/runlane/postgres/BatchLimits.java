package dev.runlane.postgres;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * What bounds a {@link CommandBatcher}.
 *
 * @param maxCommands commands in one statement
 * @param maxPending commands that may wait to be sent; beyond it a command fails
 * @param maxPendingBytes how much they may hold together, by {@link BatchStatement#bytes}; beyond it a command
 *     fails, but for one that waits alone
 * @param answerTimeout for how long the database may answer nothing before what waits fails
 */
public record BatchLimits(
    int maxCommands, int maxPending, long maxPendingBytes, Supplier<Duration> answerTimeout) {
  /** What one kind of command may hold while it waits = 64 MiB. */
  public static final int DEFAULT_MAX_PENDING_BYTES = 64 << 20;

  /** What one statement carries, unless a single command holds more = 16 MiB. */
  static final long MOST_BYTES_OF_A_STATEMENT = 16L << 20;
}
