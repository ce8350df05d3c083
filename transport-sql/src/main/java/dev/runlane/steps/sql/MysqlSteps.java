package dev.runlane.steps.sql;

import dev.runlane.postgres.BoundedConnections;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.LeaseBound;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.sql.mysql.MysqlStepTables;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.spi.MySQLDriver;
import io.vertx.sqlclient.ClientBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.spi.ConnectionFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Step transports on MySQL 8 and MariaDB from 10.6 on. Needs {@code io.vertx:vertx-mysql-client}, an optional
 * dependency, on the class path; nothing else of this module does.
 *
 * <p>There are no signals: engines and workers poll.
 */
public final class MysqlSteps {
  private static final Logger LOG = LoggerFactory.getLogger(MysqlSteps.class);
  private static final int MOST_WAITING = 10_000;
  private static final int CACHED_STATEMENTS = 256;

  /** The name of an index has at most 64 characters, and the longest is 28 longer than the prefix. */
  private static final int LONGEST_PREFIX = 36;

  /**
   * Whatever the server's defaults are, and what it runs for new sessions: all characters, also where it passes over
   * those of the handshake; a look that ends with its statement, and does not go on in a transaction that nobody ends;
   * short waits, because what others keep is asked for again; nothing cut off or replaced unnoticed.
   */
  private static final String SESSION = "SET NAMES utf8mb4, autocommit = 1,"
      + " innodb_lock_wait_timeout = 1, sql_mode = concat(@@sql_mode, ',STRICT_TRANS_TABLES')";

  private MysqlSteps() {}

  /**
   * A transport with a pool of its own, which {@link SqlStepTransport#close} closes. Throws {@code
   * ConfigurationInvalid} for options that ask for triggers, or whose prefix has more than 36 characters.
   *
   * @param address how to connect; the tables are in the database it names
   */
  @SuppressWarnings(
      "exports") // who calls this requires the client; who uses Postgres needs none of it
  public static SqlStepTransport transport(
      Vertx vertx, MySQLConnectOptions address, SqlStepOptions options) {
    MySQLConnectOptions said = new MySQLConnectOptions(address);
    return transport(vertx, () -> Future.succeededFuture(said), options);
  }

  /**
   * The same, which asks for each connection how to make it: for a password that is changed while the process runs, or
   * a host that is another one after a failover. Where nobody can say, what needs a connection fails with {@code
   * StorageUnavailable}.
   *
   * @param address is asked on any thread, and often at once
   */
  @SuppressWarnings("exports") // as above
  public static SqlStepTransport transport(
      Vertx vertx, Supplier<Future<MySQLConnectOptions>> address, SqlStepOptions options) {
    SqlStepOptions copy = checked(options);
    LeaseBound leases = new LeaseBound(Timers.of(vertx));
    ConnectionBounds bounds = SqlStepTransport.bounds(copy, leases);
    Pool pool = ClientBuilder.pool(new BoundedDriver(bounds))
        .with(bounds.of(
            new PoolOptions().setMaxSize(copy.getPoolSize()).setMaxWaitQueueSize(MOST_WAITING)))
        .connectingTo(() -> Future.<Void>succeededFuture()
            .compose(begin -> address.get())
            .<SqlConnectOptions>map(MysqlSteps::tuned)
            .recover(failure -> Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE,
                failure,
                "nobody says how to connect: %s",
                String.valueOf(failure.getMessage())))))
        .withConnectHandler(MysqlSteps::setUp)
        .using(vertx)
        .build();
    return SqlStepTransport.onMysql(vertx, pool, pool, leases, copy);
  }

  /**
   * A transport with the application's pool, which stays the application's to close. Its connections should
   * cache prepared statements, be strict about values, commit by themselves, and wait for locks for a second or two, no
   * longer. Throws as for a pool of its own.
   */
  public static SqlStepTransport transport(Vertx vertx, Pool pool, SqlStepOptions options) {
    return SqlStepTransport.onMysql(
        vertx, pool, null, new LeaseBound(Timers.of(vertx)), checked(options));
  }

  private static MySQLConnectOptions tuned(MySQLConnectOptions address) {
    MySQLConnectOptions tuned = new MySQLConnectOptions(address);
    tuned.setCharacterEncoding(StandardCharsets.UTF_8.name()); // which SESSION announces
    tuned.setCachePreparedStatements(true);
    tuned.setPreparedStatementCacheMaxSize(CACHED_STATEMENTS);
    tuned.setPreparedStatementCacheSqlFilter(statement -> true);
    return tuned;
  }

  private static SqlStepOptions checked(SqlStepOptions options) {
    if (options.isSignalTriggers()) {
      throw RunlaneException.configurationInvalid("signalTriggers needs PostgreSQL");
    }
    int characters = options.getPrefix().length();
    if (characters > LONGEST_PREFIX) {
      throw RunlaneException.configurationInvalid(
          "a prefix must have at most %d characters on MySQL and MariaDB, but has %d",
          LONGEST_PREFIX, characters);
    }
    return new SqlStepOptions(options);
  }

  /** A connection that cannot be set up fails at what it is used for. */
  private static void setUp(SqlConnection connection) {
    connection
        .query(SESSION)
        .execute()
        .onFailure(failure -> LOG.warn("a connection could not be set up", failure))
        .eventually(connection::close);
  }

  private static final class BoundedDriver extends MySQLDriver {
    private final ConnectionBounds bounds;

    BoundedDriver(ConnectionBounds bounds) {
      this.bounds = bounds;
    }

    @Override
    public ConnectionFactory<MySQLConnectOptions> createConnectionFactory(
        Vertx vertx, NetClientOptions transport) {
      return new BoundedConnections<>(
          vertx,
          this,
          kept -> super.createConnectionFactory(kept, transport),
          bounds,
          MysqlStepTables.FAILURES);
    }
  }
}
