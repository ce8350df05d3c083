package dev.runlane.runtime.webhook;

import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.webhook.WebhookLimits;
import dev.runlane.webhook.WebhookRequest;
import dev.runlane.webhook.WebhookTeller;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Notifies webhooks of ends of runs, each at least once, as {@link WebhookTeller} does. */
public final class WebhookSender implements SweepRole {
  private final WebhookTeller<WebhookDelivery> teller;

  /**
   * Throws {@code CapabilityUnsupported} where the storage keeps nothing for operators, and {@code
   * ConfigurationInvalid}.
   *
   * @param post sends a request and answers the status of its response
   */
  public WebhookSender(
      RuntimeContext context,
      List<Webhook> webhooks,
      WebhookOptions options,
      Function<WebhookRequest, Future<Integer>> post) {
    KeptRunEnds ends = new KeptRunEnds(
        context,
        context
            .storage()
            .operator()
            .orElseThrow(() -> RunlaneException.of(
                ErrorCode.CAPABILITY_UNSUPPORTED,
                "webhooks need a storage that keeps something for operators")),
        byId(webhooks));
    teller = new WebhookTeller<>(
        ends,
        new WebhookLimits(
            options.getSweepLimit(),
            options.getRequestTimeout(),
            options.getClaimDuration(),
            options.getGiveUpAfter()),
        post,
        context.clock(),
        context.timers(),
        context.randomness(),
        context.ids());
  }

  private static Map<String, Webhook> byId(List<Webhook> webhooks) {
    Map<String, Webhook> byId = new LinkedHashMap<>();
    for (Webhook webhook : webhooks) {
      if (byId.putIfAbsent(webhook.id(), webhook) != null) {
        throw RunlaneException.configurationInvalid("webhook %s is given twice", webhook.id());
      }
    }
    return byId;
  }

  /** Delivers what is due, and forgets webhooks that no process has any more; true when there may be more. */
  @Override
  public Future<Boolean> sweepOnce() {
    return teller.sweepOnce();
  }

  @Override
  public Future<Void> settled() {
    return teller.settled();
  }

  /** What is due next is not known: it is looked for after the idle delay. */
  @Override
  public Optional<Instant> nextDue() {
    return Optional.empty();
  }
}
