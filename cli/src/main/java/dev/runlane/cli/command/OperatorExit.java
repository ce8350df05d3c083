package dev.runlane.cli.command;

/** The exit codes of the operators' commands; those of connectors are their own. */
public enum OperatorExit {
  /** It is done; for a run that was waited for: it succeeded. */
  DONE(0),
  /** It could not be done; for a run that was waited for: it failed. */
  FAILED(1),
  /** The command line cannot be used. */
  USAGE(2),
  /** The run that was waited for was cancelled. */
  CANCELLED(3),
  /** What was named does not exist. */
  NOT_FOUND(4),
  /** The database, or the API, cannot be reached. */
  UNREACHABLE(5),
  /** Something was found that wants attention. */
  FINDINGS(6),
  /** Ctrl-C. */
  INTERRUPTED(130);

  private final int value;

  OperatorExit(int value) {
    this.value = value;
  }

  /** The number that the process ends with. */
  public int value() {
    return value;
  }
}
