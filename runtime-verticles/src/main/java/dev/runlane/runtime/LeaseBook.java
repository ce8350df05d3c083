package dev.runlane.runtime;

import dev.runlane.storage.AppendedRun;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Every lease this process holds. Touched on the home context only. */
final class LeaseBook {
  private final Set<HeldRun> held = new LinkedHashSet<>();

  void add(HeldRun run) {
    held.add(run);
  }

  void remove(HeldRun run) {
    run.close();
    held.remove(run);
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /**
   * Sends every heartbeat whose time has come, all in the same turn, so that storage can gather them, and sees to it
   * that no lease ends unnoticed.
   *
   * @param untilNext how long until this is called again
   */
  void tend(Duration untilNext) {
    List.copyOf(held).forEach(run -> run.tend(untilNext));
  }

  /** Takes what somebody in this process has stored; false when the run is not held here. */
  boolean changed(AppendedRun stored) {
    List<HeldRun> owners =
        held.stream().filter(run -> run.id().equals(stored.run().id())).toList();
    owners.forEach(owner -> owner.changed(stored));
    return !owners.isEmpty();
  }

  /** Reads a run again that may have been asked to cancel. */
  void refresh(String runId) {
    for (HeldRun run : List.copyOf(held)) {
      if (run.id().equals(runId)) {
        run.refresh();
      }
    }
  }
}
