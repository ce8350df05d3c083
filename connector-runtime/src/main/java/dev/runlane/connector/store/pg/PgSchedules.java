package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ConnectorRef;
import dev.runlane.connector.store.ConnectorSchedule;
import dev.runlane.connector.store.PutSchedule;
import dev.runlane.connector.store.RunIdentity;
import dev.runlane.connector.store.ScheduleNotice;
import dev.runlane.connector.store.Schedules;
import dev.runlane.connector.store.SettleSchedule;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.postgres.LeaseBound;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Schedules in Postgres. */
final class PgSchedules implements Schedules {
  private static final int MOST_CLAIMED = 1_000;

  private final PgCalls calls;
  private final LeaseBound claims;

  PgSchedules(PgCalls calls, LeaseBound claims) {
    this.calls = calls;
    this.claims = claims;
  }

  @Override
  public Future<ConnectorSchedule> put(PutSchedule command) {
    return calls
        .statement(
            "put",
            () -> StoreChecks.requireSchedule(command),
            session -> session.list(
                "put_schedule",
                Tuple.of(session.env())
                    .addString(command.connector().connectorId())
                    .addString(command.connector().instanceId())
                    .addLong(command.interval().toSeconds())
                    .addLong(command.jitter().toSeconds())
                    .addBoolean(command.enabled())
                    .addString(command.grantId())
                    .addOffsetDateTime(utc(command.now()))
                    .addBoolean(command.keepsGrant()),
                PgSchedules::read))
        .map(stored -> stored.get(0));
  }

  @Override
  public Future<Optional<ConnectorSchedule>> pause(String instanceId, Instant now) {
    return enable("pause", instanceId, false, now);
  }

  @Override
  public Future<Optional<ConnectorSchedule>> resume(String instanceId, Instant now) {
    return enable("resume", instanceId, true, now);
  }

  private Future<Optional<ConnectorSchedule>> enable(
      String operation, String instanceId, boolean enabled, Instant now) {
    return calls.statement(
        operation,
        () -> StoreChecks.requireInstance(instanceId),
        session -> session.first(
            "enable_schedule",
            Tuple.of(session.env(), instanceId, enabled, utc(now)),
            PgSchedules::read));
  }

  @Override
  public Future<Boolean> delete(String instanceId) {
    return calls.statement(
        "delete", () -> StoreChecks.requireInstance(instanceId), session -> session
            .update("delete_schedule", Tuple.of(session.env(), instanceId))
            .map(deleted -> deleted == 1));
  }

  @Override
  public Future<Optional<ConnectorSchedule>> find(String instanceId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireInstance(instanceId),
        session ->
            session.first("schedule", Tuple.of(session.env(), instanceId), PgSchedules::read));
  }

  @Override
  public Future<List<ConnectorSchedule>> list() {
    return calls.statement(
        "list",
        () -> {},
        session -> session.list("schedules", Tuple.of(session.env()), PgSchedules::read));
  }

  @Override
  public Future<List<ConnectorSchedule>> claimDue(
      String claim, Instant now, Instant until, int limit) {
    claims.asked(Duration.between(now, until));
    return calls.statement(
        "claimDue",
        () -> StoreChecks.requireLimit(limit, MOST_CLAIMED),
        session -> session.list(
            "claim_schedules",
            Tuple.of(session.env(), utc(now), claim, utc(until), (long) limit),
            PgSchedules::read));
  }

  @Override
  public Future<Boolean> renew(String instanceId, String claim, Instant until) {
    return calls.statement(
        "renew", () -> StoreChecks.requireInstance(instanceId), session -> session
            .update("renew_claim", Tuple.of(session.env(), instanceId, claim, utc(until)))
            .map(held -> held == 1));
  }

  @Override
  public Future<Boolean> settle(SettleSchedule command) {
    return calls.transaction(
        "settle", () -> StoreChecks.requireConnector(command.connector()), session -> session
            .update(
                "settle_schedule",
                Tuple.of(session.env(), command.connector().instanceId(), command.claim())
                    .addOffsetDateTime(utc(command.checkAt()))
                    .addString(command.condition())
                    .addString(command.stopReason())
                    .addLong(command.told().number())
                    .addString(command.told().attention()))
            .compose(settled ->
                settled == 1 ? tell(session, command).map(true) : Future.succeededFuture(false)));
  }

  private static Future<Void> tell(PgSession session, SettleSchedule command) {
    SettleSchedule.Unstarted unstarted = command.unstarted();
    Future<Void> told =
        unstarted == null ? Future.succeededFuture() : keep(session, unstarted, command.now());
    for (ScheduleNotice notice : command.told().notices()) {
      told = told.compose(before -> add(session, notice));
    }
    return told;
  }

  private static Future<Void> keep(
      PgSession session, SettleSchedule.Unstarted unstarted, Instant now) {
    Tuple entry = HistoryRows.parameters(session.env(), unstarted.entry());
    TimelineEvent terminal = unstarted.terminal();
    return terminal == null
        ? session
            .execute("skip_run", entry)
            .compose(kept -> session.execute(
                "note_instance",
                Tuple.of(session.env(), unstarted.entry().run().connector().instanceId())))
            .mapEmpty()
        : session
            .execute("insert_history", entry)
            .compose(kept -> session.execute(
                "end_unstarted", terminal(session.env(), unstarted.entry().run(), terminal, now)))
            .mapEmpty();
  }

  private static Tuple terminal(int env, RunIdentity run, TimelineEvent event, Instant now) {
    return Tuple.of(env, run.runId(), event.eventId())
        .addString(event.type().value())
        .addString(event.status())
        .addOffsetDateTime(utc(now))
        .addString(run.traceId())
        .addString(run.connector().connectorId())
        .addString(run.connector().instanceId())
        .addString(event.actor().value())
        .addString(event.grantId())
        .addString(event.data().text());
  }

  private static Future<Void> add(PgSession session, ScheduleNotice notice) {
    return session
        .execute(
            "add_notice",
            Tuple.of(session.env())
                .addString(notice.connector().connectorId())
                .addString(notice.connector().instanceId())
                .addString(notice.kind())
                .addString(notice.reason())
                .addString(notice.runId())
                .addOffsetDateTime(utc(notice.createdAt())))
        .mapEmpty();
  }

  @Override
  public Future<List<ScheduleNotice>> claimNotices(Instant now, Instant until, int limit) {
    claims.asked(Duration.between(now, until));
    return calls.statement(
        "claimNotices",
        () -> StoreChecks.requireLimit(limit, MOST_CLAIMED),
        session -> session.list(
            "claim_notices",
            Tuple.of(session.env(), utc(now), utc(until), (long) limit),
            row -> new ScheduleNotice(
                row.getLong("notice_seq"),
                connector(row),
                row.getString("kind"),
                row.getString("reason"),
                row.getString("run_id"),
                instant(row, "created_at"),
                row.getInteger("attempts"))));
  }

  @Override
  public Future<Void> postpone(long notice, Instant until) {
    return calls
        .statement(
            "postpone",
            () -> {},
            session ->
                session.update("postpone_notice", Tuple.of(session.env(), notice, utc(until))))
        .mapEmpty();
  }

  @Override
  public Future<Void> remove(long notice) {
    return calls
        .statement(
            "remove",
            () -> {},
            session -> session.update("remove_notice", Tuple.of(session.env(), notice)))
        .mapEmpty();
  }

  private static ConnectorRef connector(Row row) {
    return new ConnectorRef(row.getString("connector_id"), row.getString("connector_instance_id"));
  }

  private static ConnectorSchedule read(Row row) {
    String attention = row.getString("attention_run_id");
    return new ConnectorSchedule(
        connector(row),
        Duration.ofSeconds(row.getLong("interval_seconds")),
        Duration.ofSeconds(row.getLong("jitter_seconds")),
        row.getBoolean("enabled"),
        row.getString("grant_id"),
        instant(row, "created_at"),
        instant(row, "updated_at"),
        instant(row, "check_at"),
        attention == null
            ? null
            : new ConnectorSchedule.Attention(
                attention, row.getString("attention_reason"), instant(row, "attention_since")),
        row.getString("stop_reason"),
        row.getString("condition"),
        row.getLong("told_seq"),
        row.getString("told_attention"));
  }
}
