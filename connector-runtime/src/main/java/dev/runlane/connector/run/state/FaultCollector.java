package dev.runlane.connector.run.state;

import org.jspecify.annotations.Nullable;

/**
 * Collects why one run ends without success: the first fault, unless a graver one comes before the end is
 * decided. Belongs to the run's context.
 */
public final class FaultCollector {
  private final Runnable onFirst;

  private @Nullable RunFault fault;
  private boolean decided;

  /**
   * A run to which nothing has happened.
   *
   * @param onFirst called once, when something does
   */
  public FaultCollector(Runnable onFirst) {
    this.onFirst = onFirst;
  }

  /** Ends the run, unless its end is decided: the first fault counts, but a cancellation or a lost run outdoes it. */
  public void report(RunFault why) {
    if (decided || (fault != null && rank(why) <= rank(fault))) {
      return;
    }
    boolean first = fault == null;
    fault = why;
    if (first) {
      onFirst.run();
    }
  }

  /** Whether nothing has gone wrong so far. */
  public boolean isOpen() {
    return fault == null;
  }

  /** Throws {@link RunFaultException} once something has gone wrong. */
  public void requireOpen() {
    if (fault != null) {
      throw new RunFaultException(fault);
    }
  }

  /** From now on nothing changes what the run becomes. */
  public void freeze() {
    decided = true;
  }

  /** What went wrong, or null. */
  @Nullable
  public RunFault fault() {
    return fault;
  }

  private static int rank(RunFault fault) {
    return switch (fault.kind()) {
      case FAILED -> 0;
      case ABANDONED -> 1;
      case CANCELLED -> 2;
      case FENCED_OUT -> 3;
    };
  }
}
