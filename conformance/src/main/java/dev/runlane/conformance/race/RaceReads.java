package dev.runlane.conformance.race;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.model.LookAtOutbox;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.step.ListPendingSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Everything that can be read after a race. */
final class RaceReads {
  private RaceReads() {}

  static List<Object> of(StorageAdapter storage, RaceDraw draw) {
    Instant now = draw.now();
    List<Object> reads = new ArrayList<>(List.of(
        new GetRuns(RaceDraw.HERE, RaceDraw.RUNS),
        new ListRuns(
            RaceDraw.HERE,
            RunFilter.ALL,
            new RunSort(RunSort.Field.UPDATED_AT, SortDirection.ASC),
            100,
            null),
        new ListRunEvents(
            RaceDraw.HERE,
            new RunEventFilter(null, Set.of(), null, null),
            new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC),
            200,
            null),
        new GetRunByIdempotencyKey(RaceDraw.HERE, RaceDraw.TASKS.get(0), RaceDraw.KEY, now),
        new ListRunnableRuns(RaceDraw.HERE, draw.queues, RaceDraw.TASKS, now, 100),
        new ListRunsNeedingDispatch(
            RaceDraw.HERE, draw.queues.stream().filter(QueuePolicy::isBounded).toList(), now, 100),
        new ListRunsNeedingCancellationFinalization(RaceDraw.HERE, now, 100)));
    if (storage.schedules().isPresent()) {
      reads.add(new GetScheduleOccurrence(RaceDraw.HERE, RaceDraw.OCCURRENCE));
    }
    if (storage.queueLimits().isPresent()) {
      reads.add(new ListPublishedQueues(RaceDraw.HERE, now));
    }
    for (String run : RaceDraw.RUNS.subList(0, draw.usedRuns())) {
      if (storage.outbox().isPresent()) {
        reads.add(new LookAtOutbox(new GetRun(RaceDraw.HERE, run)));
      }
      if (storage.steps().isPresent()) {
        reads.add(new ListPendingSteps(RaceDraw.HERE, run, null));
      }
    }
    return reads;
  }

  /** What is left of messages, and in which order it is due. */
  static ClaimOutboxMessages lastMessages() {
    return new ClaimOutboxMessages(
        RaceDraw.HERE, Given.NEXT_YEAR, Duration.ofSeconds(1), 1_000, null);
  }
}
