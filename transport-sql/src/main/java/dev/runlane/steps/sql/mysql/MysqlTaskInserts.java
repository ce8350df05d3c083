package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.steps.sql.row.StepJson;
import dev.runlane.steps.sql.row.StepTables;
import dev.runlane.steps.sql.row.StoredTasks;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Inserts tasks whose steps have none. Which were there already is read before, since no count of rows says
 * it; what comes in between is seen by the insert that fails.
 */
final class MysqlTaskInserts {
  private static final MysqlStatements.Insert<StepTables.Stamped<StepTask>> TASKS =
      MysqlStatements.Insert.of(
          "insert_tasks",
          "task_row",
          new Parameters<StepTables.Stamped<StepTask>>()
              .value("step_id", step -> step.value().stepId())
              .value("run_id", step -> step.value().runId())
              .value("seq", step -> step.value().seq())
              .value("name", step -> step.value().name())
              .value("group", step -> step.value().group())
              .value("input", step -> StepJson.input(step.value().input()))
              .value("attempt", step -> step.value().attempt())
              .value("created_at", StepTables.Stamped::nowMillis),
          step -> StepJson.input(step.value().input()).length());
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> STANDING_NOW =
      MysqlStatements.ofIds("standing_tasks_now");

  /** Tasks of steps, committed by now. */
  static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> STANDING =
      MysqlStatements.ofIds("standing_tasks");

  static final List<SqlStatement<?>> STATEMENTS = Stream.<SqlStatement<?>>concat(
          TASKS.statements().stream(), Stream.of(STANDING, STANDING_NOW))
      .toList();

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
    return storeMissing(connection, STANDING, ordered, stored)
        .recover(failure -> failures.isDuplicate(failure)
            ? storeMissing(connection, STANDING_NOW, ordered, stored)
            : Future.failedFuture(failure))
        .recover(failure -> failures.isDuplicate(failure)
            ? storeEach(connection, ordered, stored)
            : Future.failedFuture(failure))
        .map(ended -> stored);
  }

  private Future<Void> storeMissing(
      SqlConnection connection,
      SqlStatement<MysqlStatements.OfIds<@Nullable Void>> standing,
      List<StepTables.Stamped<StepTask>> steps,
      StoredTasks stored) {
    return statements
        .byIds(
            connection,
            standing,
            steps.stream().map(each -> each.value().stepId()).toList())
        .compose(rows -> {
          rows.forEach(row -> stored.markExisting(row.getString(0), row.getInteger(1)));
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
        packet.maxCharacters(),
        part -> part.forEach(each -> stored.insert(each.value().stepId())));
  }
}
