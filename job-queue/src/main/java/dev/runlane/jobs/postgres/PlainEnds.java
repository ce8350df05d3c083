package dev.runlane.jobs.postgres;

import dev.runlane.jobs.FetchJobs;
import dev.runlane.jobs.FinishJob;
import dev.runlane.jobs.FinishResult;
import dev.runlane.jobs.FinishedJob;
import dev.runlane.jobs.JobChange;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends hand-outs that succeeded and change nothing but their own rows: many of one queue in one statement, which
 * may hand out the next jobs besides.
 */
final class PlainEnds {
  private static final Comparator<FinishJob> ORDER =
      Comparator.comparing(command -> command.lock().jobId());
  private final JobSession session;
  private final PooledTransactions transactions;
  private final JobFetches fetches;
  private final JobMetrics metrics;
  private final String complete;
  private final String completeAndFetch;

  PlainEnds(
      JobSession session, PooledTransactions transactions, JobFetches fetches, JobMetrics metrics) {
    this.session = session;
    this.transactions = transactions;
    this.fetches = fetches;
    this.metrics = metrics;
    complete = session
        .statements()
        .fill("complete_jobs", Map.of("complete", part(session, metrics, "$6")));
    Map<String, String> parts = new HashMap<>(JobFetches.parts(session.statements(), 6));
    parts.put("complete", part(session, metrics, "$12"));
    completeAndFetch = session.statements().fill("complete_and_fetch", parts);
  }

  private static String part(JobSession session, JobMetrics metrics, String shard) {
    String counting = metrics.areKept()
        ? session.statements().fill("complete_counting", Map.of("shard", shard))
        : "";
    return session.statements().fill("complete", Map.of("counting", counting));
  }

  /** Whether the end may be written here; the job's row may still say otherwise. */
  static boolean mayBe(FinishJob command) {
    return command.outcome() instanceof JobOutcome.Completed && command.next() == null;
  }

  /** Ends hand-outs of one queue; empty for one whose row is another's, or needs more. */
  Future<List<Optional<FinishResult>>> complete(List<FinishJob> commands) {
    SentStatement statement = statement(commands);
    return session
        .send(statement.sql(), statement.parameters())
        .map(rows -> answers(commands, rows));
  }

  /** The same, and hands out jobs of that queue. */
  Future<Both> completeAndFetch(List<FinishJob> commands, FetchJobs fetch) {
    if (JobFetches.isFree(fetch) && !fetch.options().lifo()) {
      return inOneStatement(commands, fetch);
    }
    List<SentStatement> together = new ArrayList<>(fetches.statements(fetch));
    together.add(together.size() - 1, statement(commands)); // a lock of the queue comes before rows
    return transactions
        .pipelined(together)
        .map(rows -> new Both(
            answers(commands, rows.get(rows.size() - 2)),
            fetches.jobs(fetch, rows),
            JobFetches.mayBeMore(fetch, rows)));
  }

  private Future<Both> inOneStatement(List<FinishJob> commands, FetchJobs fetch) {
    Tuple parameters =
        JobFetches.addParameters(ends(commands), fetch, session.ids().token());
    return session.send(completeAndFetch, counting(parameters)).map(rows -> {
      Map<String, FinishResult> ended = new HashMap<>();
      List<StoredJob> fetched = new ArrayList<>();
      for (Row row : rows) {
        String id = row.getString(JobRows.width());
        if (id == null) {
          fetched.add(session.rows().stored(row));
        } else {
          ended.put(id, ended(fetch.queueName(), row, JobRows.width()));
        }
      }
      return new Both(answers(commands, ended), JobFetches.ordered(fetch, fetched), false);
    });
  }

  private SentStatement statement(List<FinishJob> commands) {
    return new SentStatement(complete, counting(ends(commands)));
  }

  private Tuple counting(Tuple parameters) {
    return metrics.areKept() ? parameters.addShort(metrics.shard()) : parameters;
  }

  private static Tuple ends(List<FinishJob> commands) {
    Tuple parameters = Tuple.of(commands.get(0).lock().queueName());
    new ArrayTuple<>(commands.stream().sorted(ORDER).toList(), parameters)
        .texts(each -> each.lock().jobId())
        .texts(each -> each.lock().token())
        .texts(each -> returnvalue(each.outcome()))
        .times(FinishJob::now);
    return parameters;
  }

  private static @Nullable String returnvalue(JobOutcome outcome) {
    Json value = outcome instanceof JobOutcome.Completed done ? done.returnvalue() : null;
    return value == null ? null : value.text();
  }

  private static FinishResult ended(String queue, Row row, int at) {
    JobChange change = new JobChange(
        queue,
        row.getString(at),
        JobState.COMPLETED,
        row.getString(at + 2),
        false,
        row.getBoolean(at + 1));
    return new FinishResult.Finished(new FinishedJob(change, List.of(), null, null));
  }

  private static List<Optional<FinishResult>> answers(List<FinishJob> commands, RowSet<Row> rows) {
    String queue = commands.get(0).lock().queueName();
    Map<String, FinishResult> ended = new HashMap<>();
    rows.forEach(row -> ended.put(row.getString(0), ended(queue, row, 0)));
    return answers(commands, ended);
  }

  private static List<Optional<FinishResult>> answers(
      List<FinishJob> commands, Map<String, FinishResult> ended) {
    return commands.stream()
        .map(command -> Optional.ofNullable(ended.get(command.lock().jobId())))
        .toList();
  }

  /**
   * What one statement did.
   *
   * @param ends as of {@link #complete}
   * @param fetched the jobs that were handed out, best first
   * @param mayBeMore whether the fetch has not looked at all it needs, and is to be made again
   */
  record Both(List<Optional<FinishResult>> ends, List<JobData> fetched, boolean mayBeMore) {}
}
