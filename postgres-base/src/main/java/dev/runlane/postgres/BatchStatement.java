package dev.runlane.postgres;

import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import java.util.List;

/**
 * A statement that serves many commands at once.
 *
 * @param <C> the command
 * @param <R> the result of one
 */
public interface BatchStatement<C, R> {
  /**
   * What must not occur twice in one statement, such as the run: of two commands that share a key the
   * later one waits until the earlier one's statement has ended.
   */
  List<String> keys(C command);

  /**
   * Sends one statement for all commands, in the order given; outcome <i>i</i> belongs to command
   * <i>i</i>. A failed future must mean that the statement as a whole failed.
   */
  Future<List<CommandOutcome<R>>> execute(List<C> commands);

  /** About how much memory the command holds while it waits, and sends when it is sent: its payloads. */
  default long bytes(C command) {
    return 0;
  }

  /** What a failure of {@link #execute} means. On Postgres, unless said otherwise. */
  default StatementFailures failures() {
    return PgFailures.OF_POSTGRES;
  }
}
