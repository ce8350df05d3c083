package dev.runlane.conformance.steps.drawn;

import dev.runlane.conformance.drawn.Answers;
import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.Story;
import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.model.Names;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Holds step transports to the model. */
public final class StepTrial {
  private static final int SEQUENCES = Integer.getInteger("runlane.steps.sequences", 60);
  private static final long FROM = Long.getLong("runlane.steps.from", 1);
  private static final int COMMANDS = 40;
  private static final int MOST_TRIES = 300;

  private final StepTransportFixture fixture;
  private final List<StepTransport> transports;

  /** Of transports on the fixture's tables, which take turns as processes would. */
  public StepTrial(StepTransportFixture fixture, List<StepTransport> transports) {
    this.fixture = fixture;
    this.transports = transports;
  }

  /** The first of the default sequences that is answered wrongly; empty when all are answered rightly. */
  public OptionalLong firstWronglyAnswered() {
    return LongStream.range(FROM, FROM + SEQUENCES)
        .filter(seed -> ofSeed(seed).isPresent())
        .findFirst();
  }

  /** The first of the default sequences that is answered wrongly, as short as it goes; empty when there is none. */
  public Optional<String> firstWronglyAnsweredTold() {
    for (long seed = FROM; seed < FROM + SEQUENCES; seed++) {
      Optional<Failure> failure = ofSeed(seed);
      if (failure.isPresent()) {
        return Optional.of(told(seed, shortest(failure.get())));
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> ofSeed(long seed) {
    Session session = new Session();
    StepDraw draw = new StepDraw(seed, session.model);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      Optional<Failure> failure = play(session, steps, draw.next());
      draw.learn(session.expected);
      if (failure.isEmpty() && i % 2 == 0) {
        failure = play(session, steps, draw.look());
        draw.learn(session.expected);
      }
      if (failure.isPresent()) {
        return failure;
      }
    }
    for (Object read : StepDraw.everything(draw.lease())) {
      Optional<Failure> failure = play(session, steps, read);
      if (failure.isPresent()) {
        return failure;
      }
    }
    return Optional.empty();
  }

  private Optional<Failure> play(Session session, List<Step> steps, Object command) {
    Step step = new Step(steps.size() + 1, command);
    steps.add(step);
    return session
        .differenceIn(step)
        .map(difference -> new Failure(List.copyOf(steps), difference));
  }

  /** The same failure with no command that could go alone. */
  private Failure shortest(Failure failure) {
    Failure shortest = failure;
    int tries = 0;
    for (int before = Integer.MAX_VALUE; shortest.steps().size() < before; ) {
      before = shortest.steps().size();
      for (int i = before - 2; i >= 0 && tries < MOST_TRIES; i--, tries++) {
        List<Step> fewer = new ArrayList<>(shortest.steps());
        fewer.remove(i);
        shortest = ofSteps(fewer).orElse(shortest);
      }
    }
    return shortest;
  }

  /** Empty where the last answer is right, or an earlier one wrong. */
  private Optional<Failure> ofSteps(List<Step> steps) {
    Session session = new Session();
    Optional<String> difference = Optional.empty();
    for (Step step : steps) {
      if (difference.isPresent() || session.answers.namesWhatNobodyKnows(step.command())) {
        return Optional.empty();
      }
      difference = session.differenceIn(step);
    }
    return difference.map(found -> new Failure(steps, found));
  }

  private static String told(long seed, Failure failure) {
    return """
        seed %s (-Drunlane.steps.from=%s -Drunlane.steps.sequences=1), cut to %s commands, of which the last is answered \
        wrongly:
        %s

        %s""".formatted(
            seed,
            seed,
            failure.steps().size(),
            failure.steps().stream()
                .map(step -> "%4s  %s".formatted(step.number(), Story.told(step.command())))
                .collect(Collectors.joining("\n")),
            failure.difference());
  }

  /** Transports on empty tables and the model, which are given the same commands. */
  private final class Session {
    final Names names = new Names("");
    final Answers answers = new Answers(names);
    final StepModel model = new StepModel(names);

    @Nullable
    Object expected; // the right answer to the latest command, in the model's names

    /** Transports may remember how far they got for a while; a claim that finds less than it wants ends that. */
    Session() {
      Instant late = Instant.parse("9000-01-01T00:00:00Z");
      Duration lease = Duration.ofSeconds(1);
      for (StepTransport each : transports) {
        Outcomes.done(
            each.claimStepTasks(new ClaimStepTasks(StepDraw.GROUPS, "nobody", late, lease, 1_000)));
      }
      StepTransport first = transports.get(0);
      Outcomes.done(first.withdrawSteps(new WithdrawSteps(StepDraw.IDS)));
      Outcomes.done(first.discardStepResults(
          new DiscardStepResults(StepDraw.IDS, late, late.plusSeconds(60), lease)));
    }

    Optional<String> differenceIn(Step step) {
      names.begin(step.number());
      StepTransport transport = transports.get(step.number() % transports.size());
      Object answer = answer(transport, Objects.requireNonNull(answers.inStorage(step.command())));
      try {
        expected =
            StepCalls.model(model, step.command(), answer instanceof Throwable ? null : answer);
      } catch (RunlaneException refusal) {
        expected = refusal;
      }
      return answers.difference(expected, answer);
    }

    private @Nullable Object answer(StepTransport transport, Object command) {
      try {
        Future<@Nullable Object> answer = StepCalls.transport(transport, fixture, command);
        return Outcomes.done(answer.otherwise(failure -> failure));
      } catch (RuntimeException thrown) { // which a method never does
        return new IllegalStateException("thrown, not answered", thrown);
      }
    }
  }

  private record Failure(List<Step> steps, String difference) {}
}
