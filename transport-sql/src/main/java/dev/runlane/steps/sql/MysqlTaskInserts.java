package dev.runlane.steps.sql;

import dev.runlane.steps.StepTask;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Comparator;
import java.util.List;

/**
 * Inserts tasks whose steps have none. Which were there already is read before, since no count of rows says
 * it; what comes in between is seen by the insert that fails.
 */
final class MysqlTaskInserts {
  private static final MysqlStatements.Insert<StepTables.Stamped<StepTask>> TASKS =
      new MysqlStatements.Insert<>(
          "insert_tasks",
          "task_row",
          step -> StepJson.input(step.value().input()).length(),
          MysqlTaskInserts::columns);

  private final MysqlStatements statements;
  private final MysqlFailures failures;
  private final MysqlPacket packet;

  MysqlTaskInserts(MysqlStatements statements, MysqlFailures failures, MysqlPacket packet) {
    this.statements = statements;
    this.failures = failures;
    this.packet = packet;
  }

  /** Inserts those it may, as part of a transaction. */
  Future<StoredTasks> store(SqlConnection connection, List<StepTables.Stamped<StepTask>> steps) {
    List<StepTables.Stamped<StepTask>> ordered = steps.stream()
        .sorted(Comparator.comparing(each -> each.value().stepId()))
        .toList();
    for (StepTables.Stamped<StepTask> each : ordered) {
      packet.require(each.value().stepId(), StepJson.input(each.value().input()));
    }
    StoredTasks stored = new StoredTasks();
    return storeMissing(connection, "standing_tasks", ordered, stored)
        .recover(failure -> failures.isDuplicate(failure)
            ? storeMissing(connection, "standing_tasks_now", ordered, stored)
            : Future.failedFuture(failure))
        .recover(failure -> failures.isDuplicate(failure)
            ? storeEach(connection, ordered, stored)
            : Future.failedFuture(failure))
        .map(ended -> stored);
  }

  private Future<Void> storeMissing(
      SqlConnection connection,
      String standing,
      List<StepTables.Stamped<StepTask>> steps,
      StoredTasks stored) {
    return statements
        .byIds(
            connection,
            standing,
            steps.stream().map(each -> each.value().stepId()).toList())
        .compose(rows -> {
          rows.forEach(row -> stored.stands(row.getString(0), row.getInteger(1)));
          return insert(connection, stored.absentOf(steps), stored);
        });
  }

  /** What a collation takes for the same stands in the way of one another: each for itself. */
  private Future<Void> storeEach(
      SqlConnection connection, List<StepTables.Stamped<StepTask>> steps, StoredTasks stored) {
    Future<Void> ended = Future.succeededFuture();
    for (StepTables.Stamped<StepTask> step : stored.absentOf(steps)) {
      ended = ended.compose(before -> insert(connection, List.of(step), stored)
          .recover(failure -> failures.isDuplicate(failure)
              ? Future.succeededFuture()
              : Future.failedFuture(failure)));
    }
    return ended;
  }

  private Future<Void> insert(
      SqlConnection connection, List<StepTables.Stamped<StepTask>> steps, StoredTasks stored) {
    return statements.insert(
        connection,
        TASKS,
        steps,
        packet.mostCharacters(),
        part -> part.forEach(each -> stored.insert(each.value().stepId())));
  }

  private static List<Object> columns(StepTables.Stamped<StepTask> step) {
    StepTask task = step.value();
    return List.of(
        task.stepId(),
        task.runId(),
        task.seq(),
        task.name(),
        task.group(),
        StepJson.input(task.input()),
        task.attempt(),
        step.nowMillis());
  }
}
