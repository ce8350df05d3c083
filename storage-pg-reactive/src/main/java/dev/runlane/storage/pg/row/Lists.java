package dev.runlane.storage.pg.row;

import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pages of runs and events. One row more than a page is read, to know whether there is a next one. */
public final class Lists {
  /** How many active runs a page looks at, where no index has its filter or its order = {@value}. */
  static final int ACTIVE_LOOKED = 10_000;

  /** How many ended ones, which may be very many more = {@value}. */
  static final int ENDED_LOOKED = 10_000;

  /** How many runs of a tag a page looks at, each of which is looked up by its id = {@value}. */
  static final int TAGGED_LOOKED = 2_000;

  /** How many runs of each table a count looks at, where no index has its filter = {@value}. */
  static final int COUNTED_AMONG = 10_000;

  private static final Parameters<RunFilter> OF_FILTER = new Parameters<RunFilter>()
      .texts("statuses", filter -> texts(filter.statuses(), RunStatus::value))
      .texts("task_ids", filter -> texts(filter.taskIds(), id -> id))
      .texts("queues", filter -> texts(filter.queues(), queue -> queue))
      .value("concurrency_key", RunFilter::concurrencyKey)
      .value("idempotency_key", RunFilter::idempotencyKey)
      .value("singleton_key", RunFilter::singletonKey)
      .time("created_from", RunFilter::createdFrom)
      .time("created_before", RunFilter::createdBefore);
  private static final Parameters<RunPage> OF_RUNS = new Parameters<RunPage>()
      .of(RunPage::filter, OF_FILTER)
      .time("after_time", page -> page.after().time(0))
      .value("after_id", page -> page.after().text(1))
      .value("limit", page -> page.limit() + 1);
  private static final Parameters<RunPage> OF_BOTH_TABLES = new Parameters<RunPage>()
      .of(page -> page, OF_RUNS)
      .value("task_id", RunPage::onlyTask)
      .value("with_active", page -> page.has(RunStatus::isActive))
      .value("with_ended", page -> page.has(RunStatus::isTerminal))
      .value("active_looked", RunPage::activeLooked)
      .value("ended_looked", RunPage::endedLooked);
  private static final SqlStatement<PgSession.Scoped<RunPage>> RUNS = PgSession.<RunPage>statement(
          "list_runs", OF_BOTH_TABLES)
      .variant("field", "created_at")
      .variant("active_looked_at", "{any_active}")
      .variant("is_cut", "{not_cut}")
      .variant("ended_page", "{ended_by_creation}");
  private static final SqlStatement<PgSession.Scoped<RunPage>> CHANGED_RUNS =
      PgSession.<RunPage>statement("list_changed_runs", OF_BOTH_TABLES)
          .variant("field", "updated_at")
          .variant("active_looked_at", "{newest_active}")
          .variant("is_cut", "{has_older_active}")
          .variant("ended_page", "{ended_by_change}");
  private static final SqlStatement<PgSession.Scoped<CountRuns>> COUNTS = PgSession.statement(
      "count_runs",
      new Parameters<CountRuns>()
          .of(query -> query.filter().withStatuses(Set.of()), OF_FILTER)
          .value("task_id", query -> onlyTask(query.filter()))
          .value("looked", query -> COUNTED_AMONG)
          .value("at_most", CountRuns::atMost));
  private static final SqlStatement<PgSession.Scoped<CountRuns>> COUNTS_OF_ALL =
      COUNTS.variant("ended_counted", "{ended_of_each_status}").variant("of_task", "{any_task}");
  private static final SqlStatement<PgSession.Scoped<CountRuns>> COUNTS_OF_TASK =
      COUNTS.variant("ended_counted", "{ended_looked_at}").variant("of_task", "{one_task}");
  private static final SqlStatement<PgSession.Scoped<CountRuns>> COUNTS_OF_SOME =
      COUNTS.variant("ended_counted", "{ended_looked_at}").variant("of_task", "{any_task}");
  private static final SqlStatement<PgSession.Scoped<TaggedPage>> TAGGED = PgSession.statement(
      "list_tagged_runs",
      new Parameters<TaggedPage>()
          .of(TaggedPage::page, OF_RUNS)
          .texts("names", page -> List.copyOf(page.tags().keySet()))
          .texts("tag_values", page -> List.copyOf(page.tags().values()))
          .value("looked", page -> TAGGED_LOOKED));
  private static final SqlStatement<PgSession.Scoped<FindTags>> TAGS = PgSession.statement(
      "find_tags", new Parameters<FindTags>().texts("run_ids", FindTags::runIds));
  private static final Parameters<EventPage> OF_TIMES = new Parameters<EventPage>()
      .time("occurred_from", page -> page.filter().occurredFrom())
      .time("occurred_before", page -> page.filter().occurredBefore())
      .value("limit", page -> page.limit() + 1);
  private static final Parameters<EventPage> BEHIND_TIME = new Parameters<EventPage>()
      .time("after_time", page -> page.after().time(0))
      .value("after_event_id", page -> page.after().number(1));
  private static final Parameters<EventPage> OF_ANY = new Parameters<EventPage>()
      .of(page -> page, OF_TIMES)
      .texts("types", page -> texts(page.filter().types(), RunEventType::value));
  private static final Parameters<EventPage> OF_RUN = new Parameters<EventPage>()
      .of(page -> page, OF_ANY)
      .value("run_id", page -> page.filter().runId());
  private static final Parameters<EventPage> OF_HISTORY = new Parameters<EventPage>()
      .of(page -> page, OF_RUN)
      .value("after_sequence", page -> page.after().number(0));
  private static final Parameters<EventPage> OF_RUN_BY_TIME =
      new Parameters<EventPage>().of(page -> page, OF_RUN).of(page -> page, BEHIND_TIME);
  private static final Parameters<EventPage> OF_ANY_BY_TIME =
      new Parameters<EventPage>().of(page -> page, OF_ANY).of(page -> page, BEHIND_TIME);
  private static final Parameters<EventPage> OF_CREATIONS =
      new Parameters<EventPage>().of(page -> page, OF_TIMES).of(page -> page, BEHIND_TIME);
  private static final String BY_TIME = "p.occurred_at {direction}, p.event_id {direction}";
  private static final Map<RunEventSort, Paged> OF_RUN_BY_SORT = eventsOfRun();
  private static final Map<SortDirection, Paged> OF_ANY_BY_DIRECTION =
      byTime("events_by_time", OF_ANY_BY_TIME);
  private static final Map<SortDirection, Paged> CREATIONS_BY_DIRECTION =
      byTime("creations_by_time", OF_CREATIONS);
  private static final Map<RunSort, SqlStatement<PgSession.Scoped<RunPage>>> RUNS_BY_SORT =
      runsBySort("{any_task}");
  private static final Map<RunSort, SqlStatement<PgSession.Scoped<RunPage>>> RUNS_OF_TASK_BY_SORT =
      runsBySort("{one_task}");
  private static final Map<SortDirection, SqlStatement<PgSession.Scoped<TaggedPage>>>
      TAGGED_BY_DIRECTION = taggedByDirection();
  public static final List<SqlStatement<?>> STATEMENTS = Stream.of(
          RUNS_BY_SORT.values(),
          RUNS_OF_TASK_BY_SORT.values(),
          Paged.statements(OF_RUN_BY_SORT.values()),
          Paged.statements(OF_ANY_BY_DIRECTION.values()),
          Paged.statements(CREATIONS_BY_DIRECTION.values()),
          TAGGED_BY_DIRECTION.values(),
          List.of(TAGS, COUNTS_OF_ALL, COUNTS_OF_TASK, COUNTS_OF_SOME))
      .<SqlStatement<?>>flatMap(Collection::stream)
      .toList();

  private static final int LOOKED_AT = 19; // its column
  private static final int FOUND = 6; // its column

  private final PgSession session;

  public Lists(PgSession session) {
    this.session = session;
  }

  private static Map<RunSort, SqlStatement<PgSession.Scoped<RunPage>>> runsBySort(String ofTask) {
    Map<RunSort, SqlStatement<PgSession.Scoped<RunPage>>> runs = new HashMap<>();
    for (SortDirection direction : SortDirection.values()) {
      boolean ascending = direction == SortDirection.ASC;
      String end = ascending ? "{not_behind}" : "{not_before}";
      for (RunSort.Field field : RunSort.Field.values()) {
        boolean byCreation = field == RunSort.Field.CREATED_AT;
        runs.put(
            new RunSort(field, direction),
            bounded(byCreation ? RUNS : CHANGED_RUNS, direction)
                .variant("of_task", ofTask)
                .variant("range_begin", byCreation ? rangeBegin(direction) : "NULL")
                .variant("range_edge", byCreation ? rangeEdge(direction) : "NULL")
                .variant("range_end", byCreation ? end : "{any_time}"));
      }
    }
    return Map.copyOf(runs);
  }

  private static Map<SortDirection, SqlStatement<PgSession.Scoped<TaggedPage>>>
      taggedByDirection() {
    Map<SortDirection, SqlStatement<PgSession.Scoped<TaggedPage>>> tagged =
        new EnumMap<>(SortDirection.class);
    for (SortDirection direction : SortDirection.values()) {
      boolean ascending = direction == SortDirection.ASC;
      tagged.put(
          direction,
          bounded(TAGGED, direction)
              .variant("range_begin", rangeBegin(direction))
              .variant("range_edge", rangeEdge(direction))
              .variant("range_end", ascending ? "{tag_not_behind}" : "{tag_not_before}"));
    }
    return tagged;
  }

  private static String rangeBegin(SortDirection direction) {
    return (direction == SortDirection.ASC ? ":created_from" : ":created_before") + "::timestamptz";
  }

  private static String rangeEdge(SortDirection direction) {
    return (direction == SortDirection.ASC ? ":created_before" : ":created_from") + "::timestamptz";
  }

  private static Map<RunEventSort, Paged> eventsOfRun() {
    Map<RunEventSort, Paged> events = new HashMap<>();
    for (SortDirection direction : SortDirection.values()) {
      events.put(
          new RunEventSort(RunEventSort.Field.SEQUENCE, direction),
          Paged.of("events_of_run", OF_HISTORY, "p.sequence {direction}", direction));
      events.put(
          new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction),
          Paged.of("events_of_run_by_time", OF_RUN_BY_TIME, BY_TIME, direction));
    }
    return Map.copyOf(events);
  }

  private static Map<SortDirection, Paged> byTime(String page, Parameters<EventPage> parameters) {
    Map<SortDirection, Paged> pages = new EnumMap<>(SortDirection.class);
    for (SortDirection direction : SortDirection.values()) {
      pages.put(direction, Paged.of(page, parameters, BY_TIME, direction));
    }
    return pages;
  }

  /** In an order, up to the last row that is looked at. */
  private static <C> SqlStatement<C> bounded(SqlStatement<C> statement, SortDirection direction) {
    boolean ascending = direction == SortDirection.ASC;
    return ordered(statement, direction)
        .variant("until", ascending ? "<=" : ">=")
        .variant("begin", ascending ? "-infinity" : "infinity")
        .variant("edge", ascending ? "infinity" : "-infinity");
  }

  private static <C> SqlStatement<C> ordered(SqlStatement<C> statement, SortDirection direction) {
    boolean ascending = direction == SortDirection.ASC;
    return statement
        .variant("direction", ascending ? "ASC" : "DESC")
        .variant("after", ascending ? ">" : "<");
  }

  /**
   * A page in the order of an index. One whose filter no index has looks at a bounded number of rows: it may have fewer
   * than are wanted, and then goes on behind the last that it looked at.
   */
  public Future<Page<RunSummary>> runs(PgSession.Scope scope, ListRuns query) {
    Cursors cursors = Cursors.of(query);
    Optional<List<String>> after = cursors.decode(query.cursor(), 2);
    int limit = CommandChecks.pageLimit(query.limit());
    boolean isOfTask = query.filter().taskIds().size() == 1;
    return session
        .execute(
            Objects.requireNonNull(
                (isOfTask ? RUNS_OF_TASK_BY_SORT : RUNS_BY_SORT).get(query.sort())),
            scope,
            new RunPage(
                query.filter(),
                query.sort().field() == RunSort.Field.CREATED_AT,
                new Position(after),
                limit))
        .map(rows -> runs(rows, limit, query.sort(), cursors))
        .recover(PgFailures.during("listRuns"));
  }

  private static Page<RunSummary> runs(RowSet<Row> rows, int limit, RunSort sort, Cursors cursors) {
    List<RunSummary> found = new ArrayList<>(rows.size());
    String looked = null;
    boolean isCut = false;
    for (Row each : rows) {
      if (each.getString(0) != null) {
        found.add(RunRows.summary(new RowReader(each)));
      }
      OffsetDateTime at = each.getOffsetDateTime(LOOKED_AT);
      looked = at == null
          ? null
          : cursors.encode(at.toInstant().toString(), each.getString(LOOKED_AT + 1));
      isCut = each.getBoolean(LOOKED_AT + 2);
    }
    boolean byCreation = sort.field() == RunSort.Field.CREATED_AT;
    Page<RunSummary> page = page(
        found,
        limit,
        last -> cursors.encode(
            (byCreation ? last.createdAt() : last.updatedAt()).toString(), last.id()));
    return new Page<>(page.data(), page.nextCursor() == null ? looked : page.nextCursor(), isCut);
  }

  /** All of it in one statement, so that of a run that ends meanwhile one status is counted. */
  public Future<RunCounts> counts(PgSession.Scope scope, CountRuns query) {
    RunFilter filter = query.filter().withStatuses(Set.of());
    SqlStatement<PgSession.Scoped<CountRuns>> some =
        filter.taskIds().size() == 1 ? COUNTS_OF_TASK : COUNTS_OF_SOME;
    return session
        .execute(filter.equals(RunFilter.ALL) ? COUNTS_OF_ALL : some, scope, query)
        .map(rows -> counts(rows, query.atMost()))
        .recover(PgFailures.during("countRuns"));
  }

  private static RunCounts counts(RowSet<Row> rows, int atMost) {
    Map<RunStatus, Integer> counts = new EnumMap<>(RunStatus.class);
    for (RunStatus status : RunStatus.values()) {
      counts.put(status, 0);
    }
    int active = 0;
    int ended = 0;
    for (Row each : rows) {
      RowReader row = new RowReader(each);
      RunStatus status = RunRows.status(row.text());
      counts.put(status, row.count());
      int looked = row.count();
      if (status.isTerminal()) {
        ended += looked;
      } else {
        active += looked;
      }
    }
    boolean isCut = false;
    for (RunStatus status : RunStatus.values()) {
      isCut |= (status.isTerminal() ? ended : active) >= COUNTED_AMONG
          && Objects.requireNonNull(counts.get(status)) < atMost;
    }
    return new RunCounts(counts, isCut);
  }

  public Future<Page<RunSummary>> tagged(PgSession.Scope scope, ListTaggedRuns query) {
    Cursors cursors = Cursors.of(query);
    Optional<List<String>> after = cursors.decode(query.cursor(), 2);
    int limit = CommandChecks.pageLimit(query.limit());
    return session
        .execute(
            Objects.requireNonNull(TAGGED_BY_DIRECTION.get(query.direction())),
            scope,
            new TaggedPage(
                new TreeMap<>(query.tags()),
                new RunPage(query.filter(), true, new Position(after), limit)))
        .map(rows ->
            runs(rows, limit, new RunSort(RunSort.Field.CREATED_AT, query.direction()), cursors))
        .recover(PgFailures.during("listTaggedRuns"));
  }

  /** Those of the runs that have some. */
  public Future<List<TaggedRun>> tags(PgSession.Scope scope, FindTags query) {
    return session
        .execute(TAGS, scope, query)
        .map(rows -> {
          Map<String, Map<String, String>> tags = new LinkedHashMap<>();
          for (Row each : rows) {
            RowReader row = new RowReader(each);
            tags.computeIfAbsent(row.text(), runId -> new HashMap<>()).put(row.text(), row.text());
          }
          return tags.entrySet().stream()
              .map(run -> new TaggedRun(run.getKey(), run.getValue()))
              .toList();
        })
        .recover(PgFailures.during("findTags"));
  }

  public Future<Page<RunEventRecord>> events(PgSession.Scope scope, ListRunEvents query) {
    Cursors cursors = Cursors.of(query);
    boolean bySequence = query.sort().field() == RunEventSort.Field.SEQUENCE;
    Optional<List<String>> after = cursors.decode(query.cursor(), bySequence ? 1 : 2);
    int limit = CommandChecks.pageLimit(query.limit());
    return session
        .execute(
            events(query),
            scope,
            new EventPage(query.filter(), new Position(after), limit, query.bytes()))
        .map(rows -> page(
            mapped(rows, row -> RunRows.event(scope.environment(), row)),
            query.bytes() == null || rows.size() == 0
                ? rows.size()
                : rows.iterator().next().getInteger(FOUND),
            limit,
            last -> bySequence
                ? cursors.encode(String.valueOf(last.sequence()))
                : cursors.encode(last.event().header().occurredAt().toString(), last.id())))
        .recover(PgFailures.during("listRunEvents"));
  }

  /** Creations of any runs are found by the runs, of which an index has the times. */
  private static SqlStatement<PgSession.Scoped<EventPage>> events(ListRunEvents query) {
    RunEventFilter filter = query.filter();
    RunEventSort sort = query.sort();
    Paged pages = Objects.requireNonNull(
        filter.runId() != null || sort.field() == RunEventSort.Field.SEQUENCE
            ? OF_RUN_BY_SORT.get(sort)
            : filter.types().equals(Set.of(RunEventType.CREATED))
                ? CREATIONS_BY_DIRECTION.get(sort.direction())
                : OF_ANY_BY_DIRECTION.get(sort.direction()));
    return query.bytes() == null ? pages.whole() : pages.sized();
  }

  public static <T> List<T> mapped(RowSet<Row> rows, Function<RowReader, T> mapper) {
    List<T> found = new ArrayList<>(rows.size());
    rows.forEach(row -> found.add(mapper.apply(new RowReader(row))));
    return found;
  }

  private static <T> Page<T> page(List<T> found, int limit, Function<T, String> cursor) {
    return page(found, found.size(), limit, cursor);
  }

  /** A page of rows of which there are so many, where not all of them were answered. */
  private static <T> Page<T> page(List<T> found, int all, int limit, Function<T, String> cursor) {
    List<T> rows = found.subList(0, Math.min(limit, found.size()));
    return new Page<>(rows, all > rows.size() ? cursor.apply(rows.get(rows.size() - 1)) : null);
  }

  /** An absent filter is null. */
  private static <T> @Nullable List<String> texts(Collection<T> values, Function<T, String> text) {
    return values.isEmpty() ? null : values.stream().map(text).toList();
  }

  private static @Nullable String onlyTask(RunFilter filter) {
    return filter.taskIds().size() == 1 ? filter.taskIds().get(0) : null;
  }

  private record RunPage(RunFilter filter, boolean byCreation, Position after, int limit) {
    /** The one task that is asked for, by which ended runs have an index. */
    @Nullable
    String onlyTask() {
      return Lists.onlyTask(filter);
    }

    boolean has(Predicate<RunStatus> wanted) {
      return filter.statuses().isEmpty() || filter.statuses().stream().anyMatch(wanted);
    }

    int activeLooked() {
      return byCreation && filter.taskIds().isEmpty() && isOfAnyStatus() && isOtherwiseUnfiltered()
          ? 0
          : ACTIVE_LOOKED;
    }

    int endedLooked() {
      boolean hasIndex = byCreation
          ? filter.taskIds().size() <= 1 && isOfAnyStatus()
          : filter.taskIds().isEmpty()
              && filter.createdFrom() == null
              && filter.createdBefore() == null;
      return hasIndex && isOtherwiseUnfiltered() ? 0 : ENDED_LOOKED;
    }

    private boolean isOfAnyStatus() {
      return filter.statuses().isEmpty();
    }

    private boolean isOtherwiseUnfiltered() {
      return filter.queues().isEmpty()
          && filter.concurrencyKey() == null
          && filter.idempotencyKey() == null
          && filter.singletonKey() == null;
    }
  }

  private record TaggedPage(SortedMap<String, String> tags, RunPage page) {}

  /**
   * The two ways to read a page of events.
   *
   * @param whole up to its limit
   * @param sized up to so many bytes too
   */
  private record Paged(
      SqlStatement<PgSession.Scoped<EventPage>> whole,
      SqlStatement<PgSession.Scoped<EventPage>> sized) {
    static Paged of(
        String page, Parameters<EventPage> parameters, String order, SortDirection direction) {
      return new Paged(
          ordered(PgSession.<EventPage>statement("list_" + page, parameters), direction),
          ordered(
              PgSession.<EventPage>statement(
                      "list_sized_events",
                      new Parameters<EventPage>()
                          .of(each -> each, parameters)
                          .value("bytes", EventPage::bytes))
                  .variant("page", "{" + page + "}")
                  .variant("page_order", order),
              direction));
    }

    static List<SqlStatement<?>> statements(Collection<Paged> pages) {
      return pages.stream()
          .<SqlStatement<?>>flatMap(each -> Stream.of(each.whole, each.sized))
          .toList();
    }

    private static SqlStatement<PgSession.Scoped<EventPage>> ordered(
        SqlStatement<PgSession.Scoped<EventPage>> statement, SortDirection direction) {
      boolean ascending = direction == SortDirection.ASC;
      return Lists.ordered(statement, direction)
          .variant("from_there", ascending ? ">=" : "<=")
          .variant("begin", ascending ? "-infinity" : "infinity");
    }
  }

  private record EventPage(
      RunEventFilter filter,
      Position after,
      int limit,
      @Nullable Integer bytes) {}

  /** Behind which the page begins; the parts are null where it is the first. */
  private record Position(Optional<List<String>> parts) {
    @Nullable
    String text(int part) {
      return parts.map(all -> all.get(part)).orElse(null);
    }

    @Nullable
    Instant time(int part) {
      return parts.map(all -> Cursors.instant(all.get(part))).orElse(null);
    }

    @Nullable
    Long number(int part) {
      return parts.map(all -> Cursors.number(all.get(part))).orElse(null);
    }
  }
}
