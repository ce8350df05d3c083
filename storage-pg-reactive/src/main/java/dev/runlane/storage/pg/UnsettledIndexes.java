package dev.runlane.storage.pg;

import java.util.List;

/**
 * Indexes that are not yet as this release wants them. Statements are right all the same.
 *
 * @param missing not there, or not whole: what looks for them walks the table
 * @param superseded still there, though no statement of this release follows them. They are written for nothing, and
 *     are dropped once their successors are whole and no process of the release before lives
 * @param isBusy whether another process was making and dropping them, so that nothing was done here
 */
public record UnsettledIndexes(List<String> missing, List<String> superseded, boolean isBusy) {
  /** Copies the lists. */
  public UnsettledIndexes {
    missing = List.copyOf(missing);
    superseded = List.copyOf(superseded);
  }

  /** Whether nothing is left to be made or dropped. */
  public boolean isEmpty() {
    return missing.isEmpty() && superseded.isEmpty();
  }

  UnsettledIndexes busy() {
    return new UnsettledIndexes(missing, superseded, true);
  }
}
