package dev.runlane.conformance.drawn;

import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/**
 * Holds adapters to the model of their contract.
 *
 * @param <A> the adapters
 * @param <M> the model
 */
public final class Trial<A, M> {
  /** Sequences where nothing else is said = 300. */
  public static final int SEQUENCES = 300;

  private static final int COMMANDS = Integer.getInteger("runlane.model.commands", 60);
  private static final long FROM = Long.getLong("runlane.model.from", 1);
  private static final int PART = Integer.getInteger("runlane.model.part", 1);

  private final Contract<A, M> contract;
  private final List<A> adapters;
  private final AtomicInteger sessions = new AtomicInteger();

  /** Of adapters on one state, which take turns as processes would. */
  public Trial(Contract<A, M> contract, List<A> adapters) {
    this.contract = contract;
    this.adapters = adapters;
  }

  /**
   * Fails with the story of the first sequence that is answered wrongly.
   *
   * @param sequences how many are tried where {@code runlane.model.sequences} does not say, divided by {@code
   *     runlane.model.part} = 1, which a build in which a slow adapter has little time sets to more
   * @param atOnce how many are under way at the same time
   */
  public void holds(int sequences, int atOnce) {
    holds(sequences, atOnce, COMMANDS);
  }

  /** The same with so many commands in each, where {@code runlane.model.commands} does not say. */
  public void holds(int sequences, int atOnce, int commands) {
    int count = Integer.getInteger("runlane.model.sequences", (sequences + PART - 1) / PART);
    int length = Integer.getInteger("runlane.model.commands", commands);
    firstFailure(LongStream.range(FROM, FROM + count).boxed().toList(), atOnce, length)
        .map(new Shrinking<>(this)::shortest)
        .ifPresent(failure -> fail(Story.of(failure)));
  }

  /** Fails where one of these commands, which were found once, is answered wrongly. */
  public void holds(List<Step> steps) {
    ofSteps(steps, true).ifPresent(difference -> fail(difference));
  }

  /** The first of so many sequences that an adapter answers wrongly; empty when it answers all of them rightly. */
  public OptionalLong firstWronglyAnswered(int sequences, int commands) {
    return LongStream.rangeClosed(1, sequences)
        .filter(seed -> ofSeed(seed, commands).isPresent())
        .findFirst();
  }

  /** As {@link #firstWronglyAnswered(int, int)}, of the default sequences. */
  public OptionalLong firstWronglyAnswered() {
    return firstWronglyAnswered(SEQUENCES, COMMANDS);
  }

  /**
   * The commands of a seed up to the first wrong answer, and all that can be read in the end; empty when all are right.
   */
  Optional<Failure> ofSeed(long seed, int commands) {
    boolean alone = adapters.size() == 1 || seed % 2 == 0;
    try (Session<A, M> session = session(alone)) {
      Drawing drawing = contract.drawing(seed, session.model, adapters.get(0), alone);
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
  }

  /** What is wrong with the last answer to these commands; empty when nothing is, or when nobody could send them. */
  Optional<String> ofSteps(List<Step> steps, boolean alone) {
    try (Session<A, M> session = session(alone)) {
      Optional<String> difference = Optional.empty();
      for (Step step : steps) {
        if (difference.isPresent() || !session.isPossible(step)) {
          return difference;
        }
        difference = session.differenceIn(step);
      }
      return difference;
    }
  }

  private Optional<String> play(
      Session<A, M> session, Drawing drawing, List<Step> steps, Object command) {
    Step step = new Step(steps.size() + 1, command);
    steps.add(step);
    Optional<String> difference = session.differenceIn(step);
    drawing.learn(command, session.expected());
    return difference;
  }

  private Session<A, M> session(boolean alone) {
    List<A> taking = alone ? adapters.subList(0, 1) : adapters;
    return new Session<>(contract, taking, sessions.incrementAndGet() + ".");
  }

  /** Of the first seed that fails, though later ones may have been tried beside it. */
  private Optional<Failure> firstFailure(List<Long> seeds, int atOnce, int commands) {
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    try {
      for (int from = 0; from < seeds.size(); from += 5 * atOnce) {
        List<Callable<Optional<Failure>>> some = new ArrayList<>();
        for (Long seed : seeds.subList(from, Math.min(from + 5 * atOnce, seeds.size()))) {
          some.add(() -> ofSeed(seed, commands));
        }
        for (Future<Optional<Failure>> each : threads.invokeAll(some)) {
          Optional<Failure> failure = each.get();
          if (failure.isPresent()) {
            return failure;
          }
        }
      }
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", interrupted);
    } catch (ExecutionException failed) {
      throw new AssertionError("a sequence ended without an answer", failed.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
