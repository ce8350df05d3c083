package dev.runlane.benchmarks.promises;

import java.util.List;

/** What measures one promise, or a few that need the same things to happen. */
@FunctionalInterface
interface Piece {
  /** Makes it happen, and answers what was measured; throws where something else than expected happened. */
  List<Figure> measure(Site site) throws Exception;
}
