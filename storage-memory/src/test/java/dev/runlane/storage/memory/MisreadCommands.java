package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.AlteringStorage.altering;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Storages that misread one field of a command by a little. */
final class MisreadCommands {
  private static final Duration MICRO = Duration.ofNanos(1_000);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      altering(
          "resets keys in one case only",
          ResetIdempotencyKey.class,
          command -> new ResetIdempotencyKey(
              command.environment(),
              command.taskId(),
              command.idempotencyKey().toUpperCase(Locale.ROOT),
              command.now())),
      altering(
          "lets one run too many be claimed",
          ClaimRunLease.class,
          command -> new ClaimRunLease(
              command.environment(),
              command.runId(),
              command.expectedSequence(),
              command.events(),
              command.projectedRun(),
              oneMore(command.queuePolicy()),
              command.now())),
      altering(
          "reserves one slot too many",
          ReserveRunDispatch.class,
          command -> new ReserveRunDispatch(
              command.environment(),
              command.runId(),
              command.expectedSequence(),
              command.event(),
              command.projectedRun(),
              oneMore(command.queuePolicy()),
              command.now())),
      altering(
          "claims messages a moment late",
          ClaimOutboxMessages.class,
          command -> claimOutbox(
              command, command.now().minus(MICRO), command.claimFor().plus(MICRO))),
      altering(
          "claims messages for whole milliseconds",
          ClaimOutboxMessages.class,
          command -> claimOutbox(
              command,
              command.now(),
              Duration.ofMillis(Math.max(1, command.claimFor().toMillis())))),
      altering(
          "returns failed messages by the millisecond",
          MarkOutboxMessagesFailed.class,
          command -> new MarkOutboxMessagesFailed(
              command.environment(),
              command.messages().stream()
                  .map(each -> new MarkOutboxMessagesFailed.Failed(
                      each.outboxMessageId(),
                      each.claimToken(),
                      each.failure(),
                      millisOrNull(each.nextAvailableAt()),
                      each.counted()))
                  .toList(),
              command.now())),
      altering(
          "claims its own messages for whole milliseconds",
          AppendRunEvents.class,
          command -> command.claimOutboxFor() == null
              ? command
              : command.claimingOutboxFor(
                  Duration.ofMillis(Math.max(1, command.claimOutboxFor().toMillis())))),
      altering(
          "prunes runs as old as the cutoff",
          PruneRuns.class,
          command -> prune(command, command.olderThan().plus(MICRO), command.now())),
      altering(
          "prunes by the cutoff instead of the caller's time",
          PruneRuns.class,
          command -> prune(command, command.olderThan(), command.olderThan())),
      altering(
          "claims occurrences a moment late",
          ClaimScheduleOccurrence.class,
          command -> new ClaimScheduleOccurrence(
              command.environment(),
              command.scheduleId(),
              command.occurrenceId(),
              command.fireAt(),
              command.now().minus(MICRO),
              command.claimFor().plus(MICRO))),
      altering(
          "keeps the first run of an occurrence",
          CompleteScheduleOccurrence.class,
          command -> new CompleteScheduleOccurrence(
              command.environment(),
              command.occurrenceId(),
              command.claimToken(),
              firstOf(1, command.runIds()),
              command.now(),
              command.taskId())),
      altering(
          "claims runs of the first queue of several",
          ClaimRuns.class,
          command -> claimRuns(command, firstOf(1, command.queues()), command.leaseFor())),
      altering(
          "leases claimed runs for whole milliseconds",
          ClaimRuns.class,
          command -> claimRuns(
              command,
              command.queues(),
              Duration.ofMillis(Math.max(1, command.leaseFor().toMillis())))),
      altering(
          "publishes queues for whole milliseconds",
          PublishQueues.class,
          command -> new PublishQueues(
              command.environment(),
              command.processId(),
              command.queues(),
              command.now(),
              Duration.ofMillis(Math.max(1, command.validFor().toMillis())))),
      altering(
          "claims messages whichever are named",
          ClaimOutboxMessages.class,
          command -> new ClaimOutboxMessages(
              command.environment(), command.now(), command.claimFor(), command.limit(), null)),
      altering(
          "claims the first of the messages that are named",
          ClaimOutboxMessages.class,
          command -> new ClaimOutboxMessages(
              command.environment(),
              command.now(),
              command.claimFor(),
              command.limit(),
              command.outboxMessageIds() == null ? null : firstOf(1, command.outboxMessageIds()))),
      altering(
          "marks the first of several published messages",
          MarkOutboxMessagesPublished.class,
          command -> new MarkOutboxMessagesPublished(
              command.environment(), firstOf(1, command.messages()), command.now())),
      altering(
          "gives up the first of several messages",
          MarkOutboxMessagesDeadLettered.class,
          command -> new MarkOutboxMessagesDeadLettered(
              command.environment(), firstOf(1, command.messages()), command.now())),
      altering(
          "prunes runs of one status of several",
          PruneRuns.class,
          command -> new PruneRuns(
              command.environment(),
              Set.copyOf(firstOf(1, command.statuses().stream().sorted().toList())),
              command.olderThan(),
              command.now(),
              command.limit(),
              command.cursor())),
      altering(
          "prunes one run more than it may",
          PruneRuns.class,
          command -> new PruneRuns(
              command.environment(),
              command.statuses(),
              command.olderThan(),
              command.now(),
              command.limit() + 1,
              command.cursor())),
      altering(
          "claims runs of the first task of several",
          ClaimRuns.class,
          command -> new ClaimRuns(
              command.environment(),
              command.queues(),
              firstOf(1, command.taskIds()),
              command.workerId(),
              command.leaseToken(),
              command.leaseFor(),
              command.now(),
              command.limit(),
              command.runIds())),
      altering(
          "claims occurrences in another case",
          ClaimScheduleOccurrence.class,
          command -> new ClaimScheduleOccurrence(
              command.environment(),
              command.scheduleId(),
              command.occurrenceId().toLowerCase(Locale.ROOT),
              command.fireAt(),
              command.now(),
              command.claimFor())),
      altering(
          "completes occurrences of no task",
          CompleteScheduleOccurrence.class,
          command -> new CompleteScheduleOccurrence(
              command.environment(),
              command.occurrenceId(),
              command.claimToken(),
              command.runIds(),
              command.now(),
              null)),
      altering(
          "claims due steps a moment late",
          ClaimDueSteps.class,
          command -> new ClaimDueSteps(
              command.environment(),
              command.now().minus(MICRO),
              command.claimFor().plus(MICRO),
              command.limit())),
      altering(
          "claims due steps for whole milliseconds",
          ClaimDueSteps.class,
          command -> new ClaimDueSteps(
              command.environment(),
              command.now(),
              Duration.ofMillis(Math.max(1, command.claimFor().toMillis())),
              command.limit())),
      altering(
          "reschedules the first of several pending steps",
          ReschedulePendingSteps.class,
          command ->
              new ReschedulePendingSteps(command.environment(), firstOf(1, command.moves()))),
      altering(
          "retries steps by the millisecond",
          RetryStep.class,
          command -> new RetryStep(
              command.environment(),
              command.runId(),
              command.stepId(),
              command.attempt(),
              command.resultAt(),
              command.nextAt().truncatedTo(ChronoUnit.MILLIS))));

  private MisreadCommands() {}

  private static ClaimOutboxMessages claimOutbox(
      ClaimOutboxMessages command, Instant now, Duration claimFor) {
    return new ClaimOutboxMessages(
        command.environment(), now, claimFor, command.limit(), command.outboxMessageIds());
  }

  private static ClaimRuns claimRuns(
      ClaimRuns command, List<QueuePolicy> queues, Duration leaseFor) {
    return new ClaimRuns(
        command.environment(),
        queues,
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        leaseFor,
        command.now(),
        command.limit(),
        command.runIds());
  }

  private static PruneRuns prune(PruneRuns command, Instant olderThan, Instant now) {
    return new PruneRuns(
        command.environment(),
        command.statuses(),
        olderThan,
        now,
        command.limit(),
        command.cursor());
  }

  private static QueuePolicy oneMore(QueuePolicy policy) {
    return policy.concurrencyLimit() == null
        ? policy
        : QueuePolicy.bounded(policy.queue(), policy.concurrencyLimit() + 1);
  }

  private static <T> List<T> firstOf(int most, List<T> all) {
    return all.subList(0, Math.min(most, all.size()));
  }

  private static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  private static @Nullable Instant millisOrNull(@Nullable Instant instant) {
    return instant == null ? null : millis(instant);
  }
}
