package dev.runlane.runtime.host;

import static dev.runlane.options.OptionTypes.choice;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.durations;
import static dev.runlane.options.OptionTypes.id;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.json.JsonLimits;
import dev.runlane.options.Option;
import dev.runlane.options.OptionChecks;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;

/** What holds for a whole runtime. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class RunlaneOptions extends OptionValues<RunlaneOptions> {
  /** The environment = {@value}. */
  public static final String DEFAULT_ENVIRONMENT = "default";

  /** When the wakeup of a triggered run is published = right after its commit. */
  public static final DispatchMode DEFAULT_DISPATCH_ON_TRIGGER = DispatchMode.EAGER;

  /** How long a lease lasts without a heartbeat = 30 s. */
  public static final Duration DEFAULT_LEASE_DURATION = ContractDefaults.LEASE;

  /** How long an attempt may continue after its signal fired for a timeout = 5 s. */
  public static final Duration DEFAULT_ATTEMPT_TIMEOUT_GRACE =
      ContractDefaults.ATTEMPT_TIMEOUT_GRACE;

  /** How long a run waits for a deployment that can read its payload = 24 h. */
  public static final Duration DEFAULT_UNDECODABLE_PAYLOAD_TIMEOUT =
      ContractDefaults.UNDECODABLE_PAYLOAD_TIMEOUT;

  /** How long an outcome that cannot be stored is offered again and again = 1 h. */
  public static final Duration DEFAULT_OUTCOME_TIMEOUT = Duration.ofHours(1);

  /** How long {@link dev.runlane.runtime.Runlane#close()} takes at most = 10 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);

  /** How long outbox messages are claimed for publishing = 30 s. */
  public static final Duration DEFAULT_OUTBOX_CLAIM = ContractDefaults.OUTBOX_CLAIM;

  /** Most bytes of a payload = 1 MiB. */
  public static final int DEFAULT_MAX_PAYLOAD_BYTES = ContractDefaults.MAX_PAYLOAD_BYTES;

  /** Most bytes of an output = 1 MiB. */
  public static final int DEFAULT_MAX_OUTPUT_BYTES = ContractDefaults.MAX_PAYLOAD_BYTES;

  /** Most bytes of a meta object = 16 KiB. */
  public static final int DEFAULT_MAX_META_BYTES = ContractDefaults.MAX_META_BYTES;

  /** Most nested objects and arrays of a payload, output or meta object = 64. */
  public static final int DEFAULT_MAX_JSON_DEPTH = ContractDefaults.MAX_JSON_DEPTH;

  /** How long an attempt whose steps all wait keeps waiting before its run is released = 50 ms. */
  public static final Duration DEFAULT_STEP_WAIT = ContractDefaults.STEP_WAIT;

  /** How long such an attempt goes on waiting without a slot, where it may = 5 s. */
  public static final Duration DEFAULT_STEP_WAIT_WITHOUT_SLOT = Duration.ofSeconds(5);

  /** How long a recorded result waits for the handler to ask for the one before it = 30 s. */
  public static final Duration DEFAULT_STEP_REPLAY_TIMEOUT = ContractDefaults.STEP_REPLAY_TIMEOUT;

  /** Most events about steps that an attempt reads from its run's history = 20 000. */
  public static final int DEFAULT_MAX_STEP_EVENTS = ContractDefaults.MAX_STEP_EVENTS;

  /** Most bytes of the results of steps that an attempt keeps = 256 MiB. */
  public static final int DEFAULT_MAX_STEP_BYTES = ContractDefaults.MAX_STEP_BYTES;

  /** The most that {@code maxStepEvents} may be: each attempt reads them all before its handler goes on. */
  public static final int MOST_STEP_EVENTS = 1_000_000;

  /** The most that {@code maxStepBytes} may be = 1 GiB: all results are in the heap of each attempt's worker. */
  public static final int MOST_STEP_BYTES = 1 << 30;

  /** Pause between two publications of this process's queues and their limits = 5 s. */
  public static final Duration DEFAULT_QUEUE_LIMIT_INTERVAL = Duration.ofSeconds(5);

  private static final OptionSet OPTIONS = OptionSet.of("a runtime");
  private static final Option<String> ENVIRONMENT =
      OPTIONS.add("environment", DEFAULT_ENVIRONMENT, id(ContractDefaults.MAX_ENVIRONMENT_BYTES));
  private static final Option<DispatchMode> DISPATCH_ON_TRIGGER = OPTIONS.add(
      "dispatchOnTrigger",
      DEFAULT_DISPATCH_ON_TRIGGER,
      choice(List.of(DispatchMode.values()), DispatchMode::value));
  private static final Option<Duration> LEASE_DURATION = OPTIONS.add(
      "leaseDuration",
      DEFAULT_LEASE_DURATION,
      durations("duration, at least 30 ms", RunlaneOptions::requireLease));
  private static final Option<Duration> ATTEMPT_TIMEOUT_GRACE =
      OPTIONS.add("attemptTimeoutGrace", DEFAULT_ATTEMPT_TIMEOUT_GRACE, durationOrZero());
  private static final Option<Duration> UNDECODABLE_PAYLOAD_TIMEOUT = OPTIONS.add(
      "undecodablePayloadTimeout", DEFAULT_UNDECODABLE_PAYLOAD_TIMEOUT, durationOrZero());
  private static final Option<Duration> OUTCOME_TIMEOUT =
      OPTIONS.add("outcomeTimeout", DEFAULT_OUTCOME_TIMEOUT, duration());
  private static final Option<Duration> CLOSE_TIMEOUT =
      OPTIONS.add("closeTimeout", DEFAULT_CLOSE_TIMEOUT, duration());
  private static final Option<Duration> OUTBOX_CLAIM =
      OPTIONS.add("outboxClaim", DEFAULT_OUTBOX_CLAIM, duration());
  private static final Option<Duration> QUEUE_LIMIT_INTERVAL =
      OPTIONS.add("queueLimitInterval", DEFAULT_QUEUE_LIMIT_INTERVAL, duration());
  private static final Option<Integer> MAX_PAYLOAD_BYTES =
      OPTIONS.add("maxPayloadBytes", DEFAULT_MAX_PAYLOAD_BYTES, whole(1, JsonLimits.MOST_BYTES));
  private static final Option<Integer> MAX_OUTPUT_BYTES =
      OPTIONS.add("maxOutputBytes", DEFAULT_MAX_OUTPUT_BYTES, whole(1, JsonLimits.MOST_BYTES));
  private static final Option<Integer> MAX_META_BYTES =
      OPTIONS.add("maxMetaBytes", DEFAULT_MAX_META_BYTES, whole(1, JsonLimits.MOST_BYTES));
  private static final Option<Integer> MAX_JSON_DEPTH =
      OPTIONS.add("maxJsonDepth", DEFAULT_MAX_JSON_DEPTH, whole(1));
  private static final Option<Duration> STEP_WAIT =
      OPTIONS.add("stepWait", DEFAULT_STEP_WAIT, durationOrZero());
  private static final Option<Duration> STEP_WAIT_WITHOUT_SLOT =
      OPTIONS.add("stepWaitWithoutSlot", DEFAULT_STEP_WAIT_WITHOUT_SLOT, durationOrZero());
  private static final Option<Duration> STEP_REPLAY_TIMEOUT =
      OPTIONS.add("stepReplayTimeout", DEFAULT_STEP_REPLAY_TIMEOUT, duration());
  private static final Option<Integer> MAX_STEP_EVENTS =
      OPTIONS.add("maxStepEvents", DEFAULT_MAX_STEP_EVENTS, whole(1, MOST_STEP_EVENTS));
  private static final Option<Integer> MAX_STEP_BYTES =
      OPTIONS.add("maxStepBytes", DEFAULT_MAX_STEP_BYTES, whole(1, MOST_STEP_BYTES));

  /** The defaults. */
  public RunlaneOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public RunlaneOptions(RunlaneOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public RunlaneOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The scope of all data of the runtime. */
  public String getEnvironment() {
    return get(ENVIRONMENT);
  }

  /** Sets the environment: at most 64 bytes of UTF-8 without {@code ':'}. */
  public RunlaneOptions setEnvironment(String environment) {
    return set(ENVIRONMENT, environment);
  }

  /** When the wakeup of a triggered run is published. */
  public DispatchMode getDispatchOnTrigger() {
    return get(DISPATCH_ON_TRIGGER);
  }

  /** Sets when the wakeup of a triggered run is published, where the call does not say. */
  public RunlaneOptions setDispatchOnTrigger(DispatchMode dispatchOnTrigger) {
    return set(DISPATCH_ON_TRIGGER, dispatchOnTrigger);
  }

  /** How long a lease lasts without a heartbeat; heartbeats come at a third of it. */
  public Duration getLeaseDuration() {
    return get(LEASE_DURATION);
  }

  /** Sets how long a lease lasts: the longest time a run waits after its worker has died. At least 30 ms. */
  public RunlaneOptions setLeaseDuration(Duration leaseDuration) {
    return set(LEASE_DURATION, leaseDuration);
  }

  /** How long an attempt may continue after its signal fired for a timeout. */
  public Duration getAttemptTimeoutGrace() {
    return get(ATTEMPT_TIMEOUT_GRACE);
  }

  /** Sets how long an attempt may continue after its signal fired for a timeout. */
  public RunlaneOptions setAttemptTimeoutGrace(Duration attemptTimeoutGrace) {
    return set(ATTEMPT_TIMEOUT_GRACE, attemptTimeoutGrace);
  }

  /** How long a run waits for a deployment that can read its payload. */
  public Duration getUndecodablePayloadTimeout() {
    return get(UNDECODABLE_PAYLOAD_TIMEOUT);
  }

  /**
   * Sets how long a run whose payload the deployed task cannot decode, or its schema refuses, is released with
   * reason {@code undecodable_payload} again and again, counted from the first of these releases in a row. The next
   * attempt after it that cannot read the payload either fails the run, not retryable, with {@code ValidationFailed}
   * and that reason in its meta. Zero fails it at once.
   */
  public RunlaneOptions setUndecodablePayloadTimeout(Duration undecodablePayloadTimeout) {
    return set(UNDECODABLE_PAYLOAD_TIMEOUT, undecodablePayloadTimeout);
  }

  /** How long an outcome that cannot be stored is offered again and again. */
  public Duration getOutcomeTimeout() {
    return get(OUTCOME_TIMEOUT);
  }

  /**
   * Sets how long an outcome that cannot be stored is offered again and again, as long as nobody else has taken its
   * run over; after that the attempt is given up, and is made again. An outage that is shorter repeats no finished
   * work. The same holds of an outcome that the storage refuses for what somebody can mend, such as a trigger that
   * fails: its lease is kept meanwhile.
   */
  public RunlaneOptions setOutcomeTimeout(Duration outcomeTimeout) {
    return set(OUTCOME_TIMEOUT, outcomeTimeout);
  }

  /** How long {@link dev.runlane.runtime.Runlane#close()} takes at most. */
  public Duration getCloseTimeout() {
    return get(CLOSE_TIMEOUT);
  }

  /**
   * Sets how long {@link dev.runlane.runtime.Runlane#close()} takes at most, with the lane's close and whatever is
   * away; a longer drain timeout of a worker is cut by it.
   */
  public RunlaneOptions setCloseTimeout(Duration closeTimeout) {
    return set(CLOSE_TIMEOUT, closeTimeout);
  }

  /** How long outbox messages are claimed for publishing. */
  public Duration getOutboxClaim() {
    return get(OUTBOX_CLAIM);
  }

  /** Sets how long outbox messages are claimed for publishing: longer than a transport takes to give up. */
  public RunlaneOptions setOutboxClaim(Duration outboxClaim) {
    return set(OUTBOX_CLAIM, outboxClaim);
  }

  /**
   * How often a process publishes its queues and their limits in the storage, and reads those of other processes:
   * one statement. The lowest limit of a living process holds in all of them, from one interval after it was
   * published; what a killed process said holds for four intervals.
   */
  public Duration getQueueLimitInterval() {
    return get(QUEUE_LIMIT_INTERVAL);
  }

  /** Sets how often; positive. */
  public RunlaneOptions setQueueLimitInterval(Duration interval) {
    return set(QUEUE_LIMIT_INTERVAL, interval);
  }

  /** Most bytes of UTF-8 in a payload. */
  public int getMaxPayloadBytes() {
    return get(MAX_PAYLOAD_BYTES);
  }

  /** Sets the most bytes of UTF-8 in a payload: at most 64 MiB. */
  public RunlaneOptions setMaxPayloadBytes(int maxPayloadBytes) {
    return set(MAX_PAYLOAD_BYTES, maxPayloadBytes);
  }

  /** Most bytes of UTF-8 in an output. */
  public int getMaxOutputBytes() {
    return get(MAX_OUTPUT_BYTES);
  }

  /** Sets the most bytes of UTF-8 in an output. */
  public RunlaneOptions setMaxOutputBytes(int maxOutputBytes) {
    return set(MAX_OUTPUT_BYTES, maxOutputBytes);
  }

  /** Most bytes of UTF-8 in a meta object. */
  public int getMaxMetaBytes() {
    return get(MAX_META_BYTES);
  }

  /** Sets the most bytes of UTF-8 in a meta object: at most 64 MiB, as of a payload. */
  public RunlaneOptions setMaxMetaBytes(int maxMetaBytes) {
    return set(MAX_META_BYTES, maxMetaBytes);
  }

  /** Most nested objects and arrays in a JSON value. */
  public int getMaxJsonDepth() {
    return get(MAX_JSON_DEPTH);
  }

  /** Sets the most nested objects and arrays in a JSON value. */
  public RunlaneOptions setMaxJsonDepth(int maxJsonDepth) {
    return set(MAX_JSON_DEPTH, maxJsonDepth);
  }

  /**
   * How long an attempt whose steps all wait keeps its slot. Where no slot is free and other runs may wait for one, it
   * goes on waiting without one at once, or its run is released after a fifth.
   */
  public Duration getStepWait() {
    return get(STEP_WAIT);
  }

  /** Sets how long an attempt whose steps all wait keeps its slot; a shorter sleep gives nothing back. */
  public RunlaneOptions setStepWait(Duration stepWait) {
    return set(STEP_WAIT, stepWait);
  }

  /**
   * How long an attempt whose steps all wait goes on waiting without a slot before its run is released: it keeps its
   * lease, and is not replayed when a result comes. Only in unbounded queues, of handlers that do not block, of
   * workers that poll, for at most {@code maxWaiting} attempts of each; one that sleeps for longer is released at once.
   */
  public Duration getStepWaitWithoutSlot() {
    return get(STEP_WAIT_WITHOUT_SLOT);
  }

  /** Sets how long such an attempt goes on waiting without a slot; 0: its run is released at once. */
  public RunlaneOptions setStepWaitWithoutSlot(Duration wait) {
    return set(STEP_WAIT_WITHOUT_SLOT, wait);
  }

  /** How long a recorded result waits for the handler to ask for the one before it. */
  public Duration getStepReplayTimeout() {
    return get(STEP_REPLAY_TIMEOUT);
  }

  /**
   * Sets how long a recorded result waits for the handler to ask for the one before it; then the run is
   * released as non-deterministic. Longer than anything a handler does between two steps of a branch.
   */
  public RunlaneOptions setStepReplayTimeout(Duration stepReplayTimeout) {
    return set(STEP_REPLAY_TIMEOUT, stepReplayTimeout);
  }

  /** Most events about steps, retries and releases that an attempt reads from its run's history. */
  public int getMaxStepEvents() {
    return get(MAX_STEP_EVENTS);
  }

  /**
   * Sets the most events about steps, retries and releases; a run with more of them fails. At most {@value
   * #MOST_STEP_EVENTS}.
   */
  public RunlaneOptions setMaxStepEvents(int maxStepEvents) {
    return set(MAX_STEP_EVENTS, maxStepEvents);
  }

  /** Most bytes of the results of steps that an attempt keeps, those of earlier attempts of its run included. */
  public int getMaxStepBytes() {
    return get(MAX_STEP_BYTES);
  }

  /**
   * Sets the most bytes of the results of steps; a run with more of them fails. A thousand steps of a mebibyte each
   * would else take the heap of a worker, with all that it runs besides, in each of their run's attempts. At most
   * 1 GiB.
   */
  public RunlaneOptions setMaxStepBytes(int maxStepBytes) {
    return set(MAX_STEP_BYTES, maxStepBytes);
  }

  /** The environment of all that this runtime reads and writes. */
  public Environment environment() {
    return new Environment(getEnvironment());
  }

  /** What payloads of runs must keep to. */
  public JsonLimits payloadLimits() {
    return new JsonLimits(getMaxPayloadBytes(), getMaxJsonDepth());
  }

  /** What outputs of runs must keep to. */
  public JsonLimits outputLimits() {
    return new JsonLimits(getMaxOutputBytes(), getMaxJsonDepth());
  }

  /** What the meta of a run must keep to. */
  public JsonLimits metaLimits() {
    return new JsonLimits(getMaxMetaBytes(), getMaxJsonDepth());
  }

  /** How far the clocks of processes may differ: a tenth of a lease. */
  public Duration toleratedSkew() {
    return getLeaseDuration().dividedBy(ContractDefaults.SKEW_DIVISOR);
  }

  /** A lease is renewed at a third of it, and clocks may differ by a tenth. */
  private static Duration requireLease(String option, Duration lease) {
    OptionChecks.requirePositive(option, lease);
    if (lease.toMillis() < 30) {
      throw RunlaneException.configurationInvalid(
          "%s must be at least 30ms, but is %s", option, lease);
    }
    return lease;
  }
}
