package dev.runlane.connector.store.http;

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
import org.jspecify.annotations.Nullable;

/** How an {@link HttpRecordSink} talks. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class HttpRecordSinkOptions extends OptionValues<HttpRecordSinkOptions> {
  /** How long one call may take, from connecting to the end of the answer = 60 s. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /** Bytes of one ingest request at most = 50 MiB. */
  public static final int DEFAULT_MAX_REQUEST_BYTES = 50 << 20;

  /** Bytes of an answer that are read at most = 16 MiB; a longer one is none. */
  public static final int DEFAULT_MAX_RESPONSE_BYTES = 16 << 20;

  private static final OptionSet OPTIONS = OptionSet.of("an HTTP record sink");
  private static final Option<URI> BASE_URI = OPTIONS.add("baseUri", null, uri());
  private static final Option<Duration> TIMEOUT =
      OPTIONS.add("timeout", DEFAULT_TIMEOUT, duration());
  private static final Option<Integer> MAX_REQUEST_BYTES =
      OPTIONS.add("maxRequestBytes", DEFAULT_MAX_REQUEST_BYTES, whole(1_024, 1 << 30));
  private static final Option<Integer> MAX_RESPONSE_BYTES =
      OPTIONS.add("maxResponseBytes", DEFAULT_MAX_RESPONSE_BYTES, whole(1_024, 1 << 30));

  /** The defaults, without an address. */
  public HttpRecordSinkOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public HttpRecordSinkOptions(HttpRecordSinkOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public HttpRecordSinkOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The resource server's address, before {@code /v1}; null until it is set. */
  public @Nullable URI getBaseUri() {
    return orNull(BASE_URI);
  }

  /** Sets the server's address: http or https, with a host, without user, query and fragment. */
  public HttpRecordSinkOptions setBaseUri(String baseUri) {
    return set(BASE_URI, uri(baseUri));
  }

  /** How long one call may take. */
  public Duration getTimeout() {
    return get(TIMEOUT);
  }

  /** Sets how long one call may take, at least 1 ms. */
  public HttpRecordSinkOptions setTimeout(Duration timeout) {
    return set(TIMEOUT, timeout);
  }

  /** Bytes of one ingest request at most. */
  public int getMaxRequestBytes() {
    return get(MAX_REQUEST_BYTES);
  }

  /** Sets how many bytes an ingest request may have, 1 KiB to 1 GiB; the server's limit is what it should be. */
  public HttpRecordSinkOptions setMaxRequestBytes(int maxRequestBytes) {
    return set(MAX_REQUEST_BYTES, maxRequestBytes);
  }

  /** Bytes of an answer that are read at most. */
  public int getMaxResponseBytes() {
    return get(MAX_RESPONSE_BYTES);
  }

  /** Sets how many bytes of an answer are read, 1 KiB to 1 GiB. */
  public HttpRecordSinkOptions setMaxResponseBytes(int maxResponseBytes) {
    return set(MAX_RESPONSE_BYTES, maxResponseBytes);
  }

  private static OptionType<URI> uri() {
    return OptionType.of(
        "http or https, with a host", (name, value) -> uri(String.valueOf(value)), URI::toString);
  }

  /** Does not quote the address, which may hold a password. */
  private static URI uri(String address) {
    try {
      URI uri = new URI(address);
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean more =
          uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null;
      if (http && uri.getHost() != null && !more) {
        return uri;
      }
    } catch (URISyntaxException malformed) {
      // refused below, as another scheme is
    }
    throw RunlaneException.configurationInvalid(
        "the address of a resource server is http or https, with a host, without user, query and fragment");
  }
}
