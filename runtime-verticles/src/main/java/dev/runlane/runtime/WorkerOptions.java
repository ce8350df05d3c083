package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one worker does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class WorkerOptions {
  /** Until when it works = until it is stopped. */
  public static final WorkerMode DEFAULT_MODE = WorkerMode.POLL;

  /** Attempts at the same time = 16. */
  public static final int DEFAULT_CONCURRENCY = ContractDefaults.WORKER_CONCURRENCY;

  /** How long stopping waits for attempts to give up = 10 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);

  private static final Set<String> KEYS =
      Set.of("mode", "queues", "concurrency", "pollInterval", "drainTimeout", "workerId");

  private WorkerMode mode = DEFAULT_MODE;
  private List<String> queues = List.of();
  private int concurrency = DEFAULT_CONCURRENCY;
  private @Nullable Duration pollInterval;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private @Nullable String workerId;

  /** The defaults. */
  public WorkerOptions() {}

  /** A copy. */
  public WorkerOptions(WorkerOptions other) {
    mode = other.mode;
    queues = other.queues;
    concurrency = other.concurrency;
    pollInterval = other.pollInterval;
    drainTimeout = other.drainTimeout;
    workerId = other.workerId;
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public WorkerOptions(JsonObject json) {
    OptionChecks.requireKnown("a worker", json, KEYS);
    OptionChecks.text(
        json,
        "mode",
        value -> setMode(WorkerMode.ofValue(value)
            .orElseThrow(() -> RunlaneException.configurationInvalid(
                "a worker's mode is poll, safetyNet or drain, not %s", value))));
    if (json.containsKey("queues")) {
      setQueues(names(json.getValue("queues")));
    }
    OptionChecks.integer(json, "concurrency", this::setConcurrency);
    OptionChecks.duration(json, "pollInterval", this::setPollInterval);
    OptionChecks.duration(json, "drainTimeout", this::setDrainTimeout);
    OptionChecks.text(json, "workerId", this::setWorkerId);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("mode", mode.value())
        .put("queues", new JsonArray(queues))
        .put("concurrency", concurrency)
        .put("drainTimeout", Durations.format(drainTimeout));
    if (pollInterval != null) {
      json.put("pollInterval", Durations.format(pollInterval));
    }
    return workerId == null ? json : json.put("workerId", workerId);
  }

  /** Until when it works. */
  public WorkerMode getMode() {
    return mode;
  }

  /** Sets until when it works. */
  public WorkerOptions setMode(WorkerMode mode) {
    this.mode = mode;
    return this;
  }

  /** The names of the queues it serves; empty: all of the runtime. */
  public List<String> getQueues() {
    return queues;
  }

  /** Sets the queues it serves, by name; none: all of the runtime. A worker refuses unknown ones. */
  public WorkerOptions setQueues(List<String> queues) {
    this.queues = List.copyOf(queues);
    return this;
  }

  /**
   * The most handlers at the same time. As many attempts again may be held while their outcomes are being
   * stored, so that slots do not wait for storage.
   */
  public int getConcurrency() {
    return concurrency;
  }

  /** Sets the most handlers at the same time; the worker claims as many runs at once as it has slots free. */
  public WorkerOptions setConcurrency(int concurrency) {
    this.concurrency = OptionChecks.requireAtLeast(1, "concurrency", concurrency);
    return this;
  }

  /**
   * How long an idle worker waits before it looks for work unasked; empty: 1 s where no transport wakes
   * this process, else 30 s.
   */
  public Optional<Duration> getPollInterval() {
    return Optional.ofNullable(pollInterval);
  }

  /** Sets how long an idle worker waits before it looks for work unasked. */
  public WorkerOptions setPollInterval(Duration pollInterval) {
    this.pollInterval = OptionChecks.requirePositive("pollInterval", pollInterval);
    return this;
  }

  /** How long stopping waits for attempts to give up. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long stopping waits for attempts to give up; what is left then keeps its lease until expiry. */
  public WorkerOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = OptionChecks.requireNotNegative("drainTimeout", drainTimeout);
    return this;
  }

  /** Who owns the leases; empty: an id is made for each worker. */
  public Optional<String> getWorkerId() {
    return Optional.ofNullable(workerId);
  }

  /** Sets who owns the leases. Several workers may share an id: a lease is proven by its token. */
  public WorkerOptions setWorkerId(String workerId) {
    this.workerId = OptionChecks.requireId("workerId", workerId);
    return this;
  }

  private static List<String> names(@Nullable Object value) {
    if (value instanceof JsonArray array && array.stream().allMatch(String.class::isInstance)) {
      return array.stream().map(String.class::cast).toList();
    }
    throw RunlaneException.configurationInvalid("a worker's queues are a list of names");
  }
}
