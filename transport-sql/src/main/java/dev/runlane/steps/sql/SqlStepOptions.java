package dev.runlane.steps.sql;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.postgres.options.PgOptions;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.regex.Pattern;

/** Which tables a {@link SqlStepTransport} uses, and how. Setters throw {@code ConfigurationInvalid}. */
public final class SqlStepOptions extends OptionValues<SqlStepOptions> {
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

  /** How long this process waits for the answer to a statement = 35 s. */
  public static final Duration DEFAULT_STATEMENT_DEADLINE = Duration.ofSeconds(35);

  /** How long closing waits for what is under way = 1 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = ConnectionBounds.DEFAULT_CLOSE_TIMEOUT;

  /** What the commands of each kind that wait may hold together = 64 MiB; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING_BYTES = BatchLimits.DEFAULT_MAX_PENDING_BYTES;

  private static final Pattern PREFIX_SYNTAX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,39}");

  private static final OptionSet OPTIONS = OptionSet.of("a step transport");
  private static final Option<String> PREFIX = OPTIONS.add(
      "prefix",
      DEFAULT_PREFIX,
      text()
          .checked(
              "letters, digits and underscores, at most 40, on MySQL and MariaDB 36",
              SqlStepOptions::requirePrefix));
  private static final Option<String> SCHEMA =
      OPTIONS.add("schema", DEFAULT_SCHEMA, PgOptions.schema());
  private static final Option<Boolean> CREATE_TABLES =
      OPTIONS.add("createTables", DEFAULT_CREATE_TABLES, flag());
  private static final Option<Boolean> SIGNAL_TRIGGERS =
      OPTIONS.add("signalTriggers", DEFAULT_SIGNAL_TRIGGERS, flag());
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, 1_000));
  private static final Option<Integer> MAX_PENDING =
      OPTIONS.add("maxPending", DEFAULT_MAX_PENDING, whole(1, 10_000_000));
  private static final Option<Integer> MAX_PENDING_BYTES =
      OPTIONS.add("maxPendingBytes", DEFAULT_MAX_PENDING_BYTES, whole(1));
  private static final Option<Duration> STATEMENT_DEADLINE =
      OPTIONS.add("statementDeadline", DEFAULT_STATEMENT_DEADLINE, duration());
  private static final Option<Duration> CLOSE_TIMEOUT =
      OPTIONS.add("closeTimeout", DEFAULT_CLOSE_TIMEOUT, duration());
  private static final Option<Integer> STATEMENT_SLOTS =
      OPTIONS.add("statementSlots", StatementSlots.DEFAULT_SLOTS, whole(1, 64));
  private static final Option<Integer> POOL_SIZE =
      OPTIONS.add("poolSize", DEFAULT_POOL_SIZE, whole(1, 1_000));

  /** The defaults. */
  public SqlStepOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public SqlStepOptions(SqlStepOptions other) {
    super(other);
  }

  /** Options from JSON. An unknown key is {@code ConfigurationInvalid}. */
  public SqlStepOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** What the names of the tables begin with. */
  public String getPrefix() {
    return get(PREFIX);
  }

  /**
   * Sets what the names of the tables begin with: at most 40 letters, digits and underscores, on MySQL and MariaDB 36,
   * no digit first.
   * Engines with different stores need different prefixes.
   */
  public SqlStepOptions setPrefix(String prefix) {
    return set(PREFIX, prefix);
  }

  /** The schema of the tables, on PostgreSQL. */
  public String getSchema() {
    return get(SCHEMA);
  }

  /** Sets the schema of the tables, which must exist; other databases have none and ignore it. */
  public SqlStepOptions setSchema(String schema) {
    return set(SCHEMA, schema);
  }

  /** Whether missing tables and indexes are created. */
  public boolean isCreateTables() {
    return get(CREATE_TABLES);
  }

  /** Sets whether missing tables and indexes are created before the first command. */
  public SqlStepOptions setCreateTables(boolean createTables) {
    return set(CREATE_TABLES, createTables);
  }

  /** Whether triggers signal what other languages insert. */
  public boolean isSignalTriggers() {
    return get(SIGNAL_TRIGGERS);
  }

  /**
   * Sets whether triggers on both tables signal every insert, on PostgreSQL: then rows that other languages
   * write wake us as fast as our own. It costs their commits some concurrency, since PostgreSQL lets one
   * notifying transaction commit at a time. Triggers that exist stay, whatever is set here.
   */
  public SqlStepOptions setSignalTriggers(boolean signalTriggers) {
    return set(SIGNAL_TRIGGERS, signalTriggers);
  }

  /** Commands gathered into one statement at most. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets how many commands one statement gathers at most, 1 to 1 000. */
  public SqlStepOptions setBatchSize(int batchSize) {
    return set(BATCH_SIZE, batchSize);
  }

  /** Commands of each kind that may wait to be gathered. */
  public int getMaxPending() {
    return get(MAX_PENDING);
  }

  /** Sets how many commands of each kind may wait, 1 to 10 000 000. */
  public SqlStepOptions setMaxPending(int maxPending) {
    return set(MAX_PENDING, maxPending);
  }

  /** What the commands of each kind that wait may hold together, in bytes of payloads. */
  public int getMaxPendingBytes() {
    return get(MAX_PENDING_BYTES);
  }

  /** Sets what the commands of each kind that wait may hold together, at least 1 byte. */
  public SqlStepOptions setMaxPendingBytes(int maxPendingBytes) {
    return set(MAX_PENDING_BYTES, maxPendingBytes);
  }

  /** How long this process waits for the answer to a statement. */
  public Duration getStatementDeadline() {
    return get(STATEMENT_DEADLINE);
  }

  /**
   * Sets how long this process waits for the answer to a statement, at least 1 ms; then a connection of the transport's
   * own pool is closed at its socket, and the call fails with a retryable {@code StorageUnavailable}. Connecting has
   * ten seconds at most. The connections of an application's pool are its own: a call on them fails after twice the
   * time, and they stay as they are.
   */
  public SqlStepOptions setStatementDeadline(Duration statementDeadline) {
    return set(STATEMENT_DEADLINE, statementDeadline);
  }

  /** How long closing waits for what is under way. */
  public Duration getCloseTimeout() {
    return get(CLOSE_TIMEOUT);
  }

  /** Sets how long closing waits for what is under way, at least 1 ms; what is not done then is given up. */
  public SqlStepOptions setCloseTimeout(Duration closeTimeout) {
    return set(CLOSE_TIMEOUT, closeTimeout);
  }

  /** Gathered statements under way at a time. */
  public int getStatementSlots() {
    return get(STATEMENT_SLOTS);
  }

  /** Sets how many gathered statements are under way at a time, 1 to 64. */
  public SqlStepOptions setStatementSlots(int statementSlots) {
    return set(STATEMENT_SLOTS, statementSlots);
  }

  /** Connections of a pool that the transport makes itself. */
  public int getPoolSize() {
    return get(POOL_SIZE);
  }

  /** Sets the size of a pool that the transport makes itself, 1 to 1 000; more than the statement slots. */
  public SqlStepOptions setPoolSize(int poolSize) {
    return set(POOL_SIZE, poolSize);
  }

  private static String requirePrefix(String option, String prefix) {
    if (!PREFIX_SYNTAX.matcher(prefix).matches()) {
      throw RunlaneException.configurationInvalid(
          "a prefix must match %s, but is %s", PREFIX_SYNTAX, prefix);
    }
    return prefix;
  }
}
