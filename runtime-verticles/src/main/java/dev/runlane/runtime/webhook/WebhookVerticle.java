package dev.runlane.runtime.webhook;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.webhook.WebhookPost;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, notifies webhooks of the ends of runs, at least once each. Several instances, in whichever
 * processes, share the work; all should have the same webhooks. Redirects are not followed.
 */
public final class WebhookVerticle extends VerticleBase {
  private final RuntimeContext runtime;
  private final List<Webhook> webhooks;
  private final WebhookOptions options;
  private @Nullable RoleLoop loop;
  private @Nullable WebhookPost client;

  /** A verticle for one deployment, with the default options. */
  public WebhookVerticle(RoleRuntime runlane, List<Webhook> webhooks) {
    this(runlane, webhooks, new WebhookOptions());
  }

  /** A verticle for one deployment; webhooks and options are copied. */
  public WebhookVerticle(RoleRuntime runlane, List<Webhook> webhooks, WebhookOptions options) {
    this.runtime = runlane.context();
    this.webhooks = List.copyOf(webhooks);
    this.options = new WebhookOptions(options);
  }

  /**
   * Arms the first sweep. Fails with {@code CapabilityUnsupported} where the storage keeps nothing for operators, and
   * with {@code ConfigurationInvalid} where a webhook is given twice.
   */
  @Override
  public Future<?> start() {
    WebhookPost post = new WebhookPost(vertx, options.getRequestTimeout(), options.getSweepLimit());
    client = post;
    WebhookSender sender = new WebhookSender(runtime, webhooks, options, post::send);
    RoleLoop begun = new RoleLoop(
        runtime,
        "teller of webhooks",
        sender,
        options,
        action -> context.runOnContext(turn -> action.run()));
    loop = begun;
    begun.start();
    return Future.succeededFuture();
  }

  /** Begins no further sweep, waits for the one in flight for the drain timeout at most, and closes connections. */
  @Override
  public Future<?> stop() {
    Future<?> ended = loop == null ? Future.succeededFuture() : loop.stop();
    return ended.transform((stopped, failure) -> client == null
        ? Future.succeededFuture()
        : client
            .close()
            .compose(closed ->
                failure == null ? Future.succeededFuture() : Future.failedFuture(failure)));
  }
}
