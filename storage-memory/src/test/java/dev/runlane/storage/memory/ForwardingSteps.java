package dev.runlane.storage.memory;

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
import java.util.Optional;
import java.util.Set;

/** Does what another transport does, with the defaults of the contract; subclasses break one thing. */
class ForwardingSteps implements StepTransport {
  final StepTransport real;

  ForwardingSteps(StepTransport real) {
    this.real = real;
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
    return real.dispatchSteps(command);
  }

  @Override
  public Future<Integer> withdrawSteps(WithdrawSteps command) {
    return real.withdrawSteps(command);
  }

  @Override
  public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return real.listStepTasks(query);
  }

  @Override
  public Future<List<String>> listMissingSteps(ListMissingSteps query) {
    return real.listMissingSteps(query);
  }

  @Override
  public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
    return real.listStepResults(query);
  }

  @Override
  public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
    return real.claimStepResults(command);
  }

  @Override
  public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
    return real.settleStepResults(command);
  }

  @Override
  public Future<Void> releaseStepResults(ReleaseStepResults command) {
    return real.releaseStepResults(command);
  }

  @Override
  public Future<Integer> discardStepResults(DiscardStepResults command) {
    return real.discardStepResults(command);
  }

  @Override
  public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
    return real.claimStepTasks(command);
  }

  @Override
  public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
    return real.renewStepTasks(command);
  }

  @Override
  public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
    return real.recordStepResults(command);
  }

  @Override
  public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
    return real.releaseStepTasks(command);
  }

  @Override
  public Optional<StepSignals> signals() {
    return real.signals();
  }
}
