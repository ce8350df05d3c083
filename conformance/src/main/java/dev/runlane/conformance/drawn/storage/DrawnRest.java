package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Commands about all that is not a run: messages, steps, occurrences, published queues, keys and what is old. */
final class DrawnRest {
  private static final Instant FIRST_FIRE = Instant.parse("2026-03-04T12:00:00Z");

  private final StorageDraw draw;
  private final StorageModel model;
  private final Shown shown;

  DrawnRest(StorageDraw draw, StorageModel model, Shown shown) {
    this.draw = draw;
    this.model = model;
    this.shown = shown;
  }

  /** Any that are due, or some by their ids. */
  ClaimOutboxMessages claimOutbox() {
    return new ClaimOutboxMessages(
        draw.environment(),
        draw.now(),
        draw.claimTime(),
        1 + draw.upTo(4),
        draw.oneIn(4)
            ? draw.some(shown.messages.stream()
                .map(ClaimedOutboxMessage::id)
                .map(id -> draw.oneIn(12) ? Names.resembling(id) : id)
                .toList())
            : null);
  }

  /** Claimed messages mostly, by claims that hold or were lost, and now and then one twice. */
  Object markOutbox() {
    List<ClaimedOutboxMessage> recent =
        shown.messages.subList(Math.max(0, shown.messages.size() - 6), shown.messages.size());
    List<ClaimedOutboxMessage> some = new ArrayList<>(draw.some(recent));
    some = some.subList(0, Math.min(some.size(), 1 + draw.upTo(3)));
    List<ClaimedOutboxMessage> marked = new ArrayList<>(some);
    if (draw.oneIn(6)) {
      marked.addAll(some);
    }
    Environment environment = marked.isEmpty() || draw.oneIn(10)
        ? draw.environment()
        : marked.get(0).message().environment();
    return marked(environment, marked, draw.upTo(4));
  }

  /** What no publish ever carries again, of what was claimed last. */
  Object buryOutbox() {
    List<ClaimedOutboxMessage> recent =
        shown.messages.subList(Math.max(0, shown.messages.size() - 4), shown.messages.size());
    return recent.isEmpty()
        ? claimOutbox()
        : marked(recent.get(recent.size() - 1).message().environment(), recent, 2);
  }

  private Object marked(Environment environment, List<ClaimedOutboxMessage> marked, int as) {
    Instant now = draw.now();
    return switch (as) {
      case 0, 1 ->
        new MarkOutboxMessagesFailed(
            environment, marked.stream().map(each -> failed(each, now)).toList(), now);
      case 2 ->
        new MarkOutboxMessagesDeadLettered(
            environment,
            marked.stream()
                .map(each -> new MarkOutboxMessagesDeadLettered.DeadLettered(
                    each.id(), token(each), draw.failure()))
                .toList(),
            now);
      default ->
        new MarkOutboxMessagesPublished(
            environment,
            marked.stream()
                .map(each -> new MarkOutboxMessagesPublished.Published(
                    each.id(), token(each), draw.oneIn(2) ? "a" : null))
                .toList(),
            now);
    };
  }

  /** Whether it counts goes by its failure, drawn before there was such a thing: what seeds found stays found. */
  private MarkOutboxMessagesFailed.Failed failed(ClaimedOutboxMessage message, Instant now) {
    String token = token(message);
    FailureRecord failure = draw.failure();
    Instant next = draw.oneIn(3) ? null : draw.after(now);
    boolean counted = failure.retryable() || failure.code() == ErrorCode.TASK_FAILED;
    return new MarkOutboxMessagesFailed.Failed(message.id(), token, failure, next, counted);
  }

  /** The message's own token, or that of another claim. */
  private String token(ClaimedOutboxMessage message) {
    return switch (draw.upTo(16)) {
      case 0, 1 -> draw.anyOf(shown.messages).claimToken();
      case 2 -> Names.resembling(message.claimToken());
      default -> message.claimToken();
    };
  }

  ClaimDueSteps claimSteps() {
    return new ClaimDueSteps(draw.environment(), draw.now(), draw.claimTime(), 1 + draw.upTo(4));
  }

  Object markSteps() {
    Map<String, ClaimedStep> byId = new LinkedHashMap<>();
    claimedTogether().forEach(claimed -> byId.put(claimed.step().stepId(), claimed));
    List<ClaimedStep> steps = List.copyOf(byId.values());
    Environment environment = steps.isEmpty()
        ? draw.environment()
        : steps.get(0).step().request().header().environment();
    Instant now = draw.now();
    if (steps.isEmpty() || draw.oneIn(2)) {
      return new ReschedulePendingSteps(
          environment,
          steps.stream()
              .map(each -> new ReschedulePendingSteps.NextCheck(
                  each.step().runId(),
                  each.step().stepId(),
                  draw.oneIn(16) ? Names.resembling(each.token()) : each.token(),
                  draw.after(now),
                  draw.oneIn(2) ? now : null))
              .toList());
    }
    ClaimedStep one = draw.anyOf(steps);
    return draw.oneIn(2)
        ? new RemovePendingSteps(
            environment,
            steps.stream()
                .map(each -> new RemovePendingSteps.Removal(
                    each.step().runId(), each.step().stepId(), each.token()))
                .toList())
        : new RetryStep(
            environment,
            one.step().runId(),
            one.step().stepId(),
            one.step().attempt() + draw.upTo(2),
            now,
            draw.after(now));
  }

  /** Steps of one environment, most of them of one claim. */
  private Stream<ClaimedStep> claimedTogether() {
    if (shown.steps.isEmpty()) {
      return Stream.empty();
    }
    ClaimedStep one =
        draw.oneIn(2) ? draw.anyOf(shown.steps) : shown.steps.get(shown.steps.size() - 1);
    return shown.steps.stream()
        .filter(each -> each.step()
            .request()
            .header()
            .environment()
            .equals(one.step().request().header().environment()))
        .filter(each -> each.token().equals(one.token()) || draw.oneIn(6));
  }

  /** An occurrence's id says its schedule and its fire, as its makers promise. */
  ClaimScheduleOccurrence claimOccurrence() {
    int fire = draw.upTo(4);
    String schedule = draw.oneIn(2) ? draw.tasks.get(0) : draw.anyOf(draw.tasks);
    return new ClaimScheduleOccurrence(
        draw.environment(),
        schedule,
        shown.occurrence(schedule, fire),
        FIRST_FIRE.plusSeconds(fire),
        draw.now(),
        draw.claimTime());
  }

  CompleteScheduleOccurrence completeOccurrence() {
    String occurrence = shown.occurrences.isEmpty() || draw.oneIn(8)
        ? shown.occurrence(draw.anyOf(draw.tasks), draw.upTo(4))
        : (draw.oneIn(3)
                ? draw.anyOf(shown.occurrences)
                : shown.occurrences.get(shown.occurrences.size() - 1))
            .occurrenceId();
    String token = shown.occurrences.isEmpty()
        ? "nobody's"
        : draw.oneIn(6)
            ? resembledOr(draw.anyOf(shown.occurrences).claimToken())
            : shown.occurrences.stream()
                .filter(each -> each.occurrenceId().equals(occurrence))
                .reduce((one, later) -> later)
                .map(each -> each.claimToken())
                .orElse("nobody's");
    return new CompleteScheduleOccurrence(
        draw.environment(),
        occurrence,
        token,
        draw.some(draw.runIds).stream().limit(3).toList(),
        draw.now(),
        draw.oneIn(4) ? null : taskOf(occurrence));
  }

  /** Of a schedule that is known of the occurrence's id mostly. */
  private String taskOf(String occurrence) {
    List<String> known = model
        .schedules
        .names()
        .filter(name -> shown.isOccurrenceOf(occurrence, name.scheduleId()))
        .map(ScheduleName::taskId)
        .toList();
    return known.isEmpty() || draw.oneIn(4) ? draw.anyOf(draw.tasks) : draw.anyOf(known);
  }

  private String resembledOr(String token) {
    return draw.oneIn(2) ? Names.resembling(token) : token;
  }

  PublishQueues publishQueues() {
    List<QueuePolicy> queues = draw.some(draw.queues());
    return new PublishQueues(
        draw.environment(), draw.anyOf(draw.workers), queues, draw.now(), draw.claimTime());
  }

  /** A key that some run has or had, mostly. */
  ResetIdempotencyKey reset() {
    Environment environment = draw.environment();
    List<RunRecord> keyed = model
        .runs(environment)
        .map(run -> run.record)
        .filter(run -> run.keys().idempotencyKey() != null)
        .toList();
    if (keyed.isEmpty() || draw.oneIn(4)) {
      return new ResetIdempotencyKey(
          environment, draw.anyOf(draw.tasks), draw.anyOf(draw.keys), draw.now());
    }
    RunRecord one = draw.anyOf(keyed);
    return new ResetIdempotencyKey(
        environment, one.taskId(), String.valueOf(one.keys().idempotencyKey()), draw.now());
  }

  PruneAndLook prune() {
    Environment environment = draw.environment();
    Instant now = draw.now();
    List<RunStatus> terminal = List.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);
    PruneRuns fresh = new PruneRuns(
        environment,
        draw.oneIn(2) ? Set.of() : Set.copyOf(draw.some(terminal)),
        cutoff(environment, now),
        now,
        draw.oneIn(4) ? null : 1 + draw.upTo(2),
        null);
    PruneRuns prune = draw.oneIn(2) ? fresh : shown.goOn(fresh, draw);
    return new PruneAndLook(prune, runIds(prune.environment()));
  }

  /** Often the very instant at which some run was updated. */
  private Instant cutoff(Environment environment, Instant now) {
    List<Instant> updates =
        model.runs(environment).map(run -> run.record.updatedAt()).sorted().toList();
    if (updates.isEmpty() || draw.oneIn(4)) {
      return now.minus(draw.shortTime()).plusNanos(1_000);
    }
    Instant update = draw.oneIn(2) ? draw.anyOf(updates) : updates.get(updates.size() - 1);
    return update.plusNanos(draw.oneIn(2) ? 0 : 1_000);
  }

  private List<String> runIds(Environment environment) {
    Set<String> ids = new LinkedHashSet<>();
    model.runs(environment).forEach(run -> ids.add(run.record.id()));
    return List.copyOf(ids);
  }

  /** Everything that is due a year later. */
  ClaimOutboxMessages claimAllOutbox(Environment environment) {
    return new ClaimOutboxMessages(
        environment, draw.now().plus(Duration.ofDays(400)), Duration.ofSeconds(1), 1_000, null);
  }
}
