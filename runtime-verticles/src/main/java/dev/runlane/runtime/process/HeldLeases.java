package dev.runlane.runtime.process;

import dev.runlane.storage.run.AppendedRun;

/** The leases this process holds, as roles see them that hold none themselves. Used on the home context only. */
public interface HeldLeases {
  /** Takes what somebody in this process has stored; false when the run is not held here. */
  boolean changed(AppendedRun stored);

  /** Keeps the heartbeats awake until {@link #release()}, leases or not. */
  void retain();

  /** Ends one {@link #retain()}. */
  void release();
}
