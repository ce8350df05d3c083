package dev.runlane.jobs.queue.webhook;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.webhook.WebhookLimits;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How webhooks of jobs are told. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class JobWebhookOptions extends OptionValues<JobWebhookOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = Duration.ofSeconds(1);

  /** How long a stop waits for the sweep in flight = 30 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /** Requests of one sweep, all at once = 50. */
  public static final int DEFAULT_SWEEP_LIMIT = 50;

  /** How long a request may take = 10 s. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** How long a claim on an end lasts = 60 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = Duration.ofSeconds(60);

  /** For how long after a job's end it is tried to tell of it = 3 d. */
  public static final Duration DEFAULT_GIVE_UP_AFTER = Duration.ofDays(3);

  private static final OptionSet OPTIONS = OptionSet.of("a teller of webhooks of jobs");
  private static final Option<Duration> IDLE_DELAY =
      OPTIONS.add("idleDelay", DEFAULT_IDLE_DELAY, duration());
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, duration());
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, 1_000));
  private static final Option<Duration> REQUEST_TIMEOUT =
      OPTIONS.add("requestTimeout", DEFAULT_REQUEST_TIMEOUT, duration());
  private static final Option<Duration> CLAIM_DURATION =
      OPTIONS.add("claimDuration", DEFAULT_CLAIM_DURATION, duration());
  private static final Option<Duration> GIVE_UP_AFTER =
      OPTIONS.add("giveUpAfter", DEFAULT_GIVE_UP_AFTER, duration());

  /** The defaults. */
  public JobWebhookOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public JobWebhookOptions(JobWebhookOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public JobWebhookOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The pause between two sweeps when nothing is known to be waiting, and after a failed one. */
  public Duration getIdleDelay() {
    return get(IDLE_DELAY);
  }

  /** Sets the pause between two sweeps. */
  public JobWebhookOptions setIdleDelay(Duration delay) {
    return set(IDLE_DELAY, delay);
  }

  /** How long a stop waits for the sweep in flight; a sweep that takes longer ends unwatched. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long a stop waits. */
  public JobWebhookOptions setDrainTimeout(Duration timeout) {
    return set(DRAIN_TIMEOUT, timeout);
  }

  /** Most requests of one sweep, sent all at once. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the requests of one sweep; 1 to 1 000. */
  public JobWebhookOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }

  /** How long a request may take before it has failed. */
  public Duration getRequestTimeout() {
    return get(REQUEST_TIMEOUT);
  }

  /** Sets how long a request may take; at most half of the claim. */
  public JobWebhookOptions setRequestTimeout(Duration timeout) {
    return set(REQUEST_TIMEOUT, timeout);
  }

  /** How long a process owns an end to tell of; another one may tell of it afterwards. */
  public Duration getClaimDuration() {
    return get(CLAIM_DURATION);
  }

  /** Sets how long a claim lasts. */
  public JobWebhookOptions setClaimDuration(Duration duration) {
    return set(CLAIM_DURATION, duration);
  }

  /** For how long after a job's end it is tried, ever less often, to tell of it, and 12 times at least. */
  public Duration getGiveUpAfter() {
    return get(GIVE_UP_AFTER);
  }

  /** Sets for how long. */
  public JobWebhookOptions setGiveUpAfter(Duration after) {
    return set(GIVE_UP_AFTER, after);
  }

  WebhookLimits limits() {
    return new WebhookLimits(
        getSweepLimit(), getRequestTimeout(), getClaimDuration(), getGiveUpAfter());
  }
}
