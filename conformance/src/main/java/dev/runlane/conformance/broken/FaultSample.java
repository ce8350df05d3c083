package dev.runlane.conformance.broken;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Which of many planted faults a build tries: a twelfth of them, which {@code -Ddrills.seed} draws, so that many builds
 * try all; all with {@code -Ddrills.full=true}, as {@code ./check --all} says. A fault that is not noticed is named by
 * its test, whatever was drawn.
 */
public final class FaultSample {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final long SEED = Long.getLong("drills.seed", System.nanoTime());
  private static final int PART = 12;

  private FaultSample() {}

  /** All of these, or a twelfth of them, at least one, in no order. */
  public static <T> List<T> of(List<T> all) {
    if (FULL) {
      return List.copyOf(all);
    }
    List<T> drawn = new ArrayList<>(all);
    Collections.shuffle(drawn, new Random(SEED));
    return List.copyOf(drawn.subList(0, (drawn.size() + PART - 1) / PART));
  }
}
