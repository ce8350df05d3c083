package dev.runlane.runtime.sweep;

/**
 * What one phase of a sweep did.
 *
 * @param done runs, fires or messages it brought forward
 * @param moreWaiting whether it ended at its bound rather than at the end of its work
 */
public record PhaseCount(int done, boolean moreWaiting) {
  /** Nothing was found. */
  public static final PhaseCount NOTHING = new PhaseCount(0, false);

  /** A full scan that brought nothing forward was somebody else's work: another one at once would be too. */
  public static PhaseCount of(int found, int limit, int done) {
    return new PhaseCount(done, found >= limit && done > 0);
  }
}
