package dev.runlane.webhook;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Where the requests of one webhook go, and the secret that signs them. Immutable. */
public final class WebhookEndpoint {
  private static final int FEWEST_SECRET_BYTES = 16;

  private final String id;
  private final URI address;
  private final byte[] secret;

  private WebhookEndpoint(String id, URI address, byte[] secret) {
    this.id = id;
    this.address = address;
    this.secret = secret;
  }

  /**
   * An endpoint. Throws {@code ConfigurationInvalid}, without the secret.
   *
   * @param id of the webhook, stable
   * @param address an absolute http or https address, without user and password
   * @param secret at least 16 bytes of UTF-8, with which each request is signed
   */
  public static WebhookEndpoint of(String id, URI address, String secret) {
    OptionChecks.requireId("a webhook's id", id);
    String scheme = address.getScheme();
    if (address.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw RunlaneException.configurationInvalid(
          "the address of webhook %s must be an absolute http or https address", id);
    }
    if (address.getRawUserInfo() != null) {
      throw RunlaneException.configurationInvalid(
          "the address of webhook %s must have no user and password: its requests are signed", id);
    }
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < FEWEST_SECRET_BYTES) {
      throw RunlaneException.configurationInvalid(
          "the secret of webhook %s must have at least %d bytes, but has %d",
          id, FEWEST_SECRET_BYTES, bytes.length);
    }
    return new WebhookEndpoint(id, address, bytes);
  }

  /** Of the webhook. */
  public String id() {
    return id;
  }

  /**
   * A request to it.
   *
   * @param deliveryId the same however often an end is told
   * @param body JSON
   * @param now when it is signed
   */
  public WebhookRequest request(String deliveryId, String body, Instant now) {
    String timestamp = String.valueOf(now.getEpochSecond());
    return new WebhookRequest(
        address, deliveryId, timestamp, WebhookSignature.of(secret, timestamp, body), body);
  }

  /** Without address and secret, both of which may let somebody in. */
  @Override
  public String toString() {
    return "WebhookEndpoint[" + id + "]";
  }
}
