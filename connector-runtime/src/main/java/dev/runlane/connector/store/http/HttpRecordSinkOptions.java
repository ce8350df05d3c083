package dev.runlane.connector.store.http;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an {@link HttpRecordSink} talks. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class HttpRecordSinkOptions {
  /** How long one call may take, from connecting to the end of the answer = 60 s. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /** Bytes of one ingest request at most = 50 MiB. */
  public static final int DEFAULT_MAX_REQUEST_BYTES = 50 << 20;

  /** Bytes of an answer that are read at most = 16 MiB; a longer one is none. */
  public static final int DEFAULT_MAX_RESPONSE_BYTES = 16 << 20;

  private static final int MOST_BYTES = 1 << 30;

  private @Nullable URI baseUri;
  private Duration timeout = DEFAULT_TIMEOUT;
  private int maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES;
  private int maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES;

  /** The defaults, without an address. */
  public HttpRecordSinkOptions() {}

  /** A copy. */
  public HttpRecordSinkOptions(HttpRecordSinkOptions other) {
    baseUri = other.baseUri;
    timeout = other.timeout;
    maxRequestBytes = other.maxRequestBytes;
    maxResponseBytes = other.maxResponseBytes;
  }

  /** The resource server's address, before {@code /v1}; null until it is set. */
  public @Nullable URI getBaseUri() {
    return baseUri;
  }

  /** Sets the server's address: http or https, with a host, without user, query and fragment. */
  public HttpRecordSinkOptions setBaseUri(String baseUri) {
    try {
      URI uri = new URI(baseUri);
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!http || uri.getHost() == null || uri.getRawUserInfo() != null) {
        throw invalidAddress();
      }
      if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
        throw invalidAddress();
      }
      this.baseUri = uri;
      return this;
    } catch (URISyntaxException malformed) {
      throw invalidAddress();
    }
  }

  /** Does not quote the address, which may hold a password. */
  private static RunlaneException invalidAddress() {
    return RunlaneException.configurationInvalid(
        "the address of a resource server is http or https, with a host, without user, query and fragment");
  }

  /** How long one call may take. */
  public Duration getTimeout() {
    return timeout;
  }

  /** Sets how long one call may take, at least 1 ms. */
  public HttpRecordSinkOptions setTimeout(Duration timeout) {
    this.timeout = OptionChecks.requireMillis("timeout", timeout);
    return this;
  }

  /** Bytes of one ingest request at most. */
  public int getMaxRequestBytes() {
    return maxRequestBytes;
  }

  /** Sets how many bytes an ingest request may have, 1 KiB to 1 GiB; the server's limit is what it should be. */
  public HttpRecordSinkOptions setMaxRequestBytes(int maxRequestBytes) {
    this.maxRequestBytes = within("maxRequestBytes", maxRequestBytes);
    return this;
  }

  /** Bytes of an answer that are read at most. */
  public int getMaxResponseBytes() {
    return maxResponseBytes;
  }

  /** Sets how many bytes of an answer are read, 1 KiB to 1 GiB. */
  public HttpRecordSinkOptions setMaxResponseBytes(int maxResponseBytes) {
    this.maxResponseBytes = within("maxResponseBytes", maxResponseBytes);
    return this;
  }

  private static int within(String option, int value) {
    if (value < 1_024 || value > MOST_BYTES) {
      throw RunlaneException.configurationInvalid(
          "%s must be between 1024 and %d, but is %d", option, MOST_BYTES, value);
    }
    return value;
  }
}
