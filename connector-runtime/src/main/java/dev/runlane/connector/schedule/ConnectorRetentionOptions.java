package dev.runlane.connector.schedule;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long runs of connectors are remembered in full. Nothing is deleted until an age is set. Setters throw {@code
 * ConfigurationInvalid} for values out of range.
 */
public final class ConnectorRetentionOptions {
  /** Pause between two sweeps that leave nothing = 5 min. */
  public static final Duration DEFAULT_SWEEP = Duration.ofMinutes(5);

  /** Rows deleted by one statement = 500. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.PRUNE_LIMIT;

  private static final int MOST_BATCH = 10_000;

  private @Nullable Duration eventsOlderThan;
  private @Nullable Duration entriesOlderThan;
  private Duration sweep = DEFAULT_SWEEP;
  private int batchSize = DEFAULT_BATCH_SIZE;

  /** The defaults: nothing is deleted. */
  public ConnectorRetentionOptions() {}

  /** A copy. */
  public ConnectorRetentionOptions(ConnectorRetentionOptions other) {
    eventsOlderThan = other.eventsOlderThan;
    entriesOlderThan = other.entriesOlderThan;
    sweep = other.sweep;
    batchSize = other.batchSize;
  }

  /** How old an event of a run that has ended must be to be deleted, or null: none is. */
  public @Nullable Duration getEventsOlderThan() {
    return eventsOlderThan;
  }

  /** Sets how old an event of a run that has ended must be to be deleted, positive; how a run began and ended stays. */
  public ConnectorRetentionOptions setEventsOlderThan(Duration age) {
    eventsOlderThan = OptionChecks.requirePositive("eventsOlderThan", age);
    return this;
  }

  /** How long ago a run must have ended for its entry in the history to be deleted, or null: none is. */
  public @Nullable Duration getEntriesOlderThan() {
    return entriesOlderThan;
  }

  /** Sets how old an entry must be to be deleted, positive; the newest 500 of each connection stay. */
  public ConnectorRetentionOptions setEntriesOlderThan(Duration age) {
    entriesOlderThan = OptionChecks.requirePositive("entriesOlderThan", age);
    return this;
  }

  /** Pause between two sweeps that leave nothing. */
  public Duration getSweep() {
    return sweep;
  }

  /** Sets the pause between two sweeps that leave nothing, positive. */
  public ConnectorRetentionOptions setSweep(Duration sweep) {
    this.sweep = OptionChecks.requirePositive("sweep", sweep);
    return this;
  }

  /** Rows deleted by one statement at most. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets the rows that one statement deletes, 1 to 10 000. */
  public ConnectorRetentionOptions setBatchSize(int batchSize) {
    if (batchSize < 1 || batchSize > MOST_BATCH) {
      throw RunlaneException.configurationInvalid(
          "batchSize must be between 1 and %d, but is %d", MOST_BATCH, batchSize);
    }
    this.batchSize = batchSize;
    return this;
  }
}
