package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which ends are told of, and what is left to tell. */
final class JobWebhooks {
  private final Supplier<String> newId;
  private final Map<String, Registered> webhooks = new TreeMap<>();
  private final Map<String, Left> deliveries = new LinkedHashMap<>();

  JobWebhooks(Supplier<String> newId) {
    this.newId = newId;
  }

  void register(RegisterJobWebhooks command) {
    Instant kept = command.now().minus(JobWebhookStore.KEPT);
    command
        .webhooks()
        .forEach((id, filter) ->
            webhooks.merge(id, new Registered(filter, command.now()), Registered::followedBy));
    webhooks.values().removeIf(each -> each.lastSeen().isBefore(kept));
    deliveries.values().removeIf(each -> !webhooks.containsKey(each.delivery().webhookId()));
  }

  /** A job has become completed or failed. */
  void ended(JobData job) {
    Instant end = JobDelivery.endOf(job);
    Instant kept = end.minus(JobWebhookStore.KEPT);
    webhooks.forEach((webhookId, each) -> {
      if (each.filter().admits(job) && !each.lastSeen().isBefore(kept)) {
        String id = newId.get();
        deliveries.put(
            id,
            new Left(
                new JobDelivery(
                    id,
                    webhookId,
                    new JobRef(job.queueName(), job.id()),
                    job.name(),
                    job.state(),
                    job.createdAt(),
                    end,
                    job.attemptsMade(),
                    job.cancelledAt() != null,
                    0),
                end,
                null));
      }
    });
  }

  List<JobDelivery> claim(ClaimJobDeliveries command) {
    List<Left> due = deliveries.values().stream()
        .filter(each -> command.webhookIds().contains(each.delivery().webhookId())
            && !each.nextAt().isAfter(command.now()))
        .sorted(Comparator.comparing(Left::nextAt))
        .limit(command.limit())
        .toList();
    return due.stream().map(each -> claim(each, command)).toList();
  }

  private JobDelivery claim(Left before, ClaimJobDeliveries command) {
    JobDelivery claimed = before.claimed();
    deliveries.put(
        claimed.id(), new Left(claimed, command.now().plus(command.claimFor()), command.token()));
    return claimed;
  }

  void finish(FinishJobDeliveries command) {
    for (FinishJobDeliveries.Outcome outcome : command.outcomes()) {
      deliveries.computeIfPresent(
          outcome.deliveryId(),
          (id, held) -> command.token().equals(held.token()) ? held.after(outcome) : held);
    }
  }

  private record Registered(JobEndFilter filter, Instant lastSeen) {
    /** A clock that is behind takes no time from a webhook. */
    Registered followedBy(Registered next) {
      return next.lastSeen.isBefore(lastSeen) ? new Registered(next.filter, lastSeen) : next;
    }
  }

  private record Left(
      JobDelivery delivery, Instant nextAt, @Nullable String token) {
    JobDelivery claimed() {
      return new JobDelivery(
          delivery.id(),
          delivery.webhookId(),
          delivery.job(),
          delivery.name(),
          delivery.state(),
          delivery.createdAt(),
          delivery.endedAt(),
          delivery.attemptsMade(),
          delivery.cancelled(),
          delivery.tries() + 1);
    }

    @Nullable
    Left after(FinishJobDeliveries.Outcome outcome) {
      return outcome.retryAt() == null ? null : new Left(delivery, outcome.retryAt(), null);
    }
  }
}
