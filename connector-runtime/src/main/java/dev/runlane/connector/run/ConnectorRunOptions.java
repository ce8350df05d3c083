package dev.runlane.connector.run;

import dev.runlane.connector.protocol.ReaderLimits;
import dev.runlane.connector.store.IngestBatch;
import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Bounds of runs; each holds for every run by itself. */
public final class ConnectorRunOptions {
  /** Records of a stream in one batch = 500. */
  public static final int DEFAULT_BATCH_RECORDS = IngestBatch.DEFAULT_RECORDS;

  /** Bytes of a stream's records in one batch = 4 MiB. */
  public static final int DEFAULT_BATCH_BYTES = 4 << 20;

  /** Bytes of records that wait to be sent, all streams together = 16 MiB. */
  public static final int DEFAULT_BUFFERED_BYTES = 16 << 20;

  /** How long a run may take = 4 h. */
  public static final Duration DEFAULT_RUN_LIMIT = Duration.ofHours(4);

  /** How long the connector of an unattended run may say nothing = 30 min. */
  public static final Duration DEFAULT_UNATTENDED_SILENCE_LIMIT = Duration.ofMinutes(30);

  /** How long a child may take to exit after DONE, or after it closed its input = 30 s. */
  public static final Duration DEFAULT_EXIT_TIMEOUT = Duration.ofSeconds(30);

  /** How often a call of the sink is made that fails in a way that may pass = 4. */
  public static final int DEFAULT_SINK_ATTEMPTS = 4;

  /** Between two calls of the sink = 200 ms, doubled up to 5 s. */
  public static final Backoff DEFAULT_SINK_BACKOFF =
      Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(5));

  /** How long one call of the sink or the store may take = 2 min. */
  public static final Duration DEFAULT_CALL_TIMEOUT = Duration.ofMinutes(2);

  /** How often the timeline and the end of a run are tried to be stored = 12. */
  public static final int DEFAULT_STORE_ATTEMPTS = 12;

  /** Between two looks at the browser while a question waits = 10 s. */
  public static final Duration DEFAULT_SURFACE_POLL = Duration.ofSeconds(10);

  /** How long one look at the browser may take = 5 s. */
  public static final Duration DEFAULT_SURFACE_PROBE_TIMEOUT = Duration.ofSeconds(5);

  /** Events of one kind that are all told = 10 000. */
  public static final int DEFAULT_EVENTS_OF_A_KIND = 10_000;

  /** Between two events of a kind beyond that = 1 s. */
  public static final Duration DEFAULT_THINNED_INTERVAL = Duration.ofSeconds(1);

  private int batchRecords = DEFAULT_BATCH_RECORDS;
  private int batchBytes = DEFAULT_BATCH_BYTES;
  private int bufferedBytes = DEFAULT_BUFFERED_BYTES;
  private Duration runLimit = DEFAULT_RUN_LIMIT;
  private @Nullable Duration silenceLimit;
  private @Nullable Duration unattendedSilenceLimit = DEFAULT_UNATTENDED_SILENCE_LIMIT;
  private Duration exitTimeout = DEFAULT_EXIT_TIMEOUT;
  private int sinkAttempts = DEFAULT_SINK_ATTEMPTS;
  private Backoff sinkBackoff = DEFAULT_SINK_BACKOFF;
  private Duration callTimeout = DEFAULT_CALL_TIMEOUT;
  private int storeAttempts = DEFAULT_STORE_ATTEMPTS;
  private Duration surfacePoll = DEFAULT_SURFACE_POLL;
  private Duration surfaceProbeTimeout = DEFAULT_SURFACE_PROBE_TIMEOUT;
  private int eventsOfAKind = DEFAULT_EVENTS_OF_A_KIND;
  private Duration thinnedInterval = DEFAULT_THINNED_INTERVAL;
  private ReaderLimits readerLimits = ReaderLimits.DEFAULT;

  /** The defaults. */
  public ConnectorRunOptions() {}

  /** A copy. */
  public ConnectorRunOptions(ConnectorRunOptions other) {
    batchRecords = other.batchRecords;
    batchBytes = other.batchBytes;
    bufferedBytes = other.bufferedBytes;
    runLimit = other.runLimit;
    silenceLimit = other.silenceLimit;
    unattendedSilenceLimit = other.unattendedSilenceLimit;
    exitTimeout = other.exitTimeout;
    sinkAttempts = other.sinkAttempts;
    sinkBackoff = other.sinkBackoff;
    callTimeout = other.callTimeout;
    storeAttempts = other.storeAttempts;
    surfacePoll = other.surfacePoll;
    surfaceProbeTimeout = other.surfaceProbeTimeout;
    eventsOfAKind = other.eventsOfAKind;
    thinnedInterval = other.thinnedInterval;
    readerLimits = other.readerLimits;
  }

  /** Records of a stream that are sent together. */
  public int getBatchRecords() {
    return batchRecords;
  }

  /** Sets how many records are sent together: 1 to {@value IngestBatch#MOST_RECORDS}. */
  public ConnectorRunOptions setBatchRecords(int batchRecords) {
    OptionChecks.requireAtLeast(1, "batchRecords", batchRecords);
    if (batchRecords > IngestBatch.MOST_RECORDS) {
      throw RunlaneException.configurationInvalid(
          "batchRecords must be at most %d, but is %d", IngestBatch.MOST_RECORDS, batchRecords);
    }
    this.batchRecords = batchRecords;
    return this;
  }

  /** Bytes of a stream's records at which they are sent, however few. */
  public int getBatchBytes() {
    return batchBytes;
  }

  /** Sets the bytes at which a stream's records are sent: at least 1. */
  public ConnectorRunOptions setBatchBytes(int batchBytes) {
    this.batchBytes = OptionChecks.requireAtLeast(1, "batchBytes", batchBytes);
    return this;
  }

  /** Bytes of records that may wait, all streams together; then those of the largest are sent. */
  public int getBufferedBytes() {
    return bufferedBytes;
  }

  /** Sets the bytes that may wait: at least 1. */
  public ConnectorRunOptions setBufferedBytes(int bufferedBytes) {
    this.bufferedBytes = OptionChecks.requireAtLeast(1, "bufferedBytes", bufferedBytes);
    return this;
  }

  /** How long a run may take, questions included. */
  public Duration getRunLimit() {
    return runLimit;
  }

  /** Sets how long a run may take: positive. */
  public ConnectorRunOptions setRunLimit(Duration runLimit) {
    this.runLimit = OptionChecks.requirePositive("runLimit", runLimit);
    return this;
  }

  /** How long a connector may say nothing, or null for ever; waiting for an answer or for the sink does not count. */
  public @Nullable Duration getSilenceLimit() {
    return silenceLimit;
  }

  /** Sets how long a connector may say nothing: positive, or null for ever, which is the default. */
  public ConnectorRunOptions setSilenceLimit(@Nullable Duration silenceLimit) {
    this.silenceLimit = positiveOrNull("silenceLimit", silenceLimit);
    return this;
  }

  /** As {@link #getSilenceLimit()}, for runs that nobody watches. */
  public @Nullable Duration getUnattendedSilenceLimit() {
    return unattendedSilenceLimit;
  }

  /** Sets how long a connector that nobody watches may say nothing: positive, or null for ever. */
  public ConnectorRunOptions setUnattendedSilenceLimit(@Nullable Duration limit) {
    this.unattendedSilenceLimit = positiveOrNull("unattendedSilenceLimit", limit);
    return this;
  }

  /** How long a child may take to exit after DONE, or after it closed its input. */
  public Duration getExitTimeout() {
    return exitTimeout;
  }

  /** Sets how long a child may take to exit: positive. */
  public ConnectorRunOptions setExitTimeout(Duration exitTimeout) {
    this.exitTimeout = OptionChecks.requirePositive("exitTimeout", exitTimeout);
    return this;
  }

  /** How often a call of the sink is made that fails in a way that may pass. */
  public int getSinkAttempts() {
    return sinkAttempts;
  }

  /** Sets how often a call of the sink is made: at least 1. */
  public ConnectorRunOptions setSinkAttempts(int sinkAttempts) {
    this.sinkAttempts = OptionChecks.requireAtLeast(1, "sinkAttempts", sinkAttempts);
    return this;
  }

  /** The waits between calls that are made again, of the sink and of the store alike. */
  public Backoff getSinkBackoff() {
    return sinkBackoff;
  }

  /** Sets the waits between calls that are made again. */
  public ConnectorRunOptions setSinkBackoff(Backoff sinkBackoff) {
    this.sinkBackoff = sinkBackoff;
    return this;
  }

  /** How long one call of the sink or the store may take; one without an answer by then counts as failed. */
  public Duration getCallTimeout() {
    return callTimeout;
  }

  /**
   * Sets how long one call of the sink or the store may take: positive. A run that is over its limit goes on for no
   * longer than the call that is under way and those that store its end.
   */
  public ConnectorRunOptions setCallTimeout(Duration callTimeout) {
    this.callTimeout = OptionChecks.requirePositive("callTimeout", callTimeout);
    return this;
  }

  /** How often the timeline and the end of a run are tried to be stored. */
  public int getStoreAttempts() {
    return storeAttempts;
  }

  /** Sets how often the timeline and the end are tried to be stored: at least 1. */
  public ConnectorRunOptions setStoreAttempts(int storeAttempts) {
    this.storeAttempts = OptionChecks.requireAtLeast(1, "storeAttempts", storeAttempts);
    return this;
  }

  /** The time between two looks at the browser while a question waits. */
  public Duration getSurfacePoll() {
    return surfacePoll;
  }

  /** Sets the time between two looks at the browser: positive. */
  public ConnectorRunOptions setSurfacePoll(Duration surfacePoll) {
    this.surfacePoll = OptionChecks.requirePositive("surfacePoll", surfacePoll);
    return this;
  }

  /** How long one look at the browser may take. */
  public Duration getSurfaceProbeTimeout() {
    return surfaceProbeTimeout;
  }

  /** Sets how long one look at the browser may take: positive. */
  public ConnectorRunOptions setSurfaceProbeTimeout(Duration surfaceProbeTimeout) {
    this.surfaceProbeTimeout =
        OptionChecks.requirePositive("surfaceProbeTimeout", surfaceProbeTimeout);
    return this;
  }

  /**
   * How many events of one kind are all told; beyond that one in each {@link #getThinnedInterval()} is. Holds
   * for what a connector can say without end: progress, cursors, batches, skips, details and notes.
   */
  public int getEventsOfAKind() {
    return eventsOfAKind;
  }

  /** Sets how many events of one kind are all told: at least 1. */
  public ConnectorRunOptions setEventsOfAKind(int eventsOfAKind) {
    this.eventsOfAKind = OptionChecks.requireAtLeast(1, "eventsOfAKind", eventsOfAKind);
    return this;
  }

  /** The time between two events of a kind of which there are too many. */
  public Duration getThinnedInterval() {
    return thinnedInterval;
  }

  /** Sets the time between two events of a kind of which there are too many: positive. */
  public ConnectorRunOptions setThinnedInterval(Duration thinnedInterval) {
    this.thinnedInterval = OptionChecks.requirePositive("thinnedInterval", thinnedInterval);
    return this;
  }

  /** How large messages may be. */
  public ReaderLimits getReaderLimits() {
    return readerLimits;
  }

  /** Sets how large messages may be. */
  public ConnectorRunOptions setReaderLimits(ReaderLimits readerLimits) {
    this.readerLimits = readerLimits;
    return this;
  }

  private static @Nullable Duration positiveOrNull(String what, @Nullable Duration duration) {
    return duration == null ? null : OptionChecks.requirePositive(what, duration);
  }
}
