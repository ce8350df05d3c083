package dev.runlane.conformance.race;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.Story;
import dev.runlane.conformance.drawn.storage.Calls;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.conformance.race.order.RaceStory;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Races commands on adapters of one storage, and asks the model for an order that explains what came of it. */
public final class RaceTrial {
  /** Races = 347: one for each pair, and 115 others. */
  static final int RACES = Integer.getInteger("runlane.races", 347);

  private static final @Nullable Long FROM = Long.getLong("runlane.races.from");

  /**
   * Seeds that once found something: a creation with keys and a lease that lost a deadlock; two processes that
   * published their queues at once and did not see each other.
   */
  private static final long[] KEPT = {1020, 346};

  /** How often contenders are drawn until some collide = 10. */
  private static final int TRIES = 10;

  /** Far apart, so that names which parts of a batch make are their own. */
  private static final int NUMBERS_OF_ONE = 100;

  private static final String DISHONEST = "no correct caller sends that";

  private final List<StorageAdapter> adapters;
  private final List<Context> contexts;
  private final List<List<WriteMethod>> pairs;
  private final List<List<WriteMethod>> families;
  private final AtomicInteger sessions = new AtomicInteger();

  /** Of adapters on one state, whose contenders are started on these contexts. */
  public RaceTrial(List<StorageAdapter> adapters, List<Context> contexts) {
    this.adapters = adapters;
    this.contexts = contexts;
    this.pairs = WriteMethod.pairsOf(adapters.get(0));
    this.families = WriteMethod.familiesOf(adapters.get(0));
  }

  /**
   * The first of the default races that no order explains where contenders are started one after the other, the first
   * or the last of them first: for storages that wait for the others on purpose. Empty when all can be explained.
   */
  public OptionalLong firstUnexplainedInTurn() {
    return seeds()
        .filter(seed -> ofSeed(seed, Race.Start.IN_TURN).isPresent()
            || ofSeed(seed, Race.Start.IN_TURN_BACKWARD).isPresent())
        .findFirst();
  }

  /** The first of the default races that no order explains, told; empty when all can be explained. */
  Optional<String> firstUnexplainedTold() {
    return seeds()
        .mapToObj(seed -> ofSeed(seed, Race.Start.TOGETHER))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Those that once failed and the first ones, or those that are asked for. */
  private static LongStream seeds() {
    return FROM == null
        ? LongStream.concat(LongStream.of(KEPT), LongStream.rangeClosed(1, RACES))
        : LongStream.range(FROM, FROM + RACES);
  }

  /** The race of a seed, of the next pair of methods mostly, else of two to four. Empty when an order explains it. */
  private Optional<String> ofSeed(long seed, Race.Start start) {
    String scope = "race" + sessions.incrementAndGet() + ".";
    Replay live = new Replay(scope);
    RaceDraw draw = new RaceDraw(
        seed, meetingPoint(seed), live.model, adapters.get(0).steps().isPresent());
    List<WriteMethod> raced = racedBy(seed, draw);
    List<Played> before = new ArrayList<>();
    for (Supplier<Optional<? extends Object>> next : draw.preparation(raced)) {
      Object command = next.get().orElse(null);
      if (command != null && live.model.isHonest(command)) {
        Played played = play(live, new Step(before.size() + 1, command));
        before.add(played);
        Object expected = live.answer(played.step(), played.answer());
        Optional<String> difference = live.difference(expected, played.answer());
        if (difference.isPresent()) {
          return Optional.of("seed %s: before the race, %s%n%s"
              .formatted(seed, Story.told(command), difference.get()));
        }
        draw.learn(expected);
      }
    }
    List<Object> commands = contenders(draw, raced, scope, before);
    List<Contender> contenders = race(seed, start, live, commands);
    commands.stream().flatMap(each -> Contender.nowOf(each).stream()).forEach(draw::notBefore);
    List<Played> after = look(live, draw);
    return new Orders(scope, before, contenders, after)
        .tried()
        .map(tried -> RaceStory.told(
            seed,
            "runlane.races",
            before,
            contenders.stream().map(Contender::played).toList(),
            tried));
  }

  private MeetingPoint meetingPoint(long seed) {
    long turn = seed % 3 > 0 ? seed / 2 : seed / 3 / families.size();
    List<MeetingPoint> points = List.of(MeetingPoint.values());
    return points.get((int) (turn % points.size()));
  }

  private List<WriteMethod> racedBy(long seed, RaceDraw draw) {
    if (seed % 3 > 0) {
      return pairs.get((int) ((seed - seed / 3 - 1) % pairs.size()));
    }
    List<WriteMethod> family = families.get((int) (seed / 3 % families.size()));
    List<WriteMethod> some = new ArrayList<>();
    for (int more = 2 + draw.upTo(3); more > 0; more--) {
      some.add(draw.anyOf(family));
    }
    return some;
  }

  /** Commands of these methods whose answers depend on their order, where some were drawn. */
  private List<Object> contenders(
      RaceDraw draw, List<WriteMethod> raced, String scope, List<Played> before) {
    Instant now = draw.meet();
    List<Object> found = List.of();
    for (int tries = 0; tries < TRIES; tries++) {
      List<Object> drawn = new ArrayList<>();
      for (WriteMethod method : raced) {
        draw.draw(method, draw.upTo(3) == 0 ? now.plusNanos(1_000) : now).ifPresent(drawn::add);
      }
      List<Object> forward = answers(drawn, scope, before);
      List<Object> backward = new ArrayList<>(drawn);
      Collections.reverse(backward);
      backward = answers(backward, scope, before);
      Collections.reverse(backward);
      if (forward.contains(DISHONEST) || backward.contains(DISHONEST)) {
        continue;
      }
      if (drawn.size() > found.size()) {
        found = drawn;
      }
      if (drawn.size() == raced.size()
          && (draw.meeting == MeetingPoint.ANYTHING || names(drawn) == drawn.size())
          && !forward.equals(backward)) {
        return drawn;
      }
    }
    return found;
  }

  /** How many runs they name, each of those that name none counted as another. */
  private static long names(List<Object> commands) {
    return commands.stream()
        .map(command -> Contender.runNamed(command).orElse(command))
        .distinct()
        .count();
  }

  /** What the model answers to these, in this order; what it names is named by the command alone. */
  private static List<Object> answers(List<Object> commands, String scope, List<Played> before) {
    Replay replay = new Replay(scope);
    before.forEach(played -> replay.answer(played.step(), played.answer()));
    List<Object> answers = new ArrayList<>();
    for (Object command : commands) {
      answers.add(
          replay.model.isHonest(command)
              ? essence(replay.answer(new Step(0, command), null))
              : DISHONEST);
    }
    return answers;
  }

  private static Object essence(@Nullable Object answer) {
    return answer instanceof RunlaneException failure
        ? List.of(failure.code(), failure.conflictKind(), failure.meta())
        : Optional.ofNullable(answer);
  }

  private List<Contender> race(long seed, Race.Start start, Replay live, List<Object> commands) {
    List<Step> steps = new ArrayList<>();
    List<Supplier<Future<@Nullable Object>>> started = new ArrayList<>();
    for (Object command : commands) {
      Step step = new Step((steps.size() + 1) * NUMBERS_OF_ONE, command);
      StorageAdapter adapter = adapters.get(seed % 2 == 0 ? 0 : steps.size() % adapters.size());
      Object sent = live.inStorage(command);
      steps.add(step);
      started.add(() -> start(adapter, sent));
    }
    List<Context> turned = new ArrayList<>(contexts);
    Collections.rotate(turned, (int) (seed % contexts.size()));
    List<Race.Ended<@Nullable Object>> ended = Race.run(start, turned, started).all();
    List<Contender> contenders = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      RunlaneException failure = ended.get(i).failure();
      contenders.add(Contender.of(
          RaceStory.nameOf(i),
          new Played(steps.get(i), failure == null ? ended.get(i).result() : failure)));
    }
    return contenders;
  }

  /** A prune comes alone: what it removed is looked up when the race is over. */
  private static Future<@Nullable Object> start(StorageAdapter adapter, Object command) {
    return command instanceof PruneAndLook look
        ? adapter.pruneRuns(look.prune()).map(pruned -> pruned)
        : Calls.of(command).storage().apply(adapter, command);
  }

  private Played play(Replay live, Step step) {
    return new Played(
        step, Outcomes.done(started(live, step.command()).otherwise(failed -> failed)));
  }

  private Future<@Nullable Object> started(Replay live, Object command) {
    return start(adapters.get(0), live.inStorage(command));
  }

  /** Everything that can be read, and in the end all messages, claimed a year later. */
  private List<Played> look(Replay live, RaceDraw draw) {
    List<Object> reads = RaceReads.of(adapters.get(0), draw);
    List<Future<@Nullable Object>> asked = reads.stream()
        .map(read -> started(live, read).otherwise(failed -> failed))
        .toList();
    List<Played> played = new ArrayList<>();
    for (int i = 0; i < reads.size(); i++) {
      played.add(
          new Played(new Step(10 * NUMBERS_OF_ONE + i, reads.get(i)), Outcomes.done(asked.get(i))));
    }
    played.add(play(live, new Step(20 * NUMBERS_OF_ONE, RaceReads.lastMessages())));
    return played;
  }
}
