package dev.runlane.connector.store.pg;

import dev.runlane.options.OptionChecks;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.SchemaName;
import dev.runlane.run.Environment;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link PgConnectorStore} uses Postgres. Setters throw {@code ConfigurationInvalid} for values out of range.
 */
public final class PgConnectorStoreOptions {
  /** The schema of the tables = {@value}. */
  public static final String DEFAULT_SCHEMA = "runlane";

  /** The environment whose connectors these are = {@value}. */
  public static final String DEFAULT_ENVIRONMENT = "default";

  /** Connections of the store's pool = {@value}. */
  public static final int DEFAULT_POOL_SIZE = 8;

  /** Calls that may wait for a connection = {@value}; beyond it they fail. */
  public static final int DEFAULT_WAIT_QUEUE_SIZE = 10_000;

  /** How long a statement waits for a row somebody holds before it is sent again = 50 ms. */
  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(50);

  /** How long a statement may take = 30 s. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** How long closing waits for what is under way = 2 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  private static final Set<String> KEYS = Set.of(
      "schema",
      "environment",
      "connectOptions",
      "poolOptions",
      "lockTimeout",
      "statementTimeout",
      "statementDeadline",
      "closeTimeout",
      "autoMigrate");

  private String schema = DEFAULT_SCHEMA;
  private String environment = DEFAULT_ENVIRONMENT;
  private PgConnectOptions connectOptions = new PgConnectOptions();
  private PoolOptions poolOptions =
      new PoolOptions().setMaxSize(DEFAULT_POOL_SIZE).setMaxWaitQueueSize(DEFAULT_WAIT_QUEUE_SIZE);
  private Duration lockTimeout = DEFAULT_LOCK_TIMEOUT;
  private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;
  private @Nullable Duration statementDeadline; // null: follows the statement timeout
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private boolean autoMigrate = true;

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgConnectorStoreOptions() {}

  /** A copy. */
  public PgConnectorStoreOptions(PgConnectorStoreOptions other) {
    schema = other.schema;
    environment = other.environment;
    connectOptions = PgTuning.copy(other.connectOptions);
    poolOptions = new PoolOptions(other.poolOptions);
    lockTimeout = other.lockTimeout;
    statementTimeout = other.statementTimeout;
    statementDeadline = other.statementDeadline;
    closeTimeout = other.closeTimeout;
    autoMigrate = other.autoMigrate;
  }

  /** From the JSON form; an unknown key is {@code ConfigurationInvalid}. */
  public PgConnectorStoreOptions(JsonObject json) {
    OptionChecks.requireKnown("a Postgres connector store", json, KEYS);
    OptionChecks.text(json, "schema", this::setSchema);
    OptionChecks.text(json, "environment", this::setEnvironment);
    OptionChecks.object(
        json, "connectOptions", fields -> setConnectOptions(new PgConnectOptions(fields)));
    OptionChecks.object(json, "poolOptions", fields -> setPoolOptions(new PoolOptions(fields)));
    OptionChecks.duration(json, "lockTimeout", this::setLockTimeout);
    OptionChecks.duration(json, "statementTimeout", this::setStatementTimeout);
    OptionChecks.duration(json, "statementDeadline", this::setStatementDeadline);
    OptionChecks.duration(json, "closeTimeout", this::setCloseTimeout);
    OptionChecks.flag(json, "autoMigrate", this::setAutoMigrate);
  }

  /** The JSON form, without how connections are made: that may hold a password. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("schema", schema)
        .put("environment", environment)
        .put("lockTimeout", Durations.format(lockTimeout))
        .put("statementTimeout", Durations.format(statementTimeout))
        .put("statementDeadline", Durations.format(getStatementDeadline()))
        .put("closeTimeout", Durations.format(closeTimeout))
        .put("autoMigrate", autoMigrate);
  }

  /** The schema of the tables. */
  public String getSchema() {
    return schema;
  }

  /** Sets the schema: lower-case letters, digits and underscores; a reserved word is a name like any other. */
  public PgConnectorStoreOptions setSchema(String schema) {
    this.schema = new SchemaName(schema).value();
    return this;
  }

  /** The environment whose connectors these are. */
  public String getEnvironment() {
    return environment;
  }

  /** Sets the environment; stores of different environments in one schema see nothing of each other. */
  public PgConnectorStoreOptions setEnvironment(String environment) {
    OptionChecks.requireId("environment", environment);
    this.environment = new Environment(environment).name();
    return this;
  }

  /** A copy of how connections are made: host, port, database, user, TLS. */
  public PgConnectOptions getConnectOptions() {
    return PgTuning.copy(connectOptions);
  }

  /** Sets how connections are made; the store adds its planner settings to a copy. */
  public PgConnectorStoreOptions setConnectOptions(PgConnectOptions connectOptions) {
    this.connectOptions = PgTuning.copy(connectOptions);
    return this;
  }

  /** A copy of how the store's pool is made. */
  public PoolOptions getPoolOptions() {
    return new PoolOptions(poolOptions);
  }

  /** Sets how the store's pool is made; every stream that is stored at a time uses one connection. */
  public PgConnectorStoreOptions setPoolOptions(PoolOptions poolOptions) {
    this.poolOptions = new PoolOptions(poolOptions);
    return this;
  }

  /** How long a statement waits for a row somebody holds. */
  public Duration getLockTimeout() {
    return lockTimeout;
  }

  /** Sets how long a statement waits for a row, at least 1 ms. */
  public PgConnectorStoreOptions setLockTimeout(Duration lockTimeout) {
    this.lockTimeout = OptionChecks.requireMillis("lockTimeout", lockTimeout);
    return this;
  }

  /** How long a statement may take. */
  public Duration getStatementTimeout() {
    return statementTimeout;
  }

  /** Sets how long a statement may take, at least 1 ms. */
  public PgConnectorStoreOptions setStatementTimeout(Duration statementTimeout) {
    this.statementTimeout = OptionChecks.requireMillis("statementTimeout", statementTimeout);
    return this;
  }

  /**
   * How long this process waits for the answer to a statement: five seconds longer than the server may take, unless
   * another time was set.
   */
  public Duration getStatementDeadline() {
    return statementDeadline == null
        ? statementTimeout.plus(ConnectionBounds.BEYOND_STATEMENT_TIMEOUT)
        : statementDeadline;
  }

  /**
   * Sets how long this process waits for the answer to a statement, at least 1 ms; then the connection is closed at its
   * socket and the call fails with a retryable {@code StorageUnavailable}. It should be longer than the statement
   * timeout, at which the server itself gives up. Connecting has ten seconds at most. What claims of schedules and
   * notices depend on has a third of the shortest one that was lately asked for, where that is less, but at least 250 ms.
   */
  public PgConnectorStoreOptions setStatementDeadline(Duration statementDeadline) {
    this.statementDeadline = OptionChecks.requireMillis("statementDeadline", statementDeadline);
    return this;
  }

  /** How long closing waits for what is under way. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public PgConnectorStoreOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = OptionChecks.requireMillis("closeTimeout", closeTimeout);
    return this;
  }

  /** Whether connecting brings the schema forward. */
  public boolean isAutoMigrate() {
    return autoMigrate;
  }

  /** Sets whether connecting brings the schema forward; where it does not, somebody else has. */
  public PgConnectorStoreOptions setAutoMigrate(boolean autoMigrate) {
    this.autoMigrate = autoMigrate;
    return this;
  }
}
