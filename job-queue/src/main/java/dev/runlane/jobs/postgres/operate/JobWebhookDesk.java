package dev.runlane.jobs.postgres.operate;

import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.json.JsonWriter;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which ends webhooks are told of, and their deliveries; commands come here checked. */
public final class JobWebhookDesk {
  /** Deliveries of a webhook that is gone, which one registration forgets: a statement of a bounded time. */
  private static final int MOST_FORGOTTEN = 10_000;

  private static final SqlStatement<RegisterJobWebhooks> REGISTER = SqlStatement.of(
      "register_job_webhooks",
      new Parameters<RegisterJobWebhooks>()
          .rows(
              each -> List.copyOf(new TreeMap<>(each.webhooks()).entrySet()),
              new Columns<Map.Entry<String, JobEndFilter>>()
                  .texts("webhook_ids", Map.Entry::getKey)
                  .texts("filters", each -> text(each.getValue())))
          .time("now", RegisterJobWebhooks::now)
          .time("kept_from", each -> each.now().minus(JobWebhookStore.KEPT))
          .value("most", each -> MOST_FORGOTTEN));
  private static final SqlStatement<@Nullable Void> WATCH = SqlStatement.plain("watch_job_ends");
  private static final SqlStatement<ClaimJobDeliveries> CLAIM = SqlStatement.of(
      "claim_job_deliveries",
      new Parameters<ClaimJobDeliveries>()
          .texts("webhook_ids", ClaimJobDeliveries::webhookIds)
          .value("token", ClaimJobDeliveries::token)
          .time("now", ClaimJobDeliveries::now)
          .time("claim_until", each -> each.now().plus(each.claimFor()))
          .value("limit", each -> (long) each.limit()));
  private static final SqlStatement<FinishJobDeliveries> FINISH = SqlStatement.of(
      "finish_job_deliveries",
      new Parameters<FinishJobDeliveries>()
          .value("token", FinishJobDeliveries::token)
          .rows(
              FinishJobDeliveries::outcomes,
              new Columns<FinishJobDeliveries.Outcome>()
                  .texts("ids", FinishJobDeliveries.Outcome::deliveryId)
                  .times("next_times", FinishJobDeliveries.Outcome::retryAt)));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(REGISTER, WATCH, CLAIM, FINISH);

  private final JobSession session;
  private final PooledTransactions transactions;

  public JobWebhookDesk(JobSession session, PooledTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
  }

  /** The trigger that records ends comes behind the webhooks: whoever sees it sees them. */
  public Future<Void> register(RegisterJobWebhooks command) {
    return transactions
        .statement("registerWebhooks", () -> session.execute(REGISTER, command))
        .compose(registered -> command.webhooks().isEmpty()
            ? Future.succeededFuture()
            : transactions
                .statement("registerWebhooks", () -> session.execute(WATCH))
                .<Void>mapEmpty());
  }

  public Future<List<JobDelivery>> claim(ClaimJobDeliveries command) {
    return transactions
        .statement("claimDeliveries", () -> session.execute(CLAIM, command))
        .map(rows -> {
          List<JobDelivery> claimed = new ArrayList<>();
          rows.forEach(row -> claimed.add(delivery(row)));
          return claimed;
        });
  }

  private static JobDelivery delivery(Row row) {
    return new JobDelivery(
        row.getString(0),
        row.getString(1),
        new JobRef(row.getString(2), row.getString(3)),
        row.getString(4),
        JobState.ofValue(row.getString(5)).orElseThrow(),
        row.getOffsetDateTime(6).toInstant(),
        row.getOffsetDateTime(7).toInstant(),
        row.getInteger(8),
        row.getBoolean(9),
        row.getInteger(10));
  }

  public Future<Void> finish(FinishJobDeliveries command) {
    return transactions
        .statement("finishDeliveries", () -> session.execute(FINISH, command))
        .mapEmpty();
  }

  private static String text(JobEndFilter filter) {
    JsonWriter writer = new JsonWriter();
    writer.textList(
        "states", filter.states().stream().map(JobState::value).sorted().toList());
    writer.textList("queues", filter.queueNames());
    writer.textList("names", filter.names());
    return writer.end();
  }
}
