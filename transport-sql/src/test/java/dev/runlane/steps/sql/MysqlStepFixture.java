package dev.runlane.steps.sql;

import dev.runlane.steps.StepTransport;
import dev.runlane.testinfra.mariadb.EmbeddedMariadb;
import dev.runlane.testinfra.mariadb.MariadbAddress;
import dev.runlane.testinfra.mariadb.MariadbServers;
import dev.runlane.testinfra.mariadb.MysqlServers;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Tables on MariaDB, or on MySQL where the build says so; where there is none, who asks for them is left out. */
public class MysqlStepFixture extends SqlStepFixture {
  private static final int DUPLICATE_INDEX = 1061;

  /** As many as make tables at once. */
  private static final int MOST_AT_ONCE = 6;

  static final boolean ON_MYSQL = Boolean.getBoolean("runlane.test.mysql");

  private @Nullable Pool beside; // for statements that come one after the other, often many

  public MysqlStepFixture(Vertx vertx) {
    super(vertx);
    requireServer();
  }

  static void requireServer() {
    Optional<String> absence = ON_MYSQL ? MysqlServers.absence() : MariadbServers.absence();
    Assumptions.assumeTrue(absence.isEmpty(), () -> absence.orElse(""));
  }

  /** A server of one's own. */
  static EmbeddedMariadb.Builder server() {
    EmbeddedMariadb.Builder server = EmbeddedMariadb.builder();
    return ON_MYSQL ? server.mysql() : server;
  }

  public static MySQLConnectOptions address() {
    return MySQLConnectOptions.fromUri(Shared.DATABASE.toUri());
  }

  @Override
  String uri() {
    return Shared.DATABASE.toUri();
  }

  @Override
  public SqlStepTransport transport(SqlStepOptions options) {
    return MysqlSteps.transport(vertx, address(), options);
  }

  @Override
  public SqlStepTransport transport(Pool pool, SqlStepOptions options) {
    return MysqlSteps.transport(vertx, pool, options);
  }

  @Override
  TcpLine line() {
    return new TcpLine(address().getHost(), address().getPort());
  }

  @Override
  SqlStepTransport transport(TcpLine line, SqlStepOptions options) {
    return MysqlSteps.transport(vertx, over(line), options);
  }

  private static MySQLConnectOptions over(TcpLine line) {
    MySQLConnectOptions over = address();
    over.setHost("127.0.0.1").setPort(line.port());
    return over;
  }

  @Override
  public Pool pool() {
    return MySQLBuilder.pool().connectingTo(address()).using(vertx).build();
  }

  @Override
  Pool pool(TcpLine line) {
    return MySQLBuilder.pool().connectingTo(over(line)).using(vertx).build();
  }

  @Override
  public Future<RowSet<Row>> sql(String statement, Tuple parameters) {
    if (beside == null) {
      beside = MySQLBuilder.pool()
          .with(new PoolOptions().setMaxSize(MOST_AT_ONCE))
          .connectingTo(address())
          .using(vertx)
          .build();
    }
    return beside.preparedQuery(statement).execute(parameters);
  }

  @Override
  public Future<Void> close() {
    return super.close()
        .eventually(() -> beside == null ? Future.succeededFuture() : beside.close());
  }

  @Override
  String quoted(String name) {
    return "`" + name + "`";
  }

  @Override
  String place(int parameter) {
    return "?";
  }

  /**
   * The tables that the published Node package makes, here with a collation that takes upper and lower case
   * for the same, and without our indexes.
   *
   * @param characters the table's options
   */
  public Future<Void> createForeignTables(String characters) {
    List<String> statements = List.of(
        "CREATE TABLE IF NOT EXISTS " + tasks() + " (`step_id` varchar(191) PRIMARY KEY,"
            + " `run_id` varchar(191) NOT NULL, `seq` integer NOT NULL, `name` varchar(191) NOT NULL,"
            + " `grp` varchar(191) NOT NULL, `input` longtext, `attempt` integer NOT NULL,"
            + " `status` varchar(32) NOT NULL, `claimed_by` varchar(191), `claimed_at` bigint,"
            + " `created_at` bigint NOT NULL) " + characters,
        "CREATE TABLE IF NOT EXISTS " + results() + " (`step_id` varchar(191) PRIMARY KEY,"
            + " `run_id` varchar(191) NOT NULL, `seq` integer NOT NULL, `status` varchar(32) NOT NULL,"
            + " `output` longtext, `error` longtext, `started_at` bigint, `claimed_by` varchar(191),"
            + " `claimed_at` bigint, `created_at` bigint NOT NULL) " + characters,
        "CREATE INDEX " + quoted(options().getPrefix() + "_transport_tasks_grp_idx") + " ON "
            + tasks() + " (`grp`, `status`, `created_at`)");
    Future<Void> created = Future.succeededFuture();
    for (String statement : statements) {
      created = created.compose(before -> sql(statement, Tuple.tuple())
          .<Void>mapEmpty()
          .recover(MysqlStepFixture::unlessThereIsOne));
    }
    return created;
  }

  /** MySQL knows no index "if not exists". */
  private static Future<Void> unlessThereIsOne(Throwable failure) {
    return failure instanceof MySQLException refused && refused.getErrorCode() == DUPLICATE_INDEX
        ? Future.succeededFuture()
        : Future.failedFuture(failure);
  }

  /** Such tables are there before anything of ours. */
  public static MysqlStepFixture onForeignTables(Vertx vertx, String characters) {
    return new MysqlStepFixture(vertx) {
      @Override
      public Future<StepTransport> open() {
        return createForeignTables(characters).compose(created -> super.open());
      }
    };
  }

  private static final class Shared {
    static final MariadbAddress DATABASE =
        (ON_MYSQL ? MysqlServers.shared() : MariadbServers.shared()).createDatabase("steps");
  }
}
