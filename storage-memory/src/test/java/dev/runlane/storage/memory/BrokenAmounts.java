package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Storages that work in parts, and do so wrongly: with few runs none of it is seen. */
final class BrokenAmounts {
  private static final int PART = 500;
  private static final int MOST_PARTITIONS = 256;
  private static final String STARVED =
      "QueueAmounts.hundreds_of_full_partitions_do_not_starve_the_one_behind_them";
  private static final String PAGES =
      "EqualInstants.runs_and_events_of_one_instant_are_each_on_one_page";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "counts the first part of a partition's runs",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
              QueuePolicy policy = command.queuePolicy();
              return real.claimRunLease(
                  !policy.isBounded() || policy.concurrencyLimit() < PART
                      ? command
                      : BrokenCapacity.in(
                          command, QueuePolicy.bounded(policy.queue(), Integer.MAX_VALUE)));
            }
          },
          "QueueAmounts.in_a_queue_that_becomes_bounded_all_runs_count_that_are_leased",
          "QueueAmounts.in_a_queue_that_loses_its_limit_all_runs_are_found_and_count_again_when_it_gets_one"),
      that(
          "finds the first part of the runs of a queue that has lost its limit",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
              return real.listRunnableRuns(query)
                  .map(found -> found.stream().limit(PART).toList());
            }
          },
          "QueueAmounts.in_a_queue_that_loses_its_limit_all_runs_are_found_and_count_again_when_it_gets_one"),
      that(
          "frees the slots of the first part of the reservations that expired",
          FirstReservations::new,
          "QueueAmounts.of_reservations_that_expired_in_hundreds_of_partitions_none_takes_a_slot"),
      that(
          "looks for runnable runs in the first partitions of a queue",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
              return real.listRunnableRuns(query).map(found -> inFirstPartitions(real, found));
            }
          },
          STARVED),
      that(
          "looks for runs to dispatch in the first partitions of a queue",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<List<RunnableRunRef>> listRunsNeedingDispatch(
                ListRunsNeedingDispatch query) {
              return real.listRunsNeedingDispatch(query)
                  .map(found -> inFirstPartitions(real, found));
            }
          },
          STARVED),
      that(
          "shows any runs of the last instant of a scan",
          real -> new ForwardingStorage(real) {
            @Override
            public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
              return real.listRunnableRuns(new ListRunnableRuns(
                      query.environment(), query.queues(), query.taskIds(), query.now(), PART))
                  .map(found -> found.stream()
                      .sorted(Comparator.comparing(RunnableRunRef::availableAt)
                          .thenComparing(RunnableRunRef::runId, Comparator.reverseOrder()))
                      .limit(query.limit())
                      .sorted(Comparator.comparing(RunnableRunRef::availableAt)
                          .thenComparing(RunnableRunRef::runId))
                      .toList());
            }
          },
          "EqualInstants.of_runs_that_are_due_at_one_instant_those_with_the_first_ids_are_shown"),
      that(
          "goes on with a list of runs behind the instant of the page before",
          real -> new ForwardingStorage(real) {
            private final BehindInstant<RunSummary> pages =
                new BehindInstant<>(RunSummary::createdAt);

            @Override
            public Future<Page<RunSummary>> listRuns(ListRuns query) {
              return real.listRuns(query).map(page -> pages.page(query.cursor(), page));
            }
          },
          PAGES),
      that(
          "goes on with a list of events behind the instant of the page before",
          real -> new ForwardingStorage(real) {
            private final BehindInstant<RunEventRecord> pages =
                new BehindInstant<>(row -> row.event().header().occurredAt());

            @Override
            public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
              return real.listRunEvents(query).map(page -> pages.page(query.cursor(), page));
            }
          },
          PAGES),
      that(
          "loses the messages of the instant at which a claim before ended",
          real -> new ForwardingStorage(real) {
            private final BehindInstant<ClaimedOutboxMessage> claims =
                new BehindInstant<>(claimed -> claimed.message().requestedAt());

            @Override
            public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(
                ClaimOutboxMessages command) {
              return real.claimOutboxMessages(command)
                  .map(claimed -> claims.page("next", new Page<>(claimed, null)).data());
            }
          },
          "EqualInstants.messages_that_are_due_at_one_instant_are_each_claimed_once"));

  private BrokenAmounts() {}

  private static List<RunnableRunRef> inFirstPartitions(
      StorageAdapter real, List<RunnableRunRef> found) {
    if (found.isEmpty()) {
      return found;
    }
    Set<String> first = StoredState.pages(cursor -> real.listRuns(
            new ListRuns(Given.ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, null, cursor)))
        .stream()
        .map(run -> Objects.requireNonNullElse(run.concurrencyKey(), ""))
        .distinct()
        .sorted()
        .limit(MOST_PARTITIONS)
        .collect(Collectors.toUnmodifiableSet());
    return found.stream()
        .filter(run -> first.contains(Objects.requireNonNullElse(run.concurrencyKey(), "")))
        .toList();
  }

  /** Leaves out what is of the instant at which the part before ended. */
  static final class BehindInstant<T> {
    private final Function<T, Instant> instant;
    private @Nullable Instant last;

    BehindInstant(Function<T, Instant> instant) {
      this.instant = instant;
    }

    Page<T> page(@Nullable String cursor, Page<T> whole) {
      Instant before = cursor == null ? null : last;
      List<T> left = whole.data().stream()
          .filter(row -> !instant.apply(row).equals(before))
          .toList();
      if (!left.isEmpty()) {
        last = instant.apply(left.get(left.size() - 1));
      }
      return new Page<>(left, whole.nextCursor());
    }
  }

  /** Takes the partitions for full whose reservations were made last of all. */
  private static final class FirstReservations extends ForwardingStorage {
    private final List<String> reserved = new ArrayList<>();
    private final Set<String> stuck = ConcurrentHashMap.newKeySet();

    FirstReservations(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      String partition =
          Objects.requireNonNullElse(command.projectedRun().keys().concurrencyKey(), "");
      synchronized (reserved) {
        reserved.add(partition);
        if (reserved.size() > PART) {
          stuck.add(partition);
        }
      }
      return real.reserveRunDispatch(command);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return stuck.contains(
              Objects.requireNonNullElse(command.projectedRun().keys().concurrencyKey(), ""))
          ? Future.succeededFuture(Optional.empty())
          : real.claimRunLease(command);
    }
  }
}
