package dev.runlane.cli.option;

import picocli.CommandLine.Option;

/** Whether a command that does something to many does it, or only counts: without either it does nothing. */
public final class Consent {
  @Option(
      names = "--dry-run",
      description = "Where all are meant: counts which it would be, and does nothing.")
  private boolean dryRun;

  @Option(names = "--yes", description = "Where all are meant: does it to all that fit.")
  private boolean yes;

  /** Whether only to count. */
  public boolean isDryRun() {
    return dryRun;
  }

  /**
   * Throws {@link UsageException} unless exactly one of both was given.
   *
   * @param all what stands for all, such as {@code with --failed}, or empty where the command has nothing else
   * @param what what it is done to, such as {@code jobs}
   */
  public void require(String all, String what) {
    if (dryRun == yes) {
      throw new UsageException(
          "%s--dry-run counts the %s that it would be done to, and --yes does it"
              .formatted(all.isEmpty() ? "" : all + ", ", what));
    }
  }
}
