package dev.runlane.steps.sql;

import dev.runlane.options.OptionChecks;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.GatherBounds;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;

/** Which tables a {@link SqlStepTransport} uses, and how. Setters throw {@code ConfigurationInvalid}. */
public final class SqlStepOptions {
  /** What the names of the tables begin with = {@value}. */
  public static final String DEFAULT_PREFIX = "durable";

  /** The schema of the tables, on PostgreSQL = {@value}. */
  public static final String DEFAULT_SCHEMA = "public";

  /** Whether missing tables and indexes are created = {@value}. */
  public static final boolean DEFAULT_CREATE_TABLES = true;

  /** Whether triggers signal what other languages insert = {@value}. */
  public static final boolean DEFAULT_SIGNAL_TRIGGERS = false;

  /** Commands gathered into one statement at most = {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 256;

  /** Commands of each kind that may wait to be gathered = {@value}; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING = 100_000;

  /** Connections of a pool that the transport makes itself = {@value}. */
  public static final int DEFAULT_POOL_SIZE = 8;

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,39}");

  /** How long this process waits for the answer to a statement = 35 s. */
  public static final Duration DEFAULT_STATEMENT_DEADLINE = Duration.ofSeconds(35);

  /** How long closing waits for what is under way = 2 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  /** What the commands of each kind that wait may hold together = 64 MiB; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING_BYTES = GatherBounds.DEFAULT_MAX_PENDING_BYTES;

  private static final Set<String> KEYS = Set.of(
      "prefix",
      "schema",
      "createTables",
      "signalTriggers",
      "batchSize",
      "maxPending",
      "maxPendingBytes",
      "statementDeadline",
      "closeTimeout",
      "statementSlots",
      "poolSize");

  private String prefix = DEFAULT_PREFIX;
  private String schema = DEFAULT_SCHEMA;
  private boolean createTables = DEFAULT_CREATE_TABLES;
  private boolean signalTriggers = DEFAULT_SIGNAL_TRIGGERS;
  private int batchSize = DEFAULT_BATCH_SIZE;
  private int maxPending = DEFAULT_MAX_PENDING;
  private int maxPendingBytes = DEFAULT_MAX_PENDING_BYTES;
  private Duration statementDeadline = DEFAULT_STATEMENT_DEADLINE;
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private int statementSlots = StatementSlots.DEFAULT_SLOTS;
  private int poolSize = DEFAULT_POOL_SIZE;

  /** The defaults. */
  public SqlStepOptions() {}

  /** A copy. */
  public SqlStepOptions(SqlStepOptions other) {
    prefix = other.prefix;
    schema = other.schema;
    createTables = other.createTables;
    signalTriggers = other.signalTriggers;
    batchSize = other.batchSize;
    maxPending = other.maxPending;
    maxPendingBytes = other.maxPendingBytes;
    statementDeadline = other.statementDeadline;
    closeTimeout = other.closeTimeout;
    statementSlots = other.statementSlots;
    poolSize = other.poolSize;
  }

  /** Options from JSON. An unknown key is {@code ConfigurationInvalid}. */
  public SqlStepOptions(JsonObject json) {
    OptionChecks.requireKnown("a step transport", json, KEYS);
    OptionChecks.text(json, "prefix", this::setPrefix);
    OptionChecks.text(json, "schema", this::setSchema);
    OptionChecks.flag(json, "createTables", this::setCreateTables);
    OptionChecks.flag(json, "signalTriggers", this::setSignalTriggers);
    OptionChecks.integer(json, "batchSize", this::setBatchSize);
    OptionChecks.integer(json, "maxPending", this::setMaxPending);
    OptionChecks.integer(json, "maxPendingBytes", this::setMaxPendingBytes);
    OptionChecks.duration(json, "statementDeadline", this::setStatementDeadline);
    OptionChecks.duration(json, "closeTimeout", this::setCloseTimeout);
    OptionChecks.integer(json, "statementSlots", this::setStatementSlots);
    OptionChecks.integer(json, "poolSize", this::setPoolSize);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("prefix", prefix)
        .put("schema", schema)
        .put("createTables", createTables)
        .put("signalTriggers", signalTriggers)
        .put("batchSize", batchSize)
        .put("maxPending", maxPending)
        .put("maxPendingBytes", maxPendingBytes)
        .put("statementDeadline", Durations.format(statementDeadline))
        .put("closeTimeout", Durations.format(closeTimeout))
        .put("statementSlots", statementSlots)
        .put("poolSize", poolSize);
  }

  /** What the names of the tables begin with. */
  public String getPrefix() {
    return prefix;
  }

  /**
   * Sets what the names of the tables begin with: at most 40 letters, digits and underscores, no digit first.
   * Engines with different stores need different prefixes.
   */
  public SqlStepOptions setPrefix(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw RunlaneException.configurationInvalid(
          "a prefix must match %s, but is %s", PREFIX, prefix);
    }
    this.prefix = prefix;
    return this;
  }

  /** The schema of the tables, on PostgreSQL. */
  public String getSchema() {
    return schema;
  }

  /** Sets the schema of the tables, which must exist; other databases have none and ignore it. */
  public SqlStepOptions setSchema(String schema) {
    this.schema = new SchemaName(schema).value();
    return this;
  }

  /** Whether missing tables and indexes are created. */
  public boolean isCreateTables() {
    return createTables;
  }

  /** Sets whether missing tables and indexes are created before the first command. */
  public SqlStepOptions setCreateTables(boolean createTables) {
    this.createTables = createTables;
    return this;
  }

  /** Whether triggers signal what other languages insert. */
  public boolean isSignalTriggers() {
    return signalTriggers;
  }

  /**
   * Sets whether triggers on both tables signal every insert, on PostgreSQL: then rows that other languages
   * write wake us as fast as our own. It costs their commits some concurrency, since PostgreSQL lets one
   * notifying transaction commit at a time. Triggers that exist stay, whatever is set here.
   */
  public SqlStepOptions setSignalTriggers(boolean signalTriggers) {
    this.signalTriggers = signalTriggers;
    return this;
  }

  /** Commands gathered into one statement at most. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets how many commands one statement gathers at most, 1 to 1 000. */
  public SqlStepOptions setBatchSize(int batchSize) {
    this.batchSize = within("batchSize", batchSize, 1_000);
    return this;
  }

  /** Commands of each kind that may wait to be gathered. */
  public int getMaxPending() {
    return maxPending;
  }

  /** Sets how many commands of each kind may wait, 1 to 10 000 000. */
  public SqlStepOptions setMaxPending(int maxPending) {
    this.maxPending = within("maxPending", maxPending, 10_000_000);
    return this;
  }

  /** What the commands of each kind that wait may hold together, in bytes of payloads. */
  public int getMaxPendingBytes() {
    return maxPendingBytes;
  }

  /** Sets what the commands of each kind that wait may hold together, at least 1 byte. */
  public SqlStepOptions setMaxPendingBytes(int maxPendingBytes) {
    if (maxPendingBytes < 1) {
      throw RunlaneException.configurationInvalid(
          "maxPendingBytes must be at least 1, but is %d", maxPendingBytes);
    }
    this.maxPendingBytes = maxPendingBytes;
    return this;
  }

  /** How long this process waits for the answer to a statement. */
  public Duration getStatementDeadline() {
    return statementDeadline;
  }

  /**
   * Sets how long this process waits for the answer to a statement, at least 1 ms; then a connection of the transport's
   * own pool is closed at its socket, and the call fails with a retryable {@code StorageUnavailable}. Connecting has
   * ten seconds at most. The connections of an application's pool are its own: a call on them fails after twice the
   * time, and they stay as they are.
   */
  public SqlStepOptions setStatementDeadline(Duration statementDeadline) {
    this.statementDeadline = OptionChecks.requireMillis("statementDeadline", statementDeadline);
    return this;
  }

  /** How long closing waits for what is under way. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public SqlStepOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = OptionChecks.requireMillis("closeTimeout", closeTimeout);
    return this;
  }

  /** Gathered statements under way at a time. */
  public int getStatementSlots() {
    return statementSlots;
  }

  /** Sets how many gathered statements are under way at a time, 1 to 64. */
  public SqlStepOptions setStatementSlots(int statementSlots) {
    this.statementSlots = within("statementSlots", statementSlots, 64);
    return this;
  }

  /** Connections of a pool that the transport makes itself. */
  public int getPoolSize() {
    return poolSize;
  }

  /** Sets the size of a pool that the transport makes itself, 1 to 1 000; more than the statement slots. */
  public SqlStepOptions setPoolSize(int poolSize) {
    this.poolSize = within("poolSize", poolSize, 1_000);
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
