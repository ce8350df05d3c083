package dev.runlane.steps.sql.row;

import dev.runlane.postgres.StatementFailures;
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
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Set;

/**
 * The two tables in one dialect. Commands have been checked, and the tables are there. Fails with whatever
 * the driver fails with; {@link #failures} says what that means.
 */
public interface StepTables {
  /**
   * Comes before all else: creates what is missing of tables, indexes and triggers, unless the options say
   * otherwise. Harmless when nothing is missing. Fails with {@code ConfigurationInvalid} where the role may not have
   * every row.
   */
  Future<Void> prepare();

  /** Outcome <i>i</i> belongs to step <i>i</i>, as in all gathered statements. No step occurs twice. */
  Future<List<DispatchOutcome>> dispatch(List<Stamped<StepTask>> steps);

  /** The same, where the step has neither a task nor a result. */
  Future<List<DispatchOutcome>> dispatchMissing(List<Stamped<StepTask>> steps);

  Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results);

  Future<List<SettleOutcome>> settle(List<Stamped<SettleStepResults.Settlement>> settlements);

  /** Sent once, as {@link #renew} and {@link #releaseTasks} are: the caller divides what others were in the way of. */
  Future<Integer> withdraw(List<String> stepIds);

  Future<List<String>> missing(List<String> stepIds);

  /** Tasks that stand, in the order of the ids. */
  Future<List<StepTaskState>> tasks(List<String> stepIds);

  Future<List<StepResultRef>> list(ListStepResults query);

  Future<List<ClaimedStepResult>> claimResults(ClaimStepResults command, String token);

  Future<Void> releaseResults(ReleaseStepResults command);

  Future<Integer> discard(DiscardStepResults command);

  Future<List<ClaimedStepTask>> claimTasks(ClaimStepTasks command, String token);

  Future<Set<String>> renew(RenewStepTasks command);

  /** The step, if its task is leased under this claim as far as is committed. Waits for nobody. */
  Future<Set<String>> leased(StepClaim claim);

  /** How many were the caller's. */
  Future<Integer> releaseTasks(List<StepClaim> claims);

  /** The same tables inside the transaction that the caller has begun. */
  StepTables joining(SqlConnection connection);

  /** What failures of the driver mean. */
  StatementFailures failures();

  /**
   * Something with the caller's time, in whole milliseconds.
   *
   * @param value the thing
   * @param nowMillis the caller's time
   */
  record Stamped<T>(T value, long nowMillis) {}
}
