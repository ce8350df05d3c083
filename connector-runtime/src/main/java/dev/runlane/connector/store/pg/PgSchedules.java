package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.connector.store.schedule.SettleSchedule;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Schedules in Postgres. */
final class PgSchedules implements Schedules {
  private static final SqlStatement<PgSession.Given<PutSchedule>> PUT = PgSession.statement(
      "put_schedule",
      new Parameters<PutSchedule>()
          .value("connector_id", put -> put.connector().connectorId())
          .value("instance_id", put -> put.connector().instanceId())
          .value("interval", put -> put.interval().toSeconds())
          .value("jitter", put -> put.jitter().toSeconds())
          .value("enabled", PutSchedule::enabled)
          .value("grant_id", PutSchedule::grantId)
          .value("now", put -> utc(put.now()))
          .value("keeps_grant", PutSchedule::keepsGrant));
  private static final SqlStatement<PgSession.Given<Enabled>> ENABLE = PgSession.statement(
      "enable_schedule",
      new Parameters<Enabled>()
          .value("instance_id", Enabled::instanceId)
          .value("enabled", Enabled::enabled)
          .value("now", enabled -> utc(enabled.now())));
  private static final SqlStatement<PgSession.Given<String>> DELETE =
      PgSession.statement("delete_schedule", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<String>> FIND =
      PgSession.statement("schedule", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<@Nullable Void>> LIST =
      PgSession.statement("schedules");
  private static final SqlStatement<PgSession.Given<Due>> CLAIM = PgSession.statement(
      "claim_schedules",
      Due.PARAMETERS
          .value("claim", Due::claim)
          .texts("left", due -> List.copyOf(due.left().connectorIds()))
          .value("overdue", due -> utc(due.left().overdue())));
  private static final SqlStatement<PgSession.Given<Renewed>> RENEW = PgSession.statement(
      "renew_claim",
      new Parameters<Renewed>()
          .value("instance_id", Renewed::instanceId)
          .value("claim", Renewed::claim)
          .value("until", renewed -> utc(renewed.until())));
  private static final SqlStatement<PgSession.Given<SettleSchedule>> SETTLE = PgSession.statement(
      "settle_schedule",
      new Parameters<SettleSchedule>()
          .value("instance_id", settle -> settle.connector().instanceId())
          .value("claim", SettleSchedule::claim)
          .value("check_at", settle -> utc(settle.checkAt()))
          .value("condition", SettleSchedule::condition)
          .value("stop_reason", SettleSchedule::stopReason)
          .value("told_seq", settle -> settle.noticeState().number())
          .value("told_attention", settle -> settle.noticeState().attention()));
  private static final SqlStatement<PgSession.Given<RunHistoryEntry>> SKIP =
      PgSession.statement("skip_run", HistoryRows.PARAMETERS);
  private static final SqlStatement<PgSession.Given<Ended>> END_UNSTARTED = PgSession.statement(
      "end_unstarted",
      new Parameters<Ended>()
          .value("run_id", ended -> ended.run().runId())
          .value("event_id", ended -> ended.event().eventId())
          .value("event_type", ended -> ended.event().type().value())
          .value("status", ended -> ended.event().status())
          .value("now", ended -> utc(ended.now()))
          .value("trace_id", ended -> ended.run().traceId())
          .value("connector_id", ended -> ended.run().connector().connectorId())
          .value("instance_id", ended -> ended.run().connector().instanceId())
          .value("actor_type", ended -> ended.event().actor().value())
          .value("grant_id", ended -> ended.event().grantId())
          .value("data", ended -> ended.event().data().text()));
  private static final SqlStatement<PgSession.Given<String>> NOTE_INSTANCE =
      PgSession.statement("note_instance", PgStatements.OF_INSTANCE);
  private static final SqlStatement<PgSession.Given<ScheduleNotice>> ADD_NOTICE =
      PgSession.statement(
          "add_notice",
          new Parameters<ScheduleNotice>()
              .value("connector_id", notice -> notice.connector().connectorId())
              .value("instance_id", notice -> notice.connector().instanceId())
              .value("kind", ScheduleNotice::kind)
              .value("reason", ScheduleNotice::reason)
              .value("run_id", ScheduleNotice::runId)
              .value("created_at", notice -> utc(notice.createdAt())));
  private static final SqlStatement<PgSession.Given<Due>> CLAIM_NOTICES = PgSession.statement(
      "claim_notices",
      Due.PARAMETERS.value("too_old", due -> utc(due.now().minus(ScheduleNotice.OLDEST_SENT))));
  private static final SqlStatement<PgSession.Given<Postponed>> POSTPONE = PgSession.statement(
      "postpone_notice",
      new Parameters<Postponed>()
          .value("notice", Postponed::notice)
          .value("until", postponed -> utc(postponed.until())));
  private static final SqlStatement<PgSession.Given<Long>> REMOVE_NOTICE = PgSession.statement(
      "remove_notice", new Parameters<Long>().value("notice", notice -> notice));
  private static final SqlStatement<PgSession.Given<PgStatements.Old>> PRUNE =
      PgSession.statement("prune_notices", PgStatements.Old.PARAMETERS);

  static final List<SqlStatement<?>> STATEMENTS = List.of(
      PUT,
      ENABLE,
      DELETE,
      FIND,
      LIST,
      CLAIM,
      RENEW,
      SETTLE,
      SKIP,
      END_UNSTARTED,
      NOTE_INSTANCE,
      ADD_NOTICE,
      CLAIM_NOTICES,
      POSTPONE,
      REMOVE_NOTICE,
      PRUNE);

  /** What begins, holds, spends or gives back a claim on a schedule or a notice. */
  static final List<SqlStatement<?>> OF_CLAIMS =
      List.of(CLAIM, RENEW, SETTLE, CLAIM_NOTICES, POSTPONE, REMOVE_NOTICE);

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
            session -> session.list(PUT, command, PgSchedules::read))
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
        session -> session.first(ENABLE, new Enabled(instanceId, enabled, now), PgSchedules::read));
  }

  @Override
  public Future<Boolean> delete(String instanceId) {
    return calls.statement(
        "delete",
        () -> StoreChecks.requireInstance(instanceId),
        session -> session.update(DELETE, instanceId).map(deleted -> deleted == 1));
  }

  @Override
  public Future<Optional<ConnectorSchedule>> find(String instanceId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireInstance(instanceId),
        session -> session.first(FIND, instanceId, PgSchedules::read));
  }

  @Override
  public Future<List<ConnectorSchedule>> list() {
    return calls.statement("list", () -> {}, session -> session.list(LIST, PgSchedules::read));
  }

  @Override
  public Future<List<ConnectorSchedule>> claimDue(
      String claim, Instant now, Instant until, int limit, LeftToOthers left) {
    claims.requested(Duration.between(now, until));
    return calls.statement(
        "claimDue",
        () -> StoreChecks.requireLimit(limit, MOST_CLAIMED),
        session -> session.list(CLAIM, new Due(claim, now, until, limit, left), PgSchedules::read));
  }

  @Override
  public Future<Boolean> renew(String instanceId, String claim, Instant until) {
    return calls.statement(
        "renew", () -> StoreChecks.requireInstance(instanceId), session -> session
            .update(RENEW, new Renewed(instanceId, claim, until))
            .map(held -> held == 1));
  }

  @Override
  public Future<Boolean> settle(SettleSchedule command) {
    return calls.transaction(
        "settle", () -> StoreChecks.requireConnector(command.connector()), session -> session
            .update(SETTLE, command)
            .compose(settled ->
                settled == 1 ? tell(session, command).map(true) : Future.succeededFuture(false)));
  }

  private static Future<Void> tell(PgSession session, SettleSchedule command) {
    SettleSchedule.Unstarted unstarted = command.unstarted();
    Future<Void> told =
        unstarted == null ? Future.succeededFuture() : keep(session, unstarted, command.now());
    for (ScheduleNotice notice : command.noticeState().notices()) {
      told = told.compose(before -> add(session, notice));
    }
    return told;
  }

  private static Future<Void> keep(
      PgSession session, SettleSchedule.Unstarted unstarted, Instant now) {
    RunHistoryEntry entry = unstarted.entry();
    TimelineEvent terminal = unstarted.terminal();
    return terminal == null
        ? session
            .execute(SKIP, entry)
            .compose(
                kept -> session.execute(NOTE_INSTANCE, entry.run().connector().instanceId()))
            .mapEmpty()
        : session
            .execute(HistoryRows.INSERT, entry)
            .compose(kept -> session.execute(END_UNSTARTED, new Ended(entry.run(), terminal, now)))
            .mapEmpty();
  }

  private static Future<Void> add(PgSession session, ScheduleNotice notice) {
    return session.execute(ADD_NOTICE, notice).mapEmpty();
  }

  @Override
  public Future<List<ScheduleNotice>> claimNotices(Instant now, Instant until, int limit) {
    claims.requested(Duration.between(now, until));
    return calls.statement(
        "claimNotices",
        () -> StoreChecks.requireLimit(limit, MOST_CLAIMED),
        session -> session.list(
            CLAIM_NOTICES,
            new Due("", now, until, limit, new LeftToOthers(Set.of(), now)),
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
            "postpone", () -> {}, session -> session.update(POSTPONE, new Postponed(notice, until)))
        .mapEmpty();
  }

  @Override
  public Future<Void> remove(long notice) {
    return calls
        .statement("remove", () -> {}, session -> session.update(REMOVE_NOTICE, notice))
        .mapEmpty();
  }

  @Override
  public Future<Integer> pruneNotices(Instant olderThan, int limit) {
    return calls.statement(
        "pruneNotices",
        () -> StoreChecks.requirePrune(limit),
        session -> session.update(PRUNE, new PgStatements.Old(olderThan, limit)));
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

  private record Enabled(String instanceId, boolean enabled, Instant now) {}

  /** What is due, to be claimed; notices are claimed without a token. */
  private record Due(String claim, Instant now, Instant until, long limit, LeftToOthers left) {
    static final Parameters<Due> PARAMETERS = new Parameters<Due>()
        .value("now", due -> utc(due.now()))
        .value("until", due -> utc(due.until()))
        .value("limit", Due::limit);
  }

  private record Renewed(String instanceId, String claim, Instant until) {}

  private record Ended(RunIdentity run, TimelineEvent event, Instant now) {}

  private record Postponed(long notice, Instant until) {}
}
