package dev.runlane.conformance.race.steps;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.race.order.Scene;
import dev.runlane.conformance.steps.drawn.DispatchMissing;
import dev.runlane.conformance.steps.drawn.StepModel;
import dev.runlane.run.Json;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The race of one seed: a few steps as tasks and results, then commands that want the same ones. */
final class StepScene implements Scene {
  static final List<String> GROUPS = List.of("raced");
  static final List<String> IDS =
      Stream.of("r1", "r2", "r3", "r4").map(run -> StepTask.stepId(run, 0)).toList();
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Json VALUE = Json.ofChecked("{\"n\":1}");

  private final Random random;
  private final StepModel model;
  private final List<StepMethod> methods;
  private final Queue<Supplier<Optional<Object>>> preparations = new ArrayDeque<>();
  private final List<StepClaim> lost = new ArrayList<>(); // and those that are held
  private Instant clock = Given.NOON;

  StepScene(long seed, StepModel model) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    for (int i = 0; i < 10; i++) {
      random.nextLong();
    }
    this.model = model;
    this.methods = methods(seed);
    prepare();
  }

  /** The next pair mostly, else two to four of those that are about the same things. */
  private List<StepMethod> methods(long seed) {
    if (seed % 3 > 0) {
      List<List<StepMethod>> pairs = StepMethod.pairs();
      return pairs.get((int) ((seed - seed / 3 - 1) % pairs.size()));
    }
    List<StepMethod> family = anyOf(StepMethod.FAMILIES);
    List<StepMethod> some = new ArrayList<>();
    for (int more = 2 + random.nextInt(3); more > 0; more--) {
      some.add(anyOf(family));
    }
    return some;
  }

  /** Results of the first two, the tasks of the next attempts of some, and one that is claimed. */
  private void prepare() {
    preparations.add(() -> Optional.of(
        new DispatchSteps(IDS.subList(0, 3).stream().map(this::first).toList(), clock)));
    preparations.add(() -> Optional.of(claimTasks(clock, 2)));
    preparations.add(() -> Optional.of(new RecordStepResults(
        model.claims(false).stream().map(claim -> ended(claim)).toList(), clock)));
    if (random.nextInt(3) > 0) {
      preparations.add(() -> Optional.of(
          new ClaimStepResults(IDS.subList(0, 1 + random.nextInt(2)), "before", clock, LEASE)));
    }
    if (random.nextInt(3) > 0) {
      preparations.add(() -> Optional.of(claimTasks(clock, 1)));
    }
    if (random.nextInt(3) == 0) {
      preparations.add(() -> Optional.of(new DispatchSteps(List.of(next(IDS.get(0))), clock)));
    }
  }

  @Override
  public Optional<Object> next() {
    if (preparations.isEmpty()) {
      return Optional.empty();
    }
    clock = clock.plusMillis(7);
    return preparations.remove().get();
  }

  @Override
  public void learn(Object command, @Nullable Object answer) {
    lost.addAll(model.claims(false));
  }

  @Override
  public List<Object> contenders() {
    Instant base = random.nextInt(3) == 0 ? clock.plus(LEASE) : clock.plusMillis(5);
    List<Object> commands = new ArrayList<>();
    for (StepMethod method : methods) {
      draw(method, base.plusMillis(random.nextInt(3))).ifPresent(commands::add);
    }
    return commands;
  }

  private Optional<Object> draw(StepMethod method, Instant now) {
    return switch (method) {
      case DISPATCH -> Optional.of(new DispatchSteps(tasks(), now));
      case DISPATCH_MISSING ->
        methods.size() > 2
            ? Optional.empty()
            : Optional.of(new DispatchMissing(new DispatchSteps(List.of(task()), now)));
      case WITHDRAW -> Optional.of(new WithdrawSteps(List.of(id())));
      case CLAIM_TASKS -> Optional.of(claimTasks(now, 1 + random.nextInt(2)));
      case RENEW -> taskClaim().map(claim -> new RenewStepTasks(List.of(claim), now));
      case RECORD -> taskClaim().map(claim -> new RecordStepResults(List.of(ended(claim)), now));
      case RELEASE_TASKS -> taskClaim().map(claim -> new ReleaseStepTasks(List.of(claim)));
      case CLAIM_RESULTS -> Optional.of(new ClaimStepResults(ids(), "engine", now, LEASE));
      case SETTLE ->
        resultClaim()
            .map(claim -> new SettleStepResults(
                List.of(new SettleStepResults.Settlement(
                    claim, random.nextBoolean() ? next(claim.stepId()) : null)),
                now));
      case RELEASE_RESULTS ->
        resultClaim()
            .map(claim -> new ReleaseStepResults(List.of(claim), now, LEASE, Duration.ZERO));
      case DISCARD ->
        Optional.of(new DiscardStepResults(List.of(id()), now.plusSeconds(60), now, LEASE));
    };
  }

  private static ClaimStepTasks claimTasks(Instant now, int limit) {
    return new ClaimStepTasks(GROUPS, "worker", now, LEASE, limit);
  }

  @Override
  public List<Object> reads() {
    Instant now = clock.plus(LEASE.multipliedBy(3));
    return List.of(
        new ListMissingSteps(IDS),
        new ListStepTasks(IDS),
        new ListStepResults(now, LEASE, null, 100),
        new ListStepResults(clock, LEASE, null, 100));
  }

  private Optional<StepClaim> taskClaim() {
    List<StepClaim> held = model.claims(false);
    List<StepClaim> choice = held.isEmpty() || random.nextInt(6) == 0 ? lost : held;
    return choice.isEmpty() ? Optional.empty() : Optional.of(anyOf(choice));
  }

  private Optional<StepClaim> resultClaim() {
    List<StepClaim> held = model.claims(true);
    return held.isEmpty() ? Optional.empty() : Optional.of(anyOf(held));
  }

  private RecordStepResults.Ended ended(StepClaim claim) {
    StepOutcome outcome = random.nextBoolean()
        ? new StepOutcome.Completed(VALUE)
        : new StepOutcome.Failed(new StepError("no", null, null, null));
    return new RecordStepResults.Ended(claim, outcome, clock);
  }

  private List<StepTask> tasks() {
    return random.nextInt(3) == 0 ? List.of(next(IDS.get(0)), next(IDS.get(3))) : List.of(task());
  }

  private StepTask task() {
    String id = id();
    return random.nextBoolean() ? first(id) : next(id);
  }

  private StepTask first(String id) {
    return task(id, 1);
  }

  private StepTask next(String id) {
    return task(id, 2);
  }

  private StepTask task(String id, int attempt) {
    String run = id.substring(0, id.lastIndexOf(':'));
    return new StepTask(id, run, 0, "name", GROUPS.get(0), VALUE, attempt);
  }

  /** The first mostly, of which there is a result. */
  private String id() {
    return random.nextBoolean() ? IDS.get(0) : anyOf(IDS);
  }

  private List<String> ids() {
    return random.nextBoolean() ? IDS.subList(0, 2) : List.of(id());
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
