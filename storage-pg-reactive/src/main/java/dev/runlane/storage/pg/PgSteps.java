package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.json.RunEventJson;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.ClaimDueSteps;
import dev.runlane.storage.ClaimedStep;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.ForgetSteps;
import dev.runlane.storage.ListPendingSteps;
import dev.runlane.storage.MoveSteps;
import dev.runlane.storage.PendingStep;
import dev.runlane.storage.RetryStep;
import dev.runlane.storage.StepStorage;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Pending steps: who looks after them, and when. What makes and ends them is in the statements that append. */
final class PgSteps implements StepStorage {
  private static final int MOST_TRIES = 5;

  private final PgParts parts;
  private final PgSession session;
  private final Set<StorageCapability> capabilities;
  private final String claim;
  private final String move;
  private final String forget;
  private final String retry;
  private final String ofRun;
  private final String one;

  PgSteps(PgParts parts, Set<StorageCapability> capabilities) {
    this.parts = parts;
    this.session = parts.session();
    this.capabilities = capabilities;
    this.claim = session.statements().get("claim_due_steps");
    this.move = session.statements().get("move_steps");
    this.forget = session.statements().get("forget_steps");
    this.retry = session.statements().get("retry_step");
    this.ofRun = session.statements().get("pending_steps_of_run");
    this.one = session.statements().get("pending_step");
  }

  @Override
  public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
    return call(
        "claimDueSteps", () -> CommandChecks.check(command), command.environment(), scope -> {
          String token = session.ids().token();
          Tuple parameters = Tuple.of(
              scope.env(),
              token,
              Columns.utc(command.now()),
              Columns.utc(command.now().plus(command.claimFor())),
              command.limit());
          return session
              .execute(claim, parameters)
              .map(rows -> Lists.mapped(
                  rows, row -> new ClaimedStep(token, step(scope.environment(), row))));
        });
  }

  @Override
  public Future<Set<String>> moveSteps(MoveSteps command) {
    return call("moveSteps", () -> CommandChecks.check(command), command.environment(), scope -> {
      Tuple parameters = Tuple.tuple().addInteger(scope.env());
      new Columns<>(command.moves(), parameters)
          .texts(MoveSteps.Move::stepId)
          .texts(MoveSteps.Move::token)
          .times(MoveSteps.Move::nextAt)
          .times(MoveSteps.Move::dispatchedAt);
      return session.execute(move, parameters).map(PgSteps::ids);
    });
  }

  @Override
  public Future<Set<String>> forgetSteps(ForgetSteps command) {
    return call("forgetSteps", () -> CommandChecks.check(command), command.environment(), scope -> {
      Tuple parameters = Tuple.tuple().addInteger(scope.env());
      new Columns<>(command.steps(), parameters)
          .texts(ForgetSteps.Forgotten::stepId)
          .texts(ForgetSteps.Forgotten::token);
      return session.execute(forget, parameters).map(PgSteps::ids);
    });
  }

  @Override
  public Future<Boolean> retryStep(RetryStep command) {
    return call(
        "retryStep", () -> CommandChecks.check(command), command.environment(), scope -> session
            .execute(
                retry,
                Tuple.of(
                    scope.env(),
                    command.stepId(),
                    command.attempt(),
                    Columns.utc(command.resultAt()),
                    Columns.utc(command.nextAt())))
            .map(rows -> rows.size() > 0));
  }

  @Override
  public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
    String stepId = query.stepId();
    return call(
        "listPendingSteps", () -> CommandChecks.check(query), query.environment(), scope -> session
            .execute(
                stepId == null ? ofRun : one,
                Tuple.of(scope.env(), stepId == null ? query.runId() : stepId))
            .map(rows -> Lists.mapped(rows, row -> step(scope.environment(), row))));
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
      return parts
          .in(environment, scope -> send(scope, work, 1))
          .recover(PgFailures.during(method));
    });
  }

  private static <T> Future<T> send(
      PgSession.Scope scope, Function<PgSession.Scope, Future<T>> work, int tries) {
    return work.apply(scope)
        .recover(failure -> PgFailures.mayBeSentAgain(failure) && tries < MOST_TRIES
            ? send(scope, work, tries + 1)
            : Future.failedFuture(failure));
  }

  private static PendingStep step(Environment environment, RowReader row) {
    String runId = row.text();
    Instant requestedAt = row.time();
    RunEvent request = RunEventJson.readBody(
        environment, runId, RunEventType.STEP_REQUESTED.value(), requestedAt, row.json());
    return new PendingStep(
        (RunEvent.StepRequested) request,
        row.count(),
        row.time(),
        row.timeOrNull(),
        row.timeOrNull(),
        row.flag());
  }

  private static Set<String> ids(RowSet<Row> rows) {
    Set<String> ids = new HashSet<>();
    rows.forEach(row -> ids.add(row.getString(0)));
    return ids;
  }
}
