package dev.runlane.steps.sql;

import dev.runlane.postgres.StatementFailures;
import dev.runlane.steps.ClaimStepResults;
import dev.runlane.steps.ClaimStepTasks;
import dev.runlane.steps.ClaimedStepResult;
import dev.runlane.steps.ClaimedStepTask;
import dev.runlane.steps.DiscardStepResults;
import dev.runlane.steps.DispatchOutcome;
import dev.runlane.steps.ListStepResults;
import dev.runlane.steps.RecordOutcome;
import dev.runlane.steps.RecordStepResults;
import dev.runlane.steps.ReleaseStepResults;
import dev.runlane.steps.RenewStepTasks;
import dev.runlane.steps.SettleOutcome;
import dev.runlane.steps.SettleStepResults;
import dev.runlane.steps.StepClaim;
import dev.runlane.steps.StepResultRef;
import dev.runlane.steps.StepTask;
import dev.runlane.steps.StepTaskState;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Set;

/**
 * The two tables in one dialect. Commands have been checked, and the tables are there. Fails with whatever
 * the driver fails with; {@link #failures} says what that means.
 */
interface StepTables {
  /**
   * Comes before all else: creates what is missing of tables, indexes and triggers, unless the options say
   * otherwise. Harmless when nothing is missing.
   */
  Future<Void> prepare();

  /** Outcome <i>i</i> belongs to step <i>i</i>, as in all gathered statements. No step occurs twice. */
  Future<List<DispatchOutcome>> dispatch(List<Stamped<StepTask>> steps);

  /** The same, where the step has neither a task nor a result. */
  Future<List<DispatchOutcome>> dispatchMissing(List<Stamped<StepTask>> steps);

  Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results);

  Future<List<SettleOutcome>> settle(List<Stamped<SettleStepResults.Settlement>> settlements);

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

  Future<Void> releaseTasks(List<StepClaim> claims);

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
