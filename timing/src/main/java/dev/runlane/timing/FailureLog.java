package dev.runlane.timing;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells the log of something that is tried again and again: a failure with its trace when it is new, in one
 * line while it repeats, and once when it is over. An outage of an hour is then two traces at most, not
 * thousands. Used on one context; not safe for several threads.
 */
public final class FailureLog {
  private final Logger log;
  private final String what;

  private int inARow;
  private @Nullable String last;

  /**
   * A log that has seen no failure.
   *
   * @param what names what is tried, for example {@code scheduler sweep}
   */
  public FailureLog(Logger log, String what) {
    this.log = Objects.requireNonNull(log, "log");
    this.what = Objects.requireNonNull(what, "what");
  }

  /** Another try failed and the next comes after {@code pause}. */
  public void failed(Throwable failure, Duration pause) {
    inARow++;
    String said = failure.toString();
    if (said.equals(last)) {
      log.warn("{} failed {} times in a row, next in {}: {}", what, inARow, pause, said);
      return;
    }
    last = said;
    log.warn("{} failed, next in {}", what, pause, failure);
  }

  /** A try succeeded. */
  public void succeeded() {
    if (inARow > 0) {
      log.info("{} works again after failing {} times", what, inARow);
      inARow = 0;
      last = null;
    }
  }
}
