package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.postgres.JobCommands;
import dev.runlane.jobs.postgres.PgJobParts;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobEntries;
import dev.runlane.jobs.postgres.life.JobFetches;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.life.JobWork;
import dev.runlane.jobs.postgres.life.PlainEnds;
import dev.runlane.jobs.postgres.log.JobEvents;
import dev.runlane.jobs.postgres.log.JobLines;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.operate.JobChanges;
import dev.runlane.jobs.postgres.operate.JobReads;
import dev.runlane.jobs.postgres.operate.JobSchedules;
import dev.runlane.jobs.postgres.operate.QueueRemovals;
import dev.runlane.postgres.BoundStatements;
import dev.runlane.postgres.Parameters;
import dev.runlane.postgres.Placeholders;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatement;
import dev.runlane.postgres.SqlStatements;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The statements, and what several of them are given. */
public final class JobStatements {
  /** A queue's name. */
  public static final Parameters<String> OF_QUEUE =
      new Parameters<String>().value("queue", queue -> queue);

  /** A queue and a job of it. */
  public static final Parameters<JobRef> OF_JOB =
      new Parameters<JobRef>().value("queue", JobRef::queueName).value("id", JobRef::jobId);

  private JobStatements() {}

  /** @param fold the collation that knows upper and lower case, quoted */
  public static BoundStatements bind(SchemaName schema, String fold) {
    SqlStatements statements = SqlStatements.load(
            JobStatements.class,
            schema,
            "sql/save.sql",
            "sql/fetch.sql",
            "sql/finish.sql",
            "sql/change.sql",
            "sql/reads.sql",
            "sql/schedules.sql",
            "sql/metrics.sql",
            "sql/events.sql")
        .with("fold", fold);
    for (Map.Entry<String, String> columns : JobRows.fragments().entrySet()) {
      statements = statements.with(columns.getKey(), columns.getValue());
    }
    return statements.bind(Placeholders.NUMBERED, all());
  }

  /** Not a constant: those that it names are made of constants of this class. */
  private static List<SqlStatement<?>> all() {
    return Stream.of(
            BulkChanges.STATEMENTS,
            JobChanges.STATEMENTS,
            JobCommands.STATEMENTS,
            JobEntries.STATEMENTS,
            JobEvents.STATEMENTS,
            JobFetches.STATEMENTS,
            JobLines.STATEMENTS,
            JobMetrics.STATEMENTS,
            JobReads.STATEMENTS,
            JobSaves.STATEMENTS,
            JobSchedules.STATEMENTS,
            JobWork.STATEMENTS,
            PgJobParts.STATEMENTS,
            PgJobStore.STATEMENTS,
            PlainEnds.STATEMENTS,
            QueueRemovals.STATEMENTS)
        .<SqlStatement<?>>flatMap(List::stream)
        .toList();
  }

  /** Some of a queue's jobs, as of an instant. */
  public record Due(String queue, Instant at, long limit) {}

  /** Some of a queue's jobs. */
  public record Some(String queue, long limit) {
    public static final Parameters<Some> PARAMETERS =
        new Parameters<Some>().value("queue", Some::queue).value("limit", Some::limit);
  }
}
