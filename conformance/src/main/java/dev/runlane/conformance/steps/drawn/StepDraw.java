package dev.runlane.conformance.steps.drawn;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Json;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one seed: engines, workers and other programs that share a few steps, whose ids are easily taken for
 * each other, at instants at which leases are just as old as they may be.
 */
final class StepDraw {
  static final List<String> IDS = Stream.of("a", "A", "\u00e4", "a\u0308", "b")
      .flatMap(run -> Stream.of(StepTask.stepId(run, 0), StepTask.stepId(run, 1)))
      .toList();

  static final List<String> GROUPS = List.of("g", "G", "g@p", "g ");
  private static final List<Json> VALUES = Stream.of(
          "1", "1.0", "{ \"a\" : [ null ] }", "\"\\u0000\"")
      .map(Json::ofChecked)
      .toList();

  private final Random random;
  private final StepModel model;
  private final Duration lease;
  private final List<StepClaim> taskClaims = new ArrayList<>(); // also those that were lost
  private final List<StepClaim> resultClaims = new ArrayList<>();
  private final List<StepResultRef> positions = new ArrayList<>();
  private Instant clock = Given.NOON;

  StepDraw(long seed, StepModel model) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    this.model = model;
    this.lease = Duration.ofMillis(1L + random.nextInt(3_000));
  }

  Object next() {
    goOn();
    Object drawn = command();
    return random.nextInt(20) == 0 ? malformed() : drawn;
  }

  private Object command() {
    return switch (random.nextInt(22)) {
      case 0, 1, 2, 3 -> new DispatchSteps(tasks(), fine(clock));
      case 4 -> new DispatchMissing(new DispatchSteps(tasks(), fine(clock)));
      case 5 -> new WithdrawSteps(ids(2));
      case 6, 7, 8, 9 ->
        new ClaimStepTasks(some(GROUPS), "worker", fine(clock), lease, 1 + random.nextInt(4));
      case 10 -> new RenewStepTasks(claims(taskClaims), fine(clock));
      case 11, 12, 13 -> new RecordStepResults(ends(), fine(clock));
      case 14 -> new ReleaseStepTasks(claims(taskClaims));
      case 15, 16 -> new ClaimStepResults(ids(5), "engine", fine(clock), lease);
      case 17, 18 -> new SettleStepResults(settlements(), fine(clock));
      case 19 ->
        new ReleaseStepResults(
            claims(resultClaims), fine(clock), lease, lease.dividedBy(1L + random.nextInt(3)));
      case 20 -> new DiscardStepResults(ids(IDS.size()), cutoff(), fine(clock), lease);
      default -> putResult();
    };
  }

  /** A question about a part of what is stored. */
  Object look() {
    return switch (random.nextInt(4)) {
      case 0 -> new ListMissingSteps(ids(IDS.size()));
      case 1 -> new ListStepTasks(ids(IDS.size()));
      default ->
        new ListStepResults(
            fine(clock),
            lease,
            positions.isEmpty() || random.nextBoolean() ? null : anyOf(positions),
            1 + random.nextInt(4));
    };
  }

  /** All that can be read; and in the end all that can be claimed, a year later. */
  static List<Object> everything(Duration lease) {
    Instant later = Given.NEXT_YEAR;
    return List.of(
        new ListMissingSteps(IDS),
        new ListStepTasks(IDS),
        new ListStepResults(later, lease, null, 100),
        new ClaimStepResults(IDS, "engine", later, lease),
        new ClaimStepTasks(GROUPS, "worker", later, lease, 100));
  }

  Duration lease() {
    return lease;
  }

  /** Remembers an answer, in the model's names. */
  void learn(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      for (Object each : list) {
        if (each instanceof ClaimedStepTask claimed) {
          taskClaims.add(claimed.claim());
        } else if (each instanceof ClaimedStepResult claimed) {
          resultClaims.add(claimed.claim());
        } else if (each instanceof StepResultRef ref) {
          positions.add(ref);
        }
      }
    }
  }

  /** Time goes on, often to the age at which a lease may just not be taken over, or to the moment after. */
  private void goOn() {
    List<Instant> edges = Stream.concat(
            model.tasks.values().stream(), model.results.values().stream())
        .flatMap(row -> Stream.ofNullable(row.claimedAt))
        .map(at -> at.plus(lease).plusMillis(random.nextInt(2)))
        .filter(at -> at.isAfter(clock))
        .sorted()
        .toList();
    if (!edges.isEmpty() && random.nextInt(4) == 0) {
      clock = anyOf(edges);
    } else {
      clock = clock.plusMillis(
          switch (random.nextInt(6)) {
            case 0, 1 -> 0;
            case 2, 3 -> 1;
            default -> random.nextInt(1_000);
          });
    }
  }

  /** Finer than transports keep it, sometimes. */
  private Instant fine(Instant instant) {
    return random.nextInt(3) == 0 ? instant.plusNanos(random.nextInt(1_000_000)) : instant;
  }

  /** Mostly the very instant at which some result was written, or the moment after. */
  private Instant cutoff() {
    List<Instant> written =
        model.results.values().stream().map(row -> row.result.createdAt()).toList();
    return written.isEmpty() ? clock : anyOf(written).plusMillis(random.nextInt(2));
  }

  private List<StepTask> tasks() {
    return ids(3).stream().map(this::task).toList();
  }

  /** The attempt that stands, or the next one, or the first. */
  private StepTask task(String id) {
    ModelRows.Task standing = model.tasks.get(id);
    int attempt = standing == null ? 1 : standing.step.attempt();
    return new StepTask(
        id,
        runOf(id),
        seqOf(id),
        anyOf(List.of("name", "Name", "na:me")),
        anyOf(GROUPS),
        random.nextInt(3) == 0 ? null : anyOf(VALUES),
        Math.max(1, attempt - 1 + random.nextInt(3)));
  }

  private static String runOf(String id) {
    return id.substring(0, id.lastIndexOf(':'));
  }

  private static int seqOf(String id) {
    return Integer.parseInt(id.substring(id.lastIndexOf(':') + 1));
  }

  private List<RecordStepResults.Ended> ends() {
    return claims(taskClaims).stream()
        .map(claim -> new RecordStepResults.Ended(claim, outcome(), fine(clock)))
        .toList();
  }

  private StepOutcome outcome() {
    return random.nextInt(3) == 0
        ? new StepOutcome.Failed(new StepError(
            "no", random.nextBoolean() ? "code" : null, anyOf(flags()).orElse(null), null))
        : new StepOutcome.Completed(random.nextInt(3) == 0 ? null : anyOf(VALUES));
  }

  private static List<Optional<Boolean>> flags() {
    return List.of(Optional.empty(), Optional.of(true), Optional.of(false));
  }

  private List<SettleStepResults.Settlement> settlements() {
    return claims(resultClaims).stream()
        .map(claim -> new SettleStepResults.Settlement(
            claim, random.nextInt(2) == 0 ? null : task(claim.stepId())))
        .toList();
  }

  /** Of a step that has none: of another program's worker, for the task that stands or for an earlier one. */
  private Object putResult() {
    List<String> free =
        IDS.stream().filter(id -> !model.results.containsKey(id)).toList();
    if (free.isEmpty()) {
      return look();
    }
    String id = anyOf(free);
    ModelRows.Task task = model.tasks.get(id);
    Instant about = task == null ? clock : task.dispatchedAt;
    Instant at = ModelRows.millis(about.plusMillis(random.nextInt(3) - 1)); // as the rows keep it
    return new PutResult(
        new StepResult(id, runOf(id), seqOf(id), new StepOutcome.Completed(anyOf(VALUES)), at, at));
  }

  /** One in each step; the latest mostly, and now and then one that was lost. */
  private List<StepClaim> claims(List<StepClaim> all) {
    Map<String, StepClaim> byStep = new LinkedHashMap<>();
    int from = random.nextInt(4) == 0 ? 0 : Math.max(0, all.size() - 6);
    shuffled(all.subList(from, all.size())).stream()
        .limit(1 + random.nextInt(3))
        .forEach(claim -> byStep.put(claim.stepId(), claim));
    return List.copyOf(byStep.values());
  }

  private List<String> ids(int most) {
    return shuffled(IDS).subList(0, 1 + random.nextInt(most));
  }

  private List<String> some(List<String> all) {
    return shuffled(all).subList(0, 1 + random.nextInt(all.size()));
  }

  /** What is refused before anything is looked at. */
  private Object malformed() {
    String id = anyOf(IDS);
    return switch (random.nextInt(7)) {
      case 0 -> new DispatchSteps(List.of(task(id), task(id)), clock);
      case 1 -> new WithdrawSteps(List.of(id, id));
      case 2 -> new ClaimStepTasks(GROUPS, "worker", clock, Duration.ZERO, 1);
      case 3 -> new ClaimStepTasks(GROUPS, "worker", clock, lease, 0);
      case 4 -> new ClaimStepResults(List.of(id, ""), "engine", clock, lease);
      case 5 -> new DiscardStepResults(List.of(id), clock, Instant.EPOCH.minusMillis(1), lease);
      default -> new DispatchSteps(List.of(task(id).in("x".repeat(192))), clock);
    };
  }

  private <T> List<T> shuffled(List<T> all) {
    List<T> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
