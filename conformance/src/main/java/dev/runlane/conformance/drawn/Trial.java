package dev.runlane.conformance.drawn;

import dev.runlane.storage.StorageAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Holds adapters of one storage to the model. */
public final class Trial {
  private final List<StorageAdapter> adapters;
  private final AtomicInteger sessions = new AtomicInteger();

  /** Of adapters on one state, which take turns as processes would. */
  public Trial(List<StorageAdapter> adapters) {
    this.adapters = adapters;
  }

  /**
   * The commands of a seed up to the first wrong answer, and all that can be read in the end; empty when all are right.
   */
  Optional<Failure> ofSeed(long seed, int commands) {
    boolean alone = adapters.size() == 1 || seed % 2 == 0;
    Session session = session(alone ? adapters.subList(0, 1) : adapters);
    Drawing drawing = new Drawing(seed, session.model, Abilities.of(adapters.get(0)), alone);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < commands; i++) {
      Optional<String> difference = play(session, drawing, steps, drawing.next());
      if (difference.isEmpty() && drawing.looks()) {
        difference = play(session, drawing, steps, drawing.look());
      }
      if (difference.isPresent()) {
        return Optional.of(new Failure(seed, alone, steps, difference.get()));
      }
    }
    for (Object read : drawing.everything()) {
      Optional<String> difference = play(session, drawing, steps, read);
      if (difference.isPresent()) {
        return Optional.of(new Failure(seed, alone, steps, difference.get()));
      }
    }
    return Optional.empty();
  }

  /** The first of the default sequences that a storage answers wrongly; empty when it answers all of them rightly. */
  public OptionalLong firstWronglyAnswered() {
    return LongStream.rangeClosed(1, ModelConformance.SEQUENCES)
        .filter(seed -> ofSeed(seed, ModelConformance.COMMANDS).isPresent())
        .findFirst();
  }

  private static Optional<String> play(
      Session session, Drawing drawing, List<Step> steps, Object command) {
    Step step = new Step(steps.size() + 1, command);
    steps.add(step);
    Optional<String> difference = session.differenceIn(step);
    drawing.learn(command, session.expected());
    return difference;
  }

  /** What is wrong with the last answer to these commands; empty when nothing is, or when nobody could send them. */
  Optional<String> ofSteps(List<Step> steps, boolean alone) {
    Session session = session(alone ? adapters.subList(0, 1) : adapters);
    Optional<String> difference = Optional.empty();
    for (Step step : steps) {
      if (difference.isPresent() || !session.isPossible(step)) {
        return difference;
      }
      difference = session.differenceIn(step);
    }
    return difference;
  }

  private Session session(List<StorageAdapter> taking) {
    return new Session(taking, sessions.incrementAndGet() + ".");
  }

  /**
   * A wrong answer.
   *
   * @param seed the seed
   * @param alone whether one adapter got all of them
   * @param steps the commands up to the one that was answered wrongly
   * @param difference what is wrong with its answer
   */
  record Failure(long seed, boolean alone, List<Step> steps, String difference) {
    Failure {
      steps = List.copyOf(steps);
    }
  }
}
