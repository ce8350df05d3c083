package dev.runlane.conformance.race.order;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Races commands on adapters of one state, one race after the other, and asks the model for an order that explains what
 * came of each.
 *
 * @param <A> the adapters
 * @param <M> the model
 */
public final class ModelRaces<A, M> {
  /** How often contenders are drawn until their order matters = 10. */
  private static final int TRIES = 10;

  /** Far apart, so that names which parts of a command make are their own. */
  private static final int NUMBERS_OF_ONE = 100;

  private final Raced<A, M> raced;
  private final String property;
  private final List<A> adapters;
  private final List<Context> contexts;

  /**
   * Of adapters on one state, whose contenders are started on these contexts.
   *
   * @param property says how many races there are; with {@code .from} behind, from which seed on
   */
  public ModelRaces(Raced<A, M> raced, String property, List<A> adapters, List<Context> contexts) {
    this.raced = raced;
    this.property = property;
    this.adapters = adapters;
    this.contexts = contexts;
  }

  /**
   * The first of the races that no order explains where contenders are started one after the other, the first or the
   * last of them first: for adapters that wait for the others on purpose. Empty when all can be explained.
   */
  public OptionalLong firstUnexplainedInTurn(int races) {
    return seeds(races)
        .filter(seed -> ofSeed(seed, Race.Start.IN_TURN).isPresent()
            || ofSeed(seed, Race.Start.IN_TURN_BACKWARD).isPresent())
        .findFirst();
  }

  /** The first of the races that no order explains, told; empty when all can be explained. */
  public Optional<String> firstUnexplainedTold(int races) {
    return seeds(races)
        .mapToObj(seed -> ofSeed(seed, Race.Start.TOGETHER))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private LongStream seeds(int races) {
    long from = Long.getLong(property + ".from", 1);
    return LongStream.range(from, from + Integer.getInteger(property, races));
  }

  private Optional<String> ofSeed(long seed, Race.Start start) {
    raced.begin(adapters);
    Retold<A, M> live = new Retold<>(raced.contract());
    try {
      return ofSeed(seed, start, live);
    } finally {
      raced.contract().clear(adapters.get(0), live.model);
    }
  }

  private Optional<String> ofSeed(long seed, Race.Start start, Retold<A, M> live) {
    Scene scene = raced.scene(seed, live.model);
    List<Played> before = new ArrayList<>();
    for (Optional<Object> next = scene.next(); next.isPresent(); next = scene.next()) {
      Object command = next.get();
      Played played = play(live, new Step(before.size() + 1, command));
      before.add(played);
      Object expected = live.answer(played);
      Optional<String> difference = live.difference(expected, played);
      if (difference.isPresent()) {
        return Optional.of("seed %s: before the race, %s%n%s"
            .formatted(seed, RaceStory.of(command), difference.get()));
      }
      scene.learn(command, expected);
    }
    List<Played> contenders = race(seed, start, live, contenders(scene, before));
    return new OrderSearch<>(raced, before, contenders, look(live, scene.reads()))
        .tried()
        .map(tried -> RaceStory.told(seed, property, before, contenders, tried));
  }

  /** Such as are answered otherwise the other way round, where some were drawn. */
  private List<Object> contenders(Scene scene, List<Played> before) {
    List<Object> found = List.of();
    for (int tries = 0; tries < TRIES; tries++) {
      List<Object> drawn = scene.contenders();
      List<Object> forward = answers(drawn, false, before);
      List<Object> backward = answers(drawn, true, before);
      if (drawn.size() > 1 && !forward.equals(backward)) {
        return drawn;
      }
      found = drawn.size() > found.size() ? drawn : found;
    }
    return found;
  }

  /** What the model answers to these by itself, each in its place, in this order or the other way round. */
  private List<Object> answers(List<Object> commands, boolean backward, List<Played> before) {
    Retold<A, M> retold = new Retold<>(raced.contract());
    before.forEach(retold::differenceIn);
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      int index = backward ? commands.size() - 1 - i : i;
      Object answer = retold.answer(new Step((index + 1) * NUMBERS_OF_ONE, commands.get(index)));
      answers.add(
          answer instanceof RunlaneException failure
              ? List.of(failure.code(), failure.conflictKind())
              : Optional.ofNullable(answer));
    }
    if (backward) {
      Collections.reverse(answers);
    }
    return answers;
  }

  private List<Played> race(long seed, Race.Start start, Retold<A, M> live, List<Object> commands) {
    List<Step> steps = new ArrayList<>();
    List<Supplier<Future<@Nullable Object>>> started = new ArrayList<>();
    for (Object command : commands) {
      A adapter = adapters.get(seed % 2 == 0 ? 0 : steps.size() % adapters.size());
      Object sent = live.inStorage(command);
      steps.add(new Step((steps.size() + 1) * NUMBERS_OF_ONE, command));
      started.add(() -> raced.contract().answer(adapter, sent));
    }
    List<Context> turned = new ArrayList<>(contexts);
    Collections.rotate(turned, (int) (seed % contexts.size()));
    List<Race.Ended<@Nullable Object>> ended = Race.run(start, turned, started).all();
    List<Played> contenders = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      RunlaneException failure = ended.get(i).failure();
      contenders.add(new Played(steps.get(i), failure == null ? ended.get(i).result() : failure));
    }
    return contenders;
  }

  private Played play(Retold<A, M> live, Step step) {
    return new Played(step, Outcomes.done(started(live, step.command())));
  }

  /** Nothing changes any more, so that all of it is asked at once. */
  private List<Played> look(Retold<A, M> live, List<Object> reads) {
    List<Future<@Nullable Object>> asked =
        reads.stream().map(read -> started(live, read)).toList();
    List<Played> played = new ArrayList<>();
    for (int i = 0; i < reads.size(); i++) {
      played.add(
          new Played(new Step(10 * NUMBERS_OF_ONE + i, reads.get(i)), Outcomes.done(asked.get(i))));
    }
    return played;
  }

  private Future<@Nullable Object> started(Retold<A, M> live, Object command) {
    Object sent = live.inStorage(command);
    return raced.contract().answer(adapters.get(0), sent).otherwise(failed -> failed);
  }
}
