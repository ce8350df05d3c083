package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.GetScheduleOccurrence;
import dev.runlane.storage.ScheduleOccurrence;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.templates.SqlTemplate;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Fires of schedules, each to one claimer. */
final class Occurrences {
  private final PgSession session;
  private final String claim;
  private final String complete;
  private final String exists;
  private final String find;

  Occurrences(PgSession session) {
    this.session = session;
    this.claim = session.statements().get("claim_occurrence");
    this.complete = session.statements().get("complete_occurrence");
    this.exists = session.statements().get("occurrence_exists");
    this.find = session.statements().get("find_occurrence");
  }

  Future<Optional<ClaimedOccurrence>> claim(
      PgSession.Scope scope, ClaimScheduleOccurrence command) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("env", scope.env());
    parameters.put("occurrenceId", command.occurrenceId());
    parameters.put("scheduleId", command.scheduleId());
    parameters.put("fireAt", Columns.utc(command.fireAt()));
    parameters.put("token", session.ids().token());
    parameters.put("expiresAt", Columns.utc(command.now().plus(command.claimFor())));
    parameters.put("now", Columns.utc(command.now()));
    return (session.client() instanceof Pool
            ? PgSchedules.sentAgain(() -> claim(parameters), 1) // who prunes may hold the row
            : claim(parameters))
        .recover(PgFailures.during("claimScheduleOccurrence"));
  }

  private Future<Optional<ClaimedOccurrence>> claim(Map<String, Object> parameters) {
    return SqlTemplate.forQuery(session.client(), claim)
        .execute(parameters)
        .map(rows -> Lists.mapped(rows, Occurrences::claimed).stream().findFirst());
  }

  Future<Void> complete(PgSession.Scope scope, CompleteScheduleOccurrence command) {
    Map<String, @Nullable Object> parameters = new HashMap<>();
    parameters.put("env", scope.env());
    parameters.put("taskId", command.taskId());
    parameters.put("occurrenceId", command.occurrenceId());
    parameters.put("token", command.claimToken());
    parameters.put("runIds", command.runIds().toArray(String[]::new));
    parameters.put("now", Columns.utc(command.now()));
    return SqlTemplate.forQuery(session.client(), complete)
        .execute(parameters)
        .compose(done -> done.size() == 1 ? Future.<Void>succeededFuture() : refuse(scope, command))
        .recover(PgFailures.during("completeScheduleOccurrence"));
  }

  Future<Optional<ScheduleOccurrence>> find(PgSession.Scope scope, GetScheduleOccurrence query) {
    return SqlTemplate.forQuery(session.client(), find)
        .execute(Map.of("env", scope.env(), "occurrenceId", query.occurrenceId()))
        .map(rows -> Lists.mapped(rows, Occurrences::shown).stream().findFirst())
        .recover(PgFailures.during("getScheduleOccurrence"));
  }

  private Future<Void> refuse(PgSession.Scope scope, CompleteScheduleOccurrence command) {
    return SqlTemplate.forQuery(session.client(), exists)
        .execute(Map.of("env", scope.env(), "occurrenceId", command.occurrenceId()))
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
}
