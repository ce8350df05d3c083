package dev.runlane.steps.sql;

import dev.runlane.postgres.BriefLocks;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
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
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The tables on PostgreSQL: one statement a command, many commands a statement, arrays for parameters. */
final class PgStepTables implements StepTables {
  private static final int MOST_TRIES = 5;

  /** How long whoever needs the tables waits for those who keep them from being made. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Timers timers;
  private final SqlClient client;
  private final Pool pool;
  private final SqlStepOptions options;
  private final SqlStatements statements;
  private final ClaimMarks marks;

  PgStepTables(Timers timers, Pool pool, SqlStepOptions options) {
    this(
        timers,
        pool,
        pool,
        options,
        SqlStatements.load(
            PgStepTables.class, new SchemaName(options.getSchema()), "sql/postgres.sql"),
        new ClaimMarks());
  }

  private PgStepTables(
      Timers timers,
      SqlClient client,
      Pool pool,
      SqlStepOptions options,
      SqlStatements statements,
      ClaimMarks marks) {
    this.timers = timers;
    this.client = client;
    this.pool = pool;
    this.options = options;
    this.statements = statements;
    this.marks = marks;
  }

  @Override
  public StepTables joining(SqlConnection connection) {
    return new PgStepTables(timers, connection, pool, options, statements, marks);
  }

  @Override
  public StatementFailures failures() {
    return PgFailures.OF_POSTGRES;
  }

  @Override
  public Future<Void> prepare() {
    return options.isCreateTables() ? create() : Future.succeededFuture();
  }

  private Future<Void> create() {
    return objectsAreThere().compose(there -> there ? Future.succeededFuture() : createMissing());
  }

  private Future<Boolean> objectsAreThere() {
    String tasks = table("transport_tasks");
    String results = table("transport_results");
    Tuple names = Tuple.of(
        tasks,
        results,
        table("transport_tasks_order_idx"),
        table("transport_results_order_idx"),
        options.getPrefix() + "_transport_signal");
    return pool.preparedQuery(sql("find_objects")).execute(names).map(rows -> {
      Row row = rows.iterator().next();
      boolean triggers = !options.isSignalTriggers() || row.getLong(4) == 2;
      return row.getBoolean(0)
          && row.getBoolean(1)
          && row.getBoolean(2)
          && row.getBoolean(3)
          && triggers;
    });
  }

  /** Beside others who work with the tables: what is missing may be an index or the triggers only. */
  private Future<Void> createMissing() {
    SchemaName schema = new SchemaName(options.getSchema());
    return new BriefLocks(
            timers,
            PATIENCE,
            work -> HeldConnections.use(pool, work),
            schema,
            options.getSchema() + ".\"" + options.getPrefix() + "_transport\"")
        .run(
            "creating the tables " + options.getPrefix() + "_transport_* of steps",
            transaction -> transaction
                .query(sql("create_tables"))
                .execute()
                .compose(created -> options.isSignalTriggers()
                    ? transaction.query(sql("create_triggers")).execute()
                    : Future.succeededFuture(created))
                .mapEmpty());
  }

  /** As it is written in SQL. */
  private String table(String name) {
    return new SchemaName(options.getSchema()).sql() + ".\"" + options.getPrefix() + "_" + name
        + "\"";
  }

  @Override
  public Future<List<DispatchOutcome>> dispatch(List<Stamped<StepTask>> steps) {
    return executeOnce("dispatch", taskRows(steps)).map(rows -> {
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
    return executeOnce("dispatch_missing", taskRows(steps)).map(rows -> {
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

  private static Tuple taskRows(List<Stamped<StepTask>> steps) {
    Tuple parameters = Tuple.tuple();
    texts(parameters, steps, each -> each.value().stepId());
    texts(parameters, steps, each -> each.value().runId());
    integers(parameters, steps, each -> each.value().seq());
    texts(parameters, steps, each -> each.value().name());
    texts(parameters, steps, each -> each.value().group());
    texts(parameters, steps, each -> StepJson.input(each.value().input()));
    integers(parameters, steps, each -> each.value().attempt());
    longs(parameters, steps, Stamped::nowMillis);
    return parameters;
  }

  @Override
  public Future<List<RecordOutcome>> record(List<Stamped<RecordStepResults.Ended>> results) {
    Tuple parameters = Tuple.tuple();
    List<StoredOutcome> outcomes =
        results.stream().map(each -> StoredOutcome.of(each.value().outcome())).toList();
    texts(parameters, results, each -> each.value().claim().stepId());
    texts(parameters, results, each -> each.value().claim().token());
    texts(parameters, outcomes, StoredOutcome::status);
    texts(parameters, outcomes, StoredOutcome::output);
    texts(parameters, outcomes, StoredOutcome::error);
    longs(parameters, results, each -> each.value().startedAt().toEpochMilli());
    longs(parameters, results, Stamped::nowMillis);
    return executeOnce("record_results", parameters)
        .map(rows -> mapped(
            rows,
            row -> row.getBoolean(0)
                ? RecordOutcome.RECORDED
                : row.getBoolean(1) ? RecordOutcome.BLOCKED : RecordOutcome.LEASE_LOST));
  }

  @Override
  public Future<List<SettleOutcome>> settle(
      List<Stamped<SettleStepResults.Settlement>> settlements) {
    Tuple parameters = Tuple.tuple();
    List<@Nullable StepTask> next = new ArrayList<>();
    settlements.forEach(each -> next.add(each.value().next()));
    texts(parameters, settlements, each -> each.value().claim().stepId());
    texts(parameters, settlements, each -> each.value().claim().token());
    texts(parameters, next, each -> each == null ? null : each.runId());
    integers(parameters, next, each -> each == null ? null : each.seq());
    texts(parameters, next, each -> each == null ? null : each.name());
    texts(parameters, next, each -> each == null ? null : each.group());
    texts(parameters, next, each -> each == null ? null : StepJson.input(each.input()));
    integers(parameters, next, each -> each == null ? null : each.attempt());
    longs(parameters, settlements, Stamped::nowMillis);
    return executeOnce("settle", parameters)
        .map(rows -> mapped(
            rows,
            row -> row.getBoolean(0)
                ? SettleOutcome.SETTLED
                : row.getBoolean(1) ? SettleOutcome.BLOCKED : SettleOutcome.CLAIM_LOST));
  }

  @Override
  public Future<Integer> withdraw(List<String> stepIds) {
    return execute("withdraw", Tuple.tuple().addArrayOfString(array(stepIds)))
        .map(SqlResult::rowCount);
  }

  @Override
  public Future<List<String>> missing(List<String> stepIds) {
    return execute("missing", Tuple.tuple().addArrayOfString(array(stepIds)))
        .map(rows -> mapped(rows, row -> row.getString(0)));
  }

  @Override
  public Future<List<StepTaskState>> tasks(List<String> stepIds) {
    return execute("list_tasks", Tuple.tuple().addArrayOfString(array(stepIds)))
        .map(rows -> mapped(rows, StepRows::state));
  }

  @Override
  public Future<List<StepResultRef>> list(ListStepResults query) {
    StepResultRef after = query.after();
    Tuple parameters = Tuple.of(
        after == null ? Long.MIN_VALUE : after.createdAt().toEpochMilli(),
        after == null ? "" : after.stepId(),
        query.now().toEpochMilli() - query.leaseFor().toMillis(),
        query.limit());
    return execute("list_results", parameters).map(rows -> mapped(rows, StepRows::ref));
  }

  @Override
  public Future<List<ClaimedStepResult>> claimResults(ClaimStepResults command, String token) {
    Tuple parameters = Tuple.tuple()
        .addArrayOfString(array(command.stepIds()))
        .addLong(command.now().toEpochMilli() - command.leaseFor().toMillis())
        .addString(token)
        .addLong(command.now().toEpochMilli());
    return execute("claim_results", parameters)
        .map(rows -> mapped(rows, row -> StepRows.result(row, token)));
  }

  @Override
  public Future<Void> releaseResults(ReleaseStepResults command) {
    Tuple parameters = claims(command.claims())
        .addLong(command.now().toEpochMilli()
            + command.retryIn().toMillis()
            - command.leaseFor().toMillis());
    return execute("release_results", parameters).mapEmpty();
  }

  @Override
  public Future<Integer> discard(DiscardStepResults command) {
    Tuple parameters = Tuple.tuple()
        .addArrayOfString(array(command.stepIds()))
        .addLong(command.createdBefore().toEpochMilli())
        .addLong(command.now().toEpochMilli() - command.leaseFor().toMillis());
    return execute("discard_results", parameters).map(SqlResult::rowCount);
  }

  @Override
  public Future<List<ClaimedStepTask>> claimTasks(ClaimStepTasks command, String token) {
    return marks.claim(command, from -> claimFrom(command, token, from));
  }

  private Future<List<ClaimedStepTask>> claimFrom(
      ClaimStepTasks command, String token, List<Long> from) {
    Tuple parameters = Tuple.tuple()
        .addArrayOfString(array(command.groups()))
        .addArrayOfLong(from.toArray(Long[]::new))
        .addLong(command.now().toEpochMilli() - command.leaseFor().toMillis())
        .addInteger(command.limit())
        .addString(token)
        .addLong(command.now().toEpochMilli());
    return execute("claim_tasks", parameters)
        .map(rows -> mapped(rows, row -> StepRows.task(row, token)).stream()
            .sorted(Comparator.comparing(ClaimedStepTask::dispatchedAt))
            .toList());
  }

  @Override
  public Future<Set<String>> renew(RenewStepTasks command) {
    Tuple parameters = claims(command.claims()).addLong(command.now().toEpochMilli());
    return execute("renew_tasks", parameters)
        .map(rows -> new HashSet<>(mapped(rows, row -> row.getString(0))));
  }

  @Override
  public Future<Void> releaseTasks(List<StepClaim> claims) {
    return execute("release_tasks", claims(claims)).mapEmpty();
  }

  private String sql(String name) {
    return statements.get(name, Map.of("prefix", options.getPrefix()));
  }

  /** Again where it lost against another without a change, but for a caller's transaction, which is gone then. */
  private Future<RowSet<Row>> execute(String statement, Tuple parameters) {
    return execute(statement, parameters, client == pool ? MOST_TRIES : 1);
  }

  private Future<RowSet<Row>> execute(String statement, Tuple parameters, int tries) {
    return executeOnce(statement, parameters)
        .recover(failure -> tries > 1 && failures().mayBeSentAgain(failure)
            ? execute(statement, parameters, tries - 1)
            : Future.failedFuture(failure));
  }

  /** For what is gathered: who gathers tries again. */
  private Future<RowSet<Row>> executeOnce(String statement, Tuple parameters) {
    return client.preparedQuery(sql(statement)).execute(parameters);
  }

  private static Tuple claims(List<StepClaim> claims) {
    Tuple parameters = Tuple.tuple();
    texts(parameters, claims, StepClaim::stepId);
    texts(parameters, claims, StepClaim::token);
    return parameters;
  }

  private static String[] array(List<String> values) {
    return values.toArray(String[]::new);
  }

  private static <T extends @Nullable Object> void texts(
      Tuple parameters, List<T> rows, Function<T, @Nullable String> column) {
    String[] values = new String[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfString(values);
  }

  private static <T extends @Nullable Object> void integers(
      Tuple parameters, List<T> rows, Function<T, @Nullable Integer> column) {
    Integer[] values = new Integer[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfInteger(values);
  }

  private static <T> void longs(Tuple parameters, List<T> rows, Function<T, Long> column) {
    Long[] values = new Long[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfLong(values);
  }

  private static <T> List<T> mapped(RowSet<Row> rows, Function<Row, T> mapper) {
    return StreamSupport.stream(rows.spliterator(), false).map(mapper).toList();
  }
}
