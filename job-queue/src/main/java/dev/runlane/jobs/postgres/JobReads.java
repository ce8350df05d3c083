package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobPage;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobStore;
import dev.runlane.jobs.QueueInfo;
import dev.runlane.jobs.SearchJobsFilter;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything that only looks. */
final class JobReads {
  /** In the order in which {@code count_states} and {@code list_queues} count. */
  private static final List<JobState> COUNTED = List.of(
      JobState.WAITING,
      JobState.WAITING_CHILDREN,
      JobState.DELAYED,
      JobState.ACTIVE,
      JobState.COMPLETED,
      JobState.FAILED);

  private final JobSession session;
  private final String listQueues;
  private final String searchJobs;
  private final String countJobs;

  /** @param fold the collation that knows upper and lower case, quoted */
  JobReads(JobSession session, String fold) {
    this.session = session;
    JobStatements statements = session.statements();
    String most = String.valueOf(JobStore.MOST_LOOKED_AT);
    Map<String, String> listed =
        new HashMap<>(Map.of("queue", "NULL", "states", "'{}'", "most", most));
    listed.put("looked_at", statements.fill("looked_at", listed));
    listed.put("queues", statements.fill("queues", listed));
    listQueues = statements.fill("list_queues", listed);
    Map<String, String> searched =
        new HashMap<>(Map.of("queue", "$1", "states", "$2", "most", most, "fold", fold));
    searched.put("looked_at", statements.fill("looked_at", searched));
    searched.put("queues", statements.fill("queues", searched));
    searched.put("found", statements.fill("found", searched));
    searchJobs = statements.fill("search_jobs", searched);
    countJobs = statements.fill("count_jobs", searched);
  }

  Future<Optional<JobData>> get(String queue, String jobId) {
    return session.execute("get_job", Tuple.of(queue, jobId)).map(rows -> {
      for (Row row : rows) {
        return Optional.of(JobEntries.withEntries(session, row));
      }
      return Optional.empty();
    });
  }

  Future<Optional<JobData>> find(String jobId) {
    return session.execute("queues_with_job", Tuple.of(jobId)).compose(rows -> {
      for (Row row : rows) {
        return get(row.getString(0), jobId);
      }
      return Future.succeededFuture(Optional.empty());
    });
  }

  Future<Optional<JobData>> byKey(String queue, String key, Instant now) {
    return session
        .execute("find_slot_holder", Tuple.of(queue, key, ArrayTuple.utc(now)))
        .map(rows -> session.rows().jobs(rows).stream().findFirst());
  }

  Future<Long> count(String queue, JobState state) {
    Future<RowSet<Row>> counted = state == JobState.WAITING
        ? session.execute("count_waiting", Tuple.of(queue))
        : session.execute("count_state", Map.of("state", state.value()), Tuple.of(queue));
    return counted.map(JobReads::number);
  }

  private static Long number(RowSet<Row> rows) {
    return rows.iterator().next().getLong(0);
  }

  Future<Map<JobState, Long>> counts(String queue) {
    return session
        .execute("count_states", Tuple.of(queue))
        .map(rows -> counts(rows.iterator().next(), 0));
  }

  private static Map<JobState, Long> counts(Row row, int from) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (int index = 0; index < COUNTED.size(); index++) {
      counts.put(COUNTED.get(index), row.getLong(from + index));
    }
    return counts;
  }

  Future<List<JobData>> list(String queue, JobState state, int start, int end) {
    Tuple parameters = Tuple.of(queue, (long) start, (long) end - start);
    if (state == JobState.WAITING) {
      return session.execute("list_waiting", parameters).map(session.rows()::jobs);
    }
    Map<String, String> variant = Map.of(
        "state",
        state.value(),
        "order",
        switch (state) {
          case COMPLETED -> "j.completed_at DESC, abs(j.place) DESC";
          case FAILED -> "j.failed_at DESC, abs(j.place) DESC";
          default -> "j.created_at, abs(j.place)";
        });
    return session.execute("list_jobs", variant, parameters).map(session.rows()::jobs);
  }

  Future<List<QueueInfo>> queues() {
    return session.send(listQueues, Tuple.tuple()).map(rows -> {
      List<QueueInfo> queues = new ArrayList<>();
      for (Row row : rows) {
        OffsetDateTime latest = row.getOffsetDateTime(8);
        queues.add(new QueueInfo(
            row.getString(0),
            counts(row, 1),
            row.getBoolean(7),
            latest == null ? null : latest.toInstant(),
            row.getLong(9)));
      }
      return queues;
    });
  }

  Future<List<JobData>> searchByName(String query, Optional<String> queue, int limit) {
    SearchJobsFilter filter =
        new SearchJobsFilter(queue.orElse(null), List.of(), query, null, null);
    return search(filter, null, 0, limit);
  }

  Future<List<JobData>> searchByPayload(String queue, String query, int limit) {
    SearchJobsFilter filter = new SearchJobsFilter(queue, List.of(), null, null, null);
    return search(filter, query, 0, limit);
  }

  Future<JobPage> search(SearchJobsFilter filter, int start, int end) {
    return session.send(countJobs, filters(filter).addString(null)).compose(total -> search(
            filter, null, start, end)
        .map(jobs -> new JobPage(jobs, number(total))));
  }

  private Future<List<JobData>> search(
      SearchJobsFilter filter, @Nullable String payload, int start, int end) {
    Tuple parameters =
        filters(filter).addString(payload).addLong((long) start).addLong((long) end - start);
    return session.send(searchJobs, parameters).map(session.rows()::jobs);
  }

  private static Tuple filters(SearchJobsFilter filter) {
    return Tuple.tuple()
        .addString(filter.queueName())
        .addArrayOfString(filter.states().stream().map(JobState::value).toArray(String[]::new))
        .addString(filter.name())
        .addOffsetDateTime(ArrayTuple.utcOrNull(filter.createdAfter()))
        .addOffsetDateTime(ArrayTuple.utcOrNull(filter.createdBefore()));
  }

  Future<List<JobData>> parents(Optional<JobState> state, int limit) {
    Tuple parameters =
        Tuple.tuple().addString(state.map(JobState::value).orElse(null)).addLong((long) limit);
    return session.execute("list_parents", parameters).map(session.rows()::jobs);
  }

  Future<List<JobData>> children(String queue, String parentId) {
    return session.execute("list_children", Tuple.of(queue, parentId)).map(session.rows()::jobs);
  }

  Future<Optional<Instant>> nextDelayed(String queue) {
    return session.execute("next_delayed", Tuple.of(queue)).map(JobReads::instant);
  }

  static Optional<Instant> instant(RowSet<Row> rows) {
    for (Row row : rows) {
      return Optional.ofNullable(row.getOffsetDateTime(0)).map(OffsetDateTime::toInstant);
    }
    return Optional.empty();
  }

  Future<List<JobData>> stalled(String queue, Instant now, int limit) {
    return session
        .execute("list_stalled", Tuple.of(queue, ArrayTuple.utc(now), (long) limit))
        .map(session.rows()::jobs);
  }

  Future<Long> inGroup(String statement, String queue, String group) {
    return session.execute(statement, Tuple.of(queue, group)).map(JobReads::number);
  }

  Future<List<String>> lines(String queue, String jobId, int start, int end) {
    return session
        .execute("list_lines", Tuple.of(queue, jobId, (long) start, (long) end - start))
        .map(JobReads::texts);
  }

  Future<List<String>> pauses(String queue) {
    return session.execute("list_pauses", Tuple.of(queue)).map(JobReads::texts);
  }

  private static List<String> texts(RowSet<Row> rows) {
    List<String> texts = new ArrayList<>();
    rows.forEach(row -> texts.add(row.getString(0)));
    return texts;
  }
}
