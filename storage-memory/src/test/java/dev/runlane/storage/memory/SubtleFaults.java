package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.BrokenAdapter.that;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import io.vertx.core.Future;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Storages that misunderstand one field of one command by a little: for the model, which names no case that fails. */
final class SubtleFaults {
  private static final Duration MICRO = Duration.ofNanos(1_000);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      altering(
          "finds runs whatever the case of their id",
          GetRun.class,
          query -> new GetRun(query.environment(), query.runId().toLowerCase(Locale.ROOT))),
      altering(
          "finds runs by the composed form of their id",
          GetRun.class,
          query -> new GetRun(
              query.environment(), Normalizer.normalize(query.runId(), Normalizer.Form.NFC))),
      altering(
          "finds runs without the blanks around their id",
          GetRuns.class,
          query -> new GetRuns(
              query.environment(), query.runIds().stream().map(String::strip).toList())),
      altering(
          "reads at most five runs at once",
          GetRuns.class,
          query -> new GetRuns(query.environment(), firstOf(5, query.runIds()))),
      altering(
          "takes environments for one that differ in case",
          ListRuns.class,
          query -> new ListRuns(
              new Environment(query.environment().name().toLowerCase(Locale.ROOT)),
              query.filter(),
              query.sort(),
              query.limit(),
              query.cursor())),
      altering(
          "finds the owner of a key in another case",
          GetRunByIdempotencyKey.class,
          query -> owner(query, query.idempotencyKey().toLowerCase(Locale.ROOT), query.now())),
      altering(
          "cuts long keys when it looks for their owner",
          GetRunByIdempotencyKey.class,
          query -> owner(
              query,
              query
                  .idempotencyKey()
                  .substring(0, Math.min(255, query.idempotencyKey().length())),
              query.now())),
      altering(
          "looks for owners by the second",
          GetRunByIdempotencyKey.class,
          query -> owner(query, query.idempotencyKey(), seconds(query.now()))),
      altering(
          "resets keys in one case only",
          ResetIdempotencyKey.class,
          command -> new ResetIdempotencyKey(
              command.environment(),
              command.taskId(),
              command.idempotencyKey().toUpperCase(Locale.ROOT),
              command.now())),
      filtering(
          "lists the runs of the first queue of several",
          filter -> filter.withQueues(firstOf(1, filter.queues()))),
      filtering(
          "lists the runs of the first task of several",
          filter -> filter.withTaskIds(firstOf(1, filter.taskIds()))),
      filtering(
          "does not list runs created at the first instant of a range",
          filter -> filter.withCreated(
              filter.createdFrom() == null ? null : filter.createdFrom().plus(MICRO),
              filter.createdBefore())),
      filtering(
          "lists runs created at the end of a range",
          filter -> filter.withCreated(
              filter.createdFrom(),
              filter.createdBefore() == null ? null : filter.createdBefore().plus(MICRO))),
      filtering(
          "cuts the range of a list to milliseconds",
          filter -> filter.withCreated(
              millisOrNull(filter.createdFrom()), millisOrNull(filter.createdBefore()))),
      filtering("ignores a concurrency key in a filter", filter -> filter.withConcurrencyKey(null)),
      filtering("ignores a singleton key in a filter", filter -> filter.withSingletonKey(null)),
      altering(
          "lists events that occurred at the end of a range",
          ListRunEvents.class,
          query -> new ListRunEvents(
              query.environment(),
              new RunEventFilter(
                  query.filter().runId(),
                  query.filter().types(),
                  query.filter().occurredFrom(),
                  query.filter().occurredBefore() == null
                      ? null
                      : query.filter().occurredBefore().plus(MICRO)),
              query.sort(),
              query.limit(),
              query.cursor())),
      altering(
          "calls runs runnable by the millisecond",
          ListRunnableRuns.class,
          query -> runnable(query, query.queues(), query.taskIds(), millis(query.now()))),
      altering(
          "calls runs runnable of the first queue of several",
          ListRunnableRuns.class,
          query -> runnable(query, firstOf(1, query.queues()), query.taskIds(), query.now())),
      altering(
          "calls runs runnable of the first task of several",
          ListRunnableRuns.class,
          query -> runnable(query, query.queues(), firstOf(1, query.taskIds()), query.now())),
      altering(
          "dispatches one run too many",
          ListRunsNeedingDispatch.class,
          query -> new ListRunsNeedingDispatch(
              query.environment(),
              query.queues().stream().map(SubtleFaults::oneMore).toList(),
              query.now(),
              query.limit())),
      altering(
          "recovers deliveries a moment late",
          ListRunsNeedingDelivery.class,
          query -> new ListRunsNeedingDelivery(
              query.environment(), query.queues(), query.now().minus(MICRO), query.limit())),
      altering(
          "finalizes cancellations a moment late",
          ListRunsNeedingCancellationFinalization.class,
          query -> new ListRunsNeedingCancellationFinalization(
              query.environment(), query.now().minus(MICRO), query.limit())),
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
                      millisOrNull(each.nextAvailableAt())))
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
          "lists published queues a moment too long",
          ListPublishedQueues.class,
          query -> new ListPublishedQueues(query.environment(), query.now().minus(MICRO))));

  private SubtleFaults() {}

  private static <C> BrokenAdapter<StorageAdapter> altering(
      String sentence, Class<C> type, UnaryOperator<C> change) {
    return that(sentence, real -> new Altered(real, new Change<>(type, change)));
  }

  private static BrokenAdapter<StorageAdapter> filtering(
      String sentence, UnaryOperator<RunFilter> change) {
    return altering(
        sentence,
        ListRuns.class,
        query -> new ListRuns(
            query.environment(),
            change.apply(query.filter()),
            query.sort(),
            query.limit(),
            query.cursor()));
  }

  private static GetRunByIdempotencyKey owner(
      GetRunByIdempotencyKey query, String key, Instant now) {
    return new GetRunByIdempotencyKey(query.environment(), query.taskId(), key, now);
  }

  private static ListRunnableRuns runnable(
      ListRunnableRuns query, List<QueuePolicy> queues, List<String> taskIds, Instant now) {
    return new ListRunnableRuns(query.environment(), queues, taskIds, now, query.limit());
  }

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
        command.limit());
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

  private static Instant seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS);
  }

  /** What becomes of commands of one type. */
  private record Change<C>(Class<C> type, UnaryOperator<C> change) {
    @SuppressWarnings("unchecked") // a command becomes one of its own type
    <T> T of(T command) {
      return type.isInstance(command) ? (T) change.apply(type.cast(command)) : command;
    }
  }

  private static final class Altered extends ForwardingStorage {
    private final Change<?> change;

    Altered(StorageAdapter real, Change<?> change) {
      super(real);
      this.change = change;
    }

    @Override
    public Optional<BatchStorage> batch() {
      BatchStorage batch = real.batch().orElseThrow();
      return Optional.of(new BatchStorage() {
        @Override
        public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
          return batch.appendAll(commands);
        }

        @Override
        public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
          return batch.claimRuns(change.of(command));
        }
      });
    }

    @Override
    public Optional<QueueLimitStorage> queueLimits() {
      QueueLimitStorage limits = real.queueLimits().orElseThrow();
      return Optional.of(new QueueLimitStorage() {
        @Override
        public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
          return limits.publishQueues(change.of(command));
        }

        @Override
        public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
          return limits.listPublishedQueues(change.of(query));
        }
      });
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return super.appendRunEvents(change.of(command));
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return super.getRun(change.of(query));
    }

    @Override
    public Future<List<RunRecord>> getRuns(GetRuns query) {
      return super.getRuns(change.of(query));
    }

    @Override
    public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
      return super.getRunByIdempotencyKey(change.of(query));
    }

    @Override
    public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
      return super.resetIdempotencyKey(change.of(command));
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return super.listRuns(change.of(query));
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      return super.listRunEvents(change.of(query));
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      return super.listRunnableRuns(change.of(query));
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDispatch(ListRunsNeedingDispatch query) {
      return super.listRunsNeedingDispatch(change.of(query));
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingDelivery(ListRunsNeedingDelivery query) {
      return super.listRunsNeedingDelivery(change.of(query));
    }

    @Override
    public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
        ListRunsNeedingCancellationFinalization query) {
      return super.listRunsNeedingCancellationFinalization(change.of(query));
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      return super.reserveRunDispatch(change.of(command));
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return super.claimRunLease(change.of(command));
    }

    @Override
    public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
        ClaimScheduleOccurrence command) {
      return super.claimScheduleOccurrence(change.of(command));
    }

    @Override
    public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
      return super.completeScheduleOccurrence(change.of(command));
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return super.claimOutboxMessages(change.of(command));
    }

    @Override
    public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
      return super.markOutboxMessagesFailed(change.of(command));
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return super.pruneRuns(change.of(command));
    }
  }
}
