package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.AlteringStorage.altering;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
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
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.step.ListPendingSteps;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Storages that misread one field of a query by a little. */
final class MisreadQueries {
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
      events(
          "lists events that occurred at the end of a range",
          filter -> new RunEventFilter(
              filter.runId(),
              filter.types(),
              filter.occurredFrom(),
              filter.occurredBefore() == null ? null : filter.occurredBefore().plus(MICRO))),
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
              query.queues().stream().map(MisreadQueries::oneMore).toList(),
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
          "lists published queues a moment too long",
          ListPublishedQueues.class,
          query -> new ListPublishedQueues(query.environment(), query.now().minus(MICRO))),
      filtering(
          "ignores an idempotency key in a filter", filter -> filter.withIdempotencyKey(null)),
      filtering(
          "filters by a concurrency key in upper case",
          filter -> filter.withConcurrencyKey(
              filter.concurrencyKey() == null
                  ? null
                  : filter.concurrencyKey().toUpperCase(Locale.ROOT))),
      filtering(
          "lists the runs of one status of several",
          filter -> filter.withStatuses(
              Set.copyOf(firstOf(1, filter.statuses().stream().sorted().toList())))),
      listing(
          "orders runs by their creation only",
          query -> new RunSort(RunSort.Field.CREATED_AT, query.sort().direction()),
          ListRuns::cursor),
      listing("begins lists anew at a cursor", ListRuns::sort, query -> null),
      events(
          "lists the events of runs in another case",
          filter -> new RunEventFilter(
              filter.runId() == null ? null : filter.runId().toLowerCase(Locale.ROOT),
              filter.types(),
              filter.occurredFrom(),
              filter.occurredBefore())),
      events(
          "lists events of one type of several",
          filter -> new RunEventFilter(
              filter.runId(),
              Set.copyOf(firstOf(1, filter.types().stream().sorted().toList())),
              filter.occurredFrom(),
              filter.occurredBefore())),
      events(
          "does not list events that occurred at the first instant of a range",
          filter -> new RunEventFilter(
              filter.runId(),
              filter.types(),
              filter.occurredFrom() == null ? null : filter.occurredFrom().plus(MICRO),
              filter.occurredBefore())),
      altering(
          "reads a run once though it is named twice",
          GetRuns.class,
          query -> new GetRuns(
              query.environment(), query.runIds().stream().distinct().toList())),
      altering(
          "recovers deliveries of the first queue of several",
          ListRunsNeedingDelivery.class,
          query -> new ListRunsNeedingDelivery(
              query.environment(), firstOf(1, query.queues()), query.now(), query.limit())),
      altering(
          "lists pending steps whatever step is named",
          ListPendingSteps.class,
          query -> new ListPendingSteps(query.environment(), query.runId(), null)));

  private MisreadQueries() {}

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

  private static BrokenAdapter<StorageAdapter> listing(
      String sentence,
      Function<ListRuns, RunSort> sort,
      Function<ListRuns, @Nullable String> cursor) {
    return altering(
        sentence,
        ListRuns.class,
        query -> new ListRuns(
            query.environment(),
            query.filter(),
            sort.apply(query),
            query.limit(),
            cursor.apply(query)));
  }

  private static BrokenAdapter<StorageAdapter> events(
      String sentence, UnaryOperator<RunEventFilter> change) {
    return altering(
        sentence,
        ListRunEvents.class,
        query -> new ListRunEvents(
            query.environment(),
            change.apply(query.filter()),
            query.sort(),
            query.limit(),
            query.cursor()));
  }
}
