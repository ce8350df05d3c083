package dev.runlane.conformance.race.order;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks for an order of raced commands in which the model answers each as the adapter did, and everything that was read
 * after them too.
 */
final class OrderSearch<A, M> {
  private final Raced<A, M> raced;
  private final List<Played> before;
  private final List<Played> contenders;
  private final List<Played> after;

  OrderSearch(Raced<A, M> raced, List<Played> before, List<Played> contenders, List<Played> after) {
    this.raced = raced;
    this.before = before;
    this.contenders = contenders;
    this.after = after;
  }

  /** Why no order explains the answers, one line for each; empty when one does. */
  Optional<List<String>> tried() {
    List<String> tried = new ArrayList<>();
    for (List<Part> order : Permutations.of(parts(), this::mustPrecede)) {
      Optional<String> difference = differenceIn(order);
      if (difference.isEmpty()) {
        return Optional.empty();
      }
      tried.add(order.stream().map(Part::name).toList() + ": " + difference.get());
    }
    return Optional.of(tried);
  }

  private List<Part> parts() {
    List<Part> all = new ArrayList<>();
    for (int i = 0; i < contenders.size(); i++) {
      List<Played> parts = raced.parts(contenders.get(i));
      for (int j = 0; j < parts.size(); j++) {
        String name = RaceStory.nameOf(i) + (parts.size() == 1 ? "" : String.valueOf(j + 1));
        all.add(new Part(i, name, parts.get(j)));
      }
    }
    return all;
  }

  private boolean mustPrecede(Part one, Part other) {
    return one.contender() == other.contender()
        && raced.mustPrecede(
            one.played().step().command(), other.played().step().command());
  }

  /** In the last of the ways in which commands may have passed over others; empty when one fits. */
  private Optional<String> differenceIn(List<Part> order) {
    Choices choices = new Choices();
    Optional<String> difference;
    do {
      difference = differenceIn(order, choices);
    } while (difference.isPresent() && choices.next());
    return difference;
  }

  private Optional<String> differenceIn(List<Part> order, Choices choices) {
    Retold<A, M> retold = new Retold<>(raced.contract());
    before.forEach(retold::differenceIn);
    for (int index = 0; index < order.size(); index++) {
      Part part = order.get(index);
      if (!retold.isPossible(part.played().step().command())) {
        return Optional.empty(); // nobody promises what follows
      }
      List<Object> others = new ArrayList<>();
      order.forEach(each -> others.add(each.played().step().command()));
      others.remove(index);
      raced.letPassOver(retold.model, others, choices);
      Optional<String> difference = retold.differenceIn(part.played());
      if (difference.isPresent()) {
        return Optional.of(part.name() + " " + difference.get());
      }
    }
    raced.letPassOver(retold.model, List.of(), () -> false);
    for (Played read : after) {
      Optional<String> difference = retold.differenceIn(read);
      if (difference.isPresent()) {
        return Optional.of("then " + RaceStory.of(read.step().command()) + " " + difference.get());
      }
    }
    return Optional.empty();
  }

  /** What is done at one instant, and whose it is. */
  private record Part(int contender, String name, Played played) {}
}
