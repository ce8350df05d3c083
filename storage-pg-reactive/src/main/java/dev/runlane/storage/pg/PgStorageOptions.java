package dev.runlane.storage.pg;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.GatherBounds;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.run.RunlaneException;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a {@link PgStorageAdapter} uses Postgres. */
public final class PgStorageOptions {
  /** The schema of the tables = {@value}. */
  public static final String DEFAULT_SCHEMA = "runlane";

  /** Connections of the adapter's pool = {@value}. */
  public static final int DEFAULT_POOL_SIZE = 8;

  /** Calls that may wait for a connection = {@value}; beyond it they fail. */
  public static final int DEFAULT_WAIT_QUEUE_SIZE = 10_000;

  /** Commands gathered into one statement at most = {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 256;

  /** Commands that may wait to be gathered, of each kind = {@value}; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING = 100_000;

  /** How long a statement waits for a row somebody holds before it is split and sent again = 50 ms. */
  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(50);

  /** How long a statement may take = 30 s. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** What the commands of each kind that wait may hold together = 64 MiB; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING_BYTES = GatherBounds.DEFAULT_MAX_PENDING_BYTES;

  /** How long closing waits for what is under way = 2 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  /** Whether {@code start()} brings the schema forward = {@value}. */
  public static final boolean DEFAULT_MIGRATE = true;

  private String schema = DEFAULT_SCHEMA;
  private PgConnectOptions connectOptions = new PgConnectOptions();
  private @Nullable PgConnectOptions listenOptions;
  private PoolOptions poolOptions =
      new PoolOptions().setMaxSize(DEFAULT_POOL_SIZE).setMaxWaitQueueSize(DEFAULT_WAIT_QUEUE_SIZE);
  private int batchSize = DEFAULT_BATCH_SIZE;
  private int maxPending = DEFAULT_MAX_PENDING;
  private int statementSlots = StatementSlots.DEFAULT_SLOTS;
  private Duration lockTimeout = DEFAULT_LOCK_TIMEOUT;
  private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;
  private @Nullable Duration statementDeadline; // null: follows the statement timeout
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private int maxPendingBytes = DEFAULT_MAX_PENDING_BYTES;
  private boolean migrate = DEFAULT_MIGRATE;

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgStorageOptions() {}

  /** A copy. */
  public PgStorageOptions(PgStorageOptions other) {
    schema = other.schema;
    connectOptions = PgTuning.copy(other.connectOptions);
    listenOptions = other.listenOptions;
    poolOptions = new PoolOptions(other.poolOptions);
    batchSize = other.batchSize;
    maxPending = other.maxPending;
    statementSlots = other.statementSlots;
    lockTimeout = other.lockTimeout;
    statementTimeout = other.statementTimeout;
    statementDeadline = other.statementDeadline;
    closeTimeout = other.closeTimeout;
    maxPendingBytes = other.maxPendingBytes;
    migrate = other.migrate;
  }

  /** The schema of the tables. */
  public String getSchema() {
    return schema;
  }

  /** Sets the schema. Throws {@code ConfigurationInvalid} for other characters and names that Postgres keeps to itself. */
  public PgStorageOptions setSchema(String schema) {
    this.schema = new SchemaName(schema).value();
    return this;
  }

  /** A copy of how connections are made: host, port, database, user, TLS. */
  public PgConnectOptions getConnectOptions() {
    return PgTuning.copy(connectOptions);
  }

  /** Sets how connections are made; the adapter adds its planner settings to a copy. */
  public PgStorageOptions setConnectOptions(PgConnectOptions connectOptions) {
    this.connectOptions = PgTuning.copy(connectOptions);
    return this;
  }

  /** A copy of how the LISTEN connection is made: as all others unless it was set. */
  public PgConnectOptions getListenOptions() {
    return PgTuning.copy(listenOptions == null ? connectOptions : listenOptions);
  }

  /**
   * Sets how the LISTEN connection is made. It needs a session of its own, so where the others lead through a pooler in
   * transaction mode ({@link PgConnectOptions#setUseLayer7Proxy}) this one leads past it.
   */
  public PgStorageOptions setListenOptions(PgConnectOptions listenOptions) {
    this.listenOptions = PgTuning.copy(listenOptions);
    return this;
  }

  /** A copy of how the adapter's pool is made. */
  public PoolOptions getPoolOptions() {
    return new PoolOptions(poolOptions);
  }

  /** Sets how the adapter's pool is made; at least two connections more than statement slots are wise. */
  public PgStorageOptions setPoolOptions(PoolOptions poolOptions) {
    this.poolOptions = new PoolOptions(poolOptions);
    return this;
  }

  /** Commands gathered into one statement at most. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets how many commands one statement gathers at most, 1 to 1 000. */
  public PgStorageOptions setBatchSize(int batchSize) {
    this.batchSize = within("batchSize", batchSize, 1_000);
    return this;
  }

  /** Commands of each kind that may wait to be gathered. */
  public int getMaxPending() {
    return maxPending;
  }

  /** Sets how many commands of each kind may wait, 1 to 10 000 000. */
  public PgStorageOptions setMaxPending(int maxPending) {
    this.maxPending = within("maxPending", maxPending, 10_000_000);
    return this;
  }

  /** Gathered statements under way at a time. */
  public int getStatementSlots() {
    return statementSlots;
  }

  /** Sets how many gathered statements are under way at a time, 1 to 64. */
  public PgStorageOptions setStatementSlots(int statementSlots) {
    this.statementSlots = within("statementSlots", statementSlots, 64);
    return this;
  }

  /** How long a statement waits for a row somebody holds. */
  public Duration getLockTimeout() {
    return lockTimeout;
  }

  /** Sets how long a statement waits for a row, at least 1 ms. */
  public PgStorageOptions setLockTimeout(Duration lockTimeout) {
    this.lockTimeout = positive("lockTimeout", lockTimeout);
    return this;
  }

  /** How long a statement may take. */
  public Duration getStatementTimeout() {
    return statementTimeout;
  }

  /** Sets how long a statement may take, at least 1 ms. */
  public PgStorageOptions setStatementTimeout(Duration statementTimeout) {
    this.statementTimeout = positive("statementTimeout", statementTimeout);
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
   * timeout, at which the server itself gives up. Connecting has ten seconds at most.
   */
  public PgStorageOptions setStatementDeadline(Duration statementDeadline) {
    this.statementDeadline = positive("statementDeadline", statementDeadline);
    return this;
  }

  /** How long closing waits for what is under way. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public PgStorageOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = positive("closeTimeout", closeTimeout);
    return this;
  }

  /** What the commands of each kind that wait may hold together, in bytes of payloads. */
  public int getMaxPendingBytes() {
    return maxPendingBytes;
  }

  /** Sets what the commands of each kind that wait may hold together, at least 1 byte. */
  public PgStorageOptions setMaxPendingBytes(int maxPendingBytes) {
    if (maxPendingBytes < 1) {
      throw RunlaneException.configurationInvalid(
          "maxPendingBytes must be at least 1, but is %d", maxPendingBytes);
    }
    this.maxPendingBytes = maxPendingBytes;
    return this;
  }

  /** Whether {@code start()} brings the schema forward. */
  public boolean isMigrate() {
    return migrate;
  }

  /** Sets whether {@code start()} brings the schema forward; without it, the tables must be there. */
  public PgStorageOptions setMigrate(boolean migrate) {
    this.migrate = migrate;
    return this;
  }

  private static int within(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw RunlaneException.configurationInvalid(
          "%s must be between 1 and %d, but is %d", option, most, value);
    }
    return value;
  }

  private static Duration positive(String option, Duration value) {
    if (value.toMillis() < 1) {
      throw RunlaneException.configurationInvalid(
          "%s must be at least 1 ms, but is %s", option, value);
    }
    return value;
  }
}
