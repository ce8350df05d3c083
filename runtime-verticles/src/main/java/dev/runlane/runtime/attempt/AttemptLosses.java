package dev.runlane.runtime.attempt;

import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.process.HistoryPages;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts of a run that its workers lost in a row: those that began since the run last got on, which is
 * a recorded step, a release or a failure with a retry. An attempt that recorded a step is none of them, however it
 * ended. The history is read backwards, no further than to where the run got on or the bound is passed.
 *
 * <p>Where history cannot be read, all attempts count that were lost in the run's life.
 */
final class AttemptLosses {
  private static final Set<RunEventType> TYPES = Set.of(
      RunEventType.STARTED,
      RunEventType.STEP_REQUESTED,
      RunEventType.STEP_COMPLETED,
      RunEventType.RELEASED,
      RunEventType.RETRY_SCHEDULED);
  private static final RunEventSort BACKWARDS =
      new RunEventSort(RunEventSort.Field.SEQUENCE, SortDirection.DESC);
  private static final int MOST_ROWS = 50; // of a page

  private final RuntimeContext context;
  private final HistoryPages pages;

  AttemptLosses(RuntimeContext context) {
    this.context = context;
    pages = new HistoryPages(context);
  }

  /** Those of the run's whole life: never fewer than in a row, and known without reading. */
  static int total(RunRecord run) {
    return run.counters().lostAttempts(1);
  }

  /**
   * How many in a row; only whether there are more than {@code most} is exact.
   *
   * @param run as its current attempt begins
   * @param over asked before each try of a read; true gives up
   */
  Future<Integer> consecutive(RunRecord run, int most, BooleanSupplier over) {
    return context.storage().capabilities().contains(StorageCapability.READS_RUN_HISTORY)
        ? count(run, most, 0, null, over)
        : Future.succeededFuture(total(run));
  }

  private Future<Integer> count(
      RunRecord run, int most, int newer, @Nullable String cursor, BooleanSupplier over) {
    int rows = Math.min(MOST_ROWS, most + 2); // the current one, those lost, one too many
    ListRunEvents query = new ListRunEvents(
        run.environment(),
        new RunEventFilter(run.id(), TYPES, null, null),
        BACKWARDS,
        rows,
        cursor);
    return pages.read(query, over).compose(page -> {
      int started = newer + startedSinceProgress(page);
      boolean gotOn = started - newer < page.data().size();
      return gotOn || page.nextCursor() == null || started - 1 > most
          ? Future.succeededFuture(started - 1)
          : count(run, most, started, page.nextCursor(), over);
    });
  }

  private static int startedSinceProgress(Page<RunEventRecord> page) {
    return (int) page.data().stream()
        .takeWhile(row -> row.event().type() == RunEventType.STARTED)
        .count();
  }
}
