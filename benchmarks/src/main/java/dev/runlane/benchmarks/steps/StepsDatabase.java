package dev.runlane.benchmarks.steps;

import dev.runlane.steps.sql.MysqlSteps;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.testinfra.mariadb.MariadbAddress;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/** Where the two tables of steps are, with the published prefix. */
abstract class StepsDatabase {
  final Vertx vertx;

  StepsDatabase(Vertx vertx) {
    this.vertx = vertx;
  }

  static StepsDatabase postgres(Vertx vertx, PostgresAddress database) {
    return new OnPostgres(vertx, database.toUri());
  }

  static StepsDatabase mariadb(Vertx vertx, MariadbAddress database) {
    return new OnMariadb(vertx, database.toUri());
  }

  /** For the results. */
  abstract String name();

  /** For programs in other languages. */
  abstract String uri();

  /** A transport of its own connections. */
  abstract SqlStepTransport transport();

  abstract Future<? extends SqlConnection> connect();

  /** Rows {@code i} from 1 to {@code count}. */
  abstract String numbers(int count);

  abstract String concatenated(String... parts);

  /** Statistics as they are in a quiet night. */
  abstract String analyzed();

  Future<RowSet<Row>> execute(String statement) {
    return connect()
        .compose(connection -> connection.query(statement).execute().eventually(connection::close));
  }

  Future<Void> empty() {
    return execute("TRUNCATE TABLE durable_transport_tasks")
        .compose(emptied -> execute("TRUNCATE TABLE durable_transport_results"))
        .mapEmpty();
  }

  Future<Void> analyze() {
    return execute(analyzed()).mapEmpty();
  }

  /** Waiting tasks of two groups, {@code g0} and {@code g1}. */
  Future<Void> fill(int count) {
    String run = concatenated("'run_'", "i");
    String columns = String.join(
        ", ",
        List.of(
            concatenated(run, "':0'"),
            run,
            "0",
            "'echo'",
            concatenated("'g'", "i % 2"),
            "1",
            "'pending'",
            "i"));
    return execute("INSERT INTO durable_transport_tasks"
            + " (step_id, run_id, seq, name, grp, attempt, status, created_at)"
            + " SELECT " + columns + " FROM " + numbers(count))
        .mapEmpty();
  }

  private static final class OnPostgres extends StepsDatabase {
    private final String uri;

    OnPostgres(Vertx vertx, String uri) {
      super(vertx);
      this.uri = uri;
    }

    @Override
    String name() {
      return "PostgreSQL";
    }

    @Override
    String uri() {
      return uri;
    }

    @Override
    SqlStepTransport transport() {
      return SqlStepTransport.postgres(vertx, PgConnectOptions.fromUri(uri), new SqlStepOptions());
    }

    @Override
    Future<PgConnection> connect() {
      return PgConnection.connect(vertx, PgConnectOptions.fromUri(uri));
    }

    @Override
    String numbers(int count) {
      return "generate_series(1, " + count + ") AS i";
    }

    @Override
    String concatenated(String... parts) {
      return String.join(" || ", parts);
    }

    @Override
    String analyzed() {
      return "VACUUM ANALYZE durable_transport_tasks";
    }
  }

  private static final class OnMariadb extends StepsDatabase {
    private final String uri;

    OnMariadb(Vertx vertx, String uri) {
      super(vertx);
      this.uri = uri;
    }

    @Override
    String name() {
      return "MariaDB";
    }

    @Override
    String uri() {
      return uri;
    }

    @Override
    SqlStepTransport transport() {
      return MysqlSteps.transport(vertx, MySQLConnectOptions.fromUri(uri), new SqlStepOptions());
    }

    @Override
    Future<MySQLConnection> connect() {
      return MySQLConnection.connect(vertx, MySQLConnectOptions.fromUri(uri));
    }

    @Override
    String numbers(int count) {
      return "(SELECT seq AS i FROM seq_1_to_" + count + ") AS numbers";
    }

    @Override
    String concatenated(String... parts) {
      return "concat(" + String.join(", ", parts) + ")";
    }

    @Override
    String analyzed() {
      return "ANALYZE TABLE durable_transport_tasks";
    }
  }
}
