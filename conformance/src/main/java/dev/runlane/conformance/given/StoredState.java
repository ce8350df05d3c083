package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything an environment holds, as far as reads show it: what a refused command must leave as it is.
 *
 * @param runs every run, ordered by id
 * @param events every event, in the order in which storage wrote them
 */
public record StoredState(List<RunRecord> runs, List<RunEventRecord> events) {
  private static final int MOST_PAGES = 1_000;

  public static StoredState of(StorageAdapter storage, Environment environment) {
    List<String> ids = pages(cursor -> storage.listRuns(
            new ListRuns(environment, RunFilter.ALL, RunSort.NEWEST_FIRST, null, cursor)))
        .stream()
        .map(RunSummary::id)
        .sorted()
        .toList();
    return new StoredState(
        Outcomes.done(storage.getRuns(new GetRuns(environment, ids))),
        events(storage, environment));
  }

  /** Every event of an environment in the order of event ids. */
  public static List<RunEventRecord> events(StorageAdapter storage, Environment environment) {
    RunEventFilter all = new RunEventFilter(null, Set.of(), null, null);
    RunEventSort sort = new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);
    List<RunEventRecord> events = new ArrayList<>(pages(
        cursor -> storage.listRunEvents(new ListRunEvents(environment, all, sort, null, cursor))));
    events.sort((one, other) -> EventIds.compare(one.id(), other.id()));
    return events;
  }

  /** One run's history from its beginning. */
  public static List<RunEventRecord> history(StorageAdapter storage, RunRecord run) {
    return history(storage, run.environment(), run.id());
  }

  /** The history of a run from its beginning; empty when it does not exist. */
  public static List<RunEventRecord> history(
      StorageAdapter storage, Environment environment, String runId) {
    return pages(cursor -> storage.listRunEvents(new ListRunEvents(
        environment, RunEventFilter.ofRun(runId), RunEventSort.HISTORY, null, cursor)));
  }

  /** The rows of all pages of a list; fails the case when the list does not end. */
  public static <T> List<T> pages(Function<@Nullable String, Future<Page<T>>> list) {
    List<T> rows = new ArrayList<>();
    String cursor = null;
    for (int page = 0; page < MOST_PAGES; page++) {
      Page<T> found = Outcomes.done(list.apply(cursor));
      rows.addAll(found.data());
      cursor = found.nextCursor();
      if (cursor == null) {
        return rows;
      }
    }
    throw new AssertionError("the list has not ended after " + MOST_PAGES + " pages");
  }
}
