package dev.runlane.conformance.model;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.OperatorChecks;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about webhooks and the ends that they are told of. */
public final class ModelWebhooks {
  private final List<Webhook> webhooks = new ArrayList<>();
  private final List<Delivery> deliveries = new ArrayList<>();

  public @Nullable Void register(RegisterWebhooks command) {
    OperatorChecks.check(command);
    command.webhooks().forEach((id, filter) -> register(command, id, filter));
    Instant kept = command.now().minus(OperatorStore.WEBHOOK_KEPT);
    webhooks.removeIf(each -> each.environment.equals(command.environment())
        && each.lastSeen.isBefore(kept)
        && forget(each));
    return null;
  }

  /** A clock that is behind takes no time from a webhook. */
  private void register(RegisterWebhooks command, String id, EndFilter filter) {
    Webhook webhook = webhooks.stream()
        .filter(each -> each.environment.equals(command.environment()) && each.id.equals(id))
        .findFirst()
        .orElse(null);
    if (webhook == null) {
      webhooks.add(new Webhook(command.environment(), id, filter, command.now()));
    } else {
      webhook.filter = filter;
      webhook.lastSeen =
          webhook.lastSeen.isBefore(command.now()) ? command.now() : webhook.lastSeen;
    }
  }

  private boolean forget(Webhook webhook) {
    deliveries.removeIf(each -> each.isOf(webhook.environment, webhook.id));
    return true;
  }

  /** The run has ended; an end of another run of this id that was told of nobody yet gives way. */
  void ended(RunRecord run, Map<String, String> tags) {
    Instant kept = run.updatedAt().minus(OperatorStore.WEBHOOK_KEPT);
    for (Webhook webhook : webhooks) {
      if (webhook.environment.equals(run.environment())
          && !webhook.lastSeen.isBefore(kept)
          && webhook.filter.admits(run, tags)) {
        deliveries.removeIf(
            each -> each.isOf(run.environment(), webhook.id) && each.runId.equals(run.id()));
        deliveries.add(new Delivery(webhook, run));
      }
    }
  }

  /** Where several are due equally long, and one call does not give all, the storage chooses. */
  public List<WebhookDelivery> claim(
      ClaimWebhookDeliveries command, @Nullable List<WebhookDelivery> answer) {
    OperatorChecks.check(command);
    List<Delivery> due = deliveries.stream()
        .filter(each -> each.environment.equals(command.environment())
            && command.webhookIds().contains(each.webhookId)
            && !each.nextAt.isAfter(command.now()))
        .sorted(Comparator.comparing((Delivery each) -> each.nextAt)
            .thenComparing(each -> each.placeIn(answer == null ? List.of() : answer)))
        .limit(command.limit())
        .toList();
    return due.stream().map(each -> each.claim(command)).toList();
  }

  public @Nullable Void finish(FinishWebhookDeliveries command) {
    OperatorChecks.check(command);
    for (FinishWebhookDeliveries.Outcome outcome : command.outcomes()) {
      Optional<Delivery> held = deliveries.stream()
          .filter(each -> each.isOf(command.environment(), outcome.webhookId())
              && each.runId.equals(outcome.runId())
              && command.token().equals(each.token))
          .findFirst();
      held.ifPresent(each -> {
        if (outcome.retryAt() == null) {
          deliveries.remove(each);
        } else {
          each.nextAt = outcome.retryAt();
          each.token = null;
        }
      });
    }
    return null;
  }

  /** Whether somebody is still to be told of the end of a run. */
  boolean isUntold(Environment environment, String runId) {
    return deliveries.stream()
        .anyMatch(each -> each.environment.equals(environment) && each.runId.equals(runId));
  }

  /** When something is due or forgotten. */
  public Stream<Instant> decisive() {
    return Stream.concat(
        webhooks.stream().map(each -> each.lastSeen.plus(OperatorStore.WEBHOOK_KEPT)),
        deliveries.stream().map(each -> each.nextAt));
  }

  private static final class Webhook {
    final Environment environment;
    final String id;
    EndFilter filter;
    Instant lastSeen;

    Webhook(Environment environment, String id, EndFilter filter, Instant lastSeen) {
      this.environment = environment;
      this.id = id;
      this.filter = filter;
      this.lastSeen = lastSeen;
    }
  }

  private static final class Delivery {
    final Environment environment;
    final String webhookId;
    final String runId;
    final RunStatus status;
    final Instant endedAt;
    Instant nextAt;
    int tries;

    @Nullable
    String token;

    Delivery(Webhook webhook, RunRecord run) {
      this.environment = webhook.environment;
      this.webhookId = webhook.id;
      this.runId = run.id();
      this.status = run.status();
      this.endedAt = run.updatedAt();
      this.nextAt = run.updatedAt();
    }

    boolean isOf(Environment other, String webhook) {
      return environment.equals(other) && webhookId.equals(webhook);
    }

    int placeIn(List<WebhookDelivery> answer) {
      for (int i = 0; i < answer.size(); i++) {
        if (answer.get(i).webhookId().equals(webhookId) && answer.get(i).runId().equals(runId)) {
          return i;
        }
      }
      return answer.size();
    }

    WebhookDelivery claim(ClaimWebhookDeliveries command) {
      tries++;
      token = command.token();
      nextAt = command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
      return new WebhookDelivery(webhookId, runId, status, endedAt, tries);
    }
  }
}
