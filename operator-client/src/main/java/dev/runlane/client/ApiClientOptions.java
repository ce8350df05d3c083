package dev.runlane.client;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Where the operator API is, and the client's limits. */
public final class ApiClientOptions extends OptionValues<ApiClientOptions> {
  /** A console on this machine = http://127.0.0.1:8378. */
  public static final String DEFAULT_URL = "http://127.0.0.1:8378";

  /** How long a connection may take to come about, the wait for a free one included = 10 s. */
  public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** How long a request may take in all = 40 s, which is more than the server gives one. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(40);

  /** The largest answer in bytes = 32 MiB. */
  public static final int DEFAULT_MAX_ANSWER_BYTES = 32 << 20;

  /** Connections at the same time = 8. */
  public static final int DEFAULT_MAX_CONNECTIONS = 8;

  /** Requests that may wait for a connection = 1 000. */
  public static final int DEFAULT_MAX_WAITING = 1_000;

  private static final OptionSet OPTIONS = OptionSet.of("a client of the operator API");
  private static final Option<String> URL = OPTIONS.add(
      "url", DEFAULT_URL, text().checked("http or https URL", ApiClientOptions::requireUrl));
  private static final Option<String> TRUSTED_CERTIFICATE_PATH =
      OPTIONS.add("trustedCertificatePath", null, filled());
  private static final Option<Duration> CONNECT_TIMEOUT =
      OPTIONS.add("connectTimeout", DEFAULT_CONNECT_TIMEOUT, duration());
  private static final Option<Duration> REQUEST_TIMEOUT =
      OPTIONS.add("requestTimeout", DEFAULT_REQUEST_TIMEOUT, duration());
  private static final Option<Integer> MAX_ANSWER_BYTES =
      OPTIONS.add("maxAnswerBytes", DEFAULT_MAX_ANSWER_BYTES, whole(1_024));
  private static final Option<Integer> MAX_CONNECTIONS =
      OPTIONS.add("maxConnections", DEFAULT_MAX_CONNECTIONS, whole(1));
  private static final Option<Integer> MAX_WAITING =
      OPTIONS.add("maxWaiting", DEFAULT_MAX_WAITING, whole(1));

  /** The defaults: a console on this machine. */
  public ApiClientOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ApiClientOptions(ApiClientOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ApiClientOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Where the console is. */
  public String getUrl() {
    return get(URL);
  }

  /**
   * Sets where the console is: an http or https URL without user, query and fragment; a path in it comes before those
   * of the API, as behind a proxy.
   */
  public ApiClientOptions setUrl(String url) {
    return set(URL, url);
  }

  /** A PEM file with the certificates that are trusted, in place of the system's. */
  public Optional<String> getTrustedCertificatePath() {
    return find(TRUSTED_CERTIFICATE_PATH);
  }

  /** Sets a PEM file with the certificates that are trusted, in place of the system's. */
  public ApiClientOptions setTrustedCertificatePath(String trustedCertificatePath) {
    return set(TRUSTED_CERTIFICATE_PATH, trustedCertificatePath);
  }

  /** How long a connection may take to come about. */
  public Duration getConnectTimeout() {
    return get(CONNECT_TIMEOUT);
  }

  /** Sets how long a connection may take to come about, the wait for a free one included. */
  public ApiClientOptions setConnectTimeout(Duration connectTimeout) {
    return set(CONNECT_TIMEOUT, connectTimeout);
  }

  /** How long a request may take in all. */
  public Duration getRequestTimeout() {
    return get(REQUEST_TIMEOUT);
  }

  /**
   * Sets how long a request may take in all, and its token before it; what it has begun at the server may go on.
   */
  public ApiClientOptions setRequestTimeout(Duration requestTimeout) {
    return set(REQUEST_TIMEOUT, requestTimeout);
  }

  /** The largest answer in bytes. */
  public int getMaxAnswerBytes() {
    return get(MAX_ANSWER_BYTES);
  }

  /** Sets the largest answer in bytes; at least 1024. A larger one is not read to its end. */
  public ApiClientOptions setMaxAnswerBytes(int maxAnswerBytes) {
    return set(MAX_ANSWER_BYTES, maxAnswerBytes);
  }

  /** How many connections there are at the same time. */
  public int getMaxConnections() {
    return get(MAX_CONNECTIONS);
  }

  /** Sets how many connections there are at the same time; at least 1. */
  public ApiClientOptions setMaxConnections(int maxConnections) {
    return set(MAX_CONNECTIONS, maxConnections);
  }

  /** How many requests may wait for a connection. */
  public int getMaxWaiting() {
    return get(MAX_WAITING);
  }

  /** Sets how many requests may wait for a connection; more fail at once. At least 1. */
  public ApiClientOptions setMaxWaiting(int maxWaiting) {
    return set(MAX_WAITING, maxWaiting);
  }

  /** The text may hold a password, so it is not quoted. */
  private static String requireUrl(String option, String url) {
    try {
      URI parsed = URI.create(url);
      if (parsed.getHost() != null
          && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()))
          && parsed.getRawUserInfo() == null
          && parsed.getRawQuery() == null
          && parsed.getRawFragment() == null) {
        return url;
      }
    } catch (IllegalArgumentException malformed) {
      // told below
    }
    throw RunlaneException.configurationInvalid(
        "%s must be an http or https URL without user, query and fragment", option);
  }
}
