package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.pg.read.Occurrences;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Known schedules, and their occurrences to look at and to remove. */
public final class PgSchedules implements ScheduleStorage {
  private static final SqlStatement<PgSession.Scoped<RegisterSchedules>> SEE = PgSession.statement(
      "see_schedules",
      new Parameters<RegisterSchedules>()
          .rows(
              RegisterSchedules::schedules,
              new Columns<RegisterSchedules.Definition>()
                  .texts("task_ids", RegisterSchedules.Definition::taskId)
                  .texts("schedule_ids", RegisterSchedules.Definition::scheduleId)
                  .texts("definitions", RegisterSchedules.Definition::definition))
          .time("now", RegisterSchedules::now)
          .time("gone_since", command -> command.now().minus(command.goneAfter())));

  /** Removes occurrences that nobody asks for any more. */
  static final SqlStatement<PgSession.Scoped<PruneOccurrences>> PRUNE = PgSession.statement(
      "prune_occurrences",
      new Parameters<PruneOccurrences>()
          .time("older_than", PruneOccurrences::olderThan)
          .value("limit", PruneOccurrences::limit));

  static final List<SqlStatement<?>> STATEMENTS = List.of(SEE, PRUNE);

  private final PgParts parts;
  private final PgSession session;
  private final Set<StorageCapability> capabilities;
  private final Occurrences occurrences;

  PgSchedules(PgParts parts, Occurrences occurrences, Set<StorageCapability> capabilities) {
    this.parts = parts;
    this.session = parts.session();
    this.occurrences = occurrences;
    this.capabilities = capabilities;
  }

  @Override
  public Future<List<KnownSchedule>> registerSchedules(RegisterSchedules command) {
    return AdapterCall.of("registerSchedules", () -> {
      require("registerSchedules");
      CommandChecks.check(command);
      return parts
          .alone(command.environment(), scope -> register(scope, command))
          .map(known -> inOrder(command, known))
          .recover(PgFailures.during("registerSchedules"));
    });
  }

  @Override
  public Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(GetScheduleOccurrence query) {
    return AdapterCall.of("getScheduleOccurrence", () -> {
      require("getScheduleOccurrence");
      CommandChecks.check(query);
      return parts.alone(query.environment(), scope -> occurrences.find(scope, query));
    });
  }

  @Override
  public Future<Integer> pruneOccurrences(PruneOccurrences command) {
    return AdapterCall.of("pruneOccurrences", () -> {
      require("pruneOccurrences");
      CommandChecks.check(command);
      return parts
          .alone(command.environment(), scope -> prune(scope, command))
          .recover(PgFailures.during("pruneOccurrences"));
    });
  }

  private Future<Integer> prune(PgSession.Scope scope, PruneOccurrences command) {
    return session
        .execute(PRUNE, scope, command)
        .map(rows -> rows.iterator().next().getInteger(0));
  }

  private Future<List<KnownSchedule>> register(PgSession.Scope scope, RegisterSchedules command) {
    return session.execute(SEE, scope, command).map(rows -> Lists.mapped(rows, PgSchedules::known));
  }

  private void require(String method) {
    Capabilities.require(capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, method);
  }

  private static KnownSchedule known(RowReader row) {
    return new KnownSchedule(
        row.text(), row.text(), row.text(), row.time(), row.time(), row.timeOrNull());
  }

  private static List<KnownSchedule> inOrder(RegisterSchedules command, List<KnownSchedule> known) {
    Map<List<String>, KnownSchedule> found = new HashMap<>();
    known.forEach(each -> found.put(List.of(each.taskId(), each.scheduleId()), each));
    return command.schedules().stream()
        .map(told -> Objects.requireNonNull(found.get(List.of(told.taskId(), told.scheduleId()))))
        .toList();
  }
}
