package dev.runlane.storage.pg.read;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.UnreadableRows;
import dev.runlane.storage.step.PendingStep;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Single pending steps by their ids, of which those that are asked for together are read together. */
public final class PendingSteps implements BatchStatement<String, Optional<PendingStep>> {
  private static final SqlStatement<PgSession.Scoped<List<String>>> BY_IDS = PgSession.statement(
      "pending_steps_by_ids", new Parameters<List<String>>().texts("step_ids", stepIds -> stepIds));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(BY_IDS);

  private final PgSession session;
  private final PgSession.Scope scope;

  public PendingSteps(PgSession session, PgSession.Scope scope) {
    this.session = session;
    this.scope = scope;
  }

  @Override
  public List<String> keys(String stepId) {
    return List.of();
  }

  @Override
  public Future<List<CommandOutcome<Optional<PendingStep>>>> execute(List<String> stepIds) {
    return session.execute(BY_IDS, scope, stepIds).map(rows -> outcomes(stepIds, rows));
  }

  private List<CommandOutcome<Optional<PendingStep>>> outcomes(
      List<String> stepIds, RowSet<Row> rows) {
    CommandOutcome<Optional<PendingStep>> none = new CommandOutcome.Succeeded<>(Optional.empty());
    List<CommandOutcome<Optional<PendingStep>>> outcomes =
        new ArrayList<>(Collections.nCopies(stepIds.size(), none));
    for (Row row : rows) {
      RowReader reader = new RowReader(row);
      int place = reader.count() - 1;
      outcomes.set(place, outcome(stepIds.get(place), reader));
    }
    return outcomes;
  }

  private CommandOutcome<Optional<PendingStep>> outcome(String stepId, RowReader row) {
    try {
      return new CommandOutcome.Succeeded<>(Optional.of(step(scope.environment(), row)));
    } catch (RuntimeException unreadable) {
      return new CommandOutcome.Failed<>(UnreadableRows.failure("step " + stepId, unreadable));
    }
  }

  /** The step of a row of the fragment {@code pending_steps}. */
  public static PendingStep step(Environment environment, RowReader row) {
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
}
