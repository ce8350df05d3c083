package dev.runlane.jobs.postgres.log;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lines of many jobs in one statement, of each job one. */
public final class JobLines implements BatchStatement<JobLine, Boolean> {
  private static final int MOST_TRIES = 20;

  private static final SqlStatement<List<JobLine>> APPEND = SqlStatement.of(
      "append_line",
      new Parameters<List<JobLine>>()
          .rows(
              lines -> lines,
              new Columns<JobLine>()
                  .texts("queues", line -> line.job().queueName())
                  .texts("ids", line -> line.job().jobId())
                  .texts("lines", JobLine::text)
                  .texts("tokens", JobLine::token))
          .value("most_lines", lines -> (long) JobData.MOST_LOG_LINES));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(APPEND);

  private final JobSession session;

  public JobLines(JobSession session) {
    this.session = session;
  }

  @Override
  public List<String> keys(JobLine line) {
    return List.of(line.job().queueName() + '\0' + line.job().jobId());
  }

  @Override
  public long bytes(JobLine line) {
    return line.text().length();
  }

  @Override
  public Future<List<CommandOutcome<Boolean>>> execute(List<JobLine> lines) {
    return execute(lines, 1);
  }

  /** A number that another process took meanwhile is seen by the next try. */
  private Future<List<CommandOutcome<Boolean>>> execute(List<JobLine> lines, int tries) {
    return append(lines)
        .recover(failure -> tries < MOST_TRIES && PooledTransactions.isUniqueViolation(failure)
            ? execute(lines, tries + 1)
            : Future.failedFuture(failure));
  }

  private Future<List<CommandOutcome<Boolean>>> append(List<JobLine> lines) {
    List<JobLine> ordered = lines.stream()
        .sorted(Comparator.<JobLine, String>comparing(line -> line.job().queueName())
            .thenComparing(line -> line.job().jobId()))
        .toList();
    return session.execute(APPEND, ordered).map(rows -> {
      Set<JobRef> added = new HashSet<>();
      rows.forEach(row -> added.add(new JobRef(row.getString(0), row.getString(1))));
      return lines.stream()
          .map(line ->
              (CommandOutcome<Boolean>) new CommandOutcome.Succeeded<>(added.contains(line.job())))
          .toList();
    });
  }
}
