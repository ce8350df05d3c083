package dev.runlane.postgres.options;

import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.StatementSlots;
import io.vertx.core.json.JsonObject;

/**
 * What is set alike of stores on Postgres that gather many commands into one statement.
 *
 * @param <S> the options of one store
 */
public abstract class PgBatchOptions<S extends PgBatchOptions<S>> extends PgOptions<S> {
  /** Commands gathered into one statement at most = {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 256;

  /** Commands of each kind that may wait to be gathered = {@value}; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING = 100_000;

  /** What the commands of each kind that wait may hold together = 64 MiB; beyond it they fail. */
  public static final int DEFAULT_MAX_PENDING_BYTES = BatchLimits.DEFAULT_MAX_PENDING_BYTES;

  private static final OptionSet SHARED = PgOptions.options("a store on Postgres");
  private static final Option<Integer> BATCH_SIZE =
      SHARED.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, 1_000));
  private static final Option<Integer> MAX_PENDING =
      SHARED.add("maxPending", DEFAULT_MAX_PENDING, whole(1, 10_000_000));
  private static final Option<Integer> MAX_PENDING_BYTES =
      SHARED.add("maxPendingBytes", DEFAULT_MAX_PENDING_BYTES, whole(1));
  private static final Option<Integer> STATEMENT_SLOTS =
      SHARED.add("statementSlots", StatementSlots.DEFAULT_SLOTS, whole(1, 64));

  /** The defaults. */
  protected PgBatchOptions(OptionSet options) {
    super(options);
  }

  /** A copy. */
  protected PgBatchOptions(PgBatchOptions<S> other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  protected PgBatchOptions(OptionSet options, JsonObject json) {
    super(options, json);
  }

  /** The options that all stores that gather have, to which {@code store} adds its own. */
  protected static OptionSet options(String store) {
    return SHARED.extended(store);
  }

  /** Commands gathered into one statement at most. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets how many commands one statement gathers at most, 1 to 1 000. */
  public S setBatchSize(int batchSize) {
    return set(BATCH_SIZE, batchSize);
  }

  /** Commands of each kind that may wait to be gathered; beyond it they fail with {@code StorageUnavailable}. */
  public int getMaxPending() {
    return get(MAX_PENDING);
  }

  /** Sets how many commands of each kind may wait, 1 to 10 000 000; beyond it they fail. */
  public S setMaxPending(int maxPending) {
    return set(MAX_PENDING, maxPending);
  }

  /**
   * Bytes of payloads that commands of each kind may hold while they wait; beyond it they fail with
   * {@code StorageUnavailable}.
   */
  public int getMaxPendingBytes() {
    return get(MAX_PENDING_BYTES);
  }

  /** Sets what the commands of each kind that wait may hold together, at least 1 byte. */
  public S setMaxPendingBytes(int maxPendingBytes) {
    return set(MAX_PENDING_BYTES, maxPendingBytes);
  }

  /** Gathered statements under way at a time. */
  public int getStatementSlots() {
    return get(STATEMENT_SLOTS);
  }

  /** Sets how many gathered statements are under way at a time, 1 to 64. */
  public S setStatementSlots(int statementSlots) {
    return set(STATEMENT_SLOTS, statementSlots);
  }
}
