package dev.runlane.runtime;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepDispatch;
import dev.runlane.runtime.RunExplanation.Code;
import dev.runlane.runtime.RunExplanation.Reason;
import dev.runlane.storage.ListPendingSteps;
import dev.runlane.storage.PendingStep;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Says which workers of other processes a run waits for. */
final class StepReasons {
  private static final int NAMED = 10;

  private final RuntimeContext context;

  StepReasons(RuntimeContext context) {
    this.context = context;
  }

  Future<List<Reason>> of(RunRecord run) {
    if (context.remoteSteps().isEmpty() || run.status().isTerminal()) {
      return Future.succeededFuture(List.of());
    }
    return context
        .remoteSteps()
        .get()
        .storage()
        .listPendingSteps(new ListPendingSteps(run.environment(), run.id(), null))
        .map(pending -> pending.stream().limit(NAMED).map(StepReasons::reason).toList());
  }

  private static Reason reason(PendingStep step) {
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
    return new Reason(
        Code.AWAITING_STEP,
        "Step %s waits for a worker of group %s: attempt %d of %d %s; it fails at %s."
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
