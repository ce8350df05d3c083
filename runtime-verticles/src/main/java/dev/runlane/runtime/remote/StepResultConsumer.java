package dev.runlane.runtime.remote;

import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RetryStep;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes results of remote steps: a result, a failure that may not be retried and the last one that may be go into
 * the run's history; after any other failure the step's next attempt is due after a pause. What is stored is stored
 * before the result goes, so a result may come again: it is known by when it was written, or by its step not being
 * pending.
 */
public final class StepResultConsumer implements StepResultReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(StepResultConsumer.class);
  private static final int MOST_CODE_CHARACTERS = 200;

  /** The key, in the meta of a failure, of the code that the worker gave it. */
  static final String STEP_CODE = "stepCode";

  private final RuntimeContext context;
  private final RemoteSteps steps;
  private final StepCompletions completions;
  private ReadableRuns known =
      ReadableRuns.NONE; // of the runs asked for last; their results are received next

  /** The receiver of one runtime. */
  public StepResultConsumer(RuntimeContext context, RemoteSteps steps) {
    this.context = context;
    this.steps = steps;
    completions = new StepCompletions(context, steps);
  }

  @Override
  public Future<Set<String>> knownRuns(Set<String> runIds) {
    return context
        .host()
        .call(() -> Future.succeededFuture(context.leases().heldRuns(runIds)))
        .compose(held -> ReadableRuns.beside(held, context, runIds))
        .map(found -> {
          known = found;
          return found.ids();
        });
  }

  @Override
  public Future<StepVerdict> receive(ClaimedStepResult claimed) {
    StepResult result = claimed.result();
    if (StepIds.position(result.runId(), result.stepId()).isEmpty()) {
      LOG.warn("result {} is of no step of run {}", result.stepId(), result.runId());
      return Future.succeededFuture(StepVerdict.settle());
    }
    RunRecord run = known.runs().get(result.runId());
    if (run == null) {
      RunlaneException unreadable = known.unreadable().get(result.runId());
      return Future.failedFuture(
          unreadable != null
              ? unreadable
              : RunlaneException.invariantViolation(
                  "the result of step %s is received, but its run was not asked for",
                  result.stepId()));
    }
    return completions
        .find(run, result.stepId())
        .compose(found ->
            found.isEmpty() || result.createdAt().equals(found.get().step().lastResultAt())
                ? Future.succeededFuture(false)
                : deliver(found.get(), result))
        .map(delivered -> StepVerdict.settle());
  }

  private Future<Boolean> deliver(StepCompletions.OpenStep openStep, StepResult result) {
    PendingStep step = openStep.step();
    if (result.outcome() instanceof StepOutcome.Completed completed) {
      try {
        Json output = completed.output();
        if (output != null) {
          output = JsonValues.parse(
              "the result of step " + step.request().name(),
              output.text(),
              context.options().outputLimits());
        }
        return complete(openStep, result, output, null);
      } catch (RunlaneException unrecordable) {
        return complete(
            openStep,
            result,
            null,
            new FailureRecord(
                unrecordable.code(), String.valueOf(unrecordable.getMessage()), false, null));
      }
    }
    StepError error = ((StepOutcome.Failed) result.outcome()).error();
    StepDispatch dispatch = Objects.requireNonNull(step.request().dispatch());
    Instant now = context.eventTime();
    if (error.mayBeRetried() && step.tries() < dispatch.maxAttempts()) {
      Duration pause = RemoteStep.backoff(dispatch).delay(step.tries(), context.randomness());
      Instant nextAt = now.plus(pause);
      if (nextAt.isBefore(dispatch.deadlineAt())) {
        return retry(step, result, nextAt);
      }
    }
    return complete(openStep, result, null, failure(error));
  }

  private Future<Boolean> retry(PendingStep step, StepResult result, Instant nextAt) {
    return steps
        .storage()
        .retryStep(new RetryStep(
            context.environment(),
            step.runId(),
            step.stepId(),
            step.attempt(),
            result.createdAt(),
            nextAt))
        .map(retried -> {
          context.notifications().stepsDue(nextAt);
          return retried;
        });
  }

  private Future<Boolean> complete(
      StepCompletions.OpenStep openStep,
      StepResult result,
      @Nullable Json output,
      @Nullable FailureRecord failure) {
    return completions.complete(
        openStep,
        (header, pending) -> new RunEvent.StepCompleted(
            header,
            pending.stepId(),
            pending.tries(),
            result.startedAt(),
            output,
            failure,
            pending.dispatchedAt()));
  }

  private static FailureRecord failure(StepError error) {
    String code = error.code();
    return new FailureRecord(
        ErrorCode.TASK_FAILED,
        StorableText.cut(error.message(), ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS),
        error.mayBeRetried(),
        code == null
            ? null
            : JsonValues.object(Map.of(STEP_CODE, StorableText.cut(code, MOST_CODE_CHARACTERS))));
  }
}
