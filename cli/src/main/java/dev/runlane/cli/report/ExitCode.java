package dev.runlane.cli.report;

/** The exit codes of the command. */
public enum ExitCode {
  /** The run completed. */
  COMPLETED(0),
  /** The run failed, or could not be started. */
  FAILED(1),
  /** The command line, the manifest, the scope or the state cannot be used. */
  USAGE(2),
  /** The connector gave up by itself. */
  CANCELLED(3),
  /** Ctrl-C: the run was cancelled, and nothing of it is left. */
  INTERRUPTED(130),
  /** Nobody reads the answer any more: as of a program that SIGPIPE ends. */
  READER_LEFT(141);

  private final int value;

  ExitCode(int value) {
    this.value = value;
  }

  public int value() {
    return value;
  }
}
