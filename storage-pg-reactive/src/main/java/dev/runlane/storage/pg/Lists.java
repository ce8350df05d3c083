package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.SqlStatements;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.ListRuns;
import dev.runlane.storage.Page;
import dev.runlane.storage.RunEventFilter;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.storage.RunEventSort;
import dev.runlane.storage.RunFilter;
import dev.runlane.storage.RunSort;
import dev.runlane.storage.RunSummary;
import dev.runlane.storage.SortDirection;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.templates.SqlTemplate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pages of runs and events. One row more than a page is read, to know whether there is a next one. */
final class Lists {
  private final PgSession session;
  private final Map<RunSort, String> runs = new HashMap<>();
  private final Map<RunEventSort, String> events = new HashMap<>();

  Lists(PgSession session) {
    this.session = session;
    SqlStatements statements = session.statements();
    for (SortDirection direction : SortDirection.values()) {
      Map<String, String> variant = new HashMap<>(order(direction));
      for (RunSort.Field field : RunSort.Field.values()) {
        variant.put("field", field == RunSort.Field.CREATED_AT ? "created_at" : "updated_at");
        runs.put(new RunSort(field, direction), statements.get("list_runs", variant));
      }
      events.put(
          new RunEventSort(RunEventSort.Field.SEQUENCE, direction),
          statements.get("list_events_of_run", order(direction)));
      events.put(
          new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction),
          statements.get("list_events_by_time", order(direction)));
    }
  }

  Future<Page<RunSummary>> runs(PgSession.Scope scope, ListRuns query) {
    Cursors cursors = Cursors.of(query);
    Optional<List<String>> after = cursors.decode(query.cursor(), 2);
    RunFilter filter = query.filter();
    int limit = CommandChecks.pageLimit(query.limit());
    Map<String, @Nullable Object> parameters = new HashMap<>();
    parameters.put("env", scope.env());
    parameters.put("statuses", texts(filter.statuses(), RunStatus::value));
    parameters.put("taskIds", texts(filter.taskIds(), id -> id));
    parameters.put("queues", texts(filter.queues(), queue -> queue));
    parameters.put("concurrencyKey", filter.concurrencyKey());
    parameters.put("idempotencyKey", filter.idempotencyKey());
    parameters.put("singletonKey", filter.singletonKey());
    parameters.put("createdFrom", Columns.utcOrNull(filter.createdFrom()));
    parameters.put("createdBefore", Columns.utcOrNull(filter.createdBefore()));
    parameters.put(
        "afterTime",
        after.map(parts -> Columns.utc(Cursors.instant(parts.get(0)))).orElse(null));
    parameters.put("afterId", after.map(parts -> parts.get(1)).orElse(null));
    parameters.put("limit", limit + 1);
    return read(runs, query.sort(), parameters, RunRows::summary)
        .map(found -> page(
            found,
            limit,
            last -> cursors.encode(
                (query.sort().field() == RunSort.Field.CREATED_AT
                        ? last.createdAt()
                        : last.updatedAt())
                    .toString(),
                last.id())))
        .recover(PgFailures.during("listRuns"));
  }

  Future<Page<RunEventRecord>> events(PgSession.Scope scope, ListRunEvents query) {
    Cursors cursors = Cursors.of(query);
    boolean bySequence = query.sort().field() == RunEventSort.Field.SEQUENCE;
    Optional<List<String>> after = cursors.decode(query.cursor(), bySequence ? 1 : 2);
    RunEventFilter filter = query.filter();
    int limit = CommandChecks.pageLimit(query.limit());
    Map<String, @Nullable Object> parameters = new HashMap<>();
    parameters.put("env", scope.env());
    parameters.put("runId", filter.runId());
    parameters.put("types", texts(filter.types(), RunEventType::value));
    parameters.put("occurredFrom", Columns.utcOrNull(filter.occurredFrom()));
    parameters.put("occurredBefore", Columns.utcOrNull(filter.occurredBefore()));
    if (bySequence) {
      parameters.put(
          "afterSequence", after.map(parts -> Cursors.number(parts.get(0))).orElse(null));
    } else {
      parameters.put(
          "afterTime",
          after.map(parts -> Columns.utc(Cursors.instant(parts.get(0)))).orElse(null));
      parameters.put(
          "afterEventId", after.map(parts -> Cursors.number(parts.get(1))).orElse(null));
    }
    parameters.put("limit", limit + 1);
    return read(events, query.sort(), parameters, row -> RunRows.event(scope.environment(), row))
        .map(found -> page(
            found,
            limit,
            last -> bySequence
                ? cursors.encode(String.valueOf(last.sequence()))
                : cursors.encode(last.event().header().occurredAt().toString(), last.id())))
        .recover(PgFailures.during("listRunEvents"));
  }

  private <S, T> Future<List<T>> read(
      Map<S, String> statements,
      S sort,
      Map<String, @Nullable Object> parameters,
      Function<RowReader, T> mapper) {
    String statement = Objects.requireNonNull(statements.get(sort));
    return SqlTemplate.forQuery(session.client(), statement)
        .execute(parameters)
        .map(rows -> mapped(rows, mapper));
  }

  static <T> List<T> mapped(RowSet<Row> rows, Function<RowReader, T> mapper) {
    List<T> found = new ArrayList<>(rows.size());
    rows.forEach(row -> found.add(mapper.apply(new RowReader(row))));
    return found;
  }

  private static <T> Page<T> page(List<T> found, int limit, Function<T, String> cursor) {
    if (found.size() <= limit) {
      return new Page<>(found, null);
    }
    List<T> rows = found.subList(0, limit);
    return new Page<>(rows, cursor.apply(rows.get(limit - 1)));
  }

  private static Map<String, String> order(SortDirection direction) {
    return direction == SortDirection.ASC
        ? Map.of("direction", "ASC", "after", ">")
        : Map.of("direction", "DESC", "after", "<");
  }

  private static <T> String @Nullable [] texts(Collection<T> values, Function<T, String> text) {
    return values.isEmpty() ? null : values.stream().map(text).toArray(String[]::new);
  }
}
