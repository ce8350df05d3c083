package dev.runlane.storage.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepSignals;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
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
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Steps between an engine and workers of the same process, for tests. Every command runs under one lock and
 * its future is complete when the method returns. Nothing depends on a clock or on chance.
 */
public final class MemoryStepTransport implements StepTransport {
  private static final Environment HERE = new Environment("steps"); // steps have no environment

  private final Subscribers<StepListener> subscribers = new Subscribers<>();
  private final Map<String, Task> tasks = new LinkedHashMap<>();
  private final Map<String, Result> results = new LinkedHashMap<>();
  private long claims;

  /** A transport without tasks and results. */
  public MemoryStepTransport() {}

  @Override
  public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
    return answer("dispatchSteps", () -> {
      StepChecks.check(command);
      List<DispatchOutcome> outcomes = command.steps().stream()
          .map(step -> dispatch(step, millis(command.now())))
          .toList();
      signalTasks(command.steps());
      return outcomes;
    });
  }

  private DispatchOutcome dispatch(StepTask step, Instant now) {
    Task standing = tasks.get(step.stepId());
    if (standing == null) {
      tasks.put(step.stepId(), new Task(step, now));
      return DispatchOutcome.DISPATCHED;
    }
    return standing.step.attempt() < step.attempt()
        ? DispatchOutcome.BLOCKED
        : DispatchOutcome.PENDING;
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
    return answer("dispatchMissingSteps", () -> {
      StepChecks.check(command);
      List<DispatchOutcome> outcomes = command.steps().stream()
          .map(step -> results.containsKey(step.stepId()) && !tasks.containsKey(step.stepId())
              ? DispatchOutcome.ANSWERED
              : dispatch(step, millis(command.now())))
          .toList();
      signalTasks(command.steps());
      return outcomes;
    });
  }

  @Override
  public Future<Integer> withdrawSteps(WithdrawSteps command) {
    return answer("withdrawSteps", () -> {
      StepChecks.check(command);
      int before = tasks.size();
      command.stepIds().forEach(tasks::remove);
      return before - tasks.size();
    });
  }

  @Override
  public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return answer("listStepTasks", () -> {
      StepChecks.check(query);
      return query.stepIds().stream()
          .flatMap(id -> Stream.ofNullable(tasks.get(id)))
          .map(task -> new StepTaskState(task.step.stepId(), task.step.attempt(), task.claimedAt))
          .toList();
    });
  }

  @Override
  public Future<List<String>> listMissingSteps(ListMissingSteps query) {
    return answer("listMissingSteps", () -> {
      StepChecks.check(query);
      return query.stepIds().stream()
          .filter(id -> !tasks.containsKey(id) && !results.containsKey(id))
          .toList();
    });
  }

  @Override
  public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
    return answer("listStepResults", () -> {
      StepChecks.check(query);
      StepResultRef after = query.after();
      return results.values().stream()
          .filter(each -> isFree(each.claimedAt, query.now(), query.leaseFor()))
          .map(Result::ref)
          .sorted(BY_POSITION)
          .filter(ref -> after == null || BY_POSITION.compare(ref, after) > 0)
          .limit(query.limit())
          .toList();
    });
  }

  @Override
  public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
    return answer("claimStepResults", () -> {
      StepChecks.check(command);
      List<ClaimedStepResult> claimed = new ArrayList<>();
      String token = token(command.engineId());
      for (String stepId : command.stepIds()) {
        Result row = results.get(stepId);
        if (row != null && isFree(row.claimedAt, command.now(), command.leaseFor())) {
          row.claimedBy = token;
          row.claimedAt = millis(command.now());
          claimed.add(new ClaimedStepResult(new StepClaim(stepId, token), row.result));
        }
      }
      return List.copyOf(claimed);
    });
  }

  @Override
  public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
    return answer("settleStepResults", () -> {
      StepChecks.check(command);
      List<SettleOutcome> outcomes = command.settlements().stream()
          .map(each -> settle(each, millis(command.now())))
          .toList();
      signalTasks(command.settlements().stream()
          .map(SettleStepResults.Settlement::next)
          .flatMap(next -> Optional.ofNullable(next).stream())
          .toList());
      return outcomes;
    });
  }

  private SettleOutcome settle(SettleStepResults.Settlement settlement, Instant now) {
    if (claimedResult(settlement.claim()) == null) {
      return SettleOutcome.CLAIM_LOST;
    }
    StepTask next = settlement.next();
    if (next != null) {
      if (tasks.containsKey(next.stepId())) {
        return SettleOutcome.BLOCKED;
      }
      tasks.put(next.stepId(), new Task(next, now));
    }
    results.remove(settlement.claim().stepId());
    return SettleOutcome.SETTLED;
  }

  @Override
  public Future<Void> releaseStepResults(ReleaseStepResults command) {
    return answer("releaseStepResults", () -> {
      StepChecks.check(command);
      for (StepClaim claim : command.claims()) {
        Result row = claimedResult(claim);
        if (row != null) {
          row.claimedBy = null;
          row.claimedAt = millis(command.now()).plus(command.retryIn()).minus(command.leaseFor());
        }
      }
      return null;
    });
  }

  @Override
  public Future<Integer> discardStepResults(DiscardStepResults command) {
    return answer("discardStepResults", () -> {
      StepChecks.check(command);
      int before = results.size();
      for (String stepId : command.stepIds()) {
        Result row = results.get(stepId);
        if (row != null
            && row.result.createdAt().isBefore(command.createdBefore())
            && isFree(row.claimedAt, command.now(), command.leaseFor())) {
          results.remove(stepId);
        }
      }
      return before - results.size();
    });
  }

  @Override
  public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
    return answer("claimStepTasks", () -> {
      StepChecks.check(command);
      String token = token(command.workerId());
      List<Task> due = tasks.values().stream()
          .filter(each -> command.groups().contains(each.step.group()))
          .filter(each -> isFree(each.claimedAt, command.now(), command.leaseFor()))
          .sorted(Comparator.comparing(each -> each.dispatchedAt))
          .limit(command.limit())
          .toList();
      due.forEach(each -> {
        each.claimedBy = token;
        each.claimedAt = millis(command.now());
      });
      return due.stream().map(each -> each.claimed(token)).toList();
    });
  }

  @Override
  public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
    return answer("renewStepTasks", () -> {
      StepChecks.check(command);
      List<Task> held = held(command.claims());
      held.forEach(each -> each.claimedAt = millis(command.now()));
      return held.stream().map(each -> each.step.stepId()).collect(Collectors.toUnmodifiableSet());
    });
  }

  @Override
  public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
    return answer("recordStepResults", () -> {
      StepChecks.check(command);
      List<RecordOutcome> outcomes = command.results().stream()
          .map(each -> record(each, millis(command.now())))
          .toList();
      subscribers.deliver(HERE, StepListener::onResults);
      return outcomes;
    });
  }

  private RecordOutcome record(RecordStepResults.Ended ended, Instant now) {
    Task task = heldTask(ended.claim());
    if (task == null) {
      return RecordOutcome.LEASE_LOST;
    }
    StepTask step = task.step;
    Result standing = results.get(step.stepId());
    if (standing != null && standing.result.createdAt().isBefore(task.dispatchedAt)) {
      return RecordOutcome.BLOCKED;
    }
    tasks.remove(step.stepId());
    if (standing == null) {
      results.put(
          step.stepId(),
          new Result(new StepResult(
              step.stepId(),
              step.runId(),
              step.seq(),
              ended.outcome(),
              millis(ended.startedAt()),
              now)));
    }
    return RecordOutcome.RECORDED;
  }

  @Override
  public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
    return answer("releaseStepTasks", () -> {
      StepChecks.check(command);
      List<Task> held = held(command.claims());
      held.forEach(each -> {
        each.claimedBy = null;
        each.claimedAt = null;
      });
      signalTasks(held.stream().map(each -> each.step).toList());
      return null;
    });
  }

  @Override
  public Optional<StepSignals> signals() {
    return Optional.of(listener ->
        AdapterCall.of("listen", () -> Future.succeededFuture(subscribers.add(HERE, listener))));
  }

  /** A result as some other worker may write it, while the task stays as it is. */
  void putResult(StepResult result) {
    synchronized (tasks) {
      results.put(result.stepId(), new Result(result));
    }
  }

  /** As {@link #putResult}, of a result whose output cannot be read. */
  void putUnreadableResult(StepResult result) {
    StepError error = StepError.fatal(StepResult.UNREADABLE, "the result cannot be read");
    putResult(new StepResult(
        result.stepId(),
        result.runId(),
        result.seq(),
        new StepOutcome.Failed(error),
        result.startedAt(),
        result.createdAt()));
  }

  /** From now on the input of a task cannot be read. */
  void breakInput(String stepId) {
    synchronized (tasks) {
      Objects.requireNonNull(tasks.get(stepId)).inputFault = "the input is not JSON";
    }
  }

  /** Names an owner without the time at which it became one. */
  void ownWithoutTime(String stepId) {
    synchronized (tasks) {
      Objects.requireNonNull(tasks.get(stepId)).claimedBy = "somebody";
    }
  }

  private void signalTasks(List<StepTask> steps) {
    if (!steps.isEmpty()) {
      Set<String> groups =
          steps.stream().map(StepTask::group).collect(Collectors.toUnmodifiableSet());
      subscribers.deliver(HERE, listener -> listener.onTasks(groups));
    }
  }

  private List<Task> held(List<StepClaim> claims) {
    return claims.stream()
        .map(this::heldTask)
        .flatMap(task -> Optional.ofNullable(task).stream())
        .toList();
  }

  private @Nullable Task heldTask(StepClaim claim) {
    Task task = tasks.get(claim.stepId());
    return task != null && claim.token().equals(task.claimedBy) && task.claimedAt != null
        ? task
        : null;
  }

  private @Nullable Result claimedResult(StepClaim claim) {
    Result row = results.get(claim.stepId());
    return row != null && claim.token().equals(row.claimedBy) ? row : null;
  }

  private String token(String owner) {
    claims++;
    return owner + "/" + claims;
  }

  private <T extends @Nullable Object> Future<T> answer(String method, Supplier<T> command) {
    return AdapterCall.of(method, () -> {
      synchronized (tasks) {
        return Future.succeededFuture(command.get());
      }
    });
  }

  private static boolean isFree(@Nullable Instant claimedAt, Instant now, Duration leaseFor) {
    return claimedAt == null || claimedAt.isBefore(millis(now).minus(leaseFor));
  }

  private static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  private static final Comparator<StepResultRef> BY_POSITION =
      Comparator.comparing(StepResultRef::createdAt).thenComparing(StepResultRef::stepId);

  private static final class Task {
    final StepTask step;
    final Instant dispatchedAt;

    @Nullable
    String claimedBy;

    @Nullable
    Instant claimedAt;

    @Nullable
    String inputFault;

    Task(StepTask step, Instant dispatchedAt) {
      this.step = step;
      this.dispatchedAt = dispatchedAt;
    }

    ClaimedStepTask claimed(String token) {
      StepClaim claim = new StepClaim(step.stepId(), token);
      return new ClaimedStepTask(claim, readable(), inputFault, dispatchedAt);
    }

    private StepTask readable() {
      Json input = inputFault == null ? step.input() : null;
      return new StepTask(
          step.stepId(),
          step.runId(),
          step.seq(),
          step.name(),
          step.group(),
          input != null && input.text().equals("null") ? null : input,
          step.attempt());
    }
  }

  private static final class Result {
    final StepResult result;

    @Nullable
    String claimedBy;

    @Nullable
    Instant claimedAt;

    Result(StepResult result) {
      this.result = result;
    }

    StepResultRef ref() {
      return new StepResultRef(result.stepId(), result.runId(), result.createdAt());
    }
  }
}
