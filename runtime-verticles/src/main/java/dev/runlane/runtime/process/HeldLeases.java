package dev.runlane.runtime.process;

import dev.runlane.run.RunRecord;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.storage.run.AppendedRun;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The leases this process holds, as roles see them that hold none themselves. Used on the home context only. */
public interface HeldLeases {
  /**
   * Those of the runs that are held here and go on, by id, as this process knows each: what another one has written
   * since may be missing, so that whoever appends to one may lose the race. Without those about which the storage has
   * not answered for longer than a heartbeat: what is taken for them could not be stored.
   */
  Map<String, RunRecord> heldRuns(Set<String> runIds);

  /** Takes what somebody in this process has stored; false when the run is not held here. */
  boolean changed(AppendedRun stored);

  /** What the storage refuses of what is held here, the one that was refused first at the beginning. */
  List<RefusedOutcome> refusedOutcomes();

  /** Keeps the heartbeats awake until {@link #release()}, leases or not. */
  void retain();

  /** Ends one {@link #retain()}. */
  void release();
}
