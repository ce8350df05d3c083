package dev.runlane.storage.pg;

import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The schedules of an environment as operators see and pause them; commands come here checked. */
final class ScheduleDesk {
  private static final Parameters<ScheduleName> NAME = new Parameters<ScheduleName>()
      .value("task_id", ScheduleName::taskId)
      .value("schedule_id", ScheduleName::scheduleId);
  private static final SqlStatement<PgSession.Scoped<After>> LIST = PgSession.statement(
      "list_schedules",
      new Parameters<After>()
          .value("after_task", After::taskId)
          .value("after_schedule", After::scheduleId)
          .value("limit", after -> after.limit() + 1));
  private static final SqlStatement<PgSession.Scoped<FindSchedules>> FIND = PgSession.statement(
      "find_schedules",
      new Parameters<FindSchedules>()
          .rows(
              FindSchedules::names,
              new Columns<ScheduleName>()
                  .texts("task_ids", ScheduleName::taskId)
                  .texts("schedule_ids", ScheduleName::scheduleId)));
  private static final SqlStatement<PgSession.Scoped<PauseSchedule>> PAUSE = PgSession.statement(
      "pause_schedule",
      new Parameters<PauseSchedule>()
          .of(PauseSchedule::name, NAME)
          .of(PauseSchedule::actor, PgOperatorStore.ACTOR)
          .value("reason", PauseSchedule::reason)
          .time("now", PauseSchedule::now));
  private static final SqlStatement<PgSession.Scoped<ResumeSchedule>> RESUME = PgSession.statement(
      "resume_schedule",
      new Parameters<ResumeSchedule>()
          .of(ResumeSchedule::name, NAME)
          .time("now", ResumeSchedule::now));

  static final List<SqlStatement<?>> STATEMENTS = List.of(LIST, FIND, PAUSE, RESUME);

  private final PgParts parts;
  private final PgSession session;

  ScheduleDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  Future<Page<ScheduleState>> list(ListSchedules query) {
    Cursors cursors = Cursors.of(query);
    int limit = CommandChecks.pageLimit(query.limit());
    After after = cursors
        .decode(query.cursor(), 2)
        .map(parts -> new After(parts.get(0), parts.get(1), limit))
        .orElse(new After(null, null, limit));
    return states("listSchedules", LIST, query.environment(), after)
        .map(found -> found.size() <= limit
            ? new Page<>(found, null)
            : new Page<>(
                found.subList(0, limit), cursor(cursors, found.get(limit - 1).name())));
  }

  Future<List<ScheduleState>> find(FindSchedules query) {
    return states("findSchedules", FIND, query.environment(), query);
  }

  Future<Boolean> pause(PauseSchedule command) {
    return change("pauseSchedule", PAUSE, command.environment(), command, command.name());
  }

  Future<Boolean> resume(ResumeSchedule command) {
    return change("resumeSchedule", RESUME, command.environment(), command, command.name());
  }

  private static String cursor(Cursors cursors, ScheduleName last) {
    return cursors.encode(last.taskId(), last.scheduleId());
  }

  private <C> Future<List<ScheduleState>> states(
      String method,
      SqlStatement<PgSession.Scoped<C>> statement,
      Environment environment,
      C given) {
    return parts
        .alone(environment, scope -> session.execute(statement, scope, given))
        .map(rows -> Lists.mapped(rows, ScheduleDesk::state))
        .recover(PgFailures.during(method));
  }

  /** Whoever registers or completes may hold a row for a moment. */
  private <C> Future<Boolean> change(
      String method,
      SqlStatement<PgSession.Scoped<C>> statement,
      Environment environment,
      C given,
      ScheduleName name) {
    return parts
        .alone(environment, scope -> session.execute(statement, scope, given))
        .map(rows -> {
          Row row = rows.iterator().next();
          if (!row.getBoolean(0)) {
            throw RunlaneException.of(
                ErrorCode.SCHEDULE_NOT_FOUND,
                "task %s has no schedule %s, as far as anybody registered one",
                name.taskId(),
                name.scheduleId());
          }
          return row.getBoolean(1);
        })
        .recover(PgFailures.during(method));
  }

  private static ScheduleState state(RowReader row) {
    ScheduleName name = new ScheduleName(row.text(), row.text());
    String definition = row.text();
    Instant firstSeen = row.time();
    Instant lastSeen = row.time();
    Instant countsFrom = row.time();
    Instant lastFire = row.timeOrNull();
    Instant resumedAt = row.timeOrNull();
    Instant pausedAt = row.timeOrNull();
    SchedulePause pause = pausedAt == null
        ? null
        : new SchedulePause(PgOperatorStore.actor(row), row.textOrNull(), pausedAt);
    return new ScheduleState(
        name, definition, firstSeen, lastSeen, countsFrom, lastFire, resumedAt, pause);
  }

  /** Behind which a page begins; null where it is the first. */
  private record After(@Nullable String taskId, @Nullable String scheduleId, int limit) {}
}
