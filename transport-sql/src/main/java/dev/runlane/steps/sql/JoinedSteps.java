package dev.runlane.steps.sql;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
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
import dev.runlane.steps.sql.row.StepTables;
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
import java.util.Set;
import java.util.function.Supplier;

/**
 * What an engine writes in a transaction of its own. What belongs to workers, and claims, which must be seen
 * by others at once, is refused.
 */
final class JoinedSteps implements StepTransport {
  private final StepTables tables;
  private final Readiness ready;

  JoinedSteps(StepTables tables, Readiness ready) {
    this.tables = tables;
    this.ready = ready;
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
    return during("dispatchSteps", () -> {
      StepChecks.check(command);
      return tables.dispatch(
          SqlStepTransport.stamped(command.steps(), command.now().toEpochMilli()));
    });
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
    return during("dispatchMissingSteps", () -> {
      StepChecks.check(command);
      return tables.dispatchMissing(
          SqlStepTransport.stamped(command.steps(), command.now().toEpochMilli()));
    });
  }

  @Override
  public Future<Integer> withdrawSteps(WithdrawSteps command) {
    return during("withdrawSteps", () -> {
      StepChecks.check(command);
      return tables.withdraw(command.stepIds());
    });
  }

  @Override
  public Future<List<String>> listMissingSteps(ListMissingSteps query) {
    return during("listMissingSteps", () -> {
      StepChecks.check(query);
      return tables.missing(query.stepIds());
    });
  }

  @Override
  public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
    return during("listStepTasks", () -> {
      StepChecks.check(query);
      return tables.tasks(query.stepIds());
    });
  }

  @Override
  public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
    return during("listStepResults", () -> {
      StepChecks.check(query);
      return tables.list(query);
    });
  }

  @Override
  public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
    return during("settleStepResults", () -> {
      StepChecks.check(command);
      return tables.settle(
          SqlStepTransport.stamped(command.settlements(), command.now().toEpochMilli()));
    });
  }

  @Override
  public Future<Integer> discardStepResults(DiscardStepResults command) {
    return during("discardStepResults", () -> {
      StepChecks.check(command);
      return tables.discard(command);
    });
  }

  @Override
  public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
    return refused("claimStepResults");
  }

  @Override
  public Future<Void> releaseStepResults(ReleaseStepResults command) {
    return refused("releaseStepResults");
  }

  @Override
  public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
    return refused("claimStepTasks");
  }

  @Override
  public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
    return refused("renewStepTasks");
  }

  @Override
  public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
    return refused("recordStepResults");
  }

  @Override
  public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
    return refused("releaseStepTasks");
  }

  private <T> Future<T> during(String operation, Supplier<Future<T>> call) {
    return AdapterCall.of(
            operation, () -> ready.reached().compose(there -> AdapterCall.of(operation, call)))
        .recover(failure -> Future.failedFuture(tables.failures().of(operation, failure)));
  }

  private static <T> Future<T> refused(String operation) {
    return Future.failedFuture(RunlaneException.of(
        ErrorCode.CAPABILITY_UNSUPPORTED, "%s cannot join a transaction", operation));
  }
}
