package dev.runlane.runtime.steps;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.HistoryPages;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Reads what a run's history says of steps: once for an attempt, page by page, and not without bound. */
final class StepHistoryReader {
  private static final int PAGE_BYTES = 4 << 20;

  private final RuntimeContext context;
  private final RunRecord run;
  private final HistoryPages pages;
  private final StepHistory history;
  private int rows;
  private long bytes; // of results
  private long seen; // the sequence up to which everything is in the history
  private @Nullable Instant seenAt; // when the last event occurred that was read

  /** @param run as its attempt began */
  StepHistoryReader(RuntimeContext context, RunRecord run) {
    this.context = context;
    this.run = run;
    pages = new HistoryPages(context);
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
        : readPage(filter(null), 0, null, over);
  }

  /** The sequence up to which every event about steps is in the history. */
  long seen() {
    return seen;
  }

  /**
   * Takes events that the attempt has stored itself, of which the last has this sequence. Throws {@code
   * ValidationFailed} when the results have more bytes than the bound.
   */
  void stored(List<RunEvent> events, long last) {
    events.forEach(event -> event.accept(history));
    rows += events.size();
    seenAt = events.get(events.size() - 1).header().occurredAt();
    seen = last;
    events.forEach(this::count);
    requireBytes();
  }

  private void count(RunEvent event) {
    if (event instanceof RunEvent.StepCompleted done && done.output() != null) {
      bytes += done.output().text().length();
    }
  }

  private void requireBytes() {
    if (bytes > context.options().getMaxStepBytes()) {
      throw RunlaneException.validationFailed(
          "the results of the steps of run %s have more than %d bytes",
          run.id(), context.options().getMaxStepBytes());
    }
  }

  /** Reads what others, and the attempt itself, have stored since. */
  Future<StepHistory> readOn(BooleanSupplier over) {
    return readPage(filter(seenAt), seen, null, over);
  }

  private RunEventFilter filter(@Nullable Instant from) {
    return new RunEventFilter(run.id(), StepHistory.TYPES, from, null);
  }

  /** @param filter that of the read's first page: a cursor belongs to the filter it was given for */
  private Future<StepHistory> readPage(
      RunEventFilter filter, long after, @Nullable String cursor, BooleanSupplier over) {
    return pages
        .read(
            new ListRunEvents(
                run.environment(),
                filter,
                RunEventSort.HISTORY,
                ContractDefaults.MAX_PAGE_LIMIT,
                cursor,
                PAGE_BYTES),
            over)
        .compose(page -> {
          take(page, after);
          return page.nextCursor() == null
              ? Future.succeededFuture(history)
              : readPage(filter, after, page.nextCursor(), over);
        });
  }

  /** Throws {@code ValidationFailed} when the history has more than the bounds. */
  private void take(Page<RunEventRecord> page, long after) {
    List<RunEventRecord> fresh =
        page.data().stream().filter(row -> row.sequence() > after).toList();
    rows += fresh.size();
    if (rows > context.options().getMaxStepEvents()) {
      throw RunlaneException.validationFailed(
          "run %s has more than %d events about steps, retries and releases",
          run.id(), context.options().getMaxStepEvents());
    }
    fresh.forEach(row -> count(row.event()));
    requireBytes();
    fresh.forEach(row -> {
      row.event().accept(history);
      seen = Math.max(seen, row.sequence());
      seenAt = row.event().header().occurredAt();
    });
  }
}
