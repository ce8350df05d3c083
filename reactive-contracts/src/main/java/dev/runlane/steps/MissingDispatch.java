package dev.runlane.steps;

import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Dispatches those of some steps that have neither a task nor a result, by what every transport can do. */
final class MissingDispatch {
  private final StepTransport transport;
  private final DispatchSteps command;
  private final Map<String, DispatchOutcome> outcomes = new HashMap<>();

  MissingDispatch(StepTransport transport, DispatchSteps command) {
    this.transport = transport;
    this.command = command;
  }

  Future<List<DispatchOutcome>> send() {
    List<String> ids = command.steps().stream().map(StepTask::stepId).toList();
    return transport
        .listMissingSteps(new ListMissingSteps(ids))
        .compose(found -> {
          Set<String> missing = new HashSet<>(found);
          return dispatch(steps(missing, true)).compose(sent -> check(steps(missing, false)));
        })
        .map(looked ->
            ids.stream().map(id -> Objects.requireNonNull(outcomes.get(id))).toList());
  }

  private List<StepTask> steps(Set<String> missing, boolean wanted) {
    return command.steps().stream()
        .filter(step -> missing.contains(step.stepId()) == wanted)
        .toList();
  }

  private Future<Void> dispatch(List<StepTask> missing) {
    return missing.isEmpty()
        ? Future.succeededFuture()
        : transport.dispatchSteps(new DispatchSteps(missing, command.now())).map(answers -> {
          for (int index = 0; index < missing.size(); index++) {
            outcomes.put(missing.get(index).stepId(), answers.get(index));
          }
          return null;
        });
  }

  /** Which of those that are there are tasks; what is none any more has its result by now. */
  private Future<Void> check(List<StepTask> there) {
    if (there.isEmpty()) {
      return Future.succeededFuture();
    }
    there.forEach(step -> outcomes.put(step.stepId(), DispatchOutcome.ANSWERED));
    Map<String, Integer> attempts = new HashMap<>();
    there.forEach(step -> attempts.put(step.stepId(), step.attempt()));
    return transport
        .listStepTasks(new ListStepTasks(List.copyOf(attempts.keySet())))
        .map(tasks -> {
          tasks.forEach(task -> outcomes.put(
              task.stepId(),
              task.attempt() < Objects.requireNonNull(attempts.get(task.stepId()))
                  ? DispatchOutcome.BLOCKED
                  : DispatchOutcome.PENDING));
          return null;
        });
  }
}
