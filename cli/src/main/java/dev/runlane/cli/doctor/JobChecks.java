package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Examination.instant;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at jobs, where the schema has them. */
final class JobChecks {
  private static final SqlStatement<@Nullable Void> KEEPS_ENDS =
      SqlStatement.plain("keeps_job_ends");
  private static final SqlStatement<Asked> WEBHOOKS =
      SqlStatement.of("late_job_webhooks", new Parameters<Asked>().time("late", Asked::lateSince));

  static final List<SqlStatement<?>> STATEMENTS = List.of(KEEPS_ENDS, WEBHOOKS);

  private static final Check LATE_WEBHOOKS = Check.ofRows(
      "job_webhooks",
      WEBHOOKS,
      WARNING,
      (row, examination) -> "Webhook " + row.getString("webhook_id") + " was not told of "
          + row.getLong("ends") + " ends of jobs, the oldest at " + instant(row, "oldest") + ".",
      "Its receiver refuses them, or no living process tells it.",
      (row, examination) -> "See the log of the processes that deploy JobWebhookVerticle, or"
          + " deploy one with this webhook.");

  static final List<Check> ALL = List.of(new Check(LATE_WEBHOOKS.name(), JobChecks::webhooks));

  private JobChecks() {}

  private static Future<List<Finding>> webhooks(Examination examination) {
    return examination
        .plainRow(KEEPS_ENDS)
        .compose(row -> row.getBoolean("there")
            ? LATE_WEBHOOKS.look().at(examination)
            : Future.succeededFuture(List.of()));
  }
}
