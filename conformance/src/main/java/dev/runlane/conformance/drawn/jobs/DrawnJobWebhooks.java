package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobWebhookCalls;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries.Outcome;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What webhooks are notified of. */
final class DrawnJobWebhooks {
  private static final List<String> IDS = List.of("w", "W", "ww", "v");
  private static final Instant LAST = Instant.parse("9000-01-01T00:00:00Z");
  private static final int ALL = 1_000;

  private final JobDraw draw;
  private final JobModel model;
  private final List<Claimed> claimed =
      new ArrayList<>(); // the latest last, also those that are lost

  DrawnJobWebhooks(JobDraw draw, JobModel model) {
    this.draw = draw;
    this.model = model;
  }

  Object any() {
    return switch (draw.upTo(8)) {
      case 0, 1 -> register();
      case 2, 3, 4 -> claim();
      default -> claimed.isEmpty() ? register() : finish();
    };
  }

  private Object register() {
    Instant now = draw.now();
    Instant at = draw.oneIn(4) ? longAgo(now) : now;
    Map<String, JobEndFilter> webhooks = new TreeMap<>();
    for (int i = draw.upTo(4); i > 0; i--) {
      webhooks.put(draw.anyOf(IDS), filter());
    }
    return new JobWebhookCalls.Register(new RegisterJobWebhooks(webhooks, at));
  }

  /** So that what is registered then is soon not kept any more. */
  private Instant longAgo(Instant now) {
    return now.minus(JobWebhookStore.KEPT).plus(Duration.ofMillis(draw.upTo(20_000)));
  }

  private JobEndFilter filter() {
    return draw.oneIn(2)
        ? JobEndFilter.ALL
        : new JobEndFilter(
            draw.oneIn(2)
                ? Set.of()
                : Set.of(draw.anyOf(List.of(JobState.COMPLETED, JobState.FAILED))),
            texts(draw.queues),
            texts(draw.names));
  }

  private List<String> texts(List<String> all) {
    List<String> some = draw.oneIn(2) ? List.of() : draw.some(all);
    return some.isEmpty() || !draw.oneIn(4) ? some : List.of(draw.resembling(draw.anyOf(some)));
  }

  private Object claim() {
    return new JobWebhookCalls.Claim(new ClaimJobDeliveries(
        draw.oneIn(3) ? draw.some(IDS) : IDS,
        "t" + draw.unique(),
        claimedAt(),
        draw.millis(),
        draw.oneIn(3) ? ALL : 1 + draw.upTo(3)));
  }

  /** Often the very time at which a delivery is due. */
  private Instant claimedAt() {
    Instant now = draw.now();
    List<Instant> soon =
        model.deliveriesDue().filter(due -> due.isBefore(now.plusSeconds(600))).toList();
    return soon.isEmpty() || draw.oneIn(2) ? now : draw.at(draw.anyOf(soon));
  }

  /** What one claim gave, and sometimes what others did; of the latest claim often. */
  private Object finish() {
    Claimed one = draw.oneIn(2) ? claimed.get(claimed.size() - 1) : draw.anyOf(claimed);
    List<Outcome> outcomes = new ArrayList<>();
    for (String id : draw.oneIn(3) ? draw.some(one.deliveryIds()) : one.deliveryIds()) {
      outcomes.add(new Outcome(id, retryAtOrNull()));
    }
    for (String id : draw.oneIn(4) ? draw.anyOf(claimed).deliveryIds() : List.<String>of()) {
      if (outcomes.stream().noneMatch(each -> each.deliveryId().equals(id))) {
        outcomes.add(new Outcome(id, retryAtOrNull()));
      }
    }
    String token = draw.oneIn(12) ? draw.resembling(one.token()) : one.token();
    return new JobWebhookCalls.Finish(new FinishJobDeliveries(token, outcomes));
  }

  private @Nullable Instant retryAtOrNull() {
    return draw.oneIn(2) ? null : draw.around(draw.now());
  }

  void learn(Object command, @Nullable Object answer) {
    if (command instanceof JobWebhookCalls.Claim claim
        && answer instanceof List<?> deliveries
        && !deliveries.isEmpty()) {
      claimed.add(new Claimed(
          claim.command().token(),
          deliveries.stream().map(each -> ((JobDelivery) each).id()).toList()));
    }
  }

  /** All that is left to tell, whenever it is due. */
  Object everything() {
    return new JobWebhookCalls.Claim(
        new ClaimJobDeliveries(model.webhookIds(), "last", LAST, Duration.ofDays(1), ALL));
  }

  private record Claimed(String token, List<String> deliveryIds) {}
}
