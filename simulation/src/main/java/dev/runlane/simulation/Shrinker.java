package dev.runlane.simulation;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.history.Violation.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Leaves faults out of a failing world for as long as it fails in the same way without them. */
final class Shrinker {
  private static final int MOST_RUNS = 300;

  private final Predicate<List<Fault>> stillFails;
  private int runs;

  private Shrinker(Predicate<List<Fault>> stillFails) {
    this.stillFails = stillFails;
  }

  /** The shortest list found with which the seed breaks one of the same promises. */
  static List<Fault> shrink(World world, Result failed) {
    Set<Rule> broken = EnumSet.noneOf(Rule.class);
    failed.violations().forEach(violation -> broken.add(violation.rule()));
    return shrink(failed.faults(), faults -> world.run(failed.seed(), faults).violations().stream()
        .anyMatch(violation -> broken.contains(violation.rule())));
  }

  /** A list that still fails, and none of whose faults can be left out. */
  static List<Fault> shrink(List<Fault> faults, Predicate<List<Fault>> stillFails) {
    return new Shrinker(stillFails).shorter(faults);
  }

  /** Halves first, then smaller parts, down to single faults. */
  private List<Fault> shorter(List<Fault> faults) {
    List<Fault> left = faults;
    int part = Math.max(1, left.size() / 2);
    while (runs < MOST_RUNS && !left.isEmpty()) {
      List<Fault> without = leftOut(left, part);
      if (without.size() < left.size()) {
        left = without;
        part = Math.max(1, Math.min(part, left.size() / 2));
      } else if (part == 1) {
        return left;
      } else {
        part = part / 2;
      }
    }
    return left;
  }

  private List<Fault> leftOut(List<Fault> faults, int part) {
    for (int from = 0; from < faults.size() && runs < MOST_RUNS; from += part) {
      List<Fault> rest = new ArrayList<>(faults);
      rest.subList(from, Math.min(faults.size(), from + part)).clear();
      runs++;
      if (stillFails.test(rest)) {
        return rest;
      }
    }
    return faults;
  }
}
