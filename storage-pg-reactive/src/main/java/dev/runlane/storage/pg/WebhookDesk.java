package dev.runlane.storage.pg;

import dev.runlane.json.JsonWriter;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which ends webhooks are told of, and their deliveries; commands come here checked. */
final class WebhookDesk {
  /** Deliveries of a webhook that is gone, which one registration forgets: a statement of a bounded time. */
  private static final int MOST_FORGOTTEN = 10_000;

  private static final SqlStatement<PgSession.Scoped<RegisterWebhooks>> REGISTER =
      PgSession.statement(
          "register_webhooks",
          new Parameters<RegisterWebhooks>()
              .rows(
                  each -> List.copyOf(new TreeMap<>(each.webhooks()).entrySet()),
                  new Columns<Map.Entry<String, EndFilter>>()
                      .texts("webhook_ids", Map.Entry::getKey)
                      .texts("filters", each -> text(each.getValue())))
              .time("now", RegisterWebhooks::now)
              .time("kept_from", each -> each.now().minus(OperatorStore.WEBHOOK_KEPT))
              .value("most", each -> MOST_FORGOTTEN));
  private static final SqlStatement<@Nullable Void> WATCH = SqlStatement.plain("watch_ends");
  private static final SqlStatement<PgSession.Scoped<ClaimWebhookDeliveries>> CLAIM =
      PgSession.statement(
          "claim_webhook_deliveries",
          new Parameters<ClaimWebhookDeliveries>()
              .texts("webhook_ids", ClaimWebhookDeliveries::webhookIds)
              .value("token", ClaimWebhookDeliveries::token)
              .time("now", ClaimWebhookDeliveries::now)
              .time("claim_until", each -> each.now().plus(each.claimFor()))
              .value("limit", ClaimWebhookDeliveries::limit));
  private static final SqlStatement<PgSession.Scoped<FinishWebhookDeliveries>> FINISH =
      PgSession.statement(
          "finish_webhook_deliveries",
          new Parameters<FinishWebhookDeliveries>()
              .value("token", FinishWebhookDeliveries::token)
              .rows(
                  FinishWebhookDeliveries::outcomes,
                  new Columns<FinishWebhookDeliveries.Outcome>()
                      .texts("webhook_ids", FinishWebhookDeliveries.Outcome::webhookId)
                      .texts("run_ids", FinishWebhookDeliveries.Outcome::runId)
                      .times("next_times", FinishWebhookDeliveries.Outcome::retryAt)));

  static final List<SqlStatement<?>> STATEMENTS = List.of(REGISTER, WATCH, CLAIM, FINISH);

  private final PgParts parts;
  private final PgSession session;

  WebhookDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  /** The trigger that records ends comes behind the webhooks: whoever sees it sees them. */
  Future<Void> register(RegisterWebhooks command) {
    return parts
        .alone(command.environment(), scope -> session.execute(REGISTER, scope, command))
        .compose(registered ->
            command.webhooks().isEmpty() ? Future.succeededFuture() : watch().<Void>mapEmpty())
        .recover(PgFailures.during("registerWebhooks"));
  }

  private Future<RowSet<Row>> watch() {
    return parts.statement(() -> session.statements().get(WATCH).execute(session.client()));
  }

  Future<List<WebhookDelivery>> claim(ClaimWebhookDeliveries command) {
    return parts
        .alone(command.environment(), scope -> session.execute(CLAIM, scope, command))
        .map(rows -> Lists.mapped(
            rows,
            row -> new WebhookDelivery(
                row.text(),
                row.text(),
                RunStatus.ofValue(row.text()).orElseThrow(),
                row.time(),
                row.count())))
        .recover(PgFailures.during("claimWebhookDeliveries"));
  }

  Future<Void> finish(FinishWebhookDeliveries command) {
    return parts
        .alone(command.environment(), scope -> session.execute(FINISH, scope, command))
        .<Void>mapEmpty()
        .recover(PgFailures.during("finishWebhookDeliveries"));
  }

  private static String text(EndFilter filter) {
    TreeMap<String, String> tags = new TreeMap<>(filter.tags());
    JsonWriter writer = new JsonWriter();
    writer.textList(
        "statuses", filter.statuses().stream().map(RunStatus::value).sorted().toList());
    writer.textList("taskIds", filter.taskIds());
    writer.textList("queues", filter.queues());
    writer.textList("names", List.copyOf(tags.keySet()));
    writer.textList("values", List.copyOf(tags.values()));
    return writer.end();
  }
}
