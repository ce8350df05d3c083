package dev.runlane.connector.store.history;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a part of the history, the newest first.
 *
 * @param instanceId of this connection only, or null for all
 * @param statuses of these only; empty for all
 * @param before older than the entry with this number, or null for the newest
 * @param limit at most this many, 1 to {@value #MOST_ENTRIES}
 */
public record HistoryQuery(
    @Nullable String instanceId,
    Set<RunStatus> statuses,
    @Nullable Long before,
    int limit) {
  /** Entries in one page at most = {@value}. */
  public static final int MOST_ENTRIES = 500;

  /** Bytes of JSON in one page, but for its last entry, at most = {@value}. */
  public static final int MOST_BYTES = 8 << 20;

  /** Copies the statuses. */
  public HistoryQuery {
    statuses = Set.copyOf(statuses);
  }

  /** Whether there may be entries beyond this page, which answers this query. */
  public boolean mayHaveMore(List<RecordedRun> page) {
    return page.size() == limit
        || page.stream().mapToLong(run -> run.entry().result().bytes()).sum() >= MOST_BYTES;
  }

  /** The newest of one connection. */
  public static HistoryQuery newest(String instanceId) {
    return new HistoryQuery(instanceId, Set.of(), null, MOST_ENTRIES);
  }
}
