package dev.runlane.runtime.webhook;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How webhooks are delivered. */
public final class WebhookOptions extends SweepOptions<WebhookOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Requests of one sweep, all at once = 50. */
  public static final int DEFAULT_SWEEP_LIMIT = 50;

  /** How long a request may take = 10 s. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** How long a claim on an end lasts = 60 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = Duration.ofSeconds(60);

  /** For how long after a run's end it is tried to tell of it = 3 d. */
  public static final Duration DEFAULT_GIVE_UP_AFTER = Duration.ofDays(3);

  private static final OptionSet OPTIONS =
      SweepOptions.options("a teller of webhooks", DEFAULT_IDLE_DELAY);
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, 1_000));
  private static final Option<Duration> REQUEST_TIMEOUT =
      OPTIONS.add("requestTimeout", DEFAULT_REQUEST_TIMEOUT, duration());
  private static final Option<Duration> CLAIM_DURATION =
      OPTIONS.add("claimDuration", DEFAULT_CLAIM_DURATION, duration());
  private static final Option<Duration> GIVE_UP_AFTER =
      OPTIONS.add("giveUpAfter", DEFAULT_GIVE_UP_AFTER, duration());

  /** The defaults. */
  public WebhookOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public WebhookOptions(WebhookOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public WebhookOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Most requests of one sweep, sent all at once. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the requests of one sweep; 1 to 1 000. */
  public WebhookOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }

  /** How long a request may take before it has failed. */
  public Duration getRequestTimeout() {
    return get(REQUEST_TIMEOUT);
  }

  /** Sets how long a request may take; positive, and less than half of the claim. */
  public WebhookOptions setRequestTimeout(Duration timeout) {
    return set(REQUEST_TIMEOUT, timeout);
  }

  /** How long a process owns an end to tell of; another one may tell of it afterwards. */
  public Duration getClaimDuration() {
    return get(CLAIM_DURATION);
  }

  /** Sets how long a claim lasts; positive. */
  public WebhookOptions setClaimDuration(Duration duration) {
    return set(CLAIM_DURATION, duration);
  }

  /** For how long after a run's end it is tried, ever less often, to tell of it, and 12 times at least. */
  public Duration getGiveUpAfter() {
    return get(GIVE_UP_AFTER);
  }

  /** Sets for how long; positive. */
  public WebhookOptions setGiveUpAfter(Duration after) {
    return set(GIVE_UP_AFTER, after);
  }
}
