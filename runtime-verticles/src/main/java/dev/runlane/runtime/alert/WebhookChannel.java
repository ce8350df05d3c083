package dev.runlane.runtime.alert;

import dev.runlane.options.OptionChecks;
import dev.runlane.webhook.WebhookEndpoint;
import dev.runlane.webhook.WebhookPost;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells an address by an HTTP POST of {@link AlertNotice#json}, signed like the ends of runs are. Redirects are not
 * followed.
 */
public final class WebhookChannel implements AlertChannel {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final WebhookEndpoint endpoint;
  private @Nullable WebhookPost post;

  private WebhookChannel(WebhookEndpoint endpoint) {
    this.endpoint = endpoint;
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
    return new WebhookChannel(WebhookEndpoint.of(name, address, secret));
  }

  @Override
  public String name() {
    return endpoint.id();
  }

  @Override
  public Future<Void> tell(Vertx vertx, AlertNotice notice) {
    if (post == null) {
      post = new WebhookPost(vertx, TIMEOUT, AlertWatch.AT_ONCE);
    }
    return post.send(endpoint.request(notice.deliveryId(), notice.json(), notice.toldAt()))
        .compose(WebhookPost::accepted);
  }

  /** Closes the connections; whoever tells afterwards opens new ones. */
  @Override
  public Future<Void> close() {
    WebhookPost open = post;
    post = null;
    return open == null ? Future.succeededFuture() : open.close();
  }

  /** Without address and secret, both of which may let somebody in. */
  @Override
  public String toString() {
    return "WebhookChannel[" + name() + "]";
  }
}
