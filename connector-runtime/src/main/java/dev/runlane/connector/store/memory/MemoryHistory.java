package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.history.RunStatus;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The history in memory. */
final class MemoryHistory implements RunHistory {
  private final MemoryConnectorStore store;
  private final TreeMap<Long, RecordedRun> entries = new TreeMap<>();
  private final Map<String, RunStats> stats = new HashMap<>(); // by instance
  private long number;

  MemoryHistory(MemoryConnectorStore store) {
    this.store = store;
  }

  void started(String instanceId, Instant at) {
    RunStats known = statsOf(instanceId);
    stats.put(
        instanceId,
        new RunStats(
            known.totalRuns(),
            known.succeeded(),
            known.failed(),
            known.totalRecords(),
            at,
            known.lastFinishedAt(),
            known.lastSuccessfulAt(),
            known.lastRun()));
  }

  void ended(RunHistoryEntry entry) {
    RecordedRun recorded = new RecordedRun(++number, entry);
    entries.put(number, recorded);
    String instanceId = entry.run().connector().instanceId();
    RunStats known = statsOf(instanceId);
    boolean succeeded = entry.status() == RunStatus.SUCCEEDED;
    stats.put(
        instanceId,
        new RunStats(
            known.totalRuns() + 1,
            known.succeeded() + (succeeded ? 1 : 0),
            known.failed() + (entry.status() == RunStatus.FAILED ? 1 : 0),
            known.totalRecords() + entry.result().recordsEmitted(),
            known.lastStartedAt(),
            entry.completedAt(),
            succeeded ? entry.completedAt() : known.lastSuccessfulAt(),
            Optional.of(recorded)));
  }

  private RunStats statsOf(String instanceId) {
    return stats.getOrDefault(instanceId, RunStats.NONE);
  }

  private <T> Future<T> call(String method, Runnable checks, Supplier<T> work) {
    return AdapterCall.of(method, () -> {
      checks.run();
      return Future.succeededFuture(store.locked(work));
    });
  }

  @Override
  public Future<List<RecordedRun>> list(HistoryQuery query) {
    return call("list", () -> StoreChecks.requireHistory(query), () -> {
      List<RecordedRun> page = new ArrayList<>();
      entries.descendingMap().values().stream()
          .filter(run -> matches(query, run))
          .takeWhile(run -> !query.mayHaveMore(page))
          .forEach(page::add);
      return List.copyOf(page);
    });
  }

  @Override
  public Future<List<RecordedRun>> outcomes(String instanceId, Set<RunStatus> statuses, int limit) {
    HistoryQuery query = new HistoryQuery(instanceId, statuses, null, limit);
    return call(
        "outcomes",
        () -> StoreChecks.requireHistory(query),
        () -> entries.descendingMap().values().stream()
            .filter(run -> matches(query, run))
            .limit(limit)
            .map(run -> new RecordedRun(run.number(), run.entry().outcome()))
            .toList());
  }

  private static boolean matches(HistoryQuery query, RecordedRun run) {
    @Nullable Long before = query.before();
    @Nullable String instance = query.instanceId();
    return (before == null || run.number() < before)
        && (instance == null || instance.equals(instanceOf(run)))
        && (query.statuses().isEmpty() || query.statuses().contains(run.entry().status()));
  }

  @Override
  public Future<RunStats> stats(String instanceId) {
    return call("stats", () -> StoreChecks.requireInstance(instanceId), () -> statsOf(instanceId));
  }

  @Override
  public Future<Integer> pruneEntries(Instant olderThan, int limit) {
    return call("pruneEntries", () -> StoreChecks.requirePrune(limit), () -> {
      Map<String, Integer> newer = new HashMap<>();
      Set<Long> surplus = new HashSet<>();
      entries.descendingMap().values().stream()
          .filter(run -> newer.merge(instanceOf(run), 1, Integer::sum) > HistoryQuery.MOST_ENTRIES)
          .filter(run -> run.entry().completedAt().isBefore(olderThan))
          .forEach(run -> surplus.add(run.number()));
      List<Long> oldest = surplus.stream().sorted().limit(limit).toList();
      oldest.forEach(entries::remove);
      return oldest.size();
    });
  }

  private static String instanceOf(RecordedRun run) {
    return run.entry().run().connector().instanceId();
  }
}
