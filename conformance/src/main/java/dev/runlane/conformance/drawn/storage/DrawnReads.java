package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.model.LookAtOutbox;
import dev.runlane.conformance.model.ModelRun;
import dev.runlane.conformance.model.ModelStep;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.step.ListPendingSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Questions that change nothing. */
final class DrawnReads {
  private final StorageDraw draw;
  private final StorageModel model;
  private final Shown shown;
  private final Abilities can;

  DrawnReads(StorageDraw draw, StorageModel model, Shown shown, Abilities can) {
    this.draw = draw;
    this.model = model;
    this.shown = shown;
    this.can = can;
  }

  Object any() {
    return switch (draw.upTo(24)) {
      case 0 -> new GetRun(draw.environment(), draw.anyOf(draw.runIds));
      case 1, 2 -> runs(draw.environment());
      case 3, 4, 5 -> listRuns();
      case 6, 7, 8 -> listEvents();
      case 9, 10, 11 ->
        runnable(
            draw.environment(),
            draw.some(draw.queues()),
            draw.some(draw.tasks),
            draw.now(),
            1 + draw.upTo(4));
      case 12, 13 ->
        dispatch(draw.environment(), draw.some(draw.queues()), draw.now(), 1 + draw.upTo(4));
      case 14, 15 ->
        delivery(draw.environment(), draw.some(draw.queues()), draw.now(), 1 + draw.upTo(4));
      case 16 ->
        new ListRunsNeedingCancellationFinalization(
            draw.environment(), draw.now().plusSeconds(draw.upTo(2) * 4_000L), 1 + draw.upTo(2));
      case 17, 18 -> owner();
      case 19, 20 ->
        can.outbox()
            ? new LookAtOutbox(new GetRun(draw.environment(), draw.anyOf(draw.runIds)))
            : any();
      case 21 -> can.steps() ? steps() : any();
      case 22 ->
        can.schedules()
            ? new GetScheduleOccurrence(
                draw.environment(), shown.occurrence(draw.anyOf(draw.tasks), draw.upTo(4)))
            : any();
      default ->
        can.queueLimits() ? new ListPublishedQueues(draw.environment(), draw.now()) : any();
    };
  }

  /** All that can be read, at the end. */
  List<Object> everything() {
    List<Object> reads = new ArrayList<>();
    Instant now = draw.now();
    for (Environment environment : draw.environments) {
      reads.add(new GetRuns(environment, draw.runIds));
      for (RunSort.Field field : RunSort.Field.values()) {
        reads.add(
            new ListRuns(environment, RunFilter.ALL, new RunSort(field, direction()), null, null));
      }
      reads.add(new ListRunEvents(
          environment,
          new RunEventFilter(null, Set.of(), null, null),
          new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction()),
          200,
          null));
      reads.add(runnable(environment, draw.queues(), draw.tasks, now, 100));
      reads.add(dispatch(environment, draw.queues(), now, 100));
      reads.add(delivery(environment, draw.queues(), now, 100));
      Instant later = now.plus(Duration.ofDays(40));
      reads.add(new ListRunsNeedingCancellationFinalization(environment, now, 100));
      reads.add(new ListRunsNeedingCancellationFinalization(environment, later, 2));
      reads.add(new ListRunsNeedingCancellationFinalization(environment, later, 100));
      model
          .runs(environment)
          .map(run -> run.record)
          .filter(run -> run.keys().idempotencyKey() != null)
          .forEach(run -> reads.add(
              owner(environment, run.taskId(), String.valueOf(run.keys().idempotencyKey()), now)));
      if (can.schedules()) {
        shown.occurrences.stream()
            .map(ClaimedOccurrence::occurrenceId)
            .distinct()
            .forEach(id -> reads.add(new GetScheduleOccurrence(environment, id)));
      }
      if (can.outbox()) {
        model
            .runs(environment)
            .forEach(run -> reads.add(new LookAtOutbox(new GetRun(environment, run.record.id()))));
      }
      if (can.steps()) {
        model
            .runs(environment)
            .filter(run -> !run.steps.isEmpty())
            .forEach(run -> reads.add(new ListPendingSteps(environment, run.record.id(), null)));
      }
      if (can.queueLimits()) {
        reads.add(new ListPublishedQueues(environment, now));
      }
    }
    return reads;
  }

  private GetRunByIdempotencyKey owner() {
    List<RunRecord> past = model.past();
    RunRecord one = past.isEmpty() ? null : draw.anyOf(past);
    return one == null || one.keys().idempotencyKey() == null
        ? owner(draw.environment(), draw.anyOf(draw.tasks), draw.anyOf(draw.keys), draw.now())
        : owner(one.environment(), one.taskId(), one.keys().idempotencyKey(), untilItIsFree(one));
  }

  /** Often the very moment at which nobody keeps the key any more, or the one before. */
  private Instant untilItIsFree(RunRecord owner) {
    return draw.oneIn(2)
        ? draw.now()
        : ModelRun.retentionEnd(owner)
            .map(end -> end.minusNanos(draw.oneIn(2) ? 0 : 1_000))
            .orElse(draw.now());
  }

  private GetRuns runs(Environment environment) {
    List<String> ids = new ArrayList<>(draw.some(draw.runIds));
    if (!ids.isEmpty() && draw.oneIn(3)) {
      ids.add(ids.get(0));
    }
    return new GetRuns(environment, ids);
  }

  /** A first page, or one that follows another, asked for as that was or in one thing otherwise. */
  private ListRuns listRuns() {
    ListRuns fresh = new ListRuns(
        draw.environment(),
        runFilter(),
        new RunSort(draw.anyOf(List.of(RunSort.Field.values())), direction()),
        limit(),
        draw.oneIn(30) ? "no cursor" : null);
    if (shown.runPages.isEmpty() || draw.oneIn(2)) {
      return fresh;
    }
    ListRuns next = draw.anyOf(shown.runPages);
    return switch (draw.upTo(16)) {
      case 0 ->
        new ListRuns(fresh.environment(), next.filter(), next.sort(), limit(), next.cursor());
      case 1 ->
        new ListRuns(next.environment(), fresh.filter(), next.sort(), limit(), next.cursor());
      case 2 ->
        new ListRuns(next.environment(), next.filter(), fresh.sort(), limit(), next.cursor());
      default ->
        new ListRuns(next.environment(), next.filter(), next.sort(), limit(), next.cursor());
    };
  }

  private ListRunEvents listEvents() {
    boolean ofOne = draw.oneIn(2);
    Instant now = draw.now();
    RunEventFilter filter = new RunEventFilter(
        ofOne ? draw.anyOf(draw.runIds) : null,
        draw.oneIn(2) ? Set.of() : Set.copyOf(draw.some(List.of(RunEventType.values()))),
        draw.oneIn(4) ? instant(now, RunRecord::updatedAt) : null,
        draw.oneIn(4) ? instant(now, RunRecord::updatedAt) : null);
    RunEventSort.Field field = (ofOne && draw.oneIn(2)) || draw.oneIn(30)
        ? RunEventSort.Field.SEQUENCE
        : RunEventSort.Field.OCCURRED_AT;
    ListRunEvents fresh = new ListRunEvents(
        draw.environment(), filter, new RunEventSort(field, direction()), limit(), null);
    if (shown.eventPages.isEmpty() || draw.oneIn(2)) {
      return fresh;
    }
    ListRunEvents next = draw.anyOf(shown.eventPages);
    return switch (draw.upTo(16)) {
      case 0 ->
        new ListRunEvents(fresh.environment(), next.filter(), next.sort(), limit(), next.cursor());
      case 1 ->
        new ListRunEvents(next.environment(), fresh.filter(), next.sort(), limit(), next.cursor());
      case 2 ->
        new ListRunEvents(next.environment(), next.filter(), fresh.sort(), limit(), next.cursor());
      default ->
        new ListRunEvents(next.environment(), next.filter(), next.sort(), limit(), next.cursor());
    };
  }

  /** Some of what a list may be restricted to. */
  RunFilter runFilter() {
    Instant now = draw.now();
    RunFilter filter = RunFilter.ALL;
    if (draw.oneIn(3)) {
      filter = filter.withStatuses(Set.copyOf(draw.some(List.of(RunStatus.values()))));
    }
    if (draw.oneIn(3)) {
      filter = filter.withTaskIds(draw.some(draw.tasks));
    }
    if (draw.oneIn(3)) {
      filter = filter.withQueues(
          draw.some(draw.queues()).stream().map(QueuePolicy::queue).toList());
    }
    if (draw.oneIn(6)) {
      filter = filter.withConcurrencyKey(draw.anyOf(draw.keys));
    }
    if (draw.oneIn(6)) {
      filter = filter.withIdempotencyKey(draw.anyOf(draw.keys));
    }
    if (draw.oneIn(6)) {
      filter = filter.withSingletonKey(draw.anyOf(draw.keys));
    }
    return draw.oneIn(3)
        ? filter.withCreated(
            draw.oneIn(2) ? null : instant(now, RunRecord::createdAt),
            draw.oneIn(2) ? null : instant(now, RunRecord::createdAt))
        : filter;
  }

  /** An instant at which something happened to some run or just after, or about now. */
  private Instant instant(Instant now, Function<RunRecord, Instant> happened) {
    List<RunRecord> past = model.past();
    return past.isEmpty() || draw.oneIn(3)
        ? now.minus(draw.shortTime())
        : happened.apply(draw.anyOf(past)).plusNanos(draw.anyOf(List.of(0, 999, 1_000)));
  }

  private static ListRunnableRuns runnable(
      Environment environment,
      List<QueuePolicy> queues,
      List<String> tasks,
      Instant now,
      int limit) {
    return new ListRunnableRuns(environment, queues, tasks, now, limit);
  }

  private static ListRunsNeedingDispatch dispatch(
      Environment environment, List<QueuePolicy> queues, Instant now, int limit) {
    return new ListRunsNeedingDispatch(
        environment, queues.stream().filter(QueuePolicy::isBounded).toList(), now, limit);
  }

  private static ListRunsNeedingDelivery delivery(
      Environment environment, List<QueuePolicy> queues, Instant now, int limit) {
    List<String> unbounded = queues.stream()
        .filter(queue -> !queue.isBounded())
        .map(QueuePolicy::queue)
        .toList();
    return new ListRunsNeedingDelivery(environment, unbounded, now, limit);
  }

  private static GetRunByIdempotencyKey owner(
      Environment environment, String task, String key, Instant now) {
    return new GetRunByIdempotencyKey(environment, task, key, now);
  }

  private ListPendingSteps steps() {
    Environment environment = draw.environment();
    List<ModelStep> pending = model.steps.all(environment).toList();
    if (pending.isEmpty() || draw.oneIn(4)) {
      return new ListPendingSteps(environment, draw.anyOf(draw.runIds), null);
    }
    ModelStep step = draw.anyOf(pending);
    return new ListPendingSteps(environment, step.request.header().runId(), step.id());
  }

  private @Nullable Integer limit() {
    return switch (draw.upTo(8)) {
      case 0 -> null;
      case 1 -> 1_000;
      default -> 1 + draw.upTo(5);
    };
  }

  private SortDirection direction() {
    return draw.oneIn(2) ? SortDirection.ASC : SortDirection.DESC;
  }
}
