package dev.runlane.storage.pg;

import dev.runlane.json.TtlText;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tasks that processes say they have; commands come here checked, so that no name of a tag has a colon. */
final class TaskDesk {
  private static final SqlStatement<PgSession.Scoped<PublishTasks>> PUBLISH = PgSession.statement(
      "publish_tasks",
      new Parameters<PublishTasks>()
          .value("process_id", PublishTasks::processId)
          .time("started_at", PublishTasks::startedAt)
          .time("now", PublishTasks::now)
          .time("stale_before", each -> each.now().minus(KnownTask.STALE_AFTER))
          .time("kept_from", each -> each.now().minus(OperatorStore.TASKS_KEPT))
          .rows(
              PublishTasks::tasks,
              new Columns<RuntimeTask>()
                  .texts("task_ids", RuntimeTask::taskId)
                  .texts("queues", RuntimeTask::queue)
                  .flags("handled", RuntimeTask::hasHandler)
                  .texts("payload_types", RuntimeTask::payloadType)
                  .texts("payload_schemas", TaskDesk::schemaText)
                  .texts("key_lists", TaskDesk::keysText)
                  .texts("idempotency_ttls", TaskDesk::ttlText)
                  .flags("refusing", task -> task.rules().refusesOtherPayload())
                  .texts("tag_name_lists", task -> String.join(":", task.rules().tags()))));
  private static final SqlStatement<PgSession.Scoped<After>> LIST = PgSession.statement(
      "list_tasks",
      new Parameters<After>()
          .value("after_id", After::afterId)
          .value("limit", after -> after.limit() + 1));
  private static final SqlStatement<PgSession.Scoped<After>> FIND = PgSession.statement(
      "find_task",
      new Parameters<After>().value("task_id", After::taskId).value("after_id", After::afterId));

  static final List<SqlStatement<?>> STATEMENTS = List.of(PUBLISH, LIST, FIND);

  private final PgParts parts;
  private final PgSession session;

  TaskDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  Future<Void> publish(PublishTasks command) {
    return parts
        .alone(command.environment(), scope -> session.execute(PUBLISH, scope, command))
        .<Void>mapEmpty()
        .recover(PgFailures.during("publishTasks"));
  }

  Future<Page<KnownTask>> list(ListTasks query) {
    Cursors cursors = Cursors.of(query);
    int limit = CommandChecks.pageLimit(query.limit());
    String after = cursors.decode(query.cursor(), 1).map(found -> found.get(0)).orElse(null);
    return parts
        .alone(
            query.environment(),
            scope -> session.execute(
                query.taskId() == null ? LIST : FIND,
                scope,
                new After(query.taskId(), after, limit)))
        .map(rows -> Lists.mapped(rows, TaskDesk::task))
        .map(found -> found.size() <= limit
            ? new Page<>(found, null)
            : new Page<>(
                found.subList(0, limit),
                cursors.encode(found.get(limit - 1).task().taskId())))
        .recover(PgFailures.during("listTasks"));
  }

  private static KnownTask task(RowReader row) {
    return new KnownTask(
        new RuntimeTask(
            row.text(),
            row.text(),
            row.flag(),
            row.text(),
            row.jsonOrNull(),
            keys(row.texts()),
            rules(row)),
        row.text(),
        row.time(),
        row.time());
  }

  private static List<TaskKey> keys(List<String> values) {
    return values.stream().map(TaskKey::ofValue).flatMap(Optional::stream).toList();
  }

  private static TriggerRules rules(RowReader row) {
    String ttl = row.textOrNull();
    return new TriggerRules(ttl == null ? null : TtlText.parse(ttl), row.flag(), row.texts());
  }

  private static @Nullable String ttlText(RuntimeTask task) {
    IdempotencyTtl ttl = task.rules().idempotencyTtl();
    return ttl == null ? null : TtlText.format(ttl);
  }

  private static @Nullable String schemaText(RuntimeTask task) {
    Json schema = task.payloadSchema();
    return schema == null ? null : schema.text();
  }

  /** An array as Postgres reads it. */
  private static String keysText(RuntimeTask task) {
    return task.keys().stream().map(TaskKey::value).collect(Collectors.joining(",", "{", "}"));
  }

  /** Behind which a page begins; null where it is the first. */
  private record After(@Nullable String taskId, @Nullable String afterId, int limit) {}
}
