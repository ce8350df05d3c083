package dev.runlane.simulation.check;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.HandlerCall;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Handlers are told in time to give up, and those that wait for it give up in the same moment. */
final class SignalRules {
  private static final long MOMENT = 1_000;

  private final Fleet fleet;
  private final long cancelled;
  private final List<Violation> found;

  /** @param cancelled how long after a cancellation was stored its handler may go on untold, where all is well */
  SignalRules(Fleet fleet, Duration cancelled, List<Violation> found) {
    this.fleet = fleet;
    this.cancelled = VirtualTime.micros(cancelled);
    this.found = found;
  }

  void check(List<RunHistory> histories) {
    Map<String, RunHistory> runs = new HashMap<>();
    histories.forEach(history -> runs.put(history.runId(), history));
    for (HandlerCall call : fleet.calls()) {
      RunHistory run = runs.get(call.run());
      if (run != null) {
        checkTimeout(call, run);
        checkCancellation(call, run);
      }
      if (call.isHeeding()
          && call.signal() != null
          && (call.result() == null
              ? !call.life().isOver()
              : call.returnedAt() > call.toldAt() + MOMENT)
          && call.life().pausedMicros() == 0) {
        broken(call, "waits for its signal and went on");
      }
    }
  }

  private void checkTimeout(HandlerCall call, RunHistory run) {
    long due = call.beganAt() + VirtualTime.micros(Catalogue.TIMEOUT) + MOMENT;
    if (run.stored().taskId().equals(Catalogue.ENDLESS)
        && call.life().pausedMicros() == 0
        && isUntold(call, due)) {
      broken(call, "is not told of its timeout");
    }
  }

  private void checkCancellation(HandlerCall call, RunHistory run) {
    int attempt = 0;
    for (RunEventRecord row : run.events()) {
      RunEvent event = row.event();
      if (event instanceof RunEvent.Started started) {
        attempt = started.attempt();
      } else if (event instanceof RunEvent.CancellationRequested && attempt == call.attempt()) {
        Instant at = event.header().occurredAt();
        long due =
            Math.max(call.beganAt(), VirtualTime.micros(Duration.between(VirtualTime.START, at)))
                + cancelled;
        if (fleet.isCalm(at) && isUntold(call, due)) {
          broken(call, "is not told of the cancellation at " + at);
        }
      }
    }
  }

  private static boolean isUntold(HandlerCall call, long due) {
    boolean isOpen = call.result() == null ? !call.life().isOver() : call.returnedAt() > due;
    return isOpen && (call.signal() == null || call.toldAt() > due);
  }

  private void broken(HandlerCall call, String why) {
    found.add(new Violation(
        Rule.SIGNAL,
        call.run(),
        "the handler of attempt " + call.attempt() + " in " + call.life() + " " + why + "; told "
            + call.signal()));
  }
}
