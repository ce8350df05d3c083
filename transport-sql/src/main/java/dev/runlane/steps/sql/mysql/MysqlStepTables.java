package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.StatementFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.sql.row.LockedRow;
import dev.runlane.steps.sql.row.ResultRow;
import dev.runlane.steps.sql.row.StepRows;
import dev.runlane.steps.sql.row.StepTables;
import dev.runlane.steps.sql.row.StoredTasks;
import dev.runlane.steps.sql.row.TableSettings;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
public final class MysqlStepTables implements StepTables {
  /** What failures of the client mean. */
  public static final StatementFailures FAILURES = new MysqlFailures();

  private static final MysqlStatements.Insert<ResultRow> RESULTS = MysqlStatements.Insert.of(
      "insert_results",
      "result_row",
      new Parameters<ResultRow>()
          .value("step_id", ResultRow::stepId)
          .value("run_id", row -> row.task().runId())
          .value("seq", row -> row.task().seq())
          .value("status", row -> row.outcome().status())
          .value("output", row -> row.outcome().output())
          .value("error", row -> row.outcome().error())
          .value("started_at", ResultRow::startedAtMillis)
          .value("created_at", ResultRow::createdAtMillis),
      row -> row.text().length());
  private static final SqlStatement<@Nullable Void> SETTINGS = SqlStatement.plain("settings");
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> LOCK_TASKS =
      MysqlStatements.ofIds("lock_tasks");
  static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> DELETE_TASKS =
      MysqlStatements.ofIds("delete_tasks");
  private static final SqlStatement<MysqlStatements.OfIds<Long>> RENEW_TASKS =
      MysqlStatements.ofIds("renew_tasks", new Parameters<Long>().value("claimed_at", at -> at));
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> PRESENT_STEPS =
      MysqlStatements.ofIds("present_steps");
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> LIST_TASKS =
      MysqlStatements.ofIds("list_tasks");
  private static final SqlStatement<ListStepResults> LIST_RESULTS = SqlStatement.of(
      "list_results",
      new Parameters<ListStepResults>()
          .value(
              "from",
              query -> query.after() == null
                  ? Long.MIN_VALUE
                  : query.after().createdAt().toEpochMilli())
          .value("after", query -> query.after() == null ? "" : query.after().stepId())
          .value(
              "claimed_before",
              query -> query.now().toEpochMilli() - query.leaseFor().toMillis())
          .value("limit", ListStepResults::limit));
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> RESULT_TIMES =
      MysqlStatements.ofIds("result_times");
  private static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> LOCK_RESULTS =
      MysqlStatements.ofIds("lock_results");
  private static final SqlStatement<MysqlStatements.OfIds<Long>> LOCK_FREE_RESULTS =
      MysqlStatements.ofIds(
          "lock_free_results",
          new Parameters<Long>()
              .value("claimed_before", at -> at)
              .value("most_bytes", at -> StepRows.MOST_BYTES));
  private static final SqlStatement<MysqlStatements.OfIds<MysqlTaskClaims.Held>> HOLD_RESULTS =
      MysqlStatements.ofIds("hold_results", MysqlTaskClaims.Held.PARAMETERS);
  static final SqlStatement<MysqlStatements.OfIds<@Nullable Void>> DELETE_RESULTS =
      MysqlStatements.ofIds("delete_results");

  static final List<SqlStatement<?>> STATEMENTS = Stream.<SqlStatement<?>>concat(
          RESULTS.statements().stream(),
          Stream.of(
              SETTINGS,
              LOCK_TASKS,
              DELETE_TASKS,
              RENEW_TASKS,
              PRESENT_STEPS,
              LIST_TASKS,
              LIST_RESULTS,
              RESULT_TIMES,
              LOCK_RESULTS,
              LOCK_FREE_RESULTS,
              HOLD_RESULTS,
              DELETE_RESULTS))
      .toList();

  private final TableSettings settings;
  private final MysqlStatements statements;
  private final MysqlFailures failures;
  private final MysqlTransactions transactions;
  private final MysqlPacket packet;
  private final MysqlSchema schema;
  private final MysqlTaskInserts inserts;
  private final MysqlTaskClaims claims;

  public MysqlStepTables(Pool pool, TableSettings settings) {
    this.settings = settings;
    this.statements = new MysqlStatements(settings);
    this.failures = new MysqlFailures();
    this.transactions = new MysqlTransactions(pool, failures, null);
    this.packet = new MysqlPacket();
    this.schema = new MysqlSchema(settings.prefix(), statements, transactions, failures);
    this.inserts = new MysqlTaskInserts(statements, failures, packet);
    this.claims = new MysqlTaskClaims(statements, transactions);
  }

  private MysqlStepTables(MysqlStepTables other, SqlConnection connection) {
    this.settings = other.settings;
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
    return transactions.client().query(statements.get(SETTINGS).sql()).execute().compose(rows -> {
      Map<String, String> server = new HashMap<>();
      rows.forEach(row -> server.put(row.getString(0), row.getString(1)));
      requireWritable(server);
      Optional.ofNullable(server.get("max_allowed_packet"))
          .ifPresent(bytes -> packet.limitTo(Long.parseLong(bytes)));
      return settings.createTables() ? schema.create() : Future.succeededFuture();
    });
  }

  /** What is said in a statement's words could have another effect on a replica, so servers refuse it. */
  private static void requireWritable(Map<String, String> server) {
    boolean logged = "ON".equals(server.get("log_bin")) && !"OFF".equals(server.get("sql_log_bin"));
    if (logged && "STATEMENT".equals(server.get("binlog_format"))) {
      throw RunlaneException.configurationInvalid(
          "the server has log_bin=ON and binlog_format=STATEMENT, with which it refuses writes at READ COMMITTED:"
              + " set binlog_format to MIXED or ROW");
    }
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
              .byIds(connection, MysqlTaskInserts.STANDING, there)
              .map(rows -> {
                rows.forEach(row -> stored.markExisting(row.getString(0), row.getInteger(1)));
                return steps.stream()
                    .map(each -> stored.outcome(each.value(), missing))
                    .toList();
              }));
        }));
  }

  @Override
  public Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results) {
    return transactions.once(connection -> lock(
            connection, LOCK_TASKS, ids(results, each -> each.value().claim().stepId()))
        .compose(tasks -> {
          Set<String> leased = heldBy(
              results.stream().map(each -> each.value().claim()).toList(),
              tasks,
              LockedRow::isLeasedBy);
          return statements.byIds(connection, RESULT_TIMES, leased).compose(rows -> {
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
        .byIds(connection, DELETE_TASKS, recorded)
        .compose(deleted -> statements.insert(
            connection,
            RESULTS,
            fresh.stream().sorted(Comparator.comparing(ResultRow::stepId)).toList(),
            packet.maxCharacters(),
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
        connection -> lock(connection, LOCK_RESULTS, ids(settlements, each -> each.value()
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
    return statements.byIds(connection, DELETE_RESULTS, settled).map(outcomes);
  }

  @Override
  public Future<Integer> withdraw(List<String> stepIds) {
    return transactions.once(connection -> lock(connection, LOCK_TASKS, stepIds).compose(rows -> {
      Set<String> found = among(stepIds, rows.keySet());
      return statements.byIds(connection, DELETE_TASKS, found).map(found.size());
    }));
  }

  @Override
  public Future<List<String>> missing(List<String> stepIds) {
    return statements.byIds(transactions.client(), PRESENT_STEPS, stepIds).map(rows -> {
      Set<String> present = rows.stream().map(row -> row.getString(0)).collect(Collectors.toSet());
      return stepIds.stream().filter(stepId -> !present.contains(stepId)).toList();
    });
  }

  @Override
  public Future<List<StepTaskState>> tasks(List<String> stepIds) {
    return statements.byIds(transactions.client(), LIST_TASKS, stepIds).map(rows -> {
      Map<String, StepTaskState> found = new HashMap<>();
      rows.forEach(row -> found.put(row.getString(0), StepRows.state(row)));
      return stepIds.stream().flatMap(id -> Stream.ofNullable(found.get(id))).toList();
    });
  }

  @Override
  public Future<List<StepResultRef>> list(ListStepResults query) {
    return statements
        .get(LIST_RESULTS)
        .execute(transactions.client(), query)
        .map(rows ->
            StreamSupport.stream(rows.spliterator(), false).map(StepRows::ref).toList());
  }

  @Override
  public Future<List<ClaimedStepResult>> claimResults(ClaimStepResults command, String token) {
    long now = command.now().toEpochMilli();
    Set<String> wanted = new HashSet<>(command.stepIds());
    return transactions.repeated(connection -> statements
        .byIds(connection, LOCK_FREE_RESULTS, wanted, now - command.leaseFor().toMillis())
        .compose(rows -> {
          List<ClaimedStepResult> claimed = rows.stream()
              .filter(row -> wanted.contains(row.getString(0)))
              .map(row -> StepRows.result(row, token))
              .toList();
          return statements
              .byIds(
                  connection,
                  HOLD_RESULTS,
                  ids(claimed, each -> each.claim().stepId()),
                  new MysqlTaskClaims.Held(token, now))
              .map(claimed);
        }));
  }

  @Override
  public Future<Void> releaseResults(ReleaseStepResults command) {
    long claimedAt = command.now().toEpochMilli()
        + command.retryIn().toMillis()
        - command.leaseFor().toMillis();
    return transactions.repeated(
        connection -> lock(connection, LOCK_RESULTS, ids(command.claims(), StepClaim::stepId))
            .compose(rows -> statements.byIds(
                connection,
                HOLD_RESULTS,
                heldBy(command.claims(), rows, LockedRow::isHeldBy),
                new MysqlTaskClaims.Held(null, claimedAt)))
            .mapEmpty());
  }

  @Override
  public Future<Integer> discard(DiscardStepResults command) {
    long createdBefore = command.createdBefore().toEpochMilli();
    long claimedBefore = command.now().toEpochMilli() - command.leaseFor().toMillis();
    return transactions.repeated(
        connection -> lock(connection, LOCK_RESULTS, command.stepIds()).compose(rows -> {
          Set<String> old = among(command.stepIds(), rows.keySet());
          old.removeIf(stepId -> !isOld(rows.get(stepId), createdBefore, claimedBefore));
          return statements.byIds(connection, DELETE_RESULTS, old).map(old.size());
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
    return transactions.once(
        connection -> lock(connection, LOCK_TASKS, ids(command.claims(), StepClaim::stepId))
            .compose(rows -> {
              Set<String> kept = heldBy(command.claims(), rows, LockedRow::isLeasedBy);
              return statements.byIds(connection, RENEW_TASKS, kept, now).map(kept);
            }));
  }

  @Override
  public Future<Set<String>> leased(StepClaim claim) {
    return statements
        .byIds(transactions.client(), LIST_TASKS, List.of(claim.stepId()))
        .map(rows -> StepRows.leased(rows, claim));
  }

  @Override
  public Future<Integer> releaseTasks(List<StepClaim> claims) {
    return transactions.once(connection -> lock(
            connection, LOCK_TASKS, ids(claims, StepClaim::stepId))
        .compose(rows -> {
          Set<String> held = heldBy(claims, rows, LockedRow::isHeldBy);
          return statements
              .byIds(connection, MysqlTaskClaims.LEASE, held, new MysqlTaskClaims.Held(null, null))
              .map(held.size());
        }));
  }

  private Future<Map<String, LockedRow>> lock(
      SqlConnection connection,
      SqlStatement<MysqlStatements.OfIds<@Nullable Void>> statement,
      Collection<String> stepIds) {
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
}
