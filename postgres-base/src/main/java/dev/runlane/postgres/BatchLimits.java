package dev.runlane.postgres;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

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

  /**
   * The commands of one call, in their order, in parts that are gathered one after the other: each holds no more than
   * one statement carries and than may wait, unless it is a single command. One part without commands for none.
   *
   * @param bytes as {@link BatchStatement#bytes}
   */
  public <C> List<List<C>> parts(List<C> commands, ToLongFunction<? super C> bytes) {
    return parts(commands, bytes, Math.min(MOST_BYTES_OF_A_STATEMENT, maxPendingBytes), maxPending);
  }

  /** The same of what is sent as one statement, whatever waits. */
  public static <C> List<List<C>> statements(List<C> rows, ToLongFunction<? super C> bytes) {
    return parts(rows, bytes, MOST_BYTES_OF_A_STATEMENT, Integer.MAX_VALUE);
  }

  private static <C> List<List<C>> parts(
      List<C> commands, ToLongFunction<? super C> bytes, long mostBytes, int most) {
    List<List<C>> parts = new ArrayList<>();
    int from = 0;
    long held = 0;
    for (int index = 0; index < commands.size(); index++) {
      long more = bytes.applyAsLong(commands.get(index));
      if (index > from && (held + more > mostBytes || index - from >= most)) {
        parts.add(commands.subList(from, index));
        from = index;
        held = 0;
      }
      held += more;
    }
    parts.add(commands.subList(from, commands.size()));
    return parts;
  }
}
