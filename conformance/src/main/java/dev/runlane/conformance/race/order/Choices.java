package dev.runlane.conformance.race.order;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Counts through all the ways in which questions may be answered by yes or no. */
final class Choices implements BooleanSupplier {
  private static final int MOST_WAYS = 2_000;

  private final List<Boolean> made = new ArrayList<>();
  private int asked;
  private int ways = 1;

  @Override
  public boolean getAsBoolean() {
    if (asked == made.size()) {
      made.add(false);
    }
    return made.get(asked++);
  }

  /** Whether there is another way; then it is taken. */
  boolean next() {
    made.subList(asked, made.size()).clear();
    asked = 0;
    while (!made.isEmpty() && made.get(made.size() - 1)) {
      made.remove(made.size() - 1);
    }
    if (made.isEmpty() || ways == MOST_WAYS) {
      return false;
    }
    made.set(made.size() - 1, true);
    ways++;
    return true;
  }
}
