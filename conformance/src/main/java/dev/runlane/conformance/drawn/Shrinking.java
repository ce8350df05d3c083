package dev.runlane.conformance.drawn;

import dev.runlane.conformance.model.AppendAll;
import dev.runlane.storage.run.AppendRunEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Cuts commands from a sequence as long as its last answer, or an earlier one, stays wrong. */
final class Shrinking<A, M> {
  /** Tries for one sequence = 2 000: enough for one of hundreds of commands. */
  private static final int MOST_TRIES = 2_000;

  private final Trial<A, M> trial;
  private int tries;

  Shrinking(Trial<A, M> trial) {
    this.trial = trial;
  }

  /** The same failure with no command that could go alone; as it is where it does not show again. */
  Failure shortest(Failure failure) {
    Failure shortest = failure;
    for (int cut = failure.steps().size() / 2; cut > 0; ) {
      Optional<Failure> shorter = without(shortest, cut);
      if (shorter.isPresent()) {
        shortest = shorter.get();
        cut = Math.min(cut, shortest.steps().size() / 2);
      } else {
        cut = cut / 2;
      }
    }
    return withShorterBatches(shortest);
  }

  private Failure withShorterBatches(Failure failure) {
    Failure shortest = failure;
    for (int i = 0; i < failure.steps().size(); i++) {
      if (failure.steps().get(i).command() instanceof AppendAll batch) {
        for (int j = batch.commands().size() - 1; j >= 0; j--) {
          shortest = withoutOneOf(shortest, i, j).orElse(shortest);
        }
      }
    }
    return shortest;
  }

  private Optional<Failure> withoutOneOf(Failure failure, int index, int inBatch) {
    List<Step> steps = new ArrayList<>(failure.steps());
    Step step = steps.get(index);
    List<AppendRunEvents> fewer = new ArrayList<>(((AppendAll) step.command()).commands());
    fewer.remove(inBatch);
    steps.set(index, new Step(step.number(), new AppendAll(fewer)));
    return trial
        .ofSteps(steps, failure.alone())
        .map(difference -> new Failure(failure.seed(), failure.alone(), steps, difference));
  }

  /** The first failing one of those that lack {@code cut} commands in a row, those before the last one. */
  private Optional<Failure> without(Failure failure, int cut) {
    List<Step> steps = failure.steps();
    for (int end = steps.size() - 1; end > 0; end -= cut) {
      if (tries++ > MOST_TRIES) {
        return Optional.empty();
      }
      List<Step> fewer = new ArrayList<>(steps.subList(0, Math.max(0, end - cut)));
      fewer.addAll(steps.subList(end, steps.size()));
      Optional<String> difference = trial.ofSteps(fewer, failure.alone());
      if (difference.isPresent()) {
        return Optional.of(new Failure(failure.seed(), failure.alone(), fewer, difference.get()));
      }
    }
    return Optional.empty();
  }
}
