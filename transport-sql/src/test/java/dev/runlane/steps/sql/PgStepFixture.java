package dev.runlane.steps.sql;

import dev.runlane.testinfra.PostgresAddress;
import dev.runlane.testinfra.PostgresServers;
import dev.runlane.testinfra.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

/** Tables on PostgreSQL. */
final class PgStepFixture extends SqlStepFixture {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("steps");

  PgStepFixture(Vertx vertx) {
    super(vertx);
  }

  static PgConnectOptions address() {
    return PgConnectOptions.fromUri(DATABASE.toUri());
  }

  @Override
  String uri() {
    return DATABASE.toUri();
  }

  @Override
  SqlStepTransport transport(SqlStepOptions options) {
    return SqlStepTransport.postgres(vertx, address(), options);
  }

  @Override
  SqlStepTransport transport(Pool pool) {
    return SqlStepTransport.postgres(vertx, pool, options());
  }

  @Override
  TcpLine line() {
    return new TcpLine(address().getHost(), address().getPort());
  }

  @Override
  SqlStepTransport transport(TcpLine line, SqlStepOptions options) {
    return SqlStepTransport.postgres(
        vertx, address().setHost("127.0.0.1").setPort(line.port()), options);
  }

  @Override
  Pool pool() {
    return PgBuilder.pool().connectingTo(address()).using(vertx).build();
  }

  @Override
  Future<RowSet<Row>> sql(String statement, Tuple parameters) {
    return PgConnection.connect(vertx, address())
        .compose(connection ->
            connection.preparedQuery(statement).execute(parameters).eventually(connection::close));
  }

  @Override
  String quoted(String name) {
    return "\"" + name + "\"";
  }

  @Override
  String place(int parameter) {
    return "$" + parameter;
  }
}
