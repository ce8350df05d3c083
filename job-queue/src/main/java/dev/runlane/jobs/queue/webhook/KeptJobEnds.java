package dev.runlane.jobs.queue.webhook;

import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.json.JsonWriter;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.webhook.DueEnd;
import dev.runlane.webhook.ToldEnd;
import dev.runlane.webhook.WebhookEnds;
import dev.runlane.webhook.WebhookRequest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;

/** Ends of jobs, in a store. Whichever thread the store answers on, what follows happens on one context. */
final class KeptJobEnds implements WebhookEnds<JobDelivery> {
  private final JobWebhookStore store;
  private final Map<String, JobWebhook> webhooks = new LinkedHashMap<>();
  private final Clock clock;
  private final Executor home;

  /**
   * Throws {@code ConfigurationInvalid} where a webhook is given twice.
   *
   * @param home runs an action on the context of the caller
   */
  KeptJobEnds(JobWebhookStore store, List<JobWebhook> given, Clock clock, Executor home) {
    this.store = store;
    this.clock = clock;
    this.home = home;
    for (JobWebhook webhook : given) {
      if (webhooks.putIfAbsent(webhook.id(), webhook) != null) {
        throw RunlaneException.configurationInvalid("webhook %s is given twice", webhook.id());
      }
    }
  }

  @Override
  public Set<String> webhookIds() {
    return webhooks.keySet();
  }

  @Override
  public Future<Void> register(Instant now) {
    Map<String, JobEndFilter> filters = new LinkedHashMap<>();
    webhooks.forEach((id, webhook) -> filters.put(id, webhook.filter()));
    return here(store.registerWebhooks(new RegisterJobWebhooks(filters, now)));
  }

  @Override
  public Future<List<DueEnd<JobDelivery>>> claim(
      List<String> webhookIds, String token, Instant now, Duration claimFor, int limit) {
    return here(store.claimDeliveries(
            new ClaimJobDeliveries(webhookIds, token, now, claimFor, limit)))
        .map(claimed -> {
          Instant signedAt = clock.now();
          return claimed.stream().map(each -> due(each, signedAt)).toList();
        });
  }

  private DueEnd<JobDelivery> due(JobDelivery delivery, Instant now) {
    JobWebhook webhook = Objects.requireNonNull(webhooks.get(delivery.webhookId()));
    return new DueEnd<>(
        delivery,
        delivery.webhookId(),
        "job " + delivery.job().jobId() + " of queue " + delivery.job().queueName(),
        delivery.endedAt(),
        delivery.tries(),
        request(webhook, delivery, now));
  }

  @Override
  public Future<Void> finish(String token, List<ToldEnd<JobDelivery>> told) {
    return here(store.finishDeliveries(new FinishJobDeliveries(
        token,
        told.stream()
            .map(each -> new FinishJobDeliveries.Outcome(each.end().id(), each.retryAt()))
            .toList())));
  }

  private <T> Future<T> here(Future<T> answer) {
    Promise<T> here = Promise.promise();
    answer.onComplete(result -> home.execute(() -> here.handle(result)));
    return here.future();
  }

  static WebhookRequest request(JobWebhook webhook, JobDelivery delivery, Instant now) {
    String id = delivery.webhookId() + ":" + delivery.id();
    JsonWriter writer = new JsonWriter();
    writer.text("id", id);
    writer.text("type", "job." + delivery.state().value());
    writer.object("job", fields -> {
      fields.text("queue", delivery.job().queueName());
      fields.text("id", delivery.job().jobId());
      fields.text("name", delivery.name());
      fields.text("state", delivery.state().value());
      fields.instant("createdAt", delivery.createdAt());
      fields.instant("finishedAt", delivery.endedAt());
      fields.number("attemptsMade", delivery.attemptsMade());
      fields.flag("cancelled", delivery.cancelled());
    });
    return webhook.endpoint().request(id, writer.end(), now);
  }
}
