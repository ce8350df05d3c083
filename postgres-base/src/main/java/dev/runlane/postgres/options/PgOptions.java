package dev.runlane.postgres.options;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.object;
import static dev.runlane.options.OptionTypes.text;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionValues;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.SchemaName;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;

/**
 * What is set alike of every store on Postgres. Setters throw {@code ConfigurationInvalid} for values out of range.
 *
 * @param <S> the options of one store
 */
public abstract class PgOptions<S extends PgOptions<S>> extends OptionValues<S> {
  /** The schema of the tables = {@value}. */
  public static final String DEFAULT_SCHEMA = "runlane";

  /** Connections of the pool = {@value}. */
  public static final int DEFAULT_POOL_SIZE = 8;

  /** Calls that may wait for a connection = {@value}; beyond it they fail. */
  public static final int DEFAULT_WAIT_QUEUE_SIZE = 10_000;

  /** How long a statement waits for a locked row before it is sent again = 50 ms. */
  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(50);

  /** How long a statement may take = 30 s. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** How long closing waits for what is under way = 1 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  /** Postgres counts its timeouts in milliseconds of 31 bits, which are 24 days and some hours. */
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(24);

  private static final OptionSet SHARED = OptionSet.of("a store on Postgres");
  private static final Option<String> SCHEMA = SHARED.add("schema", DEFAULT_SCHEMA, schema());
  private static final Option<PgConnectOptions> CONNECT_OPTIONS =
      SHARED.add("connectOptions", new PgConnectOptions(), connection());
  private static final Option<PoolOptions> POOL_OPTIONS = SHARED.add(
      "poolOptions",
      new PoolOptions().setMaxSize(DEFAULT_POOL_SIZE).setMaxWaitQueueSize(DEFAULT_WAIT_QUEUE_SIZE),
      object("Vert.x's `PoolOptions`", PoolOptions::new, PoolOptions::toJson)
          .copied(PoolOptions::new)
          .unwritten());
  private static final Option<Duration> LOCK_TIMEOUT =
      SHARED.add("lockTimeout", DEFAULT_LOCK_TIMEOUT, duration(LONGEST_TIMEOUT));
  private static final Option<Duration> STATEMENT_TIMEOUT =
      SHARED.add("statementTimeout", DEFAULT_STATEMENT_TIMEOUT, duration(LONGEST_TIMEOUT));
  private static final Option<Duration> STATEMENT_DEADLINE =
      SHARED.add("statementDeadline", null, duration());
  private static final Option<Duration> CLOSE_TIMEOUT =
      SHARED.add("closeTimeout", DEFAULT_CLOSE_TIMEOUT, duration());

  /** The defaults. */
  protected PgOptions(OptionSet options) {
    super(options);
  }

  /** A copy. */
  protected PgOptions(PgOptions<S> other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  protected PgOptions(OptionSet options, JsonObject json) {
    super(options, json);
  }

  /** The options that all stores have, to which {@code store} adds its own. */
  protected static OptionSet options(String store) {
    return SHARED.extended(store);
  }

  /** Names of schemas. */
  public static OptionType<String> schema() {
    return text()
        .checked("lower-case letters, digits, underscores", (name, value) -> new SchemaName(value)
            .value());
  }

  /** How connections are made, which may hold a password: it is read from JSON and never written. */
  protected static OptionType<PgConnectOptions> connection() {
    return object("Vert.x's `PgConnectOptions`", PgConnectOptions::new, PgConnectOptions::toJson)
        .copied(PgTuning::copy)
        .compared(PgConnectOptions::toJson)
        .unwritten();
  }

  /** The schema of the tables. */
  public String getSchema() {
    return get(SCHEMA);
  }

  /** Sets the schema: lower-case letters, digits and underscores; a reserved word is a name like any other. */
  public S setSchema(String schema) {
    return set(SCHEMA, schema);
  }

  /** How connections are made: host, port, database, user, TLS; the client's defaults unless set. A copy. */
  public PgConnectOptions getConnectOptions() {
    return get(CONNECT_OPTIONS);
  }

  /**
   * Sets how connections are made; planner settings and timeouts are added to a copy. Where the password changes while
   * processes run: {@link PgCredentials#forEachConnection}, or the property {@code passfile}. A host may be several
   * with commas between, of which each connection takes the first that writes.
   */
  public S setConnectOptions(PgConnectOptions connectOptions) {
    return set(CONNECT_OPTIONS, connectOptions);
  }

  /** How the pool is made; 8 connections and at most 10 000 waiting calls unless set. A copy. */
  public PoolOptions getPoolOptions() {
    return get(POOL_OPTIONS);
  }

  /**
   * Sets how the pool is made. At least two connections more than statement slots are wise; a store of connectors uses
   * one for every stream that is stored at a time.
   */
  public S setPoolOptions(PoolOptions poolOptions) {
    return set(POOL_OPTIONS, poolOptions);
  }

  /** How long a statement waits for a locked row; then it is sent again, a batched one in halves. */
  public Duration getLockTimeout() {
    return get(LOCK_TIMEOUT);
  }

  /** Sets how long a statement waits for a row, at least 1 ms. */
  public S setLockTimeout(Duration lockTimeout) {
    return set(LOCK_TIMEOUT, lockTimeout);
  }

  /** How long a statement may take; then Postgres gives up, and the call fails without being sent again. */
  public Duration getStatementTimeout() {
    return get(STATEMENT_TIMEOUT);
  }

  /** Sets how long a statement may take, at least 1 ms. */
  public S setStatementTimeout(Duration statementTimeout) {
    return set(STATEMENT_TIMEOUT, statementTimeout);
  }

  /**
   * How long this process waits for the answer to a statement: five seconds longer than the server may take, unless
   * another time was set.
   */
  public Duration getStatementDeadline() {
    return find(STATEMENT_DEADLINE)
        .orElseGet(() -> getStatementTimeout().plus(ConnectionBounds.BEYOND_STATEMENT_TIMEOUT));
  }

  /**
   * Sets how long this process waits for the answer to a statement, at least 1 ms; then the connection is closed at its
   * socket and the call fails with a retryable {@code StorageUnavailable}. It should be longer than the statement
   * timeout, at which the server itself gives up. Connecting has ten seconds at most.
   */
  public S setStatementDeadline(Duration statementDeadline) {
    return set(STATEMENT_DEADLINE, statementDeadline);
  }

  /** How long closing waits for what is under way; what is not done then is given up. */
  public Duration getCloseTimeout() {
    return get(CLOSE_TIMEOUT);
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public S setCloseTimeout(Duration closeTimeout) {
    return set(CLOSE_TIMEOUT, closeTimeout);
  }
}
