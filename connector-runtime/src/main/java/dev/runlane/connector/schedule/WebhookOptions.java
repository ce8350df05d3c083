package dev.runlane.connector.schedule;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

/** Where notices go. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class WebhookOptions extends OptionValues<WebhookOptions> {
  /** How long one call may take = 10 s. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Calls after which a notice is given up = {@value}. */
  public static final int DEFAULT_MAX_ATTEMPTS = 8;

  private static final OptionSet OPTIONS = OptionSet.of("a webhook");
  private static final Option<URI> ADDRESS = OPTIONS.add(
      "address",
      null,
      OptionType.of(
              "http or https, with a host",
              (name, value) -> uri(String.valueOf(value)),
              URI::toString)
          .masked());
  private static final Option<Duration> TIMEOUT =
      OPTIONS.add("timeout", DEFAULT_TIMEOUT, duration());
  private static final Option<Integer> MAX_ATTEMPTS =
      OPTIONS.add("maxAttempts", DEFAULT_MAX_ATTEMPTS, whole(1));

  /** Notices go to this http or https address by POST. It may hold a secret, so it is never logged. */
  public WebhookOptions(String address) {
    super(OPTIONS);
    set(ADDRESS, uri(address));
  }

  /** A copy. */
  public WebhookOptions(WebhookOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public WebhookOptions(JsonObject json) {
    super(OPTIONS, json);
    if (find(ADDRESS).isEmpty()) {
      throw RunlaneException.configurationInvalid("a webhook needs the option address");
    }
  }

  /** Where notices go by POST. */
  URI address() {
    return get(ADDRESS);
  }

  /** How long one call may take. */
  public Duration getTimeout() {
    return get(TIMEOUT);
  }

  /** Sets how long one call may take, at least 1 ms. */
  public WebhookOptions setTimeout(Duration timeout) {
    return set(TIMEOUT, timeout);
  }

  /** Calls after which a notice is given up. */
  public int getMaxAttempts() {
    return get(MAX_ATTEMPTS);
  }

  /** Sets after how many calls a notice is given up, at least 1. */
  public WebhookOptions setMaxAttempts(int maxAttempts) {
    return set(MAX_ATTEMPTS, maxAttempts);
  }

  private static URI uri(String address) {
    URI uri;
    try {
      uri = new URI(address);
    } catch (URISyntaxException malformed) {
      throw RunlaneException.configurationInvalid("the address of a webhook is malformed");
    }
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http || uri.getHost() == null) {
      throw RunlaneException.configurationInvalid(
          "the address of a webhook is http or https, with a host");
    }
    return uri;
  }
}
