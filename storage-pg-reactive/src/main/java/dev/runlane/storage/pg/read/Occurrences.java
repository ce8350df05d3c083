package dev.runlane.storage.pg.read;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Fires of schedules, each to one claimer. */
public final class Occurrences {
  private static final SqlStatement<PgSession.Scoped<Claim>> CLAIM = PgSession.statement(
      "claim_occurrence",
      new Parameters<Claim>()
          .value("occurrence_id", claim -> claim.command().occurrenceId())
          .value("schedule_id", claim -> claim.command().scheduleId())
          .time("fire_at", claim -> claim.command().fireAt())
          .value("token", Claim::token)
          .time(
              "expires_at", claim -> claim.command().now().plus(claim.command().claimFor()))
          .time("now", claim -> claim.command().now()));
  private static final SqlStatement<PgSession.Scoped<CompleteScheduleOccurrence>> COMPLETE =
      PgSession.statement(
          "complete_occurrence",
          new Parameters<CompleteScheduleOccurrence>()
              .value("task_id", CompleteScheduleOccurrence::taskId)
              .value("occurrence_id", CompleteScheduleOccurrence::occurrenceId)
              .value("token", CompleteScheduleOccurrence::claimToken)
              .texts("run_ids", CompleteScheduleOccurrence::runIds)
              .time("now", CompleteScheduleOccurrence::now));
  private static final Parameters<String> BY_ID =
      new Parameters<String>().value("occurrence_id", id -> id);
  private static final SqlStatement<PgSession.Scoped<String>> EXISTS =
      PgSession.statement("occurrence_exists", BY_ID);
  private static final SqlStatement<PgSession.Scoped<String>> FIND =
      PgSession.statement("find_occurrence", BY_ID);

  public static final List<SqlStatement<?>> STATEMENTS = List.of(CLAIM, COMPLETE, EXISTS, FIND);

  private final PgSession session;

  public Occurrences(PgSession session) {
    this.session = session;
  }

  public Future<Optional<ClaimedOccurrence>> claim(
      PgSession.Scope scope, ClaimScheduleOccurrence command) {
    return session
        .execute(CLAIM, scope, new Claim(command, session.ids().token()))
        .map(rows -> Lists.mapped(rows, Occurrences::claimed).stream().findFirst())
        .recover(PgFailures.during("claimScheduleOccurrence"));
  }

  public Future<Void> complete(PgSession.Scope scope, CompleteScheduleOccurrence command) {
    return session
        .execute(COMPLETE, scope, command)
        .compose(done -> done.size() == 1 ? Future.<Void>succeededFuture() : refuse(scope, command))
        .recover(PgFailures.during("completeScheduleOccurrence"));
  }

  public Future<Optional<ScheduleOccurrence>> find(
      PgSession.Scope scope, GetScheduleOccurrence query) {
    return session
        .execute(FIND, scope, query.occurrenceId())
        .map(rows -> Lists.mapped(rows, Occurrences::shown).stream().findFirst())
        .recover(PgFailures.during("getScheduleOccurrence"));
  }

  private Future<Void> refuse(PgSession.Scope scope, CompleteScheduleOccurrence command) {
    return session
        .execute(EXISTS, scope, command.occurrenceId())
        .compose(rows -> Future.failedFuture(
            rows.size() == 0
                ? RunlaneException.of(
                    ErrorCode.SCHEDULE_NOT_FOUND,
                    "there is no occurrence %s",
                    command.occurrenceId())
                : RunlaneException.conflict(
                    StorageConflictKind.SCHEDULE_OCCURRENCE,
                    "occurrence %s is not claimed with the token given",
                    command.occurrenceId())));
  }

  private static ScheduleOccurrence shown(RowReader row) {
    return new ScheduleOccurrence(
        row.text(), row.text(), row.time(), row.time(), row.flag(), row.textOrNull(), row.texts());
  }

  private static ClaimedOccurrence claimed(RowReader row) {
    return new ClaimedOccurrence(row.text(), row.text(), row.time(), row.text(), row.time());
  }

  private record Claim(ClaimScheduleOccurrence command, String token) {}
}
