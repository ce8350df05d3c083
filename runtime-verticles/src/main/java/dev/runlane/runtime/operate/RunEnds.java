package dev.runlane.runtime.operate;

import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.ReadSize;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners of runs that end: of this process's own commits at once, of all others from the history, read
 * once a second for all of them together and only while there are any. An end may be committed a while after it
 * occurred, so each reading begins that while before the last, and which ends were reported is remembered until they
 * are older. All that goes by the storage's time as far as this process knows it, not by its own clock: one that jumps
 * back would have it read again what it has forgotten, and one that is ahead would pass over what others end.
 * Touched on the home context only.
 */
public final class RunEnds {
  /** How long after it occurred an end may be committed and is still reported = 5 s. */
  static final Duration LATE = Duration.ofSeconds(5);

  /** How far back a reading goes after the storage was away = 10 min. */
  static final Duration LONGEST_BACK = Duration.ofMinutes(10);

  /** The most ends of one reading = {@value}. */
  static final int MOST = 3_000;

  private static final Logger LOG = LoggerFactory.getLogger(RunEnds.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration NOBODY = Duration.ofHours(1); // a new listener wakes the loop
  private static final Instant NOW = Instant.MAX; // what is committed at this moment
  private static final int PAGE = 200;
  private static final int PAGE_BYTES = 4 << 20;
  private static final Set<RunEventType> TYPES =
      Set.of(RunEventType.SUCCEEDED, RunEventType.FAILED, RunEventType.CANCELLED);
  private static final RunEventSort LATEST_FIRST =
      new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.DESC);

  private final RuntimeContext context;
  private final FailureLog unreadable;
  private final ReadSize size = new ReadSize(PAGE);
  private final Set<Subscription> subscriptions = new LinkedHashSet<>();
  private final Map<String, Instant> notified = new HashMap<>(); // runs, and when they ended
  private @Nullable SweepLoop loop;
  private LocalNotifications.@Nullable Registration commits;
  private Instant readUntil = Instant.MIN; // ends before this were read, but for late ones
  private boolean closed;

  /** Those of one runtime; reads nothing until somebody listens. */
  public RunEnds(RuntimeContext context) {
    this.context = context;
    unreadable = new FailureLog(LOG, "reading runs that ended", context.timers());
  }

  /** Notifies the listener of ends that occur from now on. */
  public Future<RunSubscription> subscribe(RunFilter filter, RunEndListener listener) {
    Capabilities.require(
        context.storage().capabilities(), StorageCapability.READS_RUN_HISTORY, "a subscription");
    Instant now = context.storageTime();
    if (subscriptions.isEmpty()) {
      notified.clear();
      readUntil = now;
    }
    Subscription subscription = new Subscription(filter, listener, now.minus(LATE));
    subscriptions.add(subscription);
    begin();
    return Future.succeededFuture(subscription);
  }

  /** Notifies nobody any more. */
  public Future<Void> close() {
    closed = true;
    subscriptions.clear();
    if (commits != null) {
      commits.close();
    }
    return loop == null ? Future.succeededFuture() : loop.stop();
  }

  private void begin() {
    if (closed) {
      return;
    }
    if (loop == null) {
      commits = context
          .notifications()
          .onRunTerminal(context.host()::execute, run -> notifyListeners(run, NOW));
      loop = new SweepLoop(
          context.timers(),
          "reader of ended runs",
          this::readOnce,
          INTERVAL,
          () -> subscriptions.isEmpty() ? NOBODY : INTERVAL);
      loop.start();
    } else {
      loop.wake();
    }
  }

  private Future<Boolean> readOnce() {
    if (subscriptions.isEmpty()) {
      return Future.succeededFuture(false);
    }
    Instant now = context.storageTime();
    forgetBefore(now.minus(LONGEST_BACK)
        .minus(LATE)); // no reading comes to them, however long none succeeds
    Instant wanted = readUntil.minus(LATE);
    Instant from = wanted.isBefore(now.minus(LONGEST_BACK)) ? now.minus(LONGEST_BACK) : wanted;
    return ended(from, new ArrayList<>(), null)
        .compose(ended -> some(ended.runIds()).compose(first -> {
          if (ended.since().isAfter(wanted)) {
            missed(wanted, ended.since()); // not before: a reading that fails is made again
          }
          return notifyListeners(ended.runIds(), first);
        }))
        .map(done -> {
          readUntil = now;
          forgetBefore(now.minus(LATE.multipliedBy(2)));
          return false;
        });
  }

  /** Those that were read, and then the others: no more are held than one read answers. */
  private Future<Void> notifyListeners(List<String> runIds, Some read) {
    read.runs().forEach(run -> notifyListeners(run, run.updatedAt()));
    List<String> others = runIds.subList(read.asked(), runIds.size());
    return others.isEmpty()
        ? Future.succeededFuture()
        : some(others).compose(next -> notifyListeners(others, next));
  }

  private void forgetBefore(Instant oldest) {
    notified.values().removeIf(at -> at.isBefore(oldest));
  }

  /** How many ends are remembered. */
  int remembered() {
    return notified.size();
  }

  /** The runs that ended since then and that were not reported yet, the first end first. */
  private Future<Ended> ended(Instant from, List<String> found, @Nullable String cursor) {
    return context
        .storage()
        .listRunEvents(new ListRunEvents(
            context.environment(),
            new RunEventFilter(null, TYPES, from, null),
            LATEST_FIRST,
            PAGE,
            cursor,
            PAGE_BYTES))
        .compose(page -> {
          page.data().stream()
              .map(row -> row.event().header().runId())
              .filter(runId -> !notified.containsKey(runId))
              .forEach(found::add);
          if (page.nextCursor() != null && found.size() < MOST) {
            return ended(from, found, page.nextCursor());
          }
          Collections.reverse(found);
          return Future.succeededFuture(new Ended(
              found,
              page.nextCursor() == null ? from : at(page.data().get(page.data().size() - 1))));
        });
  }

  private static Instant at(RunEventRecord row) {
    return row.event().header().occurredAt();
  }

  /** The first of these runs. */
  private Future<Some> some(List<String> runIds) {
    if (runIds.isEmpty()) {
      return Future.succeededFuture(new Some(0, List.of()));
    }
    List<String> first = runIds.subList(0, Math.min(runIds.size(), size.runs()));
    return ReadableRuns.of(context, first).map(found -> {
      found
          .unreadable()
          .forEach((runId, failure) -> unreadable.failed(
              failure, "nobody here is notified that run %s ended".formatted(runId)));
      size.learn(found.runs().values());
      return new Some(first.size(), List.copyOf(found.runs().values()));
    });
  }

  /** @param endedAt when it ended, or {@link #NOW}, whatever clock it was committed by */
  private void notifyListeners(RunRecord run, Instant endedAt) {
    if (subscriptions.isEmpty()
        || !run.status().isTerminal()
        || notified.putIfAbsent(run.id(), run.updatedAt()) != null) {
      return;
    }
    List.copyOf(subscriptions).stream()
        .filter(subscription -> subscription.wants(run, endedAt))
        .forEach(subscription -> call(subscription, () -> subscription.listener.ended(run)));
  }

  private void missed(Instant from, Instant until) {
    List.copyOf(subscriptions)
        .forEach(
            subscription -> call(subscription, () -> subscription.listener.missed(from, until)));
  }

  private static void call(Subscription subscription, Runnable work) {
    try {
      work.run();
    } catch (Throwable thrown) { // the run counts as told of: nobody tells the others again
      LOG.error(
          "listener {} of ended runs failed", subscription.listener, FailureLog.readable(thrown));
    }
  }

  /**
   * What one reading found.
   *
   * @param runIds the first end first
   * @param since from when on all of them were read
   */
  private record Ended(List<String> runIds, Instant since) {}

  /**
   * Runs that one read answered.
   *
   * @param asked how many it asked for
   * @param runs those of them that can be read
   */
  private record Some(int asked, List<RunRecord> runs) {}

  private final class Subscription implements RunSubscription {
    private final RunFilter filter;
    private final RunEndListener listener;
    private final Instant since;

    Subscription(RunFilter filter, RunEndListener listener, Instant since) {
      this.filter = filter;
      this.listener = listener;
      this.since = since;
    }

    boolean wants(RunRecord run, Instant endedAt) {
      return !endedAt.isBefore(since) && filter.admits(run);
    }

    @Override
    public void close() {
      context.host().execute(() -> subscriptions.remove(this));
    }
  }
}
