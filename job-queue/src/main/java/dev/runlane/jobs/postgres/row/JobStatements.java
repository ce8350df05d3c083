package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;

/** The statements, and what several of them are given. */
public final class JobStatements {
  /** A queue's name. */
  public static final Parameters<String> OF_QUEUE =
      new Parameters<String>().value("queue", queue -> queue);

  /** A queue and a job of it. */
  public static final Parameters<JobRef> OF_JOB =
      new Parameters<JobRef>().value("queue", JobRef::queueName).value("id", JobRef::jobId);

  /** Hand-outs, as columns of a statement's rows. */
  public static final Columns<JobLock> LOCKS = new Columns<JobLock>()
      .texts("queues", JobLock::queueName)
      .texts("ids", JobLock::jobId)
      .texts("tokens", JobLock::token);

  private JobStatements() {}

  /**
   * Loads the texts and checks them against what is sent.
   *
   * @param fold the collation that knows upper and lower case, quoted
   * @param sent every statement of the store
   */
  public static BoundStatements bind(
      SchemaName schema, String fold, Collection<SqlStatement<?>> sent) {
    SqlStatements statements = SqlStatements.load(
            JobStatements.class::getResourceAsStream,
            schema,
            "sql/save.sql",
            "sql/fetch.sql",
            "sql/finish.sql",
            "sql/change.sql",
            "sql/reads.sql",
            "sql/schedules.sql",
            "sql/metrics.sql",
            "sql/events.sql",
            "sql/webhooks.sql")
        .with("fold", fold);
    for (Map.Entry<String, String> columns : JobRows.fragments().entrySet()) {
      statements = statements.with(columns.getKey(), columns.getValue());
    }
    return statements.bind(Placeholders.NUMBERED, sent);
  }

  /** Some of a queue's jobs, as of an instant. */
  public record Due(String queue, Instant at, long limit) {}

  /** Some of a queue's jobs. */
  public record Some(String queue, long limit) {
    public static final Parameters<Some> PARAMETERS =
        new Parameters<Some>().value("queue", Some::queue).value("limit", Some::limit);
  }
}
