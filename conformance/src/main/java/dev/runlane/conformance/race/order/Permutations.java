package dev.runlane.conformance.race.order;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/** All orders of a few things, some of which come before others in each of them. */
public final class Permutations {
  private Permutations() {}

  /** {@code mustPrecede} says whether the first comes before the second. */
  public static <T> List<List<T>> of(List<T> all, BiPredicate<T, T> mustPrecede) {
    List<List<T>> orders = new ArrayList<>();
    complete(new ArrayList<>(), all, mustPrecede, orders);
    return orders;
  }

  private static <T> void complete(
      List<T> begun, List<T> left, BiPredicate<T, T> mustPrecede, List<List<T>> orders) {
    if (left.isEmpty()) {
      orders.add(List.copyOf(begun));
      return;
    }
    for (int i = 0; i < left.size(); i++) {
      T next = left.get(i);
      List<T> others = new ArrayList<>(left);
      others.remove(i);
      if (others.stream().noneMatch(other -> mustPrecede.test(other, next))) {
        begun.add(next);
        complete(begun, others, mustPrecede, orders);
        begun.remove(begun.size() - 1);
      }
    }
  }
}
