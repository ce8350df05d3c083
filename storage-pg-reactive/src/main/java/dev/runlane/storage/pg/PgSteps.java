package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.pg.read.PendingSteps;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.UnreadableRows;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Pending steps: who looks after them, and when. What makes and ends them is in the statements that append. */
final class PgSteps implements StepStorage {
  private static final Logger LOG = LoggerFactory.getLogger(PgSteps.class);

  private static final SqlStatement<PgSession.Scoped<Claim>> CLAIM = PgSession.statement(
      "claim_due_steps",
      new Parameters<Claim>()
          .value("token", Claim::token)
          .time("now", claim -> claim.command().now())
          .time(
              "expires_at", claim -> claim.command().now().plus(claim.command().claimFor()))
          .value("limit", claim -> claim.command().limit()));
  private static final SqlStatement<PgSession.Scoped<ReschedulePendingSteps>> MOVE =
      PgSession.statement(
          "move_steps",
          new Parameters<ReschedulePendingSteps>()
              .rows(
                  ReschedulePendingSteps::moves,
                  new Columns<ReschedulePendingSteps.NextCheck>()
                      .texts("step_ids", ReschedulePendingSteps.NextCheck::stepId)
                      .texts("tokens", ReschedulePendingSteps.NextCheck::token)
                      .times("next_times", ReschedulePendingSteps.NextCheck::checkAt)
                      .times("dispatched_times", ReschedulePendingSteps.NextCheck::dispatchedAt)));
  private static final SqlStatement<PgSession.Scoped<RemovePendingSteps>> FORGET =
      PgSession.statement(
          "forget_steps",
          new Parameters<RemovePendingSteps>()
              .rows(
                  RemovePendingSteps::steps,
                  new Columns<RemovePendingSteps.Removal>()
                      .texts("step_ids", RemovePendingSteps.Removal::stepId)
                      .texts("tokens", RemovePendingSteps.Removal::token)));
  private static final SqlStatement<PgSession.Scoped<RetryStep>> RETRY = PgSession.statement(
      "retry_step",
      new Parameters<RetryStep>()
          .value("step_id", RetryStep::stepId)
          .value("attempt", RetryStep::attempt)
          .time("result_at", RetryStep::resultAt)
          .time("next_at", RetryStep::nextAt));
  private static final SqlStatement<PgSession.Scoped<ListPendingSteps>> OF_RUN =
      PgSession.statement(
          "pending_steps_of_run",
          new Parameters<ListPendingSteps>().value("run_id", ListPendingSteps::runId));

  static final List<SqlStatement<?>> STATEMENTS = List.of(CLAIM, MOVE, FORGET, RETRY, OF_RUN);

  private final PgParts parts;
  private final PgSession session;
  private final Set<StorageCapability> capabilities;
  private final UnreadableRows unreadable = new UnreadableRows(LOG, "reading a claimed step");

  PgSteps(PgParts parts, Set<StorageCapability> capabilities) {
    this.parts = parts;
    this.session = parts.session();
    this.capabilities = capabilities;
  }

  @Override
  public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
    return call(
        "claimDueSteps", () -> CommandChecks.check(command), command.environment(), scope -> {
          String token = session.ids().token();
          return session
              .execute(CLAIM, scope, new Claim(command, token))
              .map(rows -> unreadable.leftOut(
                  rows,
                  row -> new ClaimedStep(token, PendingSteps.step(scope.environment(), row)),
                  row -> "a step of run %s waits for the end of its claim"
                      .formatted(row.getString(0))));
        });
  }

  @Override
  public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
    return call(
        "reschedulePendingSteps",
        () -> CommandChecks.check(command),
        command.environment(),
        scope -> session.execute(MOVE, scope, command).map(PgSteps::ids));
  }

  @Override
  public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
    return call(
        "removePendingSteps",
        () -> CommandChecks.check(command),
        command.environment(),
        scope -> session.execute(FORGET, scope, command).map(PgSteps::ids));
  }

  @Override
  public Future<Boolean> retryStep(RetryStep command) {
    return call(
        "retryStep", () -> CommandChecks.check(command), command.environment(), scope -> session
            .execute(RETRY, scope, command)
            .map(rows -> rows.size() > 0));
  }

  @Override
  public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
    String stepId = query.stepId();
    return stepId == null ? ofRun(query) : one(query, stepId);
  }

  private Future<List<PendingStep>> ofRun(ListPendingSteps query) {
    return call(
        "listPendingSteps", () -> CommandChecks.check(query), query.environment(), scope -> session
            .execute(OF_RUN, scope, query)
            .map(rows -> Lists.mapped(rows, row -> PendingSteps.step(scope.environment(), row))));
  }

  /** Results come many at a time, each with a look for its step. */
  private Future<List<PendingStep>> one(ListPendingSteps query, String stepId) {
    return AdapterCall.of("listPendingSteps", () -> {
      CommandChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, "listPendingSteps");
      return parts
          .in(query.environment(), scope -> parts.pendingSteps(scope).submit(stepId))
          .map(step -> step.stream().toList());
    });
  }

  /** Every statement is one transaction, and sent again where it lost against another without a change. */
  private <T> Future<T> call(
      String method,
      Runnable checks,
      Environment environment,
      Function<PgSession.Scope, Future<T>> work) {
    return AdapterCall.of(method, () -> {
      checks.run();
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, method);
      return parts.alone(environment, work).recover(PgFailures.during(method));
    });
  }

  private static Set<String> ids(RowSet<Row> rows) {
    Set<String> ids = new HashSet<>();
    rows.forEach(row -> ids.add(row.getString(0)));
    return ids;
  }

  private record Claim(ClaimDueSteps command, String token) {}
}
