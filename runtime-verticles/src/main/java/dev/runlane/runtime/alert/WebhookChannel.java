package dev.runlane.runtime.alert;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells an address by an HTTP POST of {@link AlertNotice#json}, signed like the ends of runs are. Redirects are not
 * followed.
 */
public final class WebhookChannel implements AlertChannel {
  private static final int FEWEST_SECRET_BYTES = 16;
  private static final long TIMEOUT_MILLIS = Duration.ofSeconds(10).toMillis();

  private final String name;
  private final URI address;
  private final byte[] secret;
  private @Nullable HttpClient client;

  private WebhookChannel(String name, URI address, byte[] secret) {
    this.name = name;
    this.address = address;
    this.secret = secret;
  }

  /**
   * A channel.
   *
   * @param name by which rules call it
   * @param address an absolute http or https address
   * @param secret at least 16 bytes of UTF-8, with which each request is signed
   */
  public static WebhookChannel to(String name, URI address, String secret) {
    OptionChecks.requireId("a channel's name", name);
    String scheme = address.getScheme();
    if (address.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw RunlaneException.configurationInvalid(
          "the address of channel %s must be an absolute http or https address", name);
    }
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < FEWEST_SECRET_BYTES) {
      throw RunlaneException.configurationInvalid(
          "the secret of channel %s must have at least %d bytes, but has %d",
          name, FEWEST_SECRET_BYTES, bytes.length);
    }
    return new WebhookChannel(name, address, bytes);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Future<Void> tell(Vertx vertx, AlertNotice notice) {
    if (client == null) {
      client = vertx.createHttpClient();
    }
    String body = notice.json();
    String timestamp = String.valueOf(notice.toldAt().getEpochSecond());
    return client
        .request(new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setAbsoluteURI(address.toString())
            .setIdleTimeout(TIMEOUT_MILLIS)
            .setTimeout(TIMEOUT_MILLIS)
            .putHeader("content-type", "application/json")
            .putHeader("runlane-delivery", notice.deliveryId())
            .putHeader("runlane-timestamp", timestamp)
            .putHeader("runlane-signature", WebhookSignature.of(secret, timestamp, body)))
        .compose(open -> open.send(body).compose(WebhookChannel::accepted));
  }

  private static Future<Void> accepted(HttpClientResponse response) {
    int status = response.statusCode();
    return response
        .end()
        .compose(read -> status >= 200 && status < 300
            ? Future.succeededFuture()
            : Future.failedFuture(RunlaneException.of(
                ErrorCode.TRANSPORT_PUBLISH_FAILED, "it answered with status %d", status)));
  }

  @Override
  public Future<Void> close() {
    return client == null ? Future.succeededFuture() : client.close();
  }

  /** Without address and secret, both of which may let somebody in. */
  @Override
  public String toString() {
    return "WebhookChannel[" + name + "]";
  }
}
