package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Draw;
import dev.runlane.conformance.drawn.Shape;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.step.ClaimedStep;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What answers have shown so far, for commands that refer to it: claims and cursors, those among them that are of
 * no use any more.
 */
final class Shown {
  final List<ClaimedOutboxMessage> messages = new ArrayList<>();
  final List<ClaimedStep> steps = new ArrayList<>();
  final List<ClaimedOccurrence> occurrences = new ArrayList<>();
  final List<ListRuns> runPages = new ArrayList<>();
  final List<ListRunEvents> eventPages = new ArrayList<>();
  final List<Taken> resumed = new ArrayList<>();
  final List<Claimed> deliveries = new ArrayList<>();
  final List<ToldOf> alerts = new ArrayList<>();
  final List<Object> operatorPages = new ArrayList<>();
  private final List<PruneRuns> prunes = new ArrayList<>();
  private final List<Instant> published = new ArrayList<>();

  /** Remembers the answer, in the model's names. */
  void learn(Object command, @Nullable Object answer) {
    if (answer instanceof Optional<?> optional) {
      optional.ifPresent(each -> learn(command, each));
    } else if (answer instanceof List<?> list) {
      list.forEach(each -> learn(command, each));
    } else if (answer instanceof CommandOutcome.Succeeded<?> succeeded) {
      learn(command, succeeded.result());
    } else if (answer instanceof AppendedRun appended) {
      messages.addAll(appended.claimedOutbox());
    } else if (answer instanceof ClaimedOutboxMessage message) {
      messages.add(message);
    } else if (answer instanceof ClaimedStep step) {
      steps.add(step);
    } else if (answer instanceof ResumedRuns runs && command instanceof TakeResumedRuns take) {
      resumed.add(new Taken(take.environment(), take.token(), runs));
    } else if (answer instanceof WebhookDelivery delivery
        && command instanceof ClaimWebhookDeliveries claim) {
      deliveries.add(new Claimed(claim.environment(), claim.token(), delivery));
    } else if (answer instanceof AlertDelivery delivery
        && command instanceof ClaimAlertDeliveries claim) {
      alerts.add(new ToldOf(claim.environment(), claim.token(), delivery));
    } else if (answer instanceof ClaimedOccurrence occurrence) {
      occurrences.add(occurrence);
    } else if (command instanceof PublishQueues publish) {
      published.add(publish.now().plus(publish.validFor()).truncatedTo(ChronoUnit.MICROS));
    } else if (answer instanceof PruneAndLook.Answer answered
        && command instanceof PruneAndLook look) {
      PruneRuns prune = look.prune();
      if (answered.pruned().nextCursor() != null) {
        prunes.add(new PruneRuns(
            prune.environment(),
            prune.statuses(),
            prune.olderThan(),
            prune.now(),
            prune.limit(),
            answered.pruned().nextCursor()));
      }
    } else if (answer instanceof Page<?> page && page.nextCursor() != null) {
      learnPage(command, page.nextCursor());
    }
  }

  private void learnPage(Object command, String cursor) {
    if (command instanceof ListRuns query) {
      runPages.add(
          new ListRuns(query.environment(), query.filter(), query.sort(), query.limit(), cursor));
    } else if (command instanceof ListRunEvents query) {
      eventPages.add(new ListRunEvents(
          query.environment(), query.filter(), query.sort(), query.limit(), cursor));
    } else {
      Shape shape = Shape.of(command);
      List<@Nullable Object> parts = shape.partsOf(command);
      parts.set(shape.names().indexOf("cursor"), cursor);
      operatorPages.add(shape.make(parts));
    }
  }

  /** Resumed runs, and by which claim they were taken. */
  record Taken(Environment environment, String token, ResumedRuns runs) {}

  /** A delivery, and by which claim it was taken. */
  record Claimed(Environment environment, String token, WebhookDelivery delivery) {}

  /** What a channel is told of an alert, and by which claim it was taken. */
  record ToldOf(Environment environment, String token, AlertDelivery delivery) {}

  /** A prune that goes on where another stopped, at a later time; else this one. */
  PruneRuns goOn(PruneRuns fresh, Draw draw) {
    if (prunes.isEmpty()) {
      return fresh;
    }
    PruneRuns before = draw.anyOf(prunes);
    return new PruneRuns(
        before.environment(),
        before.statuses(),
        before.olderThan(),
        fresh.now(),
        fresh.limit(),
        before.cursor());
  }

  /** When claims of occurrences and publications of queues end. */
  Stream<Instant> ends() {
    return Stream.concat(
        occurrences.stream().map(ClaimedOccurrence::claimExpiresAt), published.stream());
  }

  /** Whether an id is that of a fire of this schedule. */
  boolean isOccurrenceOf(String occurrence, String schedule) {
    return occurrence.endsWith("@" + Integer.toHexString(schedule.hashCode()));
  }

  /** The id of a fire. */
  String occurrence(String schedule, int fire) {
    return schedule.substring(0, Math.min(schedule.length(), 100)) + "@" + fire + "@"
        + Integer.toHexString(schedule.hashCode());
  }
}
