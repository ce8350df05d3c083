package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Examination.instant;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.cli.terminal.PlainText;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at jobs, where the schema has them. */
final class JobChecks {
  private static final SqlStatement<@Nullable Void> TABLES = SqlStatement.plain("job_tables");
  private static final SqlStatement<Asked> PAUSED =
      SqlStatement.of("paused_jobs", new Parameters<Asked>());
  private static final SqlStatement<Asked> WEBHOOKS =
      SqlStatement.of("late_job_webhooks", new Parameters<Asked>().time("late", Asked::lateSince));

  private static final SqlStatement<Asked> WAITING = SqlStatement.of(
      "waiting_jobs", new Parameters<Asked>().time("before", Asked::unansweredSince));

  static final List<SqlStatement<?>> STATEMENTS = List.of(TABLES, PAUSED, WAITING, WEBHOOKS);

  private static final Check LATE_WEBHOOKS = Check.ofRows(
      "job_webhooks",
      WEBHOOKS,
      WARNING,
      (row, examination) -> "Webhook " + row.getString("webhook_id") + " was not told of "
          + row.getLong("ends") + " ends of jobs, the oldest at " + instant(row, "oldest") + ".",
      "Its receiver refuses them, or no living process tells it.",
      (row, examination) -> "See the log of the processes that deploy JobWebhookVerticle, or"
          + " deploy one with this webhook.");

  private static final Check PAUSED_JOBS = Check.ofRows(
      "paused_jobs",
      PAUSED,
      WARNING,
      (row, examination) -> "Job queue " + row.getString("queue") + " is paused"
          + (row.getString("name") == null
              ? " while " + row.getLong("jobs") + " jobs wait"
              : " for jobs named " + row.getString("name") + " while " + row.getLong("jobs")
                  + " of them wait")
          + ", the oldest since "
          + instant(row, "oldest") + ".",
      "No worker is handed one until it is resumed, and others are added meanwhile.",
      (row, examination) -> "runlane jobs resume " + PlainText.shellWord(row.getString("queue"))
          + (row.getString("name") == null
              ? ""
              : " --name " + PlainText.shellWord(row.getString("name"))));

  private static final Check WAITING_JOBS = Check.ofRows(
      "waiting_jobs",
      WAITING,
      WARNING,
      (row, examination) -> row.getLong("jobs") + " jobs of queue " + row.getString("queue")
          + " have waited for ten minutes and more, the oldest since " + instant(row, "oldest")
          + ", and no worker has had a job of that queue since.",
      "No worker of the queue lives, or limits of groups hold all of them back.",
      (row, examination) -> "Start a worker of the queue; which jobs: runlane jobs list "
          + PlainText.shellWord(row.getString("queue")) + " --state waiting");

  static final List<Check> ALL = List.of(
      where("has_jobs", PAUSED_JOBS),
      where("has_jobs", WAITING_JOBS),
      where("has_ends", LATE_WEBHOOKS));

  private JobChecks() {}

  /** Looks only where the schema has the tables. */
  private static Check where(String tables, Check check) {
    return new Check(check.name(), examination -> examination
        .plainRow(TABLES)
        .compose(row -> row.getBoolean(tables)
            ? check.look().at(examination)
            : Future.succeededFuture(List.of())));
  }
}
