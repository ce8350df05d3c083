package dev.runlane.steps.sql;

import dev.runlane.postgres.StatementFailures;
import dev.runlane.steps.ClaimStepResults;
import dev.runlane.steps.ClaimStepTasks;
import dev.runlane.steps.ClaimedStepResult;
import dev.runlane.steps.ClaimedStepTask;
import dev.runlane.steps.DiscardStepResults;
import dev.runlane.steps.DispatchOutcome;
import dev.runlane.steps.ListStepResults;
import dev.runlane.steps.RecordOutcome;
import dev.runlane.steps.RecordStepResults;
import dev.runlane.steps.ReleaseStepResults;
import dev.runlane.steps.RenewStepTasks;
import dev.runlane.steps.SettleOutcome;
import dev.runlane.steps.SettleStepResults;
import dev.runlane.steps.StepClaim;
import dev.runlane.steps.StepResultRef;
import dev.runlane.steps.StepTask;
import dev.runlane.steps.StepTaskState;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The tables on MySQL and MariaDB: short transactions that lock rows by their keys, decide here, and write by
 * the keys again. No collation decides anything: ids, groups and tokens are compared here, or as bytes.
 */
final class MysqlStepTables implements StepTables {
  private static final MysqlStatements.Insert<ResultRow> RESULTS = new MysqlStatements.Insert<>(
      "insert_results", "result_row", row -> row.text().length(), ResultRow::columns);

  private final SqlStepOptions options;
  private final MysqlStatements statements;
  private final MysqlFailures failures;
  private final MysqlTransactions transactions;
  private final MysqlPacket packet;
  private final MysqlSchema schema;
  private final MysqlTaskInserts inserts;
  private final MysqlTaskClaims claims;

  MysqlStepTables(Pool pool, SqlStepOptions options) {
    this.options = options;
    this.statements = new MysqlStatements(options);
    this.failures = new MysqlFailures();
    this.transactions = new MysqlTransactions(pool, failures, null);
    this.packet = new MysqlPacket();
    this.schema = new MysqlSchema(options.getPrefix(), statements, transactions, failures);
    this.inserts = new MysqlTaskInserts(statements, failures, packet);
    this.claims = new MysqlTaskClaims(statements, transactions);
  }

  private MysqlStepTables(MysqlStepTables other, SqlConnection connection) {
    this.options = other.options;
    this.statements = other.statements;
    this.failures = other.failures;
    this.transactions = other.transactions.joining(connection);
    this.packet = other.packet;
    this.schema = other.schema;
    this.inserts = other.inserts;
    this.claims = other.claims;
  }

  @Override
  public StepTables joining(SqlConnection connection) {
    return new MysqlStepTables(this, connection);
  }

  @Override
  public StatementFailures failures() {
    return failures;
  }

  @Override
  public Future<Void> prepare() {
    return transactions.client().query(statements.get("packet_size")).execute().compose(rows -> {
      packet.limitTo(rows.iterator().next().getLong(0));
      return options.isCreateTables() ? schema.create() : Future.succeededFuture();
    });
  }

  @Override
  public Future<List<DispatchOutcome>> dispatch(List<Stamped<StepTask>> steps) {
    return transactions
        .once(connection -> inserts.store(connection, steps))
        .map(stored -> steps.stream().map(each -> stored.outcome(each.value())).toList());
  }

  /** One look at both tables: a task that becomes a result in this moment is seen as one of the two. */
  @Override
  public Future<List<DispatchOutcome>> dispatchMissing(List<Stamped<StepTask>> steps) {
    List<String> ids = steps.stream().map(each -> each.value().stepId()).toList();
    return transactions.once(
        connection -> new MysqlStepTables(this, connection).missing(ids).compose(found -> {
          Set<String> missing = new HashSet<>(found);
          List<Stamped<StepTask>> absent = steps.stream()
              .filter(each -> missing.contains(each.value().stepId()))
              .toList();
          List<String> there = ids.stream().filter(id -> !missing.contains(id)).toList();
          return inserts.store(connection, absent).compose(stored -> statements
              .byIds(connection, "standing_tasks", there)
              .map(rows -> {
                rows.forEach(row -> stored.stands(row.getString(0), row.getInteger(1)));
                return steps.stream()
                    .map(each -> stored.outcome(each.value(), missing))
                    .toList();
              }));
        }));
  }

  @Override
  public Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results) {
    return transactions.once(connection -> lock(
            connection, "lock_tasks", ids(results, each -> each.value().claim().stepId()))
        .compose(tasks -> {
          Set<String> leased = heldBy(
              results.stream().map(each -> each.value().claim()).toList(),
              tasks,
              LockedRow::isLeasedBy);
          return statements.byIds(connection, "result_times", leased).compose(rows -> {
            Map<String, Long> written = new HashMap<>();
            rows.forEach(row -> written.put(row.getString(0), row.getLong(1)));
            return record(connection, results, tasks, leased, written);
          });
        }));
  }

  private Future<List<RecordOutcome>> record(
      SqlConnection connection,
      List<Stamped<RecordStepResults.Ended>> results,
      Map<String, LockedRow> tasks,
      Set<String> leased,
      Map<String, Long> written) {
    Map<String, RecordOutcome> outcomes = new HashMap<>();
    List<ResultRow> fresh = new ArrayList<>();
    for (Stamped<RecordStepResults.Ended> each : results) {
      String stepId = each.value().claim().stepId();
      LockedRow task = tasks.get(stepId);
      if (task == null || !leased.contains(stepId)) {
        outcomes.put(stepId, RecordOutcome.LEASE_LOST);
        continue;
      }
      Long present = written.get(stepId);
      boolean earlierAttempts = present != null && present < task.createdAt();
      outcomes.put(stepId, earlierAttempts ? RecordOutcome.BLOCKED : RecordOutcome.RECORDED);
      if (present == null) {
        fresh.add(ResultRow.of(task, each));
      }
    }
    fresh.forEach(row -> packet.require(row.stepId(), row.text()));
    List<String> recorded = outcomes.keySet().stream()
        .filter(stepId -> outcomes.get(stepId) == RecordOutcome.RECORDED)
        .toList();
    return statements
        .byIds(connection, "delete_tasks", recorded)
        .compose(deleted -> statements.insert(
            connection,
            RESULTS,
            fresh.stream().sorted(Comparator.comparing(ResultRow::stepId)).toList(),
            packet.mostCharacters(),
            part -> {}))
        .map(inserted -> results.stream()
            .map(each ->
                outcomes.getOrDefault(each.value().claim().stepId(), RecordOutcome.LEASE_LOST))
            .toList());
  }

  @Override
  public Future<List<SettleOutcome>> settle(
      List<Stamped<SettleStepResults.Settlement>> settlements) {
    return transactions.once(
        connection -> lock(connection, "lock_results", ids(settlements, each -> each.value()
                .claim()
                .stepId()))
            .compose(results -> {
              Set<String> held = heldBy(
                  settlements.stream().map(each -> each.value().claim()).toList(),
                  results,
                  LockedRow::isHeldBy);
              List<Stamped<StepTask>> next = new ArrayList<>();
              for (Stamped<SettleStepResults.Settlement> each : settlements) {
                StepTask task = each.value().next();
                if (task != null && held.contains(task.stepId())) {
                  next.add(new Stamped<>(task, each.nowMillis()));
                }
              }
              return inserts
                  .store(connection, next)
                  .compose(stored -> settle(connection, settlements, held, stored));
            }));
  }

  /** A result goes only where its next attempt, if there is one, has come. */
  private Future<List<SettleOutcome>> settle(
      SqlConnection connection,
      List<Stamped<SettleStepResults.Settlement>> settlements,
      Set<String> held,
      StoredTasks stored) {
    List<String> settled = new ArrayList<>();
    List<SettleOutcome> outcomes = new ArrayList<>();
    for (Stamped<SettleStepResults.Settlement> each : settlements) {
      String stepId = each.value().claim().stepId();
      if (!held.contains(stepId)) {
        outcomes.add(SettleOutcome.CLAIM_LOST);
      } else if (each.value().next() == null || stored.isInserted(stepId)) {
        outcomes.add(SettleOutcome.SETTLED);
        settled.add(stepId);
      } else {
        outcomes.add(SettleOutcome.BLOCKED);
      }
    }
    return statements.byIds(connection, "delete_results", settled).map(outcomes);
  }

  @Override
  public Future<Integer> withdraw(List<String> stepIds) {
    return transactions.repeated(
        connection -> lock(connection, "lock_tasks", stepIds).compose(rows -> {
          Set<String> found = among(stepIds, rows.keySet());
          return statements.byIds(connection, "delete_tasks", found).map(found.size());
        }));
  }

  @Override
  public Future<List<String>> missing(List<String> stepIds) {
    return statements
        .byIds(transactions.client(), "present_steps", stepIds, ids -> {
          List<Object> twice = new ArrayList<>(ids);
          twice.addAll(ids);
          return Tuple.from(twice);
        })
        .map(rows -> {
          Set<String> present =
              rows.stream().map(row -> row.getString(0)).collect(Collectors.toSet());
          return stepIds.stream().filter(stepId -> !present.contains(stepId)).toList();
        });
  }

  @Override
  public Future<List<StepTaskState>> tasks(List<String> stepIds) {
    return statements.byIds(transactions.client(), "list_tasks", stepIds).map(rows -> {
      Map<String, StepTaskState> found = new HashMap<>();
      rows.forEach(row -> found.put(row.getString(0), StepRows.state(row)));
      return stepIds.stream().flatMap(id -> Stream.ofNullable(found.get(id))).toList();
    });
  }

  @Override
  public Future<List<StepResultRef>> list(ListStepResults query) {
    StepResultRef after = query.after();
    long from = after == null ? Long.MIN_VALUE : after.createdAt().toEpochMilli();
    return transactions
        .client()
        .preparedQuery(statements.get("list_results"))
        .execute(Tuple.of(
            from,
            from,
            after == null ? "" : after.stepId(),
            query.now().toEpochMilli() - query.leaseFor().toMillis(),
            query.limit()))
        .map(rows ->
            StreamSupport.stream(rows.spliterator(), false).map(StepRows::ref).toList());
  }

  @Override
  public Future<List<ClaimedStepResult>> claimResults(ClaimStepResults command, String token) {
    long now = command.now().toEpochMilli();
    Set<String> wanted = new HashSet<>(command.stepIds());
    return transactions.repeated(connection -> statements
        .byIds(
            connection,
            "lock_free_results",
            wanted,
            ids -> withLast(ids, now - command.leaseFor().toMillis()))
        .compose(rows -> {
          List<ClaimedStepResult> claimed = rows.stream()
              .filter(row -> wanted.contains(row.getString(0)))
              .map(row -> StepRows.result(row, token))
              .toList();
          return statements
              .byIds(
                  connection,
                  "hold_results",
                  ids(claimed, each -> each.claim().stepId()),
                  ids -> MysqlStatements.withFirst(ids, token, now))
              .map(claimed);
        }));
  }

  @Override
  public Future<Void> releaseResults(ReleaseStepResults command) {
    long claimedAt = command.now().toEpochMilli()
        + command.retryIn().toMillis()
        - command.leaseFor().toMillis();
    return transactions.repeated(
        connection -> lock(connection, "lock_results", ids(command.claims(), StepClaim::stepId))
            .compose(rows -> statements.byIds(
                connection,
                "hold_results",
                heldBy(command.claims(), rows, LockedRow::isHeldBy),
                ids -> MysqlStatements.withFirst(ids, null, claimedAt)))
            .mapEmpty());
  }

  @Override
  public Future<Integer> discard(DiscardStepResults command) {
    long createdBefore = command.createdBefore().toEpochMilli();
    long claimedBefore = command.now().toEpochMilli() - command.leaseFor().toMillis();
    return transactions.repeated(
        connection -> lock(connection, "lock_results", command.stepIds()).compose(rows -> {
          Set<String> old = among(command.stepIds(), rows.keySet());
          old.removeIf(stepId -> !isOld(rows.get(stepId), createdBefore, claimedBefore));
          return statements.byIds(connection, "delete_results", old).map(old.size());
        }));
  }

  private static boolean isOld(@Nullable LockedRow row, long createdBefore, long claimedBefore) {
    return row != null && row.createdAt() < createdBefore && row.isFree(claimedBefore);
  }

  @Override
  public Future<List<ClaimedStepTask>> claimTasks(ClaimStepTasks command, String token) {
    return claims.claim(command, token);
  }

  @Override
  public Future<Set<String>> renew(RenewStepTasks command) {
    long now = command.now().toEpochMilli();
    return transactions.repeated(connection -> lock(
            connection, "lock_tasks", ids(command.claims(), StepClaim::stepId))
        .compose(rows -> {
          Set<String> kept = heldBy(command.claims(), rows, LockedRow::isLeasedBy);
          return statements
              .byIds(connection, "renew_tasks", kept, ids -> MysqlStatements.withFirst(ids, now))
              .map(kept);
        }));
  }

  @Override
  public Future<Void> releaseTasks(List<StepClaim> claims) {
    return transactions.repeated(
        connection -> lock(connection, "lock_tasks", ids(claims, StepClaim::stepId))
            .compose(rows -> statements.byIds(
                connection,
                "lease_tasks",
                heldBy(claims, rows, LockedRow::isHeldBy),
                ids -> MysqlStatements.withFirst(ids, null, null)))
            .mapEmpty());
  }

  private Future<Map<String, LockedRow>> lock(
      SqlConnection connection, String statement, Collection<String> stepIds) {
    return statements.byIds(connection, statement, stepIds).map(rows -> {
      Map<String, LockedRow> locked = new HashMap<>();
      rows.forEach(row -> locked.put(row.getString(0), LockedRow.of(row)));
      return locked;
    });
  }

  private static Set<String> heldBy(
      List<StepClaim> claims, Map<String, LockedRow> rows, BiPredicate<LockedRow, String> holds) {
    Set<String> held = new HashSet<>();
    for (StepClaim claim : claims) {
      LockedRow row = rows.get(claim.stepId());
      if (row != null && holds.test(row, claim.token())) {
        held.add(claim.stepId());
      }
    }
    return held;
  }

  private static Set<String> among(List<String> wanted, Set<String> found) {
    Set<String> both = new HashSet<>(wanted);
    both.retainAll(found);
    return both;
  }

  private static <T> List<String> ids(Collection<T> values, Function<T, String> stepId) {
    return values.stream().map(stepId).toList();
  }

  private static Tuple withLast(List<String> ids, long last) {
    return MysqlStatements.withFirst(ids).addLong(last);
  }
}
