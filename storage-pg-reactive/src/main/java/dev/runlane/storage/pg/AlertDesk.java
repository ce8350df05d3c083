package dev.runlane.storage.pg;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Alerts and who is to be told of them; commands come here checked. */
final class AlertDesk {
  private static final SqlStatement<PgSession.Scoped<ObserveAlerts>> OBSERVE = PgSession.statement(
      "observe_alerts",
      new Parameters<ObserveAlerts>()
          .value("rule_id", ObserveAlerts::ruleId)
          .rows(
              ObserveAlerts::findings,
              new Columns<AlertFinding>()
                  .texts("alert_ids", AlertFinding::alertId)
                  .texts("subjects", AlertFinding::subject)
                  .texts("summaries", AlertFinding::text))
          .texts("channels", ObserveAlerts::channels)
          .time("now", ObserveAlerts::now)
          .time("kept_from", each -> each.now().minus(OperatorStore.ALERTS_KEPT)));
  private static final SqlStatement<PgSession.Scoped<After>> LIST = PgSession.statement(
      "list_alerts",
      new Parameters<After>()
          .value("rule_id", each -> each.query().ruleId())
          .value("is_open", each -> each.query().isOpen())
          .time("after_time", After::at)
          .value("after_id", After::id)
          .value("limit", after -> after.limit() + 1));
  private static final SqlStatement<PgSession.Scoped<ClaimAlertDeliveries>> CLAIM =
      PgSession.statement(
          "claim_alert_deliveries",
          new Parameters<ClaimAlertDeliveries>()
              .texts("channels", ClaimAlertDeliveries::channels)
              .value("token", ClaimAlertDeliveries::token)
              .time("now", ClaimAlertDeliveries::now)
              .time("claim_until", each -> each.now().plus(each.claimFor()))
              .value("limit", ClaimAlertDeliveries::limit));
  private static final SqlStatement<PgSession.Scoped<FinishAlertDeliveries>> FINISH =
      PgSession.statement(
          "finish_alert_deliveries",
          new Parameters<FinishAlertDeliveries>()
              .value("token", FinishAlertDeliveries::token)
              .rows(
                  FinishAlertDeliveries::outcomes,
                  new Columns<FinishAlertDeliveries.Outcome>()
                      .texts("alert_ids", FinishAlertDeliveries.Outcome::alertId)
                      .texts("channels", FinishAlertDeliveries.Outcome::channel)
                      .texts("changes", outcome -> outcome.change().value())
                      .times("next_times", FinishAlertDeliveries.Outcome::retryAt)));

  static final List<SqlStatement<?>> STATEMENTS = List.of(OBSERVE, LIST, CLAIM, FINISH);

  private final PgParts parts;
  private final PgSession session;

  AlertDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  Future<Void> observe(ObserveAlerts command) {
    return parts
        .alone(command.environment(), scope -> session.execute(OBSERVE, scope, command))
        .<Void>mapEmpty()
        .recover(PgFailures.during("observeAlerts"));
  }

  Future<Page<Alert>> list(ListAlerts query) {
    Cursors cursors = Cursors.of(query);
    int limit = CommandChecks.pageLimit(query.limit());
    After after = cursors
        .decode(query.cursor(), 2)
        .map(found -> new After(query, Cursors.instant(found.get(0)), found.get(1), limit))
        .orElse(new After(query, null, null, limit));
    return parts
        .alone(query.environment(), scope -> session.execute(LIST, scope, after))
        .map(rows -> Lists.mapped(rows, AlertDesk::alert))
        .map(found -> found.size() <= limit
            ? new Page<>(found, null)
            : new Page<>(found.subList(0, limit), cursor(cursors, found.get(limit - 1))))
        .recover(PgFailures.during("listAlerts"));
  }

  private static String cursor(Cursors cursors, Alert last) {
    return cursors.encode(last.openedAt().toString(), last.id());
  }

  Future<List<AlertDelivery>> claim(ClaimAlertDeliveries command) {
    return parts
        .alone(command.environment(), scope -> session.execute(CLAIM, scope, command))
        .map(rows -> Lists.mapped(rows, AlertDesk::delivery))
        .recover(PgFailures.during("claimAlertDeliveries"));
  }

  Future<Void> finish(FinishAlertDeliveries command) {
    return parts
        .alone(command.environment(), scope -> session.execute(FINISH, scope, command))
        .<Void>mapEmpty()
        .recover(PgFailures.during("finishAlertDeliveries"));
  }

  private static Alert alert(RowReader row) {
    return new Alert(
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.time(),
        row.time(),
        row.timeOrNull(),
        row.count());
  }

  private static AlertDelivery delivery(RowReader row) {
    Alert alert = alert(row);
    String channel = row.text();
    String change = row.text();
    return new AlertDelivery(
        alert,
        channel,
        AlertChange.ofValue(change)
            .orElseThrow(() -> new IllegalStateException("no such change of an alert: " + change)),
        row.count());
  }

  /** Behind which a page begins; null where it is the first. */
  private record After(
      ListAlerts query, @Nullable Instant at, @Nullable String id, int limit) {}
}
