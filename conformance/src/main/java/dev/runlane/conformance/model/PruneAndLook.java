package dev.runlane.conformance.model;

import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import java.util.List;

/**
 * A prune, and a look at what it has left: how much one call removes is the storage's.
 *
 * @param prune the prune
 * @param runIds the runs that are looked for after it
 */
public record PruneAndLook(PruneRuns prune, List<String> runIds) {
  /**
   * What became of it.
   *
   * @param pruned the answer
   * @param left the runs that are still there
   */
  public record Answer(PrunedRuns pruned, List<String> left) {}
}
