package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;

/** A view of all runs that follows each change: the old state leaves, the new one enters. */
interface RunIndex {
  /** The state becomes visible, if the index wants runs like it. */
  void add(RunRecord run);

  /** The very state that was added goes; harmless when the index did not want it. */
  void remove(RunRecord run);
}
