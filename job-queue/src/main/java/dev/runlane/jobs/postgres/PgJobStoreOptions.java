package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobStoreOptions;
import dev.runlane.options.OptionChecks;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.GatherBounds;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a {@link PgJobStore} uses Postgres. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class PgJobStoreOptions {
  /** The schema of the tables = {@value}. */
  public static final String DEFAULT_SCHEMA = "runlane";

  /** Connections of the store's pool = {@value}. */
  public static final int DEFAULT_POOL_SIZE = 8;

  /** Calls that may wait for a connection = {@value}; beyond it they fail. */
  public static final int DEFAULT_WAIT_QUEUE_SIZE = 10_000;

  /** Commands gathered into one statement at most = {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 256;

  /** Commands of each kind that may wait to be gathered = {@value}; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING = 100_000;

  /** How long a statement waits for a row somebody holds before it is sent again = 50 ms. */
  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(50);

  /** How long a statement may take = 30 s. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** How long closing waits for what is under way = 2 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  /** What the commands of each kind that wait may hold together = 64 MiB; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING_BYTES = GatherBounds.DEFAULT_MAX_PENDING_BYTES;

  private static final Set<String> KEYS = Set.of(
      "schema",
      "connectOptions",
      "poolOptions",
      "batchSize",
      "maxPending",
      "statementSlots",
      "lockTimeout",
      "statementTimeout",
      "statementDeadline",
      "closeTimeout",
      "maxPendingBytes",
      "store");

  private String schema = DEFAULT_SCHEMA;
  private PgConnectOptions connectOptions = new PgConnectOptions();
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
  private JobStoreOptions store = new JobStoreOptions();

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgJobStoreOptions() {}

  /** A copy. */
  public PgJobStoreOptions(PgJobStoreOptions other) {
    schema = other.schema;
    connectOptions = PgTuning.copy(other.connectOptions);
    poolOptions = new PoolOptions(other.poolOptions);
    batchSize = other.batchSize;
    maxPending = other.maxPending;
    statementSlots = other.statementSlots;
    lockTimeout = other.lockTimeout;
    statementTimeout = other.statementTimeout;
    statementDeadline = other.statementDeadline;
    closeTimeout = other.closeTimeout;
    maxPendingBytes = other.maxPendingBytes;
    store = new JobStoreOptions(other.store);
  }

  /** From the JSON form; an unknown key is {@code ConfigurationInvalid}. */
  public PgJobStoreOptions(JsonObject json) {
    OptionChecks.requireKnown("a Postgres job store", json, KEYS);
    OptionChecks.text(json, "schema", this::setSchema);
    OptionChecks.object(
        json, "connectOptions", fields -> setConnectOptions(new PgConnectOptions(fields)));
    OptionChecks.object(json, "poolOptions", fields -> setPoolOptions(new PoolOptions(fields)));
    OptionChecks.integer(json, "batchSize", this::setBatchSize);
    OptionChecks.integer(json, "maxPending", this::setMaxPending);
    OptionChecks.integer(json, "statementSlots", this::setStatementSlots);
    OptionChecks.duration(json, "lockTimeout", this::setLockTimeout);
    OptionChecks.duration(json, "statementTimeout", this::setStatementTimeout);
    OptionChecks.duration(json, "statementDeadline", this::setStatementDeadline);
    OptionChecks.duration(json, "closeTimeout", this::setCloseTimeout);
    OptionChecks.integer(json, "maxPendingBytes", this::setMaxPendingBytes);
    OptionChecks.object(json, "store", fields -> setStoreOptions(new JobStoreOptions(fields)));
  }

  /** The JSON form, without how connections are made: that may hold a password. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("schema", schema)
        .put("batchSize", batchSize)
        .put("maxPending", maxPending)
        .put("statementSlots", statementSlots)
        .put("lockTimeout", Durations.format(lockTimeout))
        .put("statementTimeout", Durations.format(statementTimeout))
        .put("statementDeadline", Durations.format(getStatementDeadline()))
        .put("closeTimeout", Durations.format(closeTimeout))
        .put("maxPendingBytes", maxPendingBytes)
        .put("store", store.toJson());
  }

  /** The schema of the tables. */
  public String getSchema() {
    return schema;
  }

  /** Sets the schema: lower-case letters, digits and underscores; a reserved word is a name like any other. */
  public PgJobStoreOptions setSchema(String schema) {
    this.schema = new SchemaName(schema).value();
    return this;
  }

  /** A copy of how connections are made: host, port, database, user, TLS. */
  public PgConnectOptions getConnectOptions() {
    return PgTuning.copy(connectOptions);
  }

  /** Sets how connections are made; the store adds its planner settings to a copy. */
  public PgJobStoreOptions setConnectOptions(PgConnectOptions connectOptions) {
    this.connectOptions = PgTuning.copy(connectOptions);
    return this;
  }

  /** A copy of how the store's pool is made. */
  public PoolOptions getPoolOptions() {
    return new PoolOptions(poolOptions);
  }

  /** Sets how the store's pool is made; at least two connections more than statement slots are wise. */
  public PgJobStoreOptions setPoolOptions(PoolOptions poolOptions) {
    this.poolOptions = new PoolOptions(poolOptions);
    return this;
  }

  /** Commands gathered into one statement at most. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets how many commands one statement gathers at most, 1 to 1 000. */
  public PgJobStoreOptions setBatchSize(int batchSize) {
    this.batchSize = within("batchSize", batchSize, 1_000);
    return this;
  }

  /** Commands of each kind that may wait to be gathered. */
  public int getMaxPending() {
    return maxPending;
  }

  /** Sets how many commands of each kind may wait, 1 to 10 000 000. */
  public PgJobStoreOptions setMaxPending(int maxPending) {
    this.maxPending = within("maxPending", maxPending, 10_000_000);
    return this;
  }

  /** Gathered statements under way at a time. */
  public int getStatementSlots() {
    return statementSlots;
  }

  /** Sets how many gathered statements are under way at a time, 1 to 64. */
  public PgJobStoreOptions setStatementSlots(int statementSlots) {
    this.statementSlots = within("statementSlots", statementSlots, 64);
    return this;
  }

  /** How long a statement waits for a row somebody holds. */
  public Duration getLockTimeout() {
    return lockTimeout;
  }

  /** Sets how long a statement waits for a row, at least 1 ms. */
  public PgJobStoreOptions setLockTimeout(Duration lockTimeout) {
    this.lockTimeout = OptionChecks.requireMillis("lockTimeout", lockTimeout);
    return this;
  }

  /** How long a statement may take. */
  public Duration getStatementTimeout() {
    return statementTimeout;
  }

  /** Sets how long a statement may take, at least 1 ms. */
  public PgJobStoreOptions setStatementTimeout(Duration statementTimeout) {
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
   * timeout, at which the server itself gives up. Connecting has ten seconds at most.
   */
  public PgJobStoreOptions setStatementDeadline(Duration statementDeadline) {
    this.statementDeadline = OptionChecks.requireMillis("statementDeadline", statementDeadline);
    return this;
  }

  /** How long closing waits for what is under way. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public PgJobStoreOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = OptionChecks.requireMillis("closeTimeout", closeTimeout);
    return this;
  }

  /** What the commands of each kind that wait may hold together, in bytes of payloads. */
  public int getMaxPendingBytes() {
    return maxPendingBytes;
  }

  /** Sets what the commands of each kind that wait may hold together, at least 1 byte. */
  public PgJobStoreOptions setMaxPendingBytes(int maxPendingBytes) {
    if (maxPendingBytes < 1) {
      throw RunlaneException.configurationInvalid(
          "maxPendingBytes must be at least 1, but is %d", maxPendingBytes);
    }
    this.maxPendingBytes = maxPendingBytes;
    return this;
  }

  /** A copy of what every job store can be told. */
  public JobStoreOptions getStoreOptions() {
    return new JobStoreOptions(store);
  }

  /** Sets what every job store can be told. */
  public PgJobStoreOptions setStoreOptions(JobStoreOptions store) {
    this.store = new JobStoreOptions(store);
    return this;
  }

  private static int within(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw RunlaneException.configurationInvalid(
          "%s must be between 1 and %d, but is %d", option, most, value);
    }
    return value;
  }
}
