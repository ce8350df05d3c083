package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.jobs.postgres.row.SentStatement;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ends hand-outs that succeeded and change nothing but their own rows: many of one queue in one statement, which
 * may hand out the next jobs besides.
 */
public final class PlainEnds {
  private static final Comparator<FinishJob> ORDER =
      Comparator.comparing(command -> command.lock().jobId());
  private static final Parameters<Ends> OF_ENDS = new Parameters<Ends>()
      .rows(
          Ends::commands,
          new Columns<FinishJob>()
              .texts("ids", each -> each.lock().jobId())
              .texts("tokens", each -> each.lock().token())
              .texts("returnvalues", each -> returnvalue(each.outcome()))
              .times("now_times", FinishJob::now));
  private static final Counted<Ends> COMPLETE = Counted.of(
      SqlStatement.of("complete_jobs", OF_ENDS.value("queue", Ends::queue)),
      SqlStatement.of(
          "complete_jobs", OF_ENDS.value("queue", Ends::queue).value("shard", Ends::shard)));
  private static final Parameters<EndsAndFetch> OF_BOTH = new Parameters<EndsAndFetch>()
      .of(EndsAndFetch::ends, OF_ENDS)
      .of(EndsAndFetch::fetch, JobFetches.OF_FETCH);
  private static final Counted<EndsAndFetch> COMPLETE_AND_FETCH = Counted.of(
      fetching(OF_BOTH), fetching(OF_BOTH.value("shard", both -> both.ends().shard())));

  public static final List<SqlStatement<?>> STATEMENTS = Stream.concat(
          COMPLETE.statements().stream(), COMPLETE_AND_FETCH.statements().stream())
      .toList();

  private final JobSession session;
  private final PooledTransactions transactions;
  private final JobFetches fetches;
  private final JobMetrics metrics;

  public PlainEnds(
      JobSession session, PooledTransactions transactions, JobFetches fetches, JobMetrics metrics) {
    this.session = session;
    this.transactions = transactions;
    this.fetches = fetches;
    this.metrics = metrics;
  }

  /** Whether the end may be written here; the job's row may still say otherwise. */
  public static boolean mayBe(FinishJob command) {
    return command.outcome() instanceof JobOutcome.Completed && command.next() == null;
  }

  /** Ends hand-outs of one queue; empty for one whose row is another's, or needs more. */
  public Future<List<Optional<FinishResult>>> complete(List<FinishJob> commands) {
    return statement(commands).send(session.client()).map(rows -> answers(commands, rows));
  }

  /** The same, and hands out jobs of that queue. */
  public Future<Both> completeAndFetch(List<FinishJob> commands, FetchJobs fetch) {
    if (JobFetches.isFree(fetch) && !fetch.options().lifo()) {
      return inOneStatement(commands, fetch);
    }
    List<SentStatement> together = new ArrayList<>(fetches.statements(fetch));
    together.add(together.size() - 1, statement(commands)); // a lock of the queue comes before rows
    return transactions.pipelined(together).compose(rows -> fetches
        .jobs(fetch, rows)
        .map(fetched -> new Both(
            answers(commands, rows.get(rows.size() - 2)),
            fetched,
            JobFetches.mayBeMore(fetch, rows))));
  }

  private Future<Both> inOneStatement(List<FinishJob> commands, FetchJobs fetch) {
    EndsAndFetch both = new EndsAndFetch(
        ends(commands), JobFetches.Fetch.of(fetch, session.ids().token()));
    return session.execute(COMPLETE_AND_FETCH.where(metrics.areKept()), both).compose(rows -> {
      Map<String, FinishResult> ended = new HashMap<>();
      List<Row> fetched = new ArrayList<>();
      for (Row row : rows) {
        String id = row.getString(JobRows.width());
        if (id == null) {
          fetched.add(row);
        } else {
          ended.put(id, ended(fetch.queueName(), row, JobRows.width()));
        }
      }
      return fetches
          .ordered(fetch, fetched)
          .map(jobs -> new Both(answers(commands, ended), jobs, false));
    });
  }

  private SentStatement statement(List<FinishJob> commands) {
    return session.sent(COMPLETE.where(metrics.areKept()), ends(commands));
  }

  private Ends ends(List<FinishJob> commands) {
    return new Ends(commands.stream().sorted(ORDER).toList(), metrics.shard());
  }

  private static SqlStatement<EndsAndFetch> fetching(Parameters<EndsAndFetch> parameters) {
    return SqlStatement.of("complete_and_fetch", parameters)
        .variant("choose", "{choose_first}")
        .variant("most", ":limit");
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
  public record Both(List<Optional<FinishResult>> ends, List<JobData> fetched, boolean mayBeMore) {}

  private record Ends(List<FinishJob> commands, short shard) {
    String queue() {
      return commands.get(0).lock().queueName();
    }
  }

  private record EndsAndFetch(Ends ends, JobFetches.Fetch fetch) {}

  /** A statement without and with the part that counts. */
  private record Counted<C>(SqlStatement<C> without, SqlStatement<C> with) {
    static <C> Counted<C> of(SqlStatement<C> without, SqlStatement<C> with) {
      return new Counted<>(
          without.variant("counting", ""), with.variant("counting", "{complete_counting}"));
    }

    SqlStatement<C> where(boolean isCounted) {
      return isCounted ? with : without;
    }

    List<SqlStatement<?>> statements() {
      return List.of(without, with);
    }
  }
}
