package dev.runlane.runtime;

import dev.runlane.json.JsonLimits;
import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** What holds for a whole runtime. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class RunlaneOptions {
  /** The environment = {@value}. */
  public static final String DEFAULT_ENVIRONMENT = "default";

  /** When the wakeup of a triggered run is published = right after its commit. */
  public static final DispatchMode DEFAULT_DISPATCH_ON_TRIGGER = DispatchMode.EAGER;

  /** How long a lease lasts without a heartbeat = 30 s. */
  public static final Duration DEFAULT_LEASE_DURATION = ContractDefaults.LEASE;

  /** How long an attempt may go on after its signal fired for a timeout = 5 s. */
  public static final Duration DEFAULT_ATTEMPT_TIMEOUT_GRACE =
      ContractDefaults.ATTEMPT_TIMEOUT_GRACE;

  /** How long a run waits for a deployment that can read its payload = 24 h. */
  public static final Duration DEFAULT_UNDECODABLE_PAYLOAD_TIMEOUT =
      ContractDefaults.UNDECODABLE_PAYLOAD_TIMEOUT;

  /** How long an outcome that cannot be stored is offered again and again = 1 h. */
  public static final Duration DEFAULT_OUTCOME_TIMEOUT = Duration.ofHours(1);

  /** How long {@link Runlane#close()} takes at most = 10 s. */
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

  /** How long an attempt whose steps all wait goes on waiting before its run is released = 50 ms. */
  public static final Duration DEFAULT_STEP_WAIT = ContractDefaults.STEP_WAIT;

  /** How long a recorded result waits for the handler to ask for the one before it = 30 s. */
  public static final Duration DEFAULT_STEP_REPLAY_TIMEOUT = ContractDefaults.STEP_REPLAY_TIMEOUT;

  /** Most events about steps that an attempt reads from its run's history = 20 000. */
  public static final int DEFAULT_MAX_STEP_EVENTS = ContractDefaults.MAX_STEP_EVENTS;

  /** Pause between two publications of this process's queues and their limits = 5 s. */
  public static final Duration DEFAULT_QUEUE_LIMIT_INTERVAL = Duration.ofSeconds(5);

  private static final Set<String> KEYS = Set.of(
      "environment",
      "dispatchOnTrigger",
      "leaseDuration",
      "attemptTimeoutGrace",
      "undecodablePayloadTimeout",
      "outcomeTimeout",
      "closeTimeout",
      "outboxClaim",
      "queueLimitInterval",
      "maxPayloadBytes",
      "maxOutputBytes",
      "maxMetaBytes",
      "maxJsonDepth",
      "stepWait",
      "stepReplayTimeout",
      "maxStepEvents");

  private String environment = DEFAULT_ENVIRONMENT;
  private DispatchMode dispatchOnTrigger = DEFAULT_DISPATCH_ON_TRIGGER;
  private Duration leaseDuration = DEFAULT_LEASE_DURATION;
  private Duration attemptTimeoutGrace = DEFAULT_ATTEMPT_TIMEOUT_GRACE;
  private Duration undecodablePayloadTimeout = DEFAULT_UNDECODABLE_PAYLOAD_TIMEOUT;
  private Duration outcomeTimeout = DEFAULT_OUTCOME_TIMEOUT;
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private Duration outboxClaim = DEFAULT_OUTBOX_CLAIM;
  private Duration queueLimitInterval = DEFAULT_QUEUE_LIMIT_INTERVAL;
  private int maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES;
  private int maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES;
  private int maxMetaBytes = DEFAULT_MAX_META_BYTES;
  private int maxJsonDepth = DEFAULT_MAX_JSON_DEPTH;
  private Duration stepWait = DEFAULT_STEP_WAIT;
  private Duration stepReplayTimeout = DEFAULT_STEP_REPLAY_TIMEOUT;
  private int maxStepEvents = DEFAULT_MAX_STEP_EVENTS;

  /** The defaults. */
  public RunlaneOptions() {}

  /** A copy. */
  public RunlaneOptions(RunlaneOptions other) {
    environment = other.environment;
    dispatchOnTrigger = other.dispatchOnTrigger;
    leaseDuration = other.leaseDuration;
    attemptTimeoutGrace = other.attemptTimeoutGrace;
    undecodablePayloadTimeout = other.undecodablePayloadTimeout;
    outcomeTimeout = other.outcomeTimeout;
    closeTimeout = other.closeTimeout;
    outboxClaim = other.outboxClaim;
    queueLimitInterval = other.queueLimitInterval;
    maxPayloadBytes = other.maxPayloadBytes;
    maxOutputBytes = other.maxOutputBytes;
    maxMetaBytes = other.maxMetaBytes;
    maxJsonDepth = other.maxJsonDepth;
    stepWait = other.stepWait;
    stepReplayTimeout = other.stepReplayTimeout;
    maxStepEvents = other.maxStepEvents;
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public RunlaneOptions(JsonObject json) {
    OptionChecks.requireKnown("a runtime", json, KEYS);
    OptionChecks.text(json, "environment", this::setEnvironment);
    OptionChecks.text(
        json,
        "dispatchOnTrigger",
        value -> setDispatchOnTrigger(DispatchMode.ofValue(value)
            .orElseThrow(() -> RunlaneException.configurationInvalid(
                "dispatchOnTrigger is eager or deferred, not %s", value))));
    OptionChecks.duration(json, "leaseDuration", this::setLeaseDuration);
    OptionChecks.duration(json, "attemptTimeoutGrace", this::setAttemptTimeoutGrace);
    OptionChecks.duration(json, "undecodablePayloadTimeout", this::setUndecodablePayloadTimeout);
    OptionChecks.duration(json, "outcomeTimeout", this::setOutcomeTimeout);
    OptionChecks.duration(json, "closeTimeout", this::setCloseTimeout);
    OptionChecks.duration(json, "outboxClaim", this::setOutboxClaim);
    OptionChecks.duration(json, "queueLimitInterval", this::setQueueLimitInterval);
    OptionChecks.integer(json, "maxPayloadBytes", this::setMaxPayloadBytes);
    OptionChecks.integer(json, "maxOutputBytes", this::setMaxOutputBytes);
    OptionChecks.integer(json, "maxMetaBytes", this::setMaxMetaBytes);
    OptionChecks.integer(json, "maxJsonDepth", this::setMaxJsonDepth);
    OptionChecks.duration(json, "stepWait", this::setStepWait);
    OptionChecks.duration(json, "stepReplayTimeout", this::setStepReplayTimeout);
    OptionChecks.integer(json, "maxStepEvents", this::setMaxStepEvents);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("environment", environment)
        .put("dispatchOnTrigger", dispatchOnTrigger.value())
        .put("leaseDuration", Durations.format(leaseDuration))
        .put("attemptTimeoutGrace", Durations.format(attemptTimeoutGrace))
        .put("undecodablePayloadTimeout", Durations.format(undecodablePayloadTimeout))
        .put("outcomeTimeout", Durations.format(outcomeTimeout))
        .put("closeTimeout", Durations.format(closeTimeout))
        .put("outboxClaim", Durations.format(outboxClaim))
        .put("queueLimitInterval", Durations.format(queueLimitInterval))
        .put("maxPayloadBytes", maxPayloadBytes)
        .put("maxOutputBytes", maxOutputBytes)
        .put("maxMetaBytes", maxMetaBytes)
        .put("maxJsonDepth", maxJsonDepth)
        .put("stepWait", Durations.format(stepWait))
        .put("stepReplayTimeout", Durations.format(stepReplayTimeout))
        .put("maxStepEvents", maxStepEvents);
  }

  /** The scope of all data of the runtime. */
  public String getEnvironment() {
    return environment;
  }

  /** Sets the environment: at most 64 bytes of UTF-8 without {@code ':'}. */
  public RunlaneOptions setEnvironment(String environment) {
    Identifiers.fault(environment, ContractDefaults.MAX_ENVIRONMENT_BYTES).ifPresent(fault -> {
      throw RunlaneException.configurationInvalid("environment %s", fault);
    });
    this.environment = environment;
    return this;
  }

  /** When the wakeup of a triggered run is published. */
  public DispatchMode getDispatchOnTrigger() {
    return dispatchOnTrigger;
  }

  /** Sets when the wakeup of a triggered run is published, where the call does not say. */
  public RunlaneOptions setDispatchOnTrigger(DispatchMode dispatchOnTrigger) {
    this.dispatchOnTrigger = dispatchOnTrigger;
    return this;
  }

  /** How long a lease lasts without a heartbeat; heartbeats come at a third of it. */
  public Duration getLeaseDuration() {
    return leaseDuration;
  }

  /** Sets how long a lease lasts: the longest time a run waits after its worker has died. At least 30 ms. */
  public RunlaneOptions setLeaseDuration(Duration leaseDuration) {
    OptionChecks.requirePositive("leaseDuration", leaseDuration);
    if (leaseDuration.toMillis() < 30) {
      throw RunlaneException.configurationInvalid(
          "leaseDuration must be at least 30ms, but is %s", leaseDuration);
    }
    this.leaseDuration = leaseDuration;
    return this;
  }

  /** How long an attempt may go on after its signal fired for a timeout. */
  public Duration getAttemptTimeoutGrace() {
    return attemptTimeoutGrace;
  }

  /** Sets how long an attempt may go on after its signal fired for a timeout. */
  public RunlaneOptions setAttemptTimeoutGrace(Duration attemptTimeoutGrace) {
    this.attemptTimeoutGrace =
        OptionChecks.requireNotNegative("attemptTimeoutGrace", attemptTimeoutGrace);
    return this;
  }

  /** How long a run waits for a deployment that can read its payload. */
  public Duration getUndecodablePayloadTimeout() {
    return undecodablePayloadTimeout;
  }

  /**
   * Sets how long a run whose payload the deployed task cannot decode, or its schema refuses, is released with
   * reason {@code undecodable_payload} again and again, counted from the first of these releases in a row. The next
   * attempt after it that cannot read the payload either fails the run, not retryable, with {@code ValidationFailed}
   * and that reason in its meta. Zero fails it at once.
   */
  public RunlaneOptions setUndecodablePayloadTimeout(Duration undecodablePayloadTimeout) {
    this.undecodablePayloadTimeout =
        OptionChecks.requireNotNegative("undecodablePayloadTimeout", undecodablePayloadTimeout);
    return this;
  }

  /** How long an outcome that cannot be stored is offered again and again. */
  public Duration getOutcomeTimeout() {
    return outcomeTimeout;
  }

  /**
   * Sets how long an outcome that cannot be stored is offered again and again, as long as nobody else has taken its
   * run over; after that the attempt is given up, and is made again. An outage that is shorter repeats no finished
   * work.
   */
  public RunlaneOptions setOutcomeTimeout(Duration outcomeTimeout) {
    this.outcomeTimeout = OptionChecks.requirePositive("outcomeTimeout", outcomeTimeout);
    return this;
  }

  /** How long {@link Runlane#close()} takes at most. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /**
   * Sets how long {@link Runlane#close()} takes at most, with the lane's close and whatever is away; a longer drain
   * timeout of a worker is cut by it.
   */
  public RunlaneOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = OptionChecks.requirePositive("closeTimeout", closeTimeout);
    return this;
  }

  /** How long outbox messages are claimed for publishing. */
  public Duration getOutboxClaim() {
    return outboxClaim;
  }

  /** Sets how long outbox messages are claimed for publishing: longer than a transport takes to give up. */
  public RunlaneOptions setOutboxClaim(Duration outboxClaim) {
    this.outboxClaim = OptionChecks.requirePositive("outboxClaim", outboxClaim);
    return this;
  }

  /**
   * How often a process tells the others, through the storage, which queues it has with which limits, and learns
   * theirs: one statement. The lowest limit of a living process holds in all of them, from one interval after it was
   * published; what a killed process said holds for four intervals.
   */
  public Duration getQueueLimitInterval() {
    return queueLimitInterval;
  }

  /** Sets how often; positive. */
  public RunlaneOptions setQueueLimitInterval(Duration interval) {
    queueLimitInterval = OptionChecks.requirePositive("queueLimitInterval", interval);
    return this;
  }

  /** Most bytes of UTF-8 in a payload. */
  public int getMaxPayloadBytes() {
    return maxPayloadBytes;
  }

  /** Sets the most bytes of UTF-8 in a payload. */
  public RunlaneOptions setMaxPayloadBytes(int maxPayloadBytes) {
    this.maxPayloadBytes = OptionChecks.requireAtLeast(1, "maxPayloadBytes", maxPayloadBytes);
    return this;
  }

  /** Most bytes of UTF-8 in an output. */
  public int getMaxOutputBytes() {
    return maxOutputBytes;
  }

  /** Sets the most bytes of UTF-8 in an output. */
  public RunlaneOptions setMaxOutputBytes(int maxOutputBytes) {
    this.maxOutputBytes = OptionChecks.requireAtLeast(1, "maxOutputBytes", maxOutputBytes);
    return this;
  }

  /** Most bytes of UTF-8 in a meta object. */
  public int getMaxMetaBytes() {
    return maxMetaBytes;
  }

  /** Sets the most bytes of UTF-8 in a meta object. */
  public RunlaneOptions setMaxMetaBytes(int maxMetaBytes) {
    this.maxMetaBytes = OptionChecks.requireAtLeast(1, "maxMetaBytes", maxMetaBytes);
    return this;
  }

  /** Most nested objects and arrays in a JSON value. */
  public int getMaxJsonDepth() {
    return maxJsonDepth;
  }

  /** Sets the most nested objects and arrays in a JSON value. */
  public RunlaneOptions setMaxJsonDepth(int maxJsonDepth) {
    this.maxJsonDepth = OptionChecks.requireAtLeast(1, "maxJsonDepth", maxJsonDepth);
    return this;
  }

  /**
   * How long an attempt whose steps all wait goes on waiting before its run is released. A fifth of it where no
   * slot is free and other runs may wait for one.
   */
  public Duration getStepWait() {
    return stepWait;
  }

  /** Sets how long an attempt whose steps all wait goes on waiting; a shorter sleep releases nothing. */
  public RunlaneOptions setStepWait(Duration stepWait) {
    this.stepWait = OptionChecks.requireNotNegative("stepWait", stepWait);
    return this;
  }

  /** How long a recorded result waits for the handler to ask for the one before it. */
  public Duration getStepReplayTimeout() {
    return stepReplayTimeout;
  }

  /**
   * Sets how long a recorded result waits for the handler to ask for the one before it; then the run is
   * released as non-deterministic. Longer than anything a handler does between two steps of a branch.
   */
  public RunlaneOptions setStepReplayTimeout(Duration stepReplayTimeout) {
    this.stepReplayTimeout = OptionChecks.requirePositive("stepReplayTimeout", stepReplayTimeout);
    return this;
  }

  /** Most events about steps, retries and releases that an attempt reads from its run's history. */
  public int getMaxStepEvents() {
    return maxStepEvents;
  }

  /** Sets the most events about steps, retries and releases; a run with more of them fails. */
  public RunlaneOptions setMaxStepEvents(int maxStepEvents) {
    this.maxStepEvents = OptionChecks.requireAtLeast(1, "maxStepEvents", maxStepEvents);
    return this;
  }

  Environment environment() {
    return new Environment(environment);
  }

  JsonLimits payloadLimits() {
    return new JsonLimits(maxPayloadBytes, maxJsonDepth);
  }

  JsonLimits outputLimits() {
    return new JsonLimits(maxOutputBytes, maxJsonDepth);
  }

  JsonLimits metaLimits() {
    return new JsonLimits(maxMetaBytes, maxJsonDepth);
  }

  /** How far the clocks of processes may differ: a tenth of a lease. */
  Duration toleratedSkew() {
    return leaseDuration.dividedBy(ContractDefaults.SKEW_DIVISOR);
  }
}
