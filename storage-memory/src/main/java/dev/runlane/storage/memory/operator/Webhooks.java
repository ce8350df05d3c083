package dev.runlane.storage.memory.operator;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which ends are told of, and what is left to tell, of one environment. */
public final class Webhooks {
  private final Map<String, Registered> webhooks = new TreeMap<>();
  private final Map<Key, Delivery> deliveries = new HashMap<>();

  public void register(RegisterWebhooks command) {
    Instant kept = command.now().minus(OperatorStore.WEBHOOK_KEPT);
    command
        .webhooks()
        .forEach((id, filter) ->
            webhooks.merge(id, new Registered(filter, command.now()), Registered::followedBy));
    webhooks.values().removeIf(each -> each.lastSeen().isBefore(kept));
    deliveries.keySet().removeIf(each -> !webhooks.containsKey(each.webhookId()));
  }

  /** A run has ended. */
  public void ended(RunRecord run, Map<String, String> tags) {
    Instant kept = run.updatedAt().minus(OperatorStore.WEBHOOK_KEPT);
    webhooks.forEach((id, each) -> {
      if (each.filter().admits(run, tags) && !each.lastSeen().isBefore(kept)) {
        deliveries.put(
            new Key(id, run.id()),
            new Delivery(run.status(), run.updatedAt(), run.updatedAt(), 0, null));
      }
    });
  }

  public List<WebhookDelivery> claim(ClaimWebhookDeliveries command) {
    List<Key> due = deliveries.entrySet().stream()
        .filter(each -> command.webhookIds().contains(each.getKey().webhookId())
            && !each.getValue().nextAt().isAfter(command.now()))
        .sorted(Comparator.comparing(
                (Map.Entry<Key, Delivery> each) -> each.getValue().nextAt())
            .thenComparing(each -> each.getKey().runId()))
        .limit(command.limit())
        .map(Map.Entry::getKey)
        .toList();
    return due.stream().map(key -> claim(key, command)).toList();
  }

  private WebhookDelivery claim(Key key, ClaimWebhookDeliveries command) {
    Delivery before = Objects.requireNonNull(deliveries.get(key));
    Delivery claimed = new Delivery(
        before.status(),
        before.endedAt(),
        command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS),
        before.tries() + 1,
        command.token());
    deliveries.put(key, claimed);
    return new WebhookDelivery(
        key.webhookId(), key.runId(), claimed.status(), claimed.endedAt(), claimed.tries());
  }

  public void finish(FinishWebhookDeliveries command) {
    for (FinishWebhookDeliveries.Outcome outcome : command.outcomes()) {
      deliveries.computeIfPresent(
          new Key(outcome.webhookId(), outcome.runId()),
          (key, held) -> command.token().equals(held.token()) ? held.after(outcome) : held);
    }
  }

  private record Registered(EndFilter filter, Instant lastSeen) {
    /** A clock that is behind takes no time from a webhook. */
    Registered followedBy(Registered next) {
      return next.lastSeen.isBefore(lastSeen) ? new Registered(next.filter, lastSeen) : next;
    }
  }

  private record Key(String webhookId, String runId) {}

  private record Delivery(
      RunStatus status,
      Instant endedAt,
      Instant nextAt,
      int tries,
      @Nullable String token) {
    @Nullable
    Delivery after(FinishWebhookDeliveries.Outcome outcome) {
      return outcome.retryAt() == null
          ? null
          : new Delivery(status, endedAt, outcome.retryAt(), tries, null);
    }
  }
}
