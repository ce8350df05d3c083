package dev.runlane.steps.sql;

import dev.runlane.steps.ClaimStepTasks;
import dev.runlane.steps.ClaimedStepTask;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Claims of waiting tasks: the oldest of several groups, past what others are claiming. */
final class MysqlTaskClaims {
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
      List<Object> parameters = new ArrayList<>();
      for (int group = first; group < last; group++) {
        parameters.addAll(
            ofGroup(command, command.groups().get(group), from.get(group), command.limit()));
      }
      String union = statements.union("waiting_of_group", last - first);
      all = all.compose(found -> transactions
          .client()
          .preparedQuery(union)
          .execute(Tuple.from(parameters))
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
      Tuple parameters = Tuple.from(ofGroup(
          command,
          group.getKey(),
          from.get(command.groups().indexOf(group.getKey())),
          Math.toIntExact(group.getValue())));
      locked = locked.compose(found -> connection
          .preparedQuery(statements.get("lock_waiting"))
          .execute(parameters)
          .map(rows -> {
            rows.forEach(row -> found.add(StepRows.task(row, token)));
            return found;
          }));
    }
    return locked.compose(found -> statements
        .byIds(
            connection,
            "lease_tasks",
            found.stream().map(each -> each.claim().stepId()).toList(),
            ids -> MysqlStatements.withFirst(ids, token, command.now().toEpochMilli()))
        .map(leased -> found.stream()
            .sorted(Comparator.comparing(ClaimedStepTask::dispatchedAt))
            .toList()));
  }

  private static List<Object> ofGroup(ClaimStepTasks command, String group, long from, int limit) {
    long claimedBefore = command.now().toEpochMilli() - command.leaseFor().toMillis();
    return List.of(group, group, from, claimedBefore, limit);
  }

  private record Waiting(String group, long createdAt) {}
}
