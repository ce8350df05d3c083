package dev.runlane.drills.steps;

import dev.runlane.drills.process.Await;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.sql.MysqlSteps;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.task.ListMissingSteps;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * Where the two tables of remote steps are: beside the runs, or on a MariaDB of their own.
 *
 * @param uri of PostgreSQL or MariaDB
 * @param prefix of the tables
 */
record StepTables(String uri, String prefix) {
  private boolean isMysql() {
    return uri.startsWith("mysql");
  }

  StepTransport transport(Vertx vertx) {
    SqlStepOptions options = new SqlStepOptions().setPrefix(prefix).setPoolSize(4);
    return isMysql()
        ? MysqlSteps.transport(vertx, MySQLConnectOptions.fromUri(uri), options)
        : SqlStepTransport.postgres(vertx, PgConnectOptions.fromUri(uri), options);
  }

  /** Makes the tables: programs of the Node package that do so at the same moment end each other. */
  void create(Vertx vertx) {
    StepTransport transport = transport(vertx);
    Await.result(transport
        .start()
        .compose(started -> transport.listMissingSteps(new ListMissingSteps(List.of("run:0"))))
        .eventually(transport::close));
  }

  /** Tasks and results that are left. */
  long rows(Vertx vertx) {
    Future<? extends SqlConnection> connected = isMysql()
        ? MySQLConnection.connect(vertx, MySQLConnectOptions.fromUri(uri))
        : PgConnection.connect(vertx, PgConnectOptions.fromUri(uri));
    return Await.result(connected.compose(connection -> connection
        .query("SELECT (SELECT count(*) FROM " + prefix + "_transport_tasks)"
            + " + (SELECT count(*) FROM " + prefix + "_transport_results)")
        .execute()
        .map(rows -> rows.iterator().next().getLong(0))
        .eventually(connection::close)));
  }
}
