package dev.runlane.runtime.webhook;

import dev.runlane.json.JsonWriter;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.FinishWebhookDeliveries.Outcome;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.webhook.DueEnd;
import dev.runlane.webhook.ToldEnd;
import dev.runlane.webhook.WebhookEnds;
import dev.runlane.webhook.WebhookRequest;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ends of runs, in the storage of a runtime. */
final class KeptRunEnds implements WebhookEnds<WebhookDelivery> {
  private final RuntimeContext context;
  private final OperatorStore store;
  private final Map<String, Webhook> webhooks;

  /** @param webhooks by their ids */
  KeptRunEnds(RuntimeContext context, OperatorStore store, Map<String, Webhook> webhooks) {
    this.context = context;
    this.store = store;
    this.webhooks = webhooks;
  }

  @Override
  public Set<String> webhookIds() {
    return webhooks.keySet();
  }

  @Override
  public Future<Void> register(Instant now) {
    Map<String, EndFilter> filters = new LinkedHashMap<>();
    webhooks.forEach((id, webhook) -> filters.put(id, webhook.filter()));
    return store.registerWebhooks(new RegisterWebhooks(context.environment(), filters, now));
  }

  @Override
  public Future<List<DueEnd<WebhookDelivery>>> claim(
      List<String> webhookIds, String token, Instant now, Duration claimFor, int limit) {
    return store
        .claimWebhookDeliveries(new ClaimWebhookDeliveries(
            context.environment(), webhookIds, token, now, claimFor, limit))
        .compose(
            claimed -> claimed.isEmpty() ? Future.succeededFuture(List.of()) : withRuns(claimed));
  }

  private Future<List<DueEnd<WebhookDelivery>>> withRuns(List<WebhookDelivery> claimed) {
    List<String> runIds =
        claimed.stream().map(WebhookDelivery::runId).distinct().toList();
    return ReadableRuns.of(context, runIds).compose(found -> store
        .findTags(new FindTags(context.environment(), runIds))
        .map(tags -> due(claimed, found.runs(), tagsByRun(tags))));
  }

  private static Map<String, Map<String, String>> tagsByRun(List<TaggedRun> tags) {
    return tags.stream().collect(Collectors.toMap(TaggedRun::runId, TaggedRun::tags));
  }

  private List<DueEnd<WebhookDelivery>> due(
      List<WebhookDelivery> claimed,
      Map<String, RunRecord> runs,
      Map<String, Map<String, String>> tags) {
    Instant now = context.clock().now();
    return claimed.stream()
        .map(each -> new DueEnd<>(
            each,
            each.webhookId(),
            "run " + each.runId(),
            each.endedAt(),
            each.tries(),
            request(
                Objects.requireNonNull(webhooks.get(each.webhookId())),
                context.environment(),
                each,
                runs.get(each.runId()),
                tags.getOrDefault(each.runId(), Map.of()),
                now)))
        .toList();
  }

  @Override
  public Future<Void> finish(String token, List<ToldEnd<WebhookDelivery>> told) {
    return store.finishWebhookDeliveries(new FinishWebhookDeliveries(
        context.environment(),
        token,
        told.stream()
            .map(each -> new Outcome(each.end().webhookId(), each.end().runId(), each.retryAt()))
            .toList()));
  }

  /** @param run as it is now, or null: it was removed since, or cannot be read */
  static WebhookRequest request(
      Webhook webhook,
      Environment environment,
      WebhookDelivery delivery,
      @Nullable RunRecord run,
      Map<String, String> tags,
      Instant now) {
    String id = delivery.webhookId() + ":" + delivery.runId();
    return webhook.endpoint().request(id, body(id, environment, delivery, run, tags), now);
  }

  private static String body(
      String id,
      Environment environment,
      WebhookDelivery delivery,
      @Nullable RunRecord run,
      Map<String, String> tags) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", id);
    writer.text("type", "run." + delivery.status().value());
    writer.text("environment", environment.name());
    writer.object("run", fields -> {
      fields.text("id", delivery.runId());
      fields.text("status", delivery.status().value());
      fields.instant("finishedAt", delivery.endedAt());
      if (run != null) {
        fields.text("taskId", run.taskId());
        fields.text("queue", run.queue());
        fields.instant("createdAt", run.createdAt());
        fields.text(
            "failureCode", run.failure() == null ? null : run.failure().code().value());
        fields.texts("tags", tags.isEmpty() ? null : tags);
      }
    });
    return writer.end();
  }
}
