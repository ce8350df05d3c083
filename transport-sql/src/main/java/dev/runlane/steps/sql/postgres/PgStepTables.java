package dev.runlane.steps.sql.postgres;

import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.StatementFailures;
import dev.runlane.postgres.schema.OnlineSchemaChanges;
import dev.runlane.postgres.schema.RowSecurity;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.ResourceCache;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
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
import dev.runlane.steps.sql.row.ClaimMarks;
import dev.runlane.steps.sql.row.StepJson;
import dev.runlane.steps.sql.row.StepRows;
import dev.runlane.steps.sql.row.StepTables;
import dev.runlane.steps.sql.row.StoredOutcome;
import dev.runlane.steps.sql.row.TableSettings;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.SqlResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The tables on PostgreSQL: one statement a command, many commands a statement, arrays for parameters. */
public final class PgStepTables implements StepTables {
  private static final StatementFailures FAILURES = new PgStepFailures();
  private static final SqlStatement<TableSettings> FIND_OBJECTS = SqlStatement.of(
      "find_objects",
      new Parameters<TableSettings>()
          .value("tasks", settings -> table(settings, "transport_tasks"))
          .value("results", settings -> table(settings, "transport_results"))
          .value("tasks_index", settings -> table(settings, "transport_tasks_order_idx"))
          .value("results_index", settings -> table(settings, "transport_results_order_idx"))
          .value("signal", settings -> settings.prefix() + "_transport_signal"));
  private static final SqlStatement<@Nullable Void> CREATE_TABLES =
      SqlStatement.plain("create_tables");
  private static final SqlStatement<@Nullable Void> CREATE_TRIGGERS =
      SqlStatement.plain("create_triggers");
  private static final Columns<StepTask> TASK = new Columns<StepTask>()
      .texts("run_ids", StepTask::runId)
      .integers("seqs", StepTask::seq)
      .texts("names", StepTask::name)
      .texts("groups", StepTask::group)
      .texts("inputs", task -> StepJson.input(task.input()))
      .integers("attempts", StepTask::attempt);
  private static final Parameters<List<Stamped<StepTask>>> OF_TASKS = new Parameters<
          List<Stamped<StepTask>>>()
      .rows(
          tasks -> tasks,
          new Columns<Stamped<StepTask>>()
              .texts("step_ids", each -> each.value().stepId())
              .of(Stamped::value, TASK)
              .longs("created_times", Stamped::nowMillis));
  private static final SqlStatement<List<Stamped<StepTask>>> DISPATCH =
      SqlStatement.of("dispatch", OF_TASKS);
  private static final SqlStatement<List<Stamped<StepTask>>> DISPATCH_MISSING =
      SqlStatement.of("dispatch_missing", OF_TASKS);
  private static final SqlStatement<List<Ended>> RECORD = SqlStatement.of(
      "record_results",
      new Parameters<List<Ended>>()
          .rows(
              results -> results,
              new Columns<Ended>()
                  .texts("step_ids", each -> each.result().value().claim().stepId())
                  .texts("tokens", each -> each.result().value().claim().token())
                  .texts("statuses", each -> each.outcome().status())
                  .texts("outputs", each -> each.outcome().output())
                  .texts("errors", each -> each.outcome().error())
                  .longs(
                      "started_times", each -> each.result().value().startedAt().toEpochMilli())
                  .longs("created_times", each -> each.result().nowMillis())));
  private static final SqlStatement<List<Stamped<SettleStepResults.Settlement>>> SETTLE =
      SqlStatement.of(
          "settle",
          new Parameters<List<Stamped<SettleStepResults.Settlement>>>()
              .rows(
                  settlements -> settlements,
                  new Columns<Stamped<SettleStepResults.Settlement>>()
                      .texts("step_ids", each -> each.value().claim().stepId())
                      .texts("tokens", each -> each.value().claim().token())
                      .texts("run_ids", each -> next(each, StepTask::runId))
                      .integers("seqs", each -> next(each, StepTask::seq))
                      .texts("names", each -> next(each, StepTask::name))
                      .texts("groups", each -> next(each, StepTask::group))
                      .texts("inputs", each -> next(each, task -> StepJson.input(task.input())))
                      .integers("attempts", each -> next(each, StepTask::attempt))
                      .longs("created_times", Stamped::nowMillis)));
  private static final Parameters<List<String>> OF_STEPS =
      new Parameters<List<String>>().texts("step_ids", ids -> ids);
  private static final SqlStatement<List<String>> WITHDRAW = SqlStatement.of("withdraw", OF_STEPS);
  private static final SqlStatement<List<String>> MISSING = SqlStatement.of("missing", OF_STEPS);
  private static final SqlStatement<List<String>> LIST_TASKS =
      SqlStatement.of("list_tasks", OF_STEPS);
  private static final SqlStatement<ListStepResults> LIST_RESULTS = SqlStatement.of(
      "list_results",
      new Parameters<ListStepResults>()
          .value(
              "after_time",
              query -> query.after() == null
                  ? Long.MIN_VALUE
                  : query.after().createdAt().toEpochMilli())
          .value("after_id", query -> query.after() == null ? "" : query.after().stepId())
          .value(
              "claimed_before",
              query -> query.now().toEpochMilli() - query.leaseFor().toMillis())
          .value("limit", ListStepResults::limit));
  private static final SqlStatement<ClaimResults> CLAIM_RESULTS = SqlStatement.of(
      "claim_results",
      new Parameters<ClaimResults>()
          .texts("step_ids", claim -> claim.command().stepIds())
          .value(
              "claimed_before",
              claim -> claim.command().now().toEpochMilli()
                  - claim.command().leaseFor().toMillis())
          .value("token", ClaimResults::token)
          .value("now", claim -> claim.command().now().toEpochMilli())
          .value("most_bytes", claim -> StepRows.MOST_BYTES));
  private static final Columns<StepClaim> CLAIMS = new Columns<StepClaim>()
      .texts("step_ids", StepClaim::stepId)
      .texts("tokens", StepClaim::token);
  private static final SqlStatement<ReleaseStepResults> RELEASE_RESULTS = SqlStatement.of(
      "release_results",
      new Parameters<ReleaseStepResults>()
          .rows(ReleaseStepResults::claims, CLAIMS)
          .value(
              "claimed_at",
              command -> command.now().toEpochMilli()
                  + command.retryIn().toMillis()
                  - command.leaseFor().toMillis()));
  private static final SqlStatement<DiscardStepResults> DISCARD = SqlStatement.of(
      "discard_results",
      new Parameters<DiscardStepResults>()
          .texts("step_ids", DiscardStepResults::stepIds)
          .value("created_before", command -> command.createdBefore().toEpochMilli())
          .value(
              "claimed_before",
              command -> command.now().toEpochMilli() - command.leaseFor().toMillis()));
  private static final SqlStatement<RenewStepTasks> RENEW = SqlStatement.of(
      "renew_tasks",
      new Parameters<RenewStepTasks>()
          .rows(RenewStepTasks::claims, CLAIMS)
          .value("now", command -> command.now().toEpochMilli()));
  private static final SqlStatement<List<StepClaim>> RELEASE_TASKS = SqlStatement.of(
      "release_tasks", new Parameters<List<StepClaim>>().rows(claims -> claims, CLAIMS));

  static final SqlStatement<ClaimTasks> CLAIM_TASKS = SqlStatement.of(
      "claim_tasks",
      new Parameters<ClaimTasks>()
          .texts("groups", claim -> claim.command().groups())
          .rows(ClaimTasks::from, new Columns<Long>().longs("from_times", from -> from))
          .value(
              "claimed_before",
              claim -> claim.command().now().toEpochMilli()
                  - claim.command().leaseFor().toMillis())
          .value("limit", claim -> claim.command().limit())
          .value("token", ClaimTasks::token)
          .value("now", claim -> claim.command().now().toEpochMilli())
          .value("most_bytes", claim -> StepRows.MOST_BYTES));

  /** Wakes whoever listens. */
  public static final SqlStatement<Signal> SIGNAL = SqlStatement.of(
      "signal",
      new Parameters<Signal>().value("channel", Signal::channel).value("payload", Signal::payload));

  private static final List<SqlStatement<?>> STATEMENTS = List.of(
      FIND_OBJECTS,
      CREATE_TABLES,
      CREATE_TRIGGERS,
      DISPATCH,
      DISPATCH_MISSING,
      RECORD,
      SETTLE,
      WITHDRAW,
      MISSING,
      LIST_TASKS,
      LIST_RESULTS,
      CLAIM_RESULTS,
      RELEASE_RESULTS,
      DISCARD,
      RENEW,
      RELEASE_TASKS,
      CLAIM_TASKS,
      SIGNAL);

  /** How long whoever needs the tables waits for those who keep them from being made. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final ResourceCache<TableSettings, BoundStatements> BOUND =
      new ResourceCache<>(PgStepTables::bound);

  private final Timers timers;
  private final SqlClient client;
  private final Pool pool;
  private final TableSettings settings;
  private final BoundStatements statements;
  private final ClaimMarks marks;
  private final ContentionRetry contended;

  public PgStepTables(Timers timers, Pool pool, TableSettings settings) {
    this(timers, pool, pool, settings, statements(settings), new ClaimMarks());
  }

  private PgStepTables(
      Timers timers,
      SqlClient client,
      Pool pool,
      TableSettings settings,
      BoundStatements statements,
      ClaimMarks marks) {
    this.timers = timers;
    this.client = client;
    this.pool = pool;
    this.settings = settings;
    this.statements = statements;
    this.marks = marks;
    this.contended = new ContentionRetry(timers, FAILURES::mayBeSentAgain);
  }

  /** The statements about the tables that the settings name. */
  public static BoundStatements statements(TableSettings settings) {
    return BOUND.get(settings);
  }

  private static BoundStatements bound(TableSettings settings) {
    return SqlStatements.load(
            PgStepTables.class::getResourceAsStream, settings.schema(), "sql/postgres.sql")
        .with("prefix", settings.prefix())
        .bind(Placeholders.NUMBERED, STATEMENTS);
  }

  @Override
  public StepTables joining(SqlConnection connection) {
    return new PgStepTables(timers, connection, pool, settings, statements, marks);
  }

  @Override
  public StatementFailures failures() {
    return FAILURES;
  }

  @Override
  public Future<Void> prepare() {
    return new RowSecurity(
            settings.schema(),
            List.of(
                settings.prefix() + "_transport_tasks", settings.prefix() + "_transport_results"))
        .requireAllRows(pool)
        .compose(all -> settings.createTables() ? create() : Future.succeededFuture());
  }

  private Future<Void> create() {
    return objectsAreThere().compose(there -> there ? Future.succeededFuture() : createMissing());
  }

  private Future<Boolean> objectsAreThere() {
    return statements.get(FIND_OBJECTS).execute(pool, settings).map(rows -> {
      Row row = rows.iterator().next();
      boolean triggers = !settings.signalTriggers() || row.getLong(4) == 2;
      return row.getBoolean(0)
          && row.getBoolean(1)
          && row.getBoolean(2)
          && row.getBoolean(3)
          && triggers;
    });
  }

  /** Beside others who work with the tables: what is missing may be an index or the triggers only. */
  private Future<Void> createMissing() {
    SchemaName schema = settings.schema();
    return new OnlineSchemaChanges(
            timers,
            PATIENCE,
            work -> HeldConnections.use(pool, work),
            schema,
            settings.schema().value() + ".\"" + settings.prefix() + "_transport\"")
        .run(
            "creating the tables " + settings.prefix() + "_transport_* of steps",
            transaction -> transaction
                .query(statements.get(CREATE_TABLES).sql())
                .execute()
                .compose(created -> settings.signalTriggers()
                    ? transaction.query(statements.get(CREATE_TRIGGERS).sql()).execute()
                    : Future.succeededFuture(created))
                .mapEmpty());
  }

  /** As it is written in SQL. */
  private static String table(TableSettings settings, String name) {
    return settings.schema().sql() + ".\"" + settings.prefix() + "_" + name + "\"";
  }

  @Override
  public Future<List<DispatchOutcome>> dispatch(List<Stamped<StepTask>> steps) {
    return executeOnce(DISPATCH, steps).map(rows -> {
      List<DispatchOutcome> outcomes = new ArrayList<>();
      for (Row row : rows) {
        int wanted = steps.get(outcomes.size()).value().attempt();
        outcomes.add(StepRows.dispatched(row.getBoolean(0), row.getInteger(1), wanted));
      }
      return outcomes;
    });
  }

  @Override
  public Future<List<DispatchOutcome>> dispatchMissing(List<Stamped<StepTask>> steps) {
    return executeOnce(DISPATCH_MISSING, steps).map(rows -> {
      List<DispatchOutcome> outcomes = new ArrayList<>();
      for (Row row : rows) {
        Integer standing = row.getInteger(1);
        int wanted = steps.get(outcomes.size()).value().attempt();
        outcomes.add(
            standing == null && row.getBoolean(2)
                ? DispatchOutcome.ANSWERED
                : StepRows.dispatched(row.getBoolean(0), standing, wanted));
      }
      return outcomes;
    });
  }

  @Override
  public Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results) {
    return executeOnce(RECORD, results.stream().map(Ended::of).toList())
        .map(rows -> mapped(
            rows,
            row -> row.getBoolean(0)
                ? RecordOutcome.RECORDED
                : row.getBoolean(1) ? RecordOutcome.BLOCKED : RecordOutcome.LEASE_LOST));
  }

  @Override
  public Future<List<SettleOutcome>> settle(
      List<Stamped<SettleStepResults.Settlement>> settlements) {
    return executeOnce(SETTLE, settlements)
        .map(rows -> mapped(
            rows,
            row -> row.getBoolean(0)
                ? SettleOutcome.SETTLED
                : row.getBoolean(1) ? SettleOutcome.BLOCKED : SettleOutcome.CLAIM_LOST));
  }

  @Override
  public Future<Integer> withdraw(List<String> stepIds) {
    return executeOnce(WITHDRAW, stepIds).map(SqlResult::rowCount);
  }

  @Override
  public Future<List<String>> missing(List<String> stepIds) {
    return execute(MISSING, stepIds).map(rows -> mapped(rows, row -> row.getString(0)));
  }

  @Override
  public Future<List<StepTaskState>> tasks(List<String> stepIds) {
    return execute(LIST_TASKS, stepIds).map(rows -> mapped(rows, StepRows::state));
  }

  @Override
  public Future<List<StepResultRef>> list(ListStepResults query) {
    return execute(LIST_RESULTS, query).map(rows -> mapped(rows, StepRows::ref));
  }

  @Override
  public Future<List<ClaimedStepResult>> claimResults(ClaimStepResults command, String token) {
    return execute(CLAIM_RESULTS, new ClaimResults(command, token))
        .map(rows -> mapped(rows, row -> StepRows.result(row, token)));
  }

  @Override
  public Future<Void> releaseResults(ReleaseStepResults command) {
    return execute(RELEASE_RESULTS, command).mapEmpty();
  }

  @Override
  public Future<Integer> discard(DiscardStepResults command) {
    return execute(DISCARD, command).map(SqlResult::rowCount);
  }

  @Override
  public Future<List<ClaimedStepTask>> claimTasks(ClaimStepTasks command, String token) {
    return marks.claim(command, from -> claimFrom(command, token, from));
  }

  private Future<List<ClaimedStepTask>> claimFrom(
      ClaimStepTasks command, String token, List<Long> from) {
    return execute(CLAIM_TASKS, new ClaimTasks(command, token, from))
        .map(rows -> mapped(rows, row -> StepRows.task(row, token)).stream()
            .sorted(Comparator.comparing(ClaimedStepTask::dispatchedAt))
            .toList());
  }

  @Override
  public Future<Set<String>> renew(RenewStepTasks command) {
    return executeOnce(RENEW, command)
        .map(rows -> new HashSet<>(mapped(rows, row -> row.getString(0))));
  }

  @Override
  public Future<Set<String>> leased(StepClaim claim) {
    return execute(LIST_TASKS, List.of(claim.stepId()))
        .map(rows -> StepRows.leased(mapped(rows, row -> row), claim));
  }

  @Override
  public Future<Integer> releaseTasks(List<StepClaim> claims) {
    return executeOnce(RELEASE_TASKS, claims).map(SqlResult::rowCount);
  }

  /** Again where others kept it from its rows or its table, but for a caller's transaction, which is gone then. */
  private <C> Future<RowSet<Row>> execute(SqlStatement<C> statement, C given) {
    return client == pool
        ? contended.run(() -> executeOnce(statement, given))
        : executeOnce(statement, given);
  }

  /** For what is gathered or divided: who does that tries again. */
  private <C> Future<RowSet<Row>> executeOnce(SqlStatement<C> statement, C given) {
    return statements.get(statement).execute(client, given);
  }

  private static <T> @Nullable T next(
      Stamped<SettleStepResults.Settlement> settlement, Function<StepTask, T> part) {
    StepTask next = settlement.value().next();
    return next == null ? null : part.apply(next);
  }

  private static <T> List<T> mapped(RowSet<Row> rows, Function<Row, T> mapper) {
    return StreamSupport.stream(rows.spliterator(), false).map(mapper).toList();
  }

  /** Claims of tasks, of each group from an instant on. */
  record ClaimTasks(ClaimStepTasks command, String token, List<Long> from) {}

  /** What listeners are notified of. */
  public record Signal(String channel, String payload) {}

  private record ClaimResults(ClaimStepResults command, String token) {}

  private record Ended(Stamped<RecordStepResults.Ended> result, StoredOutcome outcome) {
    static Ended of(Stamped<RecordStepResults.Ended> result) {
      return new Ended(result, StoredOutcome.of(result.value().outcome()));
    }
  }
}
