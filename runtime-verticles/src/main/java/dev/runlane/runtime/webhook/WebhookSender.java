package dev.runlane.runtime.webhook;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.FinishWebhookDeliveries.Outcome;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies webhooks of ends, each at least once: the storage records an end in its own transaction, this role claims
 * it, delivers it, and only then removes it.
 *
 * <pre>
 *   claim ┃ deliver ┃ remove   killed at the first ┃: the claim ends, another process delivers
 *                              killed at the second ┃: the same, and the receiver learns of it twice, under one id
 * </pre>
 */
public final class WebhookSender implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final Duration REFRESH = Duration.ofMinutes(1);
  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofSeconds(1), Duration.ofHours(1)).withJitter(0.2);

  private final RuntimeContext context;
  private final OperatorStore store;
  private final Map<String, Webhook> webhooks;
  private final WebhookOptions options;
  private final Function<WebhookRequest, Future<Integer>> post;
  private final Map<String, FailureLog> failures = new HashMap<>();
  private Instant nextRegistered = Instant.MIN;

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
    this.context = context;
    this.options = options;
    this.post = post;
    this.store = context
        .storage()
        .operator()
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED,
            "webhooks need a storage that keeps something for operators"));
    this.webhooks = byId(webhooks);
    if (options.getRequestTimeout().multipliedBy(2).compareTo(options.getClaimDuration()) > 0) {
      throw RunlaneException.configurationInvalid(
          "requestTimeout must be at most half of claimDuration, but they are %s and %s",
          options.getRequestTimeout(), options.getClaimDuration());
    }
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

  /** Delivers what is due; true when there may be more. */
  @Override
  public Future<Boolean> sweepOnce() {
    if (webhooks.isEmpty()) {
      return Future.succeededFuture(false);
    }
    String token = context.ids().token();
    return register()
        .compose(registered -> store.claimWebhookDeliveries(new ClaimWebhookDeliveries(
            context.environment(),
            List.copyOf(webhooks.keySet()),
            token,
            context.clock().now(),
            options.getClaimDuration(),
            options.getSweepLimit())))
        .compose(claimed -> claimed.isEmpty()
            ? Future.succeededFuture(false)
            : deliver(claimed)
                .compose(outcomes -> store.finishWebhookDeliveries(
                    new FinishWebhookDeliveries(context.environment(), token, outcomes)))
                .map(finished -> claimed.size() == options.getSweepLimit()));
  }

  /** What is due next is not known: it is looked for after the idle delay. */
  @Override
  public Optional<Instant> nextDue() {
    return Optional.empty();
  }

  private Future<Void> register() {
    Instant now = context.clock().now();
    if (now.isBefore(nextRegistered)) {
      return Future.succeededFuture();
    }
    Map<String, EndFilter> filters = new LinkedHashMap<>();
    webhooks.forEach((id, webhook) -> filters.put(id, webhook.filter()));
    return store
        .registerWebhooks(new RegisterWebhooks(context.environment(), filters, now))
        .onSuccess(registered -> nextRegistered = now.plus(REFRESH));
  }

  private Future<List<Outcome>> deliver(List<WebhookDelivery> claimed) {
    List<String> runIds =
        claimed.stream().map(WebhookDelivery::runId).distinct().toList();
    return context
        .storage()
        .getRuns(new GetRuns(context.environment(), runIds))
        .compose(runs -> store
            .findTags(new FindTags(context.environment(), runIds))
            .compose(tags -> deliver(claimed, byRun(runs), tagsByRun(tags))));
  }

  private static Map<String, RunRecord> byRun(List<RunRecord> runs) {
    return runs.stream().collect(Collectors.toMap(RunRecord::id, run -> run));
  }

  private static Map<String, Map<String, String>> tagsByRun(List<TaggedRun> tags) {
    return tags.stream().collect(Collectors.toMap(TaggedRun::runId, TaggedRun::tags));
  }

  private Future<List<Outcome>> deliver(
      List<WebhookDelivery> claimed,
      Map<String, RunRecord> runs,
      Map<String, Map<String, String>> tags) {
    return Future.all(claimed.stream()
            .map(delivery -> deliver(WebhookRequest.of(
                    Objects.requireNonNull(webhooks.get(delivery.webhookId())),
                    context.environment(),
                    delivery,
                    runs.get(delivery.runId()),
                    tags.getOrDefault(delivery.runId(), Map.of()),
                    context.clock().now()))
                .transform((done, failure) -> Future.succeededFuture(
                    failure == null ? delivered(delivery) : failed(delivery, failure))))
            .toList())
        .map(all -> all.<Outcome>list());
  }

  private Future<Void> deliver(WebhookRequest request) {
    return Future.<Void>succeededFuture()
        .compose(start -> post.apply(request))
        .compose(status -> status >= 200 && status < 300
            ? Future.succeededFuture()
            : Future.failedFuture(RunlaneException.of(
                ErrorCode.TRANSPORT_PUBLISH_FAILED, "it answered with status %d", status)));
  }

  private Outcome delivered(WebhookDelivery delivery) {
    log(delivery).succeeded();
    return new Outcome(delivery.webhookId(), delivery.runId(), null);
  }

  private Outcome failed(WebhookDelivery delivery, Throwable failure) {
    Instant now = context.clock().now();
    Instant next = now.plus(BACKOFF.delay(delivery.tries(), context.randomness()));
    boolean isGivenUp = next.isAfter(delivery.endedAt().plus(options.getGiveUpAfter()));
    if (isGivenUp) {
      LOG.error(
          "webhook {} is not told of the end of run {} any more, after {} tries: {}",
          delivery.webhookId(),
          delivery.runId(),
          delivery.tries(),
          failure.getMessage());
    } else {
      log(delivery).failed(failure, "it is told again");
    }
    return new Outcome(delivery.webhookId(), delivery.runId(), isGivenUp ? null : next);
  }

  private FailureLog log(WebhookDelivery delivery) {
    return failures.computeIfAbsent(
        delivery.webhookId(), id -> new FailureLog(LOG, "telling webhook " + id, context.timers()));
  }
}
