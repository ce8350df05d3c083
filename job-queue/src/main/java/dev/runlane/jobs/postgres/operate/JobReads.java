package dev.runlane.jobs.postgres.operate;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.life.JobEntries;
import dev.runlane.jobs.postgres.row.DeduplicationSlots;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that only looks. */
public final class JobReads {
  /** In the order in which {@code count_states} and {@code list_queues} count. */
  private static final List<JobState> COUNTED = List.of(
      JobState.WAITING,
      JobState.WAITING_CHILDREN,
      JobState.DELAYED,
      JobState.ACTIVE,
      JobState.COMPLETED,
      JobState.FAILED);

  private static final String MOST = String.valueOf(JobStore.MOST_LOOKED_AT);
  private static final SqlStatement<JobRef> GET_JOB =
      SqlStatement.of("get_job", JobStatements.OF_JOB);
  private static final SqlStatement<String> QUEUES_WITH_JOB =
      SqlStatement.of("queues_with_job", new Parameters<String>().value("id", id -> id));
  private static final SqlStatement<OfKey> FIND_SLOT_HOLDER = SqlStatement.of(
      "find_slot_holder",
      new Parameters<OfKey>()
          .value("queue", OfKey::queue)
          .value("slot", of -> DeduplicationSlots.of(of.queue(), of.key()))
          .time("now", OfKey::now));
  private static final SqlStatement<String> COUNT_WAITING =
      SqlStatement.of("count_waiting", JobStatements.OF_QUEUE);
  private static final Map<JobState, SqlStatement<String>> COUNT_STATE = byState(state ->
      SqlStatement.of("count_state", JobStatements.OF_QUEUE).variant("state", state.value()));
  private static final SqlStatement<String> COUNT_STATES =
      SqlStatement.of("count_states", JobStatements.OF_QUEUE);
  private static final Parameters<Listed> OF_LISTED = new Parameters<Listed>()
      .value("queue", Listed::queue)
      .value("start", Listed::start)
      .value("limit", Listed::limit);
  private static final SqlStatement<Listed> LIST_WAITING =
      SqlStatement.of("list_waiting", OF_LISTED);
  private static final Map<JobState, SqlStatement<Listed>> LIST_JOBS =
      byState(state -> SqlStatement.of("list_jobs", OF_LISTED)
          .variant("state", state.value())
          .variant("order", order(state)));
  private static final SqlStatement<@Nullable Void> LIST_QUEUES = SqlStatement.plain("list_queues")
      .variant("queue", "NULL")
      .variant("states", "'{}'")
      .variant("most", MOST);
  private static final Parameters<Search> OF_SEARCH = new Parameters<Search>()
      .value("queue", search -> search.filter().queueName())
      .texts(
          "states",
          search -> search.filter().states().stream().map(JobState::value).toList())
      .value("name", search -> search.filter().name())
      .time("created_after", search -> search.filter().createdAfter())
      .time("created_before", search -> search.filter().createdBefore())
      .value("payload", Search::payload);
  private static final SqlStatement<Search> COUNT_JOBS =
      searching(SqlStatement.of("count_jobs", OF_SEARCH));
  private static final SqlStatement<Search> OF_PAGE = searching(SqlStatement.of(
      "search_jobs", OF_SEARCH.value("start", Search::start).value("limit", Search::limit)));
  private static final SqlStatement<Search> SEARCH_JOBS = OF_PAGE.variant("shown", "{r_columns}");
  private static final SqlStatement<Search> SEARCH_SUMMARIES =
      OF_PAGE.variant("shown", "{r_summary}");
  private static final SqlStatement<Parents> LIST_PARENTS = SqlStatement.of(
      "list_parents",
      new Parameters<Parents>().value("state", Parents::state).value("limit", Parents::limit));
  private static final SqlStatement<JobRef> LIST_CHILDREN =
      SqlStatement.of("list_children", JobStatements.OF_JOB);
  private static final SqlStatement<Children> LIST_CHILDREN_SUMMARIES = SqlStatement.of(
      "list_children_summaries",
      new Parameters<Children>()
          .of(Children::parent, JobStatements.OF_JOB)
          .value("limit", Children::limit));
  private static final SqlStatement<String> NEXT_DELAYED =
      SqlStatement.of("next_delayed", JobStatements.OF_QUEUE);
  private static final SqlStatement<JobStatements.Due> LIST_STALLED = SqlStatement.of(
      "list_stalled",
      new Parameters<JobStatements.Due>()
          .value("queue", JobStatements.Due::queue)
          .time("now", JobStatements.Due::at)
          .value("limit", JobStatements.Due::limit));
  private static final Parameters<OfGroup> OF_GROUP =
      new Parameters<OfGroup>().value("queue", OfGroup::queue).value("group", OfGroup::group);

  public static final SqlStatement<OfGroup> COUNT_GROUP_ACTIVE =
      SqlStatement.of("count_group_active", OF_GROUP);
  public static final SqlStatement<OfGroup> COUNT_GROUP_WAITING =
      SqlStatement.of("count_group_waiting", OF_GROUP);

  private static final SqlStatement<Lines> LIST_LINES = SqlStatement.of(
      "list_lines",
      new Parameters<Lines>()
          .of(Lines::job, JobStatements.OF_JOB)
          .value("start", Lines::start)
          .value("limit", Lines::limit));
  private static final SqlStatement<String> LIST_PAUSES =
      SqlStatement.of("list_pauses", JobStatements.OF_QUEUE);

  public static final List<SqlStatement<?>> STATEMENTS = Stream.of(
          COUNT_STATE.values(),
          LIST_JOBS.values(),
          List.of(
              GET_JOB,
              QUEUES_WITH_JOB,
              FIND_SLOT_HOLDER,
              COUNT_WAITING,
              COUNT_STATES,
              LIST_WAITING,
              LIST_QUEUES,
              COUNT_JOBS,
              SEARCH_JOBS,
              SEARCH_SUMMARIES,
              LIST_PARENTS,
              LIST_CHILDREN,
              LIST_CHILDREN_SUMMARIES,
              NEXT_DELAYED,
              LIST_STALLED,
              COUNT_GROUP_ACTIVE,
              COUNT_GROUP_WAITING,
              LIST_LINES,
              LIST_PAUSES))
      .<SqlStatement<?>>flatMap(Collection::stream)
      .toList();

  private final JobSession session;

  public JobReads(JobSession session) {
    this.session = session;
  }

  public Future<Optional<JobData>> get(String queue, String jobId) {
    return session.execute(GET_JOB, new JobRef(queue, jobId)).map(rows -> {
      for (Row row : rows) {
        return Optional.of(JobEntries.withEntries(session, row));
      }
      return Optional.empty();
    });
  }

  public Future<Optional<JobData>> find(String jobId) {
    return session.execute(QUEUES_WITH_JOB, jobId).compose(rows -> {
      for (Row row : rows) {
        return get(row.getString(0), jobId);
      }
      return Future.succeededFuture(Optional.empty());
    });
  }

  public Future<Optional<JobData>> byKey(String queue, String key, Instant now) {
    return session
        .execute(FIND_SLOT_HOLDER, new OfKey(queue, key, now))
        .map(rows -> session.rows().stored(rows).stream().map(StoredJob::job).findFirst());
  }

  public Future<Long> count(String queue, JobState state) {
    Future<RowSet<Row>> counted = state == JobState.WAITING
        ? session.execute(COUNT_WAITING, queue)
        : session.execute(Objects.requireNonNull(COUNT_STATE.get(state)), queue);
    return counted.map(JobReads::number);
  }

  private static Long number(RowSet<Row> rows) {
    return rows.iterator().next().getLong(0);
  }

  public Future<Map<JobState, Long>> counts(String queue) {
    return session
        .execute(COUNT_STATES, queue)
        .map(rows -> counts(rows.iterator().next(), 0));
  }

  private static Map<JobState, Long> counts(Row row, int from) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (int index = 0; index < COUNTED.size(); index++) {
      counts.put(COUNTED.get(index), row.getLong(from + index));
    }
    return counts;
  }

  public Future<List<JobData>> list(String queue, JobState state, int start, int end) {
    SqlStatement<Listed> list =
        state == JobState.WAITING ? LIST_WAITING : Objects.requireNonNull(LIST_JOBS.get(state));
    return session
        .execute(list, new Listed(queue, start, (long) end - start))
        .map(session.rows()::readable);
  }

  private static String order(JobState state) {
    return switch (state) {
      case COMPLETED -> "j.completed_at DESC, abs(j.place) DESC";
      case FAILED -> "j.failed_at DESC, abs(j.place) DESC";
      default -> "j.created_at, abs(j.place)";
    };
  }

  private static <T> Map<JobState, T> byState(Function<JobState, T> each) {
    return Arrays.stream(JobState.values())
        .collect(Collectors.toUnmodifiableMap(Function.identity(), each));
  }

  private static SqlStatement<Search> searching(SqlStatement<Search> statement) {
    return statement.variant("queue", ":queue").variant("states", ":states").variant("most", MOST);
  }

  public Future<List<QueueInfo>> queues() {
    return session.execute(LIST_QUEUES).map(rows -> {
      List<QueueInfo> queues = new ArrayList<>();
      for (Row row : rows) {
        OffsetDateTime latest = row.getOffsetDateTime(8);
        queues.add(new QueueInfo(
            row.getString(0),
            counts(row, 1),
            row.getBoolean(7),
            List.of(row.getArrayOfStrings(10)),
            latest == null ? null : latest.toInstant(),
            row.getLong(9)));
      }
      return queues;
    });
  }

  public Future<List<JobData>> searchByName(String query, Optional<String> queue, int limit) {
    SearchJobsFilter filter =
        new SearchJobsFilter(queue.orElse(null), List.of(), query, null, null);
    return search(SEARCH_JOBS, new Search(filter, null, 0, limit));
  }

  public Future<List<JobData>> searchByPayload(String queue, String query, int limit) {
    SearchJobsFilter filter = new SearchJobsFilter(queue, List.of(), null, null, null);
    return search(SEARCH_JOBS, new Search(filter, query, 0, limit));
  }

  public Future<JobPage> search(SearchJobsFilter filter, int start, int end) {
    return page(SEARCH_JOBS, filter, start, end);
  }

  public Future<JobPage> searchSummaries(SearchJobsFilter filter, int start, int end) {
    return page(SEARCH_SUMMARIES, filter, start, end);
  }

  private Future<JobPage> page(
      SqlStatement<Search> statement, SearchJobsFilter filter, int start, int end) {
    return session.execute(COUNT_JOBS, new Search(filter, null, 0, 0)).compose(total -> search(
            statement, new Search(filter, null, start, (long) end - start))
        .map(jobs -> new JobPage(jobs, number(total))));
  }

  private Future<List<JobData>> search(SqlStatement<Search> statement, Search search) {
    return session.execute(statement, search).map(session.rows()::readable);
  }

  public Future<List<JobData>> parents(Optional<JobState> state, int limit) {
    return session
        .execute(LIST_PARENTS, new Parents(state.map(JobState::value).orElse(null), limit))
        .map(session.rows()::readable);
  }

  public Future<List<JobData>> children(String queue, String parentId) {
    return session
        .execute(LIST_CHILDREN, new JobRef(queue, parentId))
        .map(session.rows()::readable);
  }

  public Future<List<JobData>> childrenSummaries(String queue, String parentId, int limit) {
    return session
        .execute(LIST_CHILDREN_SUMMARIES, new Children(new JobRef(queue, parentId), limit))
        .map(session.rows()::readable);
  }

  public Future<Optional<Instant>> nextDelayed(String queue) {
    return session.execute(NEXT_DELAYED, queue).map(JobReads::instant);
  }

  static Optional<Instant> instant(RowSet<Row> rows) {
    for (Row row : rows) {
      return Optional.ofNullable(row.getOffsetDateTime(0)).map(OffsetDateTime::toInstant);
    }
    return Optional.empty();
  }

  public Future<List<JobData>> stalled(String queue, Instant now, int limit) {
    return session
        .execute(LIST_STALLED, new JobStatements.Due(queue, now, limit))
        .map(session.rows()::readable);
  }

  public Future<Long> inGroup(SqlStatement<OfGroup> statement, String queue, String group) {
    return session.execute(statement, new OfGroup(queue, group)).map(JobReads::number);
  }

  public Future<List<String>> lines(String queue, String jobId, int start, int end) {
    return session
        .execute(LIST_LINES, new Lines(new JobRef(queue, jobId), start, (long) end - start))
        .map(JobReads::texts);
  }

  public Future<List<String>> pauses(String queue) {
    return session.execute(LIST_PAUSES, queue).map(JobReads::texts);
  }

  private static List<String> texts(RowSet<Row> rows) {
    List<String> texts = new ArrayList<>();
    rows.forEach(row -> texts.add(row.getString(0)));
    return texts;
  }

  /** A group of a queue. */
  public record OfGroup(String queue, String group) {}

  private record OfKey(String queue, String key, Instant now) {}

  private record Listed(String queue, long start, long limit) {}

  private record Search(
      SearchJobsFilter filter, @Nullable String payload, long start, long limit) {}

  private record Parents(@Nullable String state, long limit) {}

  private record Children(JobRef parent, long limit) {}

  private record Lines(JobRef job, long start, long limit) {}
}
