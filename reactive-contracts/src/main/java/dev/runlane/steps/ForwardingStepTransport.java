package dev.runlane.steps;

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
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Does what another step transport does: the base of wrappers, which override what they change. Every method of the
 * contract goes to the delegate's own, those that are added later too; {@link #dispatchStep} goes through the wrapper's
 * {@link #dispatchSteps}, so that what is changed there holds for one step as well.
 *
 * <p>What a wrapper minds: {@link #dispatchMissingSteps} does not come through {@link #dispatchSteps}, and {@link
 * #signals()} are the delegate's own. A method never throws, and a malformed command is refused before anything is done
 * ({@link StepChecks}).
 */
public abstract class ForwardingStepTransport implements StepTransport {
  /** What is wrapped. */
  protected final StepTransport delegate;

  /** Starts nothing: the delegate is started when the wrapper is. */
  protected ForwardingStepTransport(StepTransport delegate) {
    this.delegate = Objects.requireNonNull(delegate);
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
    return delegate.dispatchSteps(command);
  }

  @Override
  public Future<Integer> withdrawSteps(WithdrawSteps command) {
    return delegate.withdrawSteps(command);
  }

  @Override
  public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return delegate.listStepTasks(query);
  }

  @Override
  public Future<List<String>> listMissingSteps(ListMissingSteps query) {
    return delegate.listMissingSteps(query);
  }

  @Override
  public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
    return delegate.listStepResults(query);
  }

  @Override
  public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
    return delegate.claimStepResults(command);
  }

  @Override
  public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
    return delegate.settleStepResults(command);
  }

  @Override
  public Future<Void> releaseStepResults(ReleaseStepResults command) {
    return delegate.releaseStepResults(command);
  }

  @Override
  public Future<Integer> discardStepResults(DiscardStepResults command) {
    return delegate.discardStepResults(command);
  }

  @Override
  public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
    return delegate.claimStepTasks(command);
  }

  @Override
  public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
    return delegate.renewStepTasks(command);
  }

  @Override
  public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
    return delegate.recordStepResults(command);
  }

  @Override
  public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
    return delegate.releaseStepTasks(command);
  }

  @Override
  public Optional<StepSignals> signals() {
    return delegate.signals();
  }

  @Override
  public Future<Void> start() {
    return delegate.start();
  }

  @Override
  public Future<Void> close() {
    return delegate.close();
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
    return delegate.dispatchMissingSteps(command);
  }
}
