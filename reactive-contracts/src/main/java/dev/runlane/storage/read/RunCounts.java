package dev.runlane.storage.read;

import dev.runlane.run.RunStatus;
import java.util.Map;

/**
 * How many runs of each status there are.
 *
 * @param counts each status has one, 0 where no run was found, and at most as many as were asked for
 * @param isCut whether there may be more, below what was asked for: the storage looked at its newest runs alone
 */
public record RunCounts(Map<RunStatus, Integer> counts, boolean isCut) {
  /** Copies the map. */
  public RunCounts {
    counts = Map.copyOf(counts);
  }
}
