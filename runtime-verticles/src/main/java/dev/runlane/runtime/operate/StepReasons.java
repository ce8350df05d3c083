package dev.runlane.runtime.operate;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepDispatch;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says which workers of other processes a run waits for. */
final class StepReasons {
  private static final Logger LOG = LoggerFactory.getLogger(StepReasons.class);
  private static final int NAMED = 10;

  private final RuntimeContext context;

  StepReasons(RuntimeContext context) {
    this.context = context;
  }

  Future<List<Reason>> of(RunRecord run) {
    StorageAdapter storage = context.storage();
    if (run.status().isTerminal()
        || !storage.capabilities().contains(StorageCapability.PERSISTS_STEPS)) {
      return Future.succeededFuture(List.of());
    }
    return storage
        .steps()
        .orElseThrow()
        .listPendingSteps(new ListPendingSteps(run.environment(), run.id(), null))
        .compose(all -> {
          List<PendingStep> pending = all.stream().limit(NAMED).toList();
          return leases(pending).map(leases -> {
            List<Reason> reasons = new ArrayList<>();
            if (all.size() > 1) {
              reasons.add(counted(all.size(), pending.size()));
            }
            pending.forEach(step -> reasons.add(reason(step, leases.get(step.stepId()))));
            return List.copyOf(reasons);
          });
        });
  }

  private static Reason counted(int all, int named) {
    return new Reason(
        Code.AWAITING_STEP,
        "It waits for %s steps of workers%s."
            .formatted(all, named < all ? ", of which the first " + named + " follow" : ""),
        Map.of("steps", String.valueOf(all)));
  }

  /** Since when workers have tasks; without a step transport, or while it is down, nobody knows. */
  private Future<Map<String, Instant>> leases(List<PendingStep> pending) {
    List<String> ids = pending.stream().map(PendingStep::stepId).toList();
    return ids.isEmpty() || context.remoteSteps().isEmpty()
        ? Future.succeededFuture(Map.of())
        : context
            .remoteSteps()
            .get()
            .transport()
            .listStepTasks(new ListStepTasks(ids))
            .map(tasks -> {
              Map<String, Instant> leases = new HashMap<>();
              tasks.forEach(task -> {
                if (task.leasedAt() != null) {
                  leases.put(task.stepId(), task.leasedAt());
                }
              });
              return leases;
            })
            .recover(failure -> {
              LOG.warn("what workers do cannot be looked at", failure);
              return Future.succeededFuture(Map.of());
            });
  }

  private static Reason reason(PendingStep step, @Nullable Instant leasedAt) {
    RunEvent.StepRequested request = step.request();
    StepDispatch dispatch = Objects.requireNonNull(request.dispatch());
    String group = Objects.requireNonNull(request.group());
    Instant dispatchedAt = step.dispatchedAt();
    Map<String, String> details = new HashMap<>(Map.of(
        "stepId", step.stepId(),
        "name", request.name(),
        "group", group,
        "attempt", String.valueOf(step.tries()),
        "maxAttempts", String.valueOf(dispatch.maxAttempts()),
        "deadlineAt", dispatch.deadlineAt().toString()));
    String where;
    if (dispatchedAt == null) {
      details.put("dispatchAt", step.nextAt().toString());
      where = "is to be dispatched at " + step.nextAt();
    } else {
      details.put("dispatchedAt", dispatchedAt.toString());
      where = "was dispatched at " + dispatchedAt + " and has no result yet";
    }
    if (leasedAt != null) {
      details.put("leasedAt", leasedAt.toString());
      where += "; a worker took it, or renewed its lease, at " + leasedAt;
    }
    return new Reason(
        Code.AWAITING_STEP,
        "Step %s waits for a worker of group %s: attempt %s of %s %s; it fails at %s."
            .formatted(
                request.name(),
                group,
                step.tries(),
                dispatch.maxAttempts(),
                where,
                dispatch.deadlineAt()),
        details);
  }
}
