package dev.runlane.steps.sql;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.sql.row.StoredOutcome;
import dev.runlane.steps.sql.row.TableSettings;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A prefix of its own in one database of a shared server. */
public abstract class SqlStepFixture implements StepTransportFixture {
  private static final AtomicInteger PREFIXES = new AtomicInteger();

  final Vertx vertx;
  private final SqlStepOptions options = newPrefix();
  private final List<StepTransport> opened = new ArrayList<>();

  SqlStepFixture(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Options with a prefix that nobody uses yet. */
  public static SqlStepOptions newPrefix() {
    return new SqlStepOptions().setPrefix("Case_" + PREFIXES.incrementAndGet()).setPoolSize(3);
  }

  /** A transport of its own on these tables. */
  public abstract SqlStepTransport transport(SqlStepOptions options);

  /** The same with a pool of the application's. */
  public abstract SqlStepTransport transport(Pool pool, SqlStepOptions options);

  /** A line to the database, which can fall silent. */
  abstract TcpLine line();

  /** A transport with a pool of its own over a line. */
  abstract SqlStepTransport transport(TcpLine line, SqlStepOptions options);

  /** A pool of an application's own, as anybody would make one. */
  public abstract Pool pool();

  /** The same over a line. */
  abstract Pool pool(TcpLine line);

  /** Where the database is, password included. */
  abstract String uri();

  /** Runs a statement on a connection that no transaction is on. */
  public abstract Future<RowSet<Row>> sql(String statement, Tuple parameters);

  /** A name as it is written in SQL. */
  abstract String quoted(String name);

  /** The place of a parameter, counted from 1. */
  abstract String place(int parameter);

  public TableSettings settings() {
    return SqlStepTransport.settings(options);
  }

  public SqlStepOptions options() {
    return options;
  }

  public String tasks() {
    return quoted(options.getPrefix() + "_transport_tasks");
  }

  public String results() {
    return quoted(options.getPrefix() + "_transport_results");
  }

  @Override
  public Future<StepTransport> open() {
    SqlStepTransport transport = transport(options);
    opened.add(transport);
    return transport
        .start()
        .compose(started -> transport.listMissingSteps(new ListMissingSteps(List.of())))
        .map(transport); // the tables are there now, for what the fixture itself writes
  }

  @Override
  public Future<Void> putResult(StepResult result) {
    StoredOutcome stored = StoredOutcome.of(result.outcome());
    return put(result, stored.status(), stored.output(), stored.error());
  }

  @Override
  public Future<Void> putUnreadableResult(StepResult result) {
    return put(result, "completed", "{", null);
  }

  private Future<Void> put(
      StepResult result, String status, @Nullable String output, @Nullable String error) {
    Tuple values = Tuple.tuple()
        .addString(result.stepId())
        .addString(result.runId())
        .addInteger(result.seq())
        .addString(status)
        .addString(output)
        .addString(error)
        .addLong(result.createdAt().toEpochMilli())
        .addLong(result.createdAt().toEpochMilli());
    String places =
        IntStream.rangeClosed(1, 8).mapToObj(this::place).collect(Collectors.joining(", "));
    return sql(
            "INSERT INTO " + results()
                + " (step_id, run_id, seq, status, output, error, started_at, created_at)"
                + " VALUES (" + places + ")",
            values)
        .mapEmpty();
  }

  /** A failure with an error column of any kind. */
  Future<Void> putFailure(StepResult result, @Nullable String error) {
    return put(result, "failed", null, error);
  }

  @Override
  public Future<Void> breakInput(String stepId) {
    return sql(
            "UPDATE " + tasks() + " SET input = '{oops' WHERE step_id = " + place(1),
            Tuple.of(stepId))
        .mapEmpty();
  }

  @Override
  public Future<Void> ownWithoutTime(String stepId) {
    return sql(
            "UPDATE " + tasks() + " SET claimed_by = 'somebody' WHERE step_id = " + place(1),
            Tuple.of(stepId))
        .mapEmpty();
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(StepTransport::close).toList()).mapEmpty();
  }
}
