package dev.runlane.conformance.race;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.conformance.race.order.Permutations;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.storage.run.PrunedRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks for an order of the raced commands in which the model answers each as the storage did, and everything that was
 * read after them too.
 */
final class Orders {
  private final String scope;
  private final List<Played> before;
  private final List<Contender> contenders;
  private final List<Played> after;

  Orders(String scope, List<Played> before, List<Contender> contenders, List<Played> after) {
    this.scope = scope;
    this.before = before;
    this.contenders = contenders;
    this.after = after;
  }

  /** Why no order explains the answers, one line for each; empty when one does. */
  Optional<List<String>> tried() {
    List<String> tried = new ArrayList<>();
    for (List<Contender.Part> order : orders()) {
      Optional<String> difference = differenceIn(order);
      if (difference.isEmpty()) {
        return Optional.empty();
      }
      tried.add(order.stream().map(Contender.Part::name).toList() + ": " + difference.get());
    }
    return Optional.of(tried);
  }

  private List<List<Contender.Part>> orders() {
    return Permutations.of(
        contenders.stream().flatMap(each -> each.parts().stream()).toList(),
        Contender.Part::mustPrecede);
  }

  /** In the last of the ways in which the prunes among them may have chosen what to remove; empty when one fits. */
  private Optional<String> differenceIn(List<Contender.Part> order) {
    Choices choices = new Choices();
    Optional<String> difference;
    do {
      difference = differenceIn(order, choices);
    } while (difference.isPresent() && choices.next());
    return difference;
  }

  private Optional<String> differenceIn(List<Contender.Part> order, Choices choices) {
    Replay replay = new Replay(scope);
    before.forEach(replay::differenceIn);
    for (Contender.Part part : order) {
      if (!replay.model.isHonest(part.played().step().command())) {
        return Optional.of("no correct caller sends " + part.name() + " then");
      }
      replay.model.letPassOver(
          run -> contenders.stream().anyMatch(other -> !other.has(part) && other.mayHold(run)),
          run -> contenders.stream().anyMatch(other -> !other.has(part) && other.hasLapsed(run)));
      Optional<String> difference = replay.differenceIn(chosen(part.played(), replay, choices));
      if (difference.isPresent()) {
        return Optional.of(part.name() + " " + difference.get());
      }
    }
    replay.model.letPassOver(run -> false, run -> false);
    for (Played read : after) {
      Optional<String> difference = replay.differenceIn(read);
      if (difference.isPresent()) {
        return Optional.of(
            "then " + read.step().command().getClass().getSimpleName() + " " + difference.get());
      }
    }
    return Optional.empty();
  }

  /** Which runs a prune removed is not in its answer. */
  private static Played chosen(Played played, Replay replay, Choices choices) {
    if (!(played.step().command() instanceof PruneAndLook look)
        || !(played.answer() instanceof PrunedRuns pruned)) {
      return played;
    }
    List<String> may =
        replay.model.prunable(look.prune()).stream().map(run -> run.record.id()).toList();
    List<String> gone = choices.some(may, pruned.prunedRuns());
    List<String> left = look.runIds().stream()
        .filter(id -> !gone.contains(id))
        .filter(id -> replay.model.find(look.prune().environment(), id).isPresent())
        .toList();
    return new Played(
        new Step(played.step().number(), look), new PruneAndLook.Answer(pruned, left));
  }

  /** Counts through all ways to choose. */
  private static final class Choices {
    private int way;
    private int rest; // of the way's number, for the choices that follow
    private int ways = 1;

    List<String> some(List<String> all, int count) {
      List<List<String>> subsets = new ArrayList<>();
      for (int bits = 0; bits < 1 << all.size(); bits++) {
        if (Integer.bitCount(bits) == count) {
          int chosen = bits;
          subsets.add(all.stream()
              .filter(each -> (chosen >> all.indexOf(each) & 1) == 1)
              .toList());
        }
      }
      if (subsets.isEmpty()) {
        return all;
      }
      int index = rest % subsets.size();
      rest /= subsets.size();
      ways *= subsets.size();
      return subsets.get(index);
    }

    /** Whether there is another way; then it is taken. */
    boolean next() {
      way++;
      boolean more = way < ways;
      rest = way;
      ways = 1;
      return more;
    }
  }
}
