package dev.runlane.connector.schedule;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

/** Where notices go. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class WebhookOptions {
  /** How long one call may take = 10 s. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Calls after which a notice is given up = {@value}. */
  public static final int DEFAULT_MAX_ATTEMPTS = 8;

  private final URI address;
  private Duration timeout = DEFAULT_TIMEOUT;
  private int maxAttempts = DEFAULT_MAX_ATTEMPTS;

  /** Notices go to this http or https address by POST. It may hold a secret, so it is never logged. */
  public WebhookOptions(String address) {
    try {
      this.address = new URI(address);
    } catch (URISyntaxException malformed) {
      throw RunlaneException.configurationInvalid("the address of a webhook is malformed");
    }
    boolean http =
        "http".equals(this.address.getScheme()) || "https".equals(this.address.getScheme());
    if (!http || this.address.getHost() == null) {
      throw RunlaneException.configurationInvalid(
          "the address of a webhook is http or https, with a host");
    }
  }

  /** A copy. */
  public WebhookOptions(WebhookOptions other) {
    address = other.address;
    timeout = other.timeout;
    maxAttempts = other.maxAttempts;
  }

  URI address() {
    return address;
  }

  /** How long one call may take. */
  public Duration getTimeout() {
    return timeout;
  }

  /** Sets how long one call may take, at least 1 ms. */
  public WebhookOptions setTimeout(Duration timeout) {
    this.timeout = OptionChecks.requireMillis("timeout", timeout);
    return this;
  }

  /** Calls after which a notice is given up. */
  public int getMaxAttempts() {
    return maxAttempts;
  }

  /** Sets after how many calls a notice is given up, at least 1. */
  public WebhookOptions setMaxAttempts(int maxAttempts) {
    this.maxAttempts = OptionChecks.requireAtLeast(1, "maxAttempts", maxAttempts);
    return this;
  }
}
