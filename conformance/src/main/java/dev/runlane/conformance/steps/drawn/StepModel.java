package dev.runlane.conformance.steps.drawn;

import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.steps.drawn.ModelRows.Result;
import dev.runlane.conformance.steps.drawn.ModelRows.Row;
import dev.runlane.conformance.steps.drawn.ModelRows.Task;
import dev.runlane.run.Identifiers;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a step transport does with each command, in the words of {@code StepTransport}: two maps, and a loop for each
 * question. Where the contract leaves a transport free, a method is given its answer and follows it as far as it may.
 */
public final class StepModel {
  final Map<String, Task> tasks = new LinkedHashMap<>();
  final Map<String, Result> results = new LinkedHashMap<>();
  private final Names names;
  private final List<FullClaim> fullClaims = new ArrayList<>();
  private boolean tellsTasks;
  private Predicate<String> held = id -> false; // by a command beside the present one

  StepModel(Names names) {
    this.names = names;
  }

  /** Lets the next claim pass over steps that commands beside it may hold, where its answer does not name them. */
  public void letPassOver(Predicate<String> mayBeHeld) {
    held = mayBeHeld;
  }

  /** The claims that are held of tasks, or of results. */
  public List<StepClaim> claims(boolean ofResults) {
    Map<String, ? extends Row> rows = ofResults ? results : tasks;
    return rows.entrySet().stream()
        .filter(row -> row.getValue().token != null)
        .map(row -> claimOf(row.getKey(), row.getValue()))
        .toList();
  }

  List<DispatchOutcome> dispatch(DispatchSteps command, @Nullable List<DispatchOutcome> answer) {
    StepChecks.check(command);
    List<DispatchOutcome> outcomes =
        command.steps().stream().map(step -> dispatch(step, command.now())).toList();
    return asFarAsKnown(command, outcomes, answer);
  }

  List<DispatchOutcome> dispatchMissing(
      DispatchSteps command, @Nullable List<DispatchOutcome> answer) {
    StepChecks.check(command);
    List<DispatchOutcome> outcomes = command.steps().stream()
        .map(step -> results.containsKey(step.stepId()) && !tasks.containsKey(step.stepId())
            ? DispatchOutcome.ANSWERED
            : dispatch(step, command.now()))
        .toList();
    return asFarAsKnown(command, outcomes, answer);
  }

  /** Of a task that a command beside this one is storing, the attempt need not be known yet. */
  private List<DispatchOutcome> asFarAsKnown(
      DispatchSteps command,
      List<DispatchOutcome> outcomes,
      @Nullable List<DispatchOutcome> answer) {
    List<DispatchOutcome> known = new ArrayList<>(outcomes);
    for (int i = 0; answer != null && i < Math.min(answer.size(), known.size()); i++) {
      if (known.get(i) == DispatchOutcome.PENDING
          && answer.get(i) == DispatchOutcome.BLOCKED
          && held.test(command.steps().get(i).stepId())) {
        known.set(i, DispatchOutcome.BLOCKED);
      }
    }
    return List.copyOf(known);
  }

  /** A task that exists stays exactly as it is. */
  private DispatchOutcome dispatch(StepTask step, Instant now) {
    Task standing = tasks.get(step.stepId());
    if (standing != null) {
      return standing.step.attempt() < step.attempt()
          ? DispatchOutcome.BLOCKED
          : DispatchOutcome.PENDING;
    }
    tasks.put(step.stepId(), new Task(step, now));
    return DispatchOutcome.DISPATCHED;
  }

  int withdraw(WithdrawSteps command) {
    StepChecks.check(command);
    int before = tasks.size();
    command.stepIds().forEach(tasks::remove);
    return before - tasks.size();
  }

  List<String> missing(ListMissingSteps query) {
    StepChecks.check(query);
    return query.stepIds().stream()
        .filter(id -> !tasks.containsKey(id) && !results.containsKey(id))
        .toList();
  }

  /** None where the transport cannot tell, which it then never can. */
  List<StepTaskState> list(ListStepTasks query, @Nullable List<StepTaskState> answer) {
    StepChecks.check(query);
    tellsTasks |= answer != null && !answer.isEmpty();
    return query.stepIds().stream()
        .filter(id -> tellsTasks)
        .flatMap(id -> Stream.ofNullable(tasks.get(id)))
        .map(task -> new StepTaskState(task.step.stepId(), task.step.attempt(), task.claimedAt))
        .toList();
  }

  List<StepResultRef> list(ListStepResults query) {
    StepChecks.check(query);
    Comparator<StepResultRef> order = Comparator.comparing(StepResultRef::createdAt)
        .thenComparing(StepResultRef::stepId, Identifiers.ORDER);
    StepResultRef after = query.after();
    return results.values().stream()
        .filter(row -> row.isFreeAt(query.now(), query.leaseFor()))
        .map(row -> ref(row.result))
        .filter(ref -> after == null || order.compare(ref, after) > 0)
        .sorted(order)
        .limit(query.limit())
        .toList();
  }

  static StepResultRef ref(StepResult result) {
    return new StepResultRef(result.stepId(), result.runId(), result.createdAt());
  }

  /** In no order that anybody promises: it is that of the answer. */
  List<ClaimedStepResult> claim(
      ClaimStepResults command, @Nullable List<ClaimedStepResult> answer) {
    StepChecks.check(command);
    List<String> answered = answer == null
        ? List.of()
        : answer.stream().map(each -> each.claim().stepId()).toList();
    List<ClaimedStepResult> claimed = new ArrayList<>();
    for (Result row : command.stepIds().stream()
        .flatMap(id -> Stream.ofNullable(results.get(id)))
        .filter(row -> row.isFreeAt(command.now(), command.leaseFor()))
        .filter(row -> answered.contains(row.result.stepId()) || !held.test(row.result.stepId()))
        .sorted(Comparator.comparing(row -> placeIn(answered, row.result.stepId())))
        .toList()) {
      row.claim(names.make("token"), command.now());
      claimed.add(new ClaimedStepResult(claimOf(row.result.stepId(), row), row.result));
    }
    return claimed;
  }

  List<SettleOutcome> settle(SettleStepResults command) {
    StepChecks.check(command);
    return command.settlements().stream()
        .map(each -> settle(each, command.now()))
        .toList();
  }

  /** Neither does the result go nor the next attempt come without the other. */
  private SettleOutcome settle(SettleStepResults.Settlement settlement, Instant now) {
    String id = settlement.claim().stepId();
    if (!isHeld(results.get(id), settlement.claim())) {
      return SettleOutcome.CLAIM_LOST;
    }
    StepTask next = settlement.next();
    if (next != null && tasks.containsKey(id)) {
      return SettleOutcome.BLOCKED;
    }
    if (next != null) {
      tasks.put(id, new Task(next, now));
    }
    results.remove(id);
    return SettleOutcome.SETTLED;
  }

  @Nullable
  Void release(ReleaseStepResults command) {
    StepChecks.check(command);
    for (StepClaim claim : command.claims()) {
      Result row = results.get(claim.stepId());
      if (row != null && isHeld(row, claim)) {
        row.token = null;
        row.claimedAt =
            ModelRows.millis(command.now()).plus(command.retryIn()).minus(command.leaseFor());
      }
    }
    return null;
  }

  int discard(DiscardStepResults command) {
    StepChecks.check(command);
    int before = results.size();
    Predicate<Result> old = row -> row.result.createdAt().isBefore(command.createdBefore());
    results
        .values()
        .removeIf(row -> command.stepIds().contains(row.result.stepId())
            && old.test(row)
            && row.isFreeAt(command.now(), command.leaseFor()));
    return before - results.size();
  }

  /**
   * In the order of their dispatch; which of those of one instant comes first is the transport's. What is free
   * again, or was dispatched by a slower clock, behind what a full claim took less than a second ago may come later.
   */
  List<ClaimedStepTask> claim(ClaimStepTasks command, @Nullable List<ClaimedStepTask> answer) {
    StepChecks.check(command);
    List<String> answered = answer == null
        ? List.of()
        : answer.stream().map(each -> each.claim().stepId()).toList();
    List<ClaimedStepTask> claimed = new ArrayList<>();
    for (Task row : tasks.values().stream()
        .filter(row -> command.groups().contains(row.step.group()))
        .filter(row -> row.isFreeAt(command.now(), command.leaseFor()))
        .filter(row -> answered.contains(row.step.stepId())
            || (!mayComeLater(row, command.now()) && !held.test(row.step.stepId())))
        .sorted(Comparator.comparing((Task row) -> row.dispatchedAt)
            .thenComparing(row -> placeIn(answered, row.step.stepId())))
        .limit(command.limit())
        .toList()) {
      row.claim(names.make("token"), command.now());
      claimed.add(
          new ClaimedStepTask(claimOf(row.step.stepId(), row), row.step, null, row.dispatchedAt));
    }
    if (claimed.size() == command.limit()) {
      claimed.forEach(each ->
          fullClaims.add(new FullClaim(each.task().group(), each.dispatchedAt(), command.now())));
    }
    return claimed;
  }

  private boolean mayComeLater(Task row, Instant now) {
    return fullClaims.stream()
        .anyMatch(each -> each.group().equals(row.step.group())
            && each.dispatchedAt().isAfter(row.dispatchedAt)
            && each.at().plusSeconds(1).isAfter(now));
  }

  Set<String> renew(RenewStepTasks command) {
    StepChecks.check(command);
    List<Task> held = held(command.claims());
    held.forEach(row -> row.claimedAt = ModelRows.millis(command.now()));
    return held.stream().map(row -> row.step.stepId()).collect(Collectors.toSet());
  }

  List<RecordOutcome> record(RecordStepResults command) {
    StepChecks.check(command);
    return command.results().stream().map(each -> record(each, command.now())).toList();
  }

  /** A result that is there for the same task stays; one of an earlier attempt is waited for. */
  private RecordOutcome record(RecordStepResults.Ended ended, Instant now) {
    String id = ended.claim().stepId();
    Task task = tasks.get(id);
    if (task == null || !isHeld(task, ended.claim())) {
      return RecordOutcome.LEASE_LOST;
    }
    Result standing = results.get(id);
    if (standing != null && standing.result.createdAt().isBefore(task.dispatchedAt)) {
      return RecordOutcome.BLOCKED;
    }
    tasks.remove(id);
    if (standing == null) {
      put(new StepResult(
          id,
          task.step.runId(),
          task.step.seq(),
          ended.outcome(),
          ModelRows.millis(ended.startedAt()),
          ModelRows.millis(now)));
    }
    return RecordOutcome.RECORDED;
  }

  @Nullable
  Void release(ReleaseStepTasks command) {
    StepChecks.check(command);
    held(command.claims()).forEach(row -> {
      row.token = null;
      row.claimedAt = null;
    });
    return null;
  }

  @Nullable
  Void put(StepResult result) {
    results.put(result.stepId(), new Result(result));
    return null;
  }

  private List<Task> held(List<StepClaim> claims) {
    return claims.stream()
        .flatMap(
            claim -> Stream.ofNullable(tasks.get(claim.stepId())).filter(row -> isHeld(row, claim)))
        .toList();
  }

  private boolean isHeld(@Nullable Row row, StepClaim claim) {
    return row != null && row.token != null && names.areOne(row.token, claim.token());
  }

  private record FullClaim(String group, Instant dispatchedAt, Instant at) {}

  private static StepClaim claimOf(String stepId, Row row) {
    return new StepClaim(stepId, String.valueOf(row.token));
  }

  private static int placeIn(List<String> answered, String id) {
    int index = answered.indexOf(id);
    return index < 0 ? answered.size() : index;
  }
}
