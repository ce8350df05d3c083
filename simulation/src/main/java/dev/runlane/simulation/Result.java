package dev.runlane.simulation;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.world.Trace;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What one world came to.
 *
 * @param seed what made it
 * @param faults what went wrong in it
 * @param violations the promises that were broken
 * @param lines what happened; empty unless it was traced
 * @param steps how many steps it took
 * @param runs how many runs there were
 * @param hits how often faults of each kind hit
 * @param simulated how much true time passed in it
 */
public record Result(
    long seed,
    List<Fault> faults,
    List<Violation> violations,
    List<Trace.Line> lines,
    long steps,
    int runs,
    Map<Kind, Long> hits,
    Duration simulated) {
  /** Copies the lists and the map. */
  public Result {
    faults = List.copyOf(faults);
    violations = List.copyOf(violations);
    lines = List.copyOf(lines);
    hits = Map.copyOf(hits);
  }

  /** Whether every promise held. */
  public boolean isGood() {
    return violations.isEmpty();
  }
}
