package dev.runlane.runtime;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.Page;
import dev.runlane.storage.RunEventFilter;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.storage.RunEventSort;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what a run's history says of steps: once for an attempt, page by page, and not without bound. */
final class StepHistoryReader {
  private static final Logger LOG = LoggerFactory.getLogger(StepHistoryReader.class);
  private static final Backoff AGAIN =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final int MOST_TRIES = 20;

  private final RuntimeContext context;
  private final RunRecord run;
  private final StepHistory history;
  private int rows;
  private long seen; // the sequence up to which everything is in the history
  private @Nullable Instant seenAt; // when the last event occurred that was read

  /** @param run as its attempt began */
  StepHistoryReader(RuntimeContext context, RunRecord run) {
    this.context = context;
    this.run = run;
    history = new StepHistory(run.id());
    seen = run.eventSequence();
  }

  /**
   * The steps so far; there are none before the first attempt, so nothing is read in it.
   *
   * @param over asked before each try; true gives up
   */
  Future<StepHistory> read(BooleanSupplier over) {
    return run.counters().attempts() <= 1
        ? Future.succeededFuture(history)
        : readFrom(null, 1, 0, over);
  }

  /** The sequence up to which every event about steps is in the history. */
  long seen() {
    return seen;
  }

  /** Takes events that the attempt has stored itself, of which the last has this sequence. */
  void stored(List<RunEvent> events, long last) {
    events.forEach(event -> event.accept(history));
    rows += events.size();
    seenAt = events.get(events.size() - 1).header().occurredAt();
    seen = last;
  }

  /** Reads what others, and the attempt itself, have stored since. */
  Future<StepHistory> readOn(BooleanSupplier over) {
    return readFrom(null, 1, seen, over);
  }

  private Future<StepHistory> readFrom(
      @Nullable String cursor, int tries, long after, BooleanSupplier over) {
    return context
        .storage()
        .listRunEvents(new ListRunEvents(
            run.environment(),
            new RunEventFilter(run.id(), StepHistory.TYPES, after == 0 ? null : seenAt, null),
            RunEventSort.HISTORY,
            ContractDefaults.MAX_PAGE_LIMIT,
            cursor))
        .transform((page, failure) -> {
          if (failure == null) {
            return take(page, after, over);
          }
          boolean outage = failure instanceof RunlaneException known
              && known.code() == ErrorCode.STORAGE_UNAVAILABLE;
          return outage && tries < MOST_TRIES && !over.getAsBoolean()
              ? pause(tries, failure).compose(again -> readFrom(cursor, tries + 1, after, over))
              : Future.failedFuture(failure);
        });
  }

  private Future<StepHistory> take(Page<RunEventRecord> page, long after, BooleanSupplier over) {
    List<RunEventRecord> fresh =
        page.data().stream().filter(row -> row.sequence() > after).toList();
    rows += fresh.size();
    if (rows > context.options().getMaxStepEvents()) {
      return Future.failedFuture(RunlaneException.validationFailed(
          "run %s has more than %d events about steps, retries and releases",
          run.id(), context.options().getMaxStepEvents()));
    }
    fresh.forEach(row -> {
      row.event().accept(history);
      seen = Math.max(seen, row.sequence());
      seenAt = row.event().header().occurredAt();
    });
    return page.nextCursor() == null
        ? Future.succeededFuture(history)
        : readFrom(page.nextCursor(), 1, after, over);
  }

  private Future<Void> pause(int tries, Throwable failure) {
    LOG.warn("the steps of run {} could not be read, trying again", run.id(), failure);
    return context.timers().after(AGAIN.delay(tries, context.randomness()));
  }
}
