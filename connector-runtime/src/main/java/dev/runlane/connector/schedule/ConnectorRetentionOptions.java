package dev.runlane.connector.schedule;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long runs of connectors, and what they changed, are remembered in full. Nothing of that is deleted until an age
 * is set.
 * Setters throw {@code ConfigurationInvalid} for values out of range.
 */
public final class ConnectorRetentionOptions extends OptionValues<ConnectorRetentionOptions> {
  /** Pause between two sweeps that leave nothing = 5 min. */
  public static final Duration DEFAULT_SWEEP = Duration.ofMinutes(5);

  /** Rows deleted by one statement = 500. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.PRUNE_LIMIT;

  private static final OptionSet OPTIONS = OptionSet.of("the retention of connectors");
  private static final Option<Duration> EVENTS_OLDER_THAN =
      OPTIONS.add("eventsOlderThan", null, duration());
  private static final Option<Duration> ENTRIES_OLDER_THAN =
      OPTIONS.add("entriesOlderThan", null, duration());
  private static final Option<Duration> CHANGES_OLDER_THAN =
      OPTIONS.add("changesOlderThan", null, duration());
  private static final Option<Duration> SWEEP = OPTIONS.add("sweep", DEFAULT_SWEEP, duration());
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, 10_000));

  /** The defaults: no run and no change is deleted. */
  public ConnectorRetentionOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ConnectorRetentionOptions(ConnectorRetentionOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ConnectorRetentionOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** How old an event of a run that has ended must be to be deleted, or null: none is. */
  public @Nullable Duration getEventsOlderThan() {
    return orNull(EVENTS_OLDER_THAN);
  }

  /** Sets how old an event of a run that has ended must be to be deleted, positive; how a run began and ended stays. */
  public ConnectorRetentionOptions setEventsOlderThan(Duration age) {
    return set(EVENTS_OLDER_THAN, age);
  }

  /** How long ago a run must have ended for its entry in the history to be deleted, or null: none is. */
  public @Nullable Duration getEntriesOlderThan() {
    return orNull(ENTRIES_OLDER_THAN);
  }

  /** Sets how old an entry must be to be deleted, positive; the newest 500 of each connection stay. */
  public ConnectorRetentionOptions setEntriesOlderThan(Duration age) {
    return set(ENTRIES_OLDER_THAN, age);
  }

  /** How old a change of a record must be to be deleted, or null: none is. */
  public @Nullable Duration getChangesOlderThan() {
    return orNull(CHANGES_OLDER_THAN);
  }

  /**
   * Sets how old a change of a record must be to be deleted, positive: longer than any reader of {@link
   * dev.runlane.connector.store.record.RecordReads#changes} is away. Records stay, and the newest change of each
   * stream.
   */
  public ConnectorRetentionOptions setChangesOlderThan(Duration age) {
    return set(CHANGES_OLDER_THAN, age);
  }

  /** Pause between two sweeps that leave nothing. */
  public Duration getSweep() {
    return get(SWEEP);
  }

  /** Sets the pause between two sweeps that leave nothing, positive. */
  public ConnectorRetentionOptions setSweep(Duration sweep) {
    return set(SWEEP, sweep);
  }

  /** Rows deleted by one statement at most. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets the rows that one statement deletes, 1 to 10 000. */
  public ConnectorRetentionOptions setBatchSize(int batchSize) {
    return set(BATCH_SIZE, batchSize);
  }
}
