package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.AlteringStorage.answering;
import static dev.runlane.storage.memory.AlteringStorage.misunderstanding;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Storages that do what they should and answer something else. */
final class AlteredAnswers {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      answering(
          "forgets owners of keys that wait for a retry",
          GetRunByIdempotencyKey.class,
          (GetRunByIdempotencyKey query, Optional<RunRecord> owner) ->
              owner.filter(run -> run.status() != RunStatus.RETRYING)),
      answering(
          "forgets owners of keys whose cancellation was requested",
          GetRunByIdempotencyKey.class,
          (GetRunByIdempotencyKey query, Optional<RunRecord> owner) ->
              owner.filter(run -> run.status() != RunStatus.CANCELLATION_REQUESTED)),
      misunderstanding(
          "limits lists before it looks at queues",
          ListRuns.class,
          query -> new ListRuns(
              query.environment(),
              query.filter().withQueues(List.of()),
              query.sort(),
              query.limit(),
              query.cursor()),
          (ListRuns query, Page<RunSummary> page) -> new Page<>(
              page.data().stream()
                  .filter(run -> query.filter().queues().isEmpty()
                      || query.filter().queues().contains(run.queue()))
                  .toList(),
              page.nextCursor())),
      answering(
          "never says that a list goes on",
          ListRuns.class,
          (ListRuns query, Page<RunSummary> page) -> new Page<>(page.data(), null)),
      answering(
          "claims messages in the wrong order",
          ClaimOutboxMessages.class,
          (ClaimOutboxMessages command, List<ClaimedOutboxMessage> claimed) -> reversed(claimed)),
      answering(
          "counts the claim of a message as a failed publish",
          ClaimOutboxMessages.class,
          (ClaimOutboxMessages command, List<ClaimedOutboxMessage> claimed) -> claimed.stream()
              .map(each -> new ClaimedOutboxMessage(
                  each.id(),
                  each.claimToken(),
                  each.claimExpiresAt(),
                  each.availableAt(),
                  each.failedPublishes() + 1,
                  each.message(),
                  each.groupKey()))
              .toList()),
      answering(
          "loses the group of messages",
          ClaimOutboxMessages.class,
          (ClaimOutboxMessages command, List<ClaimedOutboxMessage> claimed) -> claimed.stream()
              .map(each -> new ClaimedOutboxMessage(
                  each.id(),
                  each.claimToken(),
                  each.claimExpiresAt(),
                  each.availableAt(),
                  each.failedPublishes(),
                  each.message(),
                  null))
              .toList()),
      answering(
          "claims runs in the wrong order",
          ClaimRuns.class,
          (ClaimRuns command, ClaimedRuns claimed) ->
              new ClaimedRuns(reversed(claimed.runs()), claimed.mayHaveMore())),
      answering(
          "calls runs runnable in the wrong order",
          ListRunnableRuns.class,
          (ListRunnableRuns query, List<RunnableRunRef> found) -> reversed(found)),
      answering(
          "says that one run less was pruned",
          PruneRuns.class,
          (PruneRuns command, PrunedRuns pruned) ->
              new PrunedRuns(Math.max(0, pruned.prunedRuns() - 1), pruned.nextCursor())),
      answering(
          "does not say by which schedule an occurrence was claimed",
          ClaimScheduleOccurrence.class,
          (ClaimScheduleOccurrence command, Optional<ClaimedOccurrence> claimed) ->
              claimed.map(each -> new ClaimedOccurrence(
                  each.occurrenceId(),
                  each.occurrenceId(),
                  each.fireAt(),
                  each.claimToken(),
                  each.claimExpiresAt()))));

  private AlteredAnswers() {}

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    Collections.reverse(reversed);
    return reversed;
  }
}
