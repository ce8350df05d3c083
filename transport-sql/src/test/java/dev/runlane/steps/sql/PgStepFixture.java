package dev.runlane.steps.sql;

import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import dev.runlane.testinfra.process.TcpLine;
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
public final class PgStepFixture extends SqlStepFixture {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("steps");

  /** A case opens some five connections: to start a server process for each takes longer than the case. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  private final PostgresAddress way;

  public PgStepFixture(Vertx vertx) {
    this(vertx, SESSIONS.address());
  }

  private PgStepFixture(Vertx vertx, PostgresAddress way) {
    super(vertx);
    this.way = way;
  }

  /** For cases that look at the server's connections, or end some. */
  static PgStepFixture direct(Vertx vertx) {
    return new PgStepFixture(vertx, DATABASE);
  }

  /** The server's own, for what is about connections. */
  public static PgConnectOptions address() {
    return PgConnectOptions.fromUri(DATABASE.toUri());
  }

  private PgConnectOptions connect() {
    return PgConnectOptions.fromUri(way.toUri());
  }

  @Override
  String uri() {
    return DATABASE.toUri();
  }

  @Override
  public SqlStepTransport transport(SqlStepOptions options) {
    return SqlStepTransport.postgres(vertx, connect(), options);
  }

  @Override
  public SqlStepTransport transport(Pool pool, SqlStepOptions options) {
    return SqlStepTransport.postgres(vertx, pool, options);
  }

  @Override
  TcpLine line() {
    return new TcpLine(address().getHost(), address().getPort());
  }

  @Override
  SqlStepTransport transport(TcpLine line, SqlStepOptions options) {
    return SqlStepTransport.postgres(vertx, over(line), options);
  }

  private static PgConnectOptions over(TcpLine line) {
    return address().setHost("127.0.0.1").setPort(line.port());
  }

  @Override
  public Pool pool() {
    return PgBuilder.pool().connectingTo(address()).using(vertx).build();
  }

  @Override
  Pool pool(TcpLine line) {
    return PgBuilder.pool().connectingTo(over(line)).using(vertx).build();
  }

  @Override
  public Future<RowSet<Row>> sql(String statement, Tuple parameters) {
    return PgConnection.connect(vertx, connect())
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
