package dev.runlane.steps.sql;

import dev.runlane.conformance.StepTransportFixture;
import dev.runlane.steps.ListMissingSteps;
import dev.runlane.steps.StepResult;
import dev.runlane.steps.StepTransport;
import dev.runlane.testinfra.PostgresAddress;
import dev.runlane.testinfra.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A prefix of its own in one database of the shared server. */
final class PgStepFixture implements StepTransportFixture {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("steps");
  private static final AtomicInteger PREFIXES = new AtomicInteger();

  private final Vertx vertx;
  private final SqlStepOptions options = newPrefix();
  private final List<StepTransport> opened = new ArrayList<>();

  PgStepFixture(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Options with a prefix that nobody uses yet. */
  static SqlStepOptions newPrefix() {
    return new SqlStepOptions().setPrefix("Case_" + PREFIXES.incrementAndGet()).setPoolSize(3);
  }

  static PgConnectOptions address() {
    return PgConnectOptions.fromUri(DATABASE.toUri());
  }

  static String uri() {
    return DATABASE.toUri();
  }

  static Future<RowSet<Row>> sql(Vertx vertx, String statement, Tuple parameters) {
    return PgConnection.connect(vertx, address())
        .compose(connection ->
            connection.preparedQuery(statement).execute(parameters).eventually(connection::close));
  }

  SqlStepOptions options() {
    return options;
  }

  String tasks() {
    return "\"" + options.getPrefix() + "_transport_tasks\"";
  }

  String results() {
    return "\"" + options.getPrefix() + "_transport_results\"";
  }

  @Override
  public Future<StepTransport> open() {
    SqlStepTransport transport = SqlStepTransport.postgres(vertx, address(), options);
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
        .addLong(result.createdAt().toEpochMilli());
    return sql(
            vertx,
            "INSERT INTO " + results()
                + " (step_id, run_id, seq, status, output, error, started_at, created_at)"
                + " VALUES ($1, $2, $3, $4, $5, $6, $7, $7)",
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
            vertx,
            "UPDATE " + tasks() + " SET input = '{oops' WHERE step_id = $1",
            Tuple.of(stepId))
        .mapEmpty();
  }

  @Override
  public Future<Void> ownWithoutTime(String stepId) {
    return sql(
            vertx,
            "UPDATE " + tasks() + " SET claimed_by = 'somebody' WHERE step_id = $1",
            Tuple.of(stepId))
        .mapEmpty();
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(StepTransport::close).toList()).mapEmpty();
  }
}
