package dev.runlane.steps;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Carries steps from an engine to workers and their results back. Tasks and results are rows that outlive
 * both sides; a step has at most one of each.
 *
 * <pre>
 *   engine   dispatchSteps ─► task                            result ─► claim ─► settleStepResults
 *                               │                               ▲                 └► next attempt
 *   worker                    claimStepTasks ─► handler ─► recordStepResults
 *                               └► renewStepTasks
 * </pre>
 *
 * <p>A handler may run more than once: when its worker dies or loses its lease. Of one task at most one
 * result is kept. Results are delivered at least once, and neither order nor attempt is kept for them.
 *
 * <p>Every method answers through its future and never throws. Decisions about time use the command's
 * {@code now}, and stamps are kept in whole milliseconds. Lost races are outcomes, not failures. Fails with
 * {@link ErrorCode#VALIDATION_FAILED} for malformed commands, in which case nothing is changed, and for what the
 * backend cannot hold, in which case the other steps of the command may be stored; with a retryable {@link
 * ErrorCode#STORAGE_UNAVAILABLE} when the backend cannot be reached; then it is unknown whether the command was carried
 * out, and every command may be sent again.
 */
public interface StepTransport {
  /** Gets ready to be used; does not wait for a backend that is down. Starting twice is harmless. */
  default Future<Void> start() {
    return Future.succeededFuture();
  }

  /** Closes what {@link #start()} and the methods have opened. Closing twice is harmless. */
  default Future<Void> close() {
    return Future.succeededFuture();
  }

  /**
   * Stores tasks; outcome <i>i</i> belongs to step <i>i</i>. A task that exists stays exactly as it is.
   * Ids, names and groups longer than 191 characters are {@code ValidationFailed}.
   */
  Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command);

  /**
   * As {@link #dispatchSteps}, but only for steps that have neither a task nor a result: a step whose result stands
   * in the tables is not asked for again. For whoever does not know what became of an earlier dispatch, such as one
   * that continues for a process that died.
   *
   * <p>A transport answers this in one look at both tables where it can. This implementation looks first and
   * dispatches then, which asks twice for a step that somebody else dispatches, and a worker does, in between.
   */
  default Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
    return AdapterCall.of("dispatchMissingSteps", () -> {
      StepChecks.check(command);
      return new MissingDispatch(this, command).send();
    });
  }

  /** As {@link #dispatchSteps}, for one step. */
  default Future<DispatchOutcome> dispatchStep(StepTask step, Instant now) {
    return dispatchSteps(new DispatchSteps(List.of(step), now)).map(outcomes -> outcomes.get(0));
  }

  /**
   * Deletes the tasks of these steps, whoever leases them: a worker that holds one has lost its lease.
   * Results stay. Where one fails that somebody else keeps locked, the others may be deleted.
   *
   * @return how many tasks there were
   */
  Future<Integer> withdrawSteps(WithdrawSteps command);

  /** Those of these steps, in their order, that have neither a task nor a result. */
  Future<List<String>> listMissingSteps(ListMissingSteps query);

  /**
   * The tasks of these steps that stand, in their order: whether a worker has begun them, for diagnosis. None
   * where the transport cannot tell. Changes nothing.
   */
  default Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return Future.succeededFuture(List.of());
  }

  /** Results that may be claimed, by {@code createdAt} and step id. Changes nothing. */
  Future<List<StepResultRef>> listStepResults(ListStepResults query);

  /** Claims the results named, each by at most one caller. Those that cannot be claimed are left out. */
  Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command);

  /** Takes results away and dispatches next attempts; outcome <i>i</i> belongs to settlement <i>i</i>. */
  Future<List<SettleOutcome>> settleStepResults(SettleStepResults command);

  /** Gives up claims on results. */
  Future<Void> releaseStepResults(ReleaseStepResults command);

  /**
   * Deletes unclaimed results.
   *
   * @return how many
   */
  Future<Integer> discardStepResults(DiscardStepResults command);

  /**
   * Leases waiting tasks, each to at most one caller, in the order of their dispatch. Under a backlog a task
   * that was dispatched by a slower clock, was handed back, or whose lease has passed may come up to a second later
   * than its turn.
   */
  Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command);

  /**
   * Renews leases. One that could not be renewed, because somebody else keeps its task locked, is still the caller's:
   * it is answered, unless it is known to be lost, and keeps none of the others from being renewed.
   *
   * @return the steps whose lease the caller still has; all others are lost for good
   */
  Future<Set<String>> renewStepTasks(RenewStepTasks command);

  /** Records results, each only under its caller's lease; outcome <i>i</i> belongs to result <i>i</i>. */
  Future<List<RecordOutcome>> recordStepResults(RecordStepResults command);

  /** Hands leased tasks back at once. */
  Future<Void> releaseStepTasks(ReleaseStepTasks command);

  /** Signals of this transport, where it has some; without them only polling finds anything. */
  default Optional<StepSignals> signals() {
    return Optional.empty();
  }
}
