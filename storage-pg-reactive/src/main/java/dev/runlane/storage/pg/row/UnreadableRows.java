package dev.runlane.storage.pg.row;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.FailureLog;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * Claimed rows of which some cannot be read, as a later release or somebody by hand has written them: they are logged,
 * and take no other with them. For many contexts.
 */
public final class UnreadableRows {
  private final FailureLog failures;

  /** @param what names what is read, for example {@code reading a claimed run} */
  public UnreadableRows(Logger log, String what) {
    failures = new FailureLog(log, what);
  }

  /** What it comes to for who asks for one of them: {@code what} cannot be read. */
  public static RunlaneException failure(String what, RuntimeException failure) {
    String why = failure instanceof RunlaneException // only our own say nothing of what a row holds
        ? String.valueOf(failure.getMessage())
        : failure.getClass().getSimpleName();
    return RunlaneException.invariantViolation("%s cannot be read: %s", what, why)
        .causedBy(failure);
  }

  /** What the others say. */
  public <T> List<T> leftOut(
      RowSet<Row> rows, Function<RowReader, T> mapper, Function<Row, String> consequence) {
    List<T> found = new ArrayList<>(rows.size());
    for (Row row : rows) {
      try {
        found.add(mapper.apply(new RowReader(row)));
      } catch (RuntimeException failure) {
        failed(failure, consequence.apply(row));
      }
    }
    return found;
  }

  /** One of them, with what follows from that. */
  public synchronized void failed(RuntimeException failure, String consequence) {
    failures.failed(failure, "as of a later release; " + consequence);
  }
}
