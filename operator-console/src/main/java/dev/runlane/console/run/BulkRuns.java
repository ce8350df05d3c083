package dev.runlane.console.run;

import dev.runlane.run.FailureRecord;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs that an action on many is for.
 *
 * @param filter what they have that a list is asked for
 * @param tags they have all of these
 * @param errorCode the code of their last failure; null: any, or none
 */
record BulkRuns(
    RunFilter filter, Map<String, String> tags, @Nullable String errorCode) {
  /** How many are looked at for a page. */
  private static final int PAGE = 200;

  private static final RunSort OLDEST_FIRST =
      new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);

  /** Copies the tags. */
  BulkRuns {
    tags = Map.copyOf(tags);
  }

  /** A page of runs, the oldest first, of which {@link #fits} says which are meant. */
  Future<Page<RunSummary>> page(Runs runs, @Nullable String cursor) {
    return tags.isEmpty()
        ? runs.list(filter, OLDEST_FIRST, PAGE, cursor)
        : runs.listTagged(tags, filter, OLDEST_FIRST.direction(), PAGE, cursor);
  }

  /** Whether a run of a page is meant: no index has the codes of failures. */
  boolean fits(RunSummary run) {
    FailureRecord failure = run.failure();
    return errorCode == null
        || (failure != null && errorCode.equals(failure.code().value()));
  }
}
