package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.steps.sql.row.ClaimMarks;
import dev.runlane.steps.sql.row.StepRows;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Claims of waiting tasks: the oldest of several groups, past what others are claiming. */
final class MysqlTaskClaims {
  private static final Parameters<OfGroup> OF_GROUP = new Parameters<OfGroup>()
      .value("group", OfGroup::group)
      .value("from", OfGroup::from)
      .value("claimed_before", OfGroup::claimedBefore)
      .value("limit", OfGroup::limit);

  static final SqlStatement<OfGroup> WAITING_OF_GROUP =
      SqlStatement.of("waiting_of_group", OF_GROUP);
  static final SqlStatement<OfGroup> LOCK_WAITING = SqlStatement.of(
      "lock_waiting",
      new Parameters<OfGroup>()
          .of(waiting -> waiting, OF_GROUP)
          .value("most_bytes", waiting -> StepRows.MOST_BYTES));

  /** Leases tasks that are locked, or, with nulls, ends leases. */
  static final SqlStatement<MysqlStatements.OfIds<Held>> LEASE =
      MysqlStatements.ofIds("lease_tasks", Held.PARAMETERS);

  static final List<SqlStatement<?>> STATEMENTS = List.of(WAITING_OF_GROUP, LOCK_WAITING, LEASE);

  private static final int MOST_GROUPS = 32; // in one query

  private final MysqlStatements statements;
  private final MysqlTransactions transactions;
  private final ClaimMarks marks = new ClaimMarks();

  MysqlTaskClaims(MysqlStatements statements, MysqlTransactions transactions) {
    this.statements = statements;
    this.transactions = transactions;
  }

  Future<List<ClaimedStepTask>> claim(ClaimStepTasks command, String token) {
    return marks.claim(command, from -> claimFrom(command, token, from));
  }

  /** Looks without locks first, so that an idle worker costs one query and no transaction. */
  private Future<List<ClaimedStepTask>> claimFrom(
      ClaimStepTasks command, String token, List<Long> from) {
    return waiting(command, from).compose(waiting -> {
      Map<String, Long> oldest = waiting.stream()
          .sorted(Comparator.comparingLong(Waiting::createdAt))
          .limit(command.limit())
          .collect(
              Collectors.groupingBy(Waiting::group, LinkedHashMap::new, Collectors.counting()));
      return oldest.isEmpty()
          ? Future.succeededFuture(List.of())
          : transactions.repeated(connection -> claim(connection, command, token, from, oldest));
    });
  }

  private Future<List<Waiting>> waiting(ClaimStepTasks command, List<Long> from) {
    Future<List<Waiting>> all = Future.succeededFuture(new ArrayList<>());
    for (int first = 0; first < command.groups().size(); first += MOST_GROUPS) {
      int last = Math.min(command.groups().size(), first + MOST_GROUPS);
      List<OfGroup> groups = new ArrayList<>();
      for (int group = first; group < last; group++) {
        groups.add(ofGroup(command, command.groups().get(group), from.get(group), command.limit()));
      }
      all = all.compose(found -> statements
          .union(transactions.client(), WAITING_OF_GROUP, groups)
          .map(rows -> {
            rows.forEach(row -> found.add(new Waiting(row.getString(0), row.getLong(1))));
            return found;
          }));
    }
    return all;
  }

  private Future<List<ClaimedStepTask>> claim(
      SqlConnection connection,
      ClaimStepTasks command,
      String token,
      List<Long> from,
      Map<String, Long> oldest) {
    Future<List<ClaimedStepTask>> locked = Future.succeededFuture(new ArrayList<>());
    for (Map.Entry<String, Long> group : oldest.entrySet()) {
      OfGroup waiting = ofGroup(
          command,
          group.getKey(),
          from.get(command.groups().indexOf(group.getKey())),
          Math.toIntExact(group.getValue()));
      locked = locked.compose(
          found -> statements.get(LOCK_WAITING).execute(connection, waiting).map(rows -> {
            rows.forEach(row -> found.add(StepRows.task(row, token)));
            return found;
          }));
    }
    return locked.compose(found -> statements
        .byIds(
            connection,
            LEASE,
            found.stream().map(each -> each.claim().stepId()).toList(),
            new Held(token, command.now().toEpochMilli()))
        .map(leased -> found.stream()
            .sorted(Comparator.comparing(ClaimedStepTask::dispatchedAt))
            .toList()));
  }

  private static OfGroup ofGroup(ClaimStepTasks command, String group, long from, int limit) {
    long claimedBefore = command.now().toEpochMilli() - command.leaseFor().toMillis();
    return new OfGroup(group, from, claimedBefore, limit);
  }

  private record Waiting(String group, long createdAt) {}

  /** Waiting tasks of a group. */
  record OfGroup(String group, long from, long claimedBefore, int limit) {}

  /** Who holds rows, and since when. */
  record Held(@Nullable String token, @Nullable Long claimedAt) {
    static final Parameters<Held> PARAMETERS =
        new Parameters<Held>().value("token", Held::token).value("claimed_at", Held::claimedAt);
  }
}
