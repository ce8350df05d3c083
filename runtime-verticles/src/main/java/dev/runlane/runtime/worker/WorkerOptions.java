package dev.runlane.runtime.worker;

import static dev.runlane.options.OptionTypes.choice;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.id;
import static dev.runlane.options.OptionTypes.texts;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What one worker does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class WorkerOptions extends OptionValues<WorkerOptions> {
  /** Until when it works = until it is stopped. */
  public static final WorkerMode DEFAULT_MODE = WorkerMode.POLL;

  /** Attempts at the same time = 16. */
  public static final int DEFAULT_CONCURRENCY = ContractDefaults.WORKER_CONCURRENCY;

  /** Attempts that wait for steps of others, or for a time, without a slot = 1 000. */
  public static final int DEFAULT_MAX_WAITING = 1_000;

  /** How long stopping waits for attempts to give up = 10 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);

  private static final OptionSet OPTIONS = OptionSet.of("a worker");
  private static final Option<WorkerMode> MODE =
      OPTIONS.add("mode", DEFAULT_MODE, choice(List.of(WorkerMode.values()), WorkerMode::value));
  private static final Option<List<String>> QUEUES = OPTIONS.add("queues", List.of(), texts());
  private static final Option<Integer> CONCURRENCY =
      OPTIONS.add("concurrency", DEFAULT_CONCURRENCY, whole(1));
  private static final Option<Integer> MAX_WAITING =
      OPTIONS.add("maxWaiting", DEFAULT_MAX_WAITING, whole(0));
  private static final Option<Duration> POLL_INTERVAL =
      OPTIONS.add("pollInterval", null, duration());
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, durationOrZero());
  private static final Option<String> WORKER_ID = OPTIONS.add("workerId", null, id());

  /** The defaults. */
  public WorkerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public WorkerOptions(WorkerOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public WorkerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Until when it works. */
  public WorkerMode getMode() {
    return get(MODE);
  }

  /** Sets until when it works. */
  public WorkerOptions setMode(WorkerMode mode) {
    return set(MODE, mode);
  }

  /** The names of the queues it serves; empty: all of the runtime. */
  public List<String> getQueues() {
    return get(QUEUES);
  }

  /** Sets the queues it serves, by name; none: all of the runtime. A worker refuses unknown ones. */
  public WorkerOptions setQueues(List<String> queues) {
    return set(QUEUES, queues);
  }

  /**
   * The most handlers at the same time. As many attempts again may be held while their outcomes are being
   * stored, so that slots do not wait for storage.
   */
  public int getConcurrency() {
    return get(CONCURRENCY);
  }

  /** Sets the most handlers at the same time; the worker claims as many runs at once as it has slots free. */
  public WorkerOptions setConcurrency(int concurrency) {
    return set(CONCURRENCY, concurrency);
  }

  /**
   * The most attempts that wait without a slot, for steps of other processes or for a time, each with its lease, its
   * payload and its history in memory. Where as many wait, the run of another one is released instead.
   */
  public int getMaxWaiting() {
    return get(MAX_WAITING);
  }

  /** Sets the most attempts that wait without a slot; 0: none does, and neither does one of a worker that drains. */
  public WorkerOptions setMaxWaiting(int maxWaiting) {
    return set(MAX_WAITING, maxWaiting);
  }

  /**
   * How long an idle worker waits before it looks for work unasked; empty: 1 s where no transport wakes
   * this process, else 30 s.
   */
  public Optional<Duration> getPollInterval() {
    return find(POLL_INTERVAL);
  }

  /** Sets how long an idle worker waits before it looks for work unasked. */
  public WorkerOptions setPollInterval(Duration pollInterval) {
    return set(POLL_INTERVAL, pollInterval);
  }

  /** How long stopping waits for attempts to give up; {@code RunlaneOptions.closeTimeout} cuts it. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long stopping waits for attempts to give up; what is left then keeps its lease until expiry. */
  public WorkerOptions setDrainTimeout(Duration drainTimeout) {
    return set(DRAIN_TIMEOUT, drainTimeout);
  }

  /** Who owns the leases; empty: an id is made for each worker. */
  public Optional<String> getWorkerId() {
    return find(WORKER_ID);
  }

  /** Sets who owns the leases. Several workers may share an id: a lease is proven by its token. */
  public WorkerOptions setWorkerId(String workerId) {
    return set(WORKER_ID, workerId);
  }
}
