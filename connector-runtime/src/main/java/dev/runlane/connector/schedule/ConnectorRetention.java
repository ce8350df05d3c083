package dev.runlane.connector.schedule;

import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what timelines tell of runs that ended long ago, but for how they began and ended, old entries of the
 * history, but for the newest of each connection, old changes of records, but for the newest of each stream, and,
 * whatever the options say, notices of schedules older than {@link ScheduleNotice#OLDEST_SENT}, which pile up where
 * nobody sends any. Killed at any time it leaves whole batches deleted; several at once are harmless.
 */
public final class ConnectorRetention {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorRetention.class);

  private final ConnectorStore store;
  private final Schedules schedules;
  private final Clock clock;
  private final ConnectorRetentionOptions options;

  /** Retention of a store; the options are copied. */
  public ConnectorRetention(
      ConnectorStore store, Schedules schedules, Clock clock, ConnectorRetentionOptions options) {
    this.store = store;
    this.schedules = schedules;
    this.clock = clock;
    this.options = new ConnectorRetentionOptions(options);
  }

  /** Deletes at most one batch of events, of entries, of changes and of notices each; true when more may be left. */
  public Future<Boolean> sweepOnce() {
    Instant now = clock.now();
    return prune(
            "events of timelines", options.getEventsOlderThan(), now, store.timeline()::pruneEvents)
        .compose(events -> prune(
                "entries of the history",
                options.getEntriesOlderThan(),
                now,
                store.history()::pruneEntries)
            .map(entries -> events || entries))
        .compose(more -> prune(
                "changes of records",
                options.getChangesOlderThan(),
                now,
                store.sink()::pruneChanges)
            .map(changes -> more || changes))
        .compose(more -> prune(
                "notices of schedules", ScheduleNotice.OLDEST_SENT, now, schedules::pruneNotices)
            .map(notices -> more || notices));
  }

  Duration pause() {
    return options.getSweep();
  }

  private Future<Boolean> prune(
      String what, @Nullable Duration olderThan, Instant now, Pruning pruning) {
    if (olderThan == null) {
      return Future.succeededFuture(false);
    }
    Instant before = now.minus(olderThan);
    return pruning.prune(before, options.getBatchSize()).map(deleted -> {
      if (deleted > 0) {
        LOG.info("deleted {} {} from before {}", deleted, what, before);
      }
      return deleted >= options.getBatchSize();
    });
  }

  /** Deletes at most {@code limit} that are older, and answers how many. */
  @FunctionalInterface
  private interface Pruning {
    Future<Integer> prune(Instant olderThan, int limit);
  }
}
