package dev.runlane.runtime;

import dev.runlane.run.RunRecord;
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
    held.remove(run);
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Sends every heartbeat whose time has come, all in the same turn, so that storage can gather them. */
  void heartbeatWhereDue() {
    List.copyOf(held).forEach(HeldRun::heartbeatIfDue);
  }

  /** Takes a run as somebody in this process has stored it. */
  void changed(RunRecord stored) {
    for (HeldRun run : List.copyOf(held)) {
      if (run.id().equals(stored.id())) {
        run.changed(stored);
      }
    }
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
