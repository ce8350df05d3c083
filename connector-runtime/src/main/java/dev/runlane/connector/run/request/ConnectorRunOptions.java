package dev.runlane.connector.run.request;

import static dev.runlane.options.OptionTypes.backoff;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.object;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionValues;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Bounds of runs; each holds for every run by itself. */
public final class ConnectorRunOptions extends OptionValues<ConnectorRunOptions> {
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

  /** Events of one kind that are all recorded = 10 000. */
  public static final int DEFAULT_EVENTS_OF_A_KIND = 10_000;

  /** Between two events of a kind beyond that = 1 s. */
  public static final Duration DEFAULT_THINNED_INTERVAL = Duration.ofSeconds(1);

  private static final OptionSet OPTIONS = OptionSet.of("a run of a connector");
  private static final Option<Integer> BATCH_RECORDS =
      OPTIONS.add("batchRecords", DEFAULT_BATCH_RECORDS, whole(1, IngestBatch.MOST_RECORDS));
  private static final Option<Integer> BATCH_BYTES =
      OPTIONS.add("batchBytes", DEFAULT_BATCH_BYTES, whole(1));
  private static final Option<Integer> BUFFERED_BYTES =
      OPTIONS.add("bufferedBytes", DEFAULT_BUFFERED_BYTES, whole(1));
  private static final Option<Duration> RUN_LIMIT =
      OPTIONS.add("runLimit", DEFAULT_RUN_LIMIT, duration());
  private static final Option<Duration> SILENCE_LIMIT =
      OPTIONS.add("silenceLimit", null, duration());
  private static final Option<Duration> UNATTENDED_SILENCE_LIMIT =
      OPTIONS.addNullable("unattendedSilenceLimit", DEFAULT_UNATTENDED_SILENCE_LIMIT, duration());
  private static final Option<Duration> EXIT_TIMEOUT =
      OPTIONS.add("exitTimeout", DEFAULT_EXIT_TIMEOUT, duration());
  private static final Option<Integer> SINK_ATTEMPTS =
      OPTIONS.add("sinkAttempts", DEFAULT_SINK_ATTEMPTS, whole(1));
  private static final Option<Backoff> SINK_BACKOFF =
      OPTIONS.add("sinkBackoff", DEFAULT_SINK_BACKOFF, backoff());
  private static final Option<Duration> CALL_TIMEOUT =
      OPTIONS.add("callTimeout", DEFAULT_CALL_TIMEOUT, duration());
  private static final Option<Integer> STORE_ATTEMPTS =
      OPTIONS.add("storeAttempts", DEFAULT_STORE_ATTEMPTS, whole(1));
  private static final Option<Duration> SURFACE_POLL =
      OPTIONS.add("surfacePoll", DEFAULT_SURFACE_POLL, duration());
  private static final Option<Duration> SURFACE_PROBE_TIMEOUT =
      OPTIONS.add("surfaceProbeTimeout", DEFAULT_SURFACE_PROBE_TIMEOUT, duration());
  private static final Option<Integer> EVENTS_OF_A_KIND =
      OPTIONS.add("eventsOfAKind", DEFAULT_EVENTS_OF_A_KIND, whole(1));
  private static final Option<Duration> THINNED_INTERVAL =
      OPTIONS.add("thinnedInterval", DEFAULT_THINNED_INTERVAL, duration());
  private static final Option<ReaderLimits> READER_LIMITS =
      OPTIONS.add("readerLimits", ReaderLimits.DEFAULT, limits());

  /** The defaults. */
  public ConnectorRunOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ConnectorRunOptions(ConnectorRunOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ConnectorRunOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Records of a stream that are sent together. */
  public int getBatchRecords() {
    return get(BATCH_RECORDS);
  }

  /** Sets how many records are sent together: 1 to {@value IngestBatch#MOST_RECORDS}. */
  public ConnectorRunOptions setBatchRecords(int batchRecords) {
    return set(BATCH_RECORDS, batchRecords);
  }

  /** Bytes of a stream's records at which they are sent, however few. */
  public int getBatchBytes() {
    return get(BATCH_BYTES);
  }

  /** Sets the bytes at which a stream's records are sent: at least 1. */
  public ConnectorRunOptions setBatchBytes(int batchBytes) {
    return set(BATCH_BYTES, batchBytes);
  }

  /** Bytes of records that may wait, all streams together; then those of the largest are sent. */
  public int getBufferedBytes() {
    return get(BUFFERED_BYTES);
  }

  /** Sets the bytes that may wait: at least 1. */
  public ConnectorRunOptions setBufferedBytes(int bufferedBytes) {
    return set(BUFFERED_BYTES, bufferedBytes);
  }

  /** How long a run may take, questions included. */
  public Duration getRunLimit() {
    return get(RUN_LIMIT);
  }

  /** Sets how long a run may take: positive. */
  public ConnectorRunOptions setRunLimit(Duration runLimit) {
    return set(RUN_LIMIT, runLimit);
  }

  /** How long a connector may write nothing; null: no limit; waiting for an answer or for the sink does not count. */
  public @Nullable Duration getSilenceLimit() {
    return orNull(SILENCE_LIMIT);
  }

  /** Sets how long a connector may say nothing: positive, or null for ever, which is the default. */
  public ConnectorRunOptions setSilenceLimit(@Nullable Duration silenceLimit) {
    return set(SILENCE_LIMIT, silenceLimit);
  }

  /** How long an unattended connector may write nothing; null: no limit. */
  public @Nullable Duration getUnattendedSilenceLimit() {
    return orNull(UNATTENDED_SILENCE_LIMIT);
  }

  /** Sets how long a connector that nobody watches may say nothing: positive, or null for ever. */
  public ConnectorRunOptions setUnattendedSilenceLimit(@Nullable Duration limit) {
    return set(UNATTENDED_SILENCE_LIMIT, limit);
  }

  /** How long a child may take to exit after DONE, or after it closed its input. */
  public Duration getExitTimeout() {
    return get(EXIT_TIMEOUT);
  }

  /** Sets how long a child may take to exit: positive. */
  public ConnectorRunOptions setExitTimeout(Duration exitTimeout) {
    return set(EXIT_TIMEOUT, exitTimeout);
  }

  /** How often a call of the sink is made that fails in a way that may pass. */
  public int getSinkAttempts() {
    return get(SINK_ATTEMPTS);
  }

  /** Sets how often a call of the sink is made: at least 1. */
  public ConnectorRunOptions setSinkAttempts(int sinkAttempts) {
    return set(SINK_ATTEMPTS, sinkAttempts);
  }

  /** The waits between calls that are made again, of the sink and of the store alike. */
  public Backoff getSinkBackoff() {
    return get(SINK_BACKOFF);
  }

  /** Sets the waits between calls that are made again. */
  public ConnectorRunOptions setSinkBackoff(Backoff sinkBackoff) {
    return set(SINK_BACKOFF, sinkBackoff);
  }

  /** How long one call of the sink or the store may take; one without an answer by then counts as failed. */
  public Duration getCallTimeout() {
    return get(CALL_TIMEOUT);
  }

  /**
   * Sets how long one call of the sink or the store may take: positive. A run that is over its limit continues for no
   * longer than the call that is under way and those that store its end.
   */
  public ConnectorRunOptions setCallTimeout(Duration callTimeout) {
    return set(CALL_TIMEOUT, callTimeout);
  }

  /** How often the timeline and the end of a run are tried to be stored. */
  public int getStoreAttempts() {
    return get(STORE_ATTEMPTS);
  }

  /** Sets how often the timeline and the end are tried to be stored: at least 1. */
  public ConnectorRunOptions setStoreAttempts(int storeAttempts) {
    return set(STORE_ATTEMPTS, storeAttempts);
  }

  /** The time between two looks at the browser while a question waits. */
  public Duration getSurfacePoll() {
    return get(SURFACE_POLL);
  }

  /** Sets the time between two looks at the browser: positive. */
  public ConnectorRunOptions setSurfacePoll(Duration surfacePoll) {
    return set(SURFACE_POLL, surfacePoll);
  }

  /** How long one look at the browser may take. */
  public Duration getSurfaceProbeTimeout() {
    return get(SURFACE_PROBE_TIMEOUT);
  }

  /** Sets how long one look at the browser may take: positive. */
  public ConnectorRunOptions setSurfaceProbeTimeout(Duration surfaceProbeTimeout) {
    return set(SURFACE_PROBE_TIMEOUT, surfaceProbeTimeout);
  }

  /**
   * How many events of one kind are all written; beyond that one in each {@link #getThinnedInterval()} is. Holds
   * for what a connector can say without end: progress, cursors, batches, skips, details and notes.
   */
  public int getEventsOfAKind() {
    return get(EVENTS_OF_A_KIND);
  }

  /** Sets how many events of one kind are all recorded: at least 1. */
  public ConnectorRunOptions setEventsOfAKind(int eventsOfAKind) {
    return set(EVENTS_OF_A_KIND, eventsOfAKind);
  }

  /** The time between two events of a kind of which there are too many. */
  public Duration getThinnedInterval() {
    return get(THINNED_INTERVAL);
  }

  /** Sets the time between two events of a kind of which there are too many: positive. */
  public ConnectorRunOptions setThinnedInterval(Duration thinnedInterval) {
    return set(THINNED_INTERVAL, thinnedInterval);
  }

  /** How large messages may be. */
  public ReaderLimits getReaderLimits() {
    return get(READER_LIMITS);
  }

  /** Sets how large messages may be. */
  public ConnectorRunOptions setReaderLimits(ReaderLimits readerLimits) {
    return set(READER_LIMITS, readerLimits);
  }

  private static OptionType<ReaderLimits> limits() {
    return object(
        "`maxDepth`, `maxTokens`, `maxControlBytes`, `maxCursorBytes`",
        json -> new Limits(json).limits(),
        limits -> new Limits(limits).toJson());
  }

  /** Limits of messages in JSON. */
  private static final class Limits extends OptionValues<Limits> {
    private static final OptionSet OPTIONS = OptionSet.of("limits of messages");
    private static final Option<Integer> DEPTH =
        OPTIONS.add("maxDepth", ReaderLimits.DEFAULT.maxDepth(), whole(1));
    private static final Option<Integer> TOKENS =
        OPTIONS.add("maxTokens", ReaderLimits.DEFAULT.maxTokens(), whole(1));
    private static final Option<Integer> CONTROL_BYTES =
        OPTIONS.add("maxControlBytes", ReaderLimits.DEFAULT.maxControlBytes(), whole(1));
    private static final Option<Integer> CURSOR_BYTES =
        OPTIONS.add("maxCursorBytes", ReaderLimits.DEFAULT.maxCursorBytes(), whole(1));

    Limits(JsonObject json) {
      super(OPTIONS, json);
    }

    Limits(ReaderLimits limits) {
      super(OPTIONS);
      set(DEPTH, limits.maxDepth());
      set(TOKENS, limits.maxTokens());
      set(CONTROL_BYTES, limits.maxControlBytes());
      set(CURSOR_BYTES, limits.maxCursorBytes());
    }

    ReaderLimits limits() {
      return new ReaderLimits(get(DEPTH), get(TOKENS), get(CONTROL_BYTES), get(CURSOR_BYTES));
    }
  }
}
