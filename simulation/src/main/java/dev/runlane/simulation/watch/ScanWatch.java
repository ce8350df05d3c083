package dev.runlane.simulation.watch;

import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Line;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of the storage and compares the candidates of a scan with what is stored: those that are due, the
 * longest due first, as many of each partition as it has slots free, so that a full one takes nobody else's place.
 */
public final class ScanWatch implements Line {
  /** One is compared, since that takes longer than a scan. */
  private static final int OF_SO_MANY = 3;

  private final StoredRuns stored;
  private final Line next;
  private final Consumer<Violation> found;
  private long scans;

  /** @param next what all calls go through */
  public ScanWatch(StoredRuns stored, Line next, Consumer<Violation> found) {
    this.stored = stored;
    this.next = next;
    this.found = found;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    return call(method, null, execute);
  }

  @Override
  public Future<?> call(String method, @Nullable Object command, Supplier<Future<?>> execute) {
    Future<?> done = next.call(method, command, execute);
    boolean isScan =
        command instanceof ListRunnableRuns || command instanceof ListRunsNeedingDispatch;
    if (!isScan || scans++ % OF_SO_MANY != 0) {
      return done;
    }
    if (done.succeeded() && command instanceof ListRunnableRuns query) {
      Instant now = query.now();
      Scan scan = new Scan(
          RunDueTimes::runnableAvailableAt,
          (run, policy) -> query.taskIds().contains(run.taskId())
              ? claimNeeds(run, policy, now)
              : Need.ANOTHER_SCAN);
      check(method, scan, query.queues(), now, query.limit(), (List<?>) done.result());
    } else if (done.succeeded() && command instanceof ListRunsNeedingDispatch query) {
      Instant now = query.now();
      Scan scan = new Scan(ScanWatch::dispatchableFrom, (run, policy) -> dispatchNeeds(run, now));
      check(method, scan, query.queues(), now, query.limit(), (List<?>) done.result());
    }
    return done;
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return next.pushes(listener);
  }

  private void check(
      String method,
      Scan scan,
      List<QueuePolicy> policies,
      Instant now,
      int limit,
      List<?> answer) {
    List<String> due = candidates(scan, policies, now);
    List<String> expected = due.subList(0, Math.min(limit, due.size()));
    List<String> listed =
        answer.stream().map(each -> ((RunnableRunRef) each).runId()).toList();
    if (!listed.equals(expected)) {
      found.accept(new Violation(
          Rule.SCAN, method, "lists " + listed + " at " + now + ", and due are " + expected));
    }
  }

  private List<String> candidates(Scan scan, List<QueuePolicy> policies, Instant now) {
    List<RunRecord> all = stored.unended();
    Map<String, QueuePolicy> queues = new HashMap<>();
    policies.forEach(policy -> queues.put(policy.queue(), policy));
    Map<Partition, Integer> occupied = new HashMap<>();
    all.stream()
        .filter(run -> run.occupiesSlotAt(now))
        .forEach(run -> occupied.merge(Partition.of(run), 1, Integer::sum));
    List<String> candidates = new ArrayList<>();
    all.stream()
        .filter(run -> !scan.dueAt(run).isAfter(now))
        .sorted(Comparator.comparing(scan::dueAt).thenComparing(RunRecord::id, Identifiers.ORDER))
        .forEach(run -> {
          QueuePolicy policy = queues.get(run.queue());
          Need need = policy == null ? Need.ANOTHER_SCAN : scan.needs.apply(run, policy);
          if (need == Need.NOTHING
              || (need == Need.A_SLOT && policy != null && takesSlot(occupied, run, policy))) {
            candidates.add(run.id());
          }
        });
    return candidates;
  }

  private static boolean takesSlot(
      Map<Partition, Integer> occupied, RunRecord run, QueuePolicy policy) {
    Integer limit = policy.concurrencyLimit();
    return limit == null || occupied.merge(Partition.of(run), 1, Integer::sum) <= limit;
  }

  /** A run whose slot was held and is no more is for who reserves. */
  private static Need claimNeeds(RunRecord run, QueuePolicy policy, Instant now) {
    if (run.occupiesSlotAt(now)) {
      return Need.NOTHING;
    }
    return policy.isBounded() && run.reservation() != null ? Need.ANOTHER_SCAN : Need.A_SLOT;
  }

  private static Need dispatchNeeds(RunRecord run, Instant now) {
    if (run.hasLiveReservationAt(now)) {
      return Need.ANOTHER_SCAN;
    }
    return run.status().isLeased() ? Need.NOTHING : Need.A_SLOT;
  }

  private static Optional<Instant> dispatchableFrom(RunRecord run) {
    DispatchReservation reserved = run.reservation();
    Optional<Instant> due = RunDueTimes.runnableAvailableAt(run);
    return reserved == null || run.status().isLeased()
        ? due
        : due.map(waiting -> reserved.expiresAt());
  }

  /** What a run that is due has to find. */
  private enum Need {
    NOTHING,
    A_SLOT,
    ANOTHER_SCAN
  }

  /**
   * What a scan looks for.
   *
   * @param due from when on a run is of interest; empty: never
   * @param needs what it has to find then
   */
  private record Scan(
      Function<RunRecord, Optional<Instant>> due, BiFunction<RunRecord, QueuePolicy, Need> needs) {
    private Instant dueAt(RunRecord run) {
      return due.apply(run).orElse(Instant.MAX);
    }
  }

  private record Partition(String queue, @Nullable String key) {
    static Partition of(RunRecord run) {
      return new Partition(run.queue(), run.keys().concurrencyKey());
    }
  }
}
