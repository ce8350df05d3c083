package dev.runlane.example;

import dev.runlane.runtime.operate.Runs;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads lists of runs page by page. */
record RunPages(Runs runs) {
  private static final int PAGE = 200;

  /** The newest runs that fit, {@code most} of them or a few more. */
  Future<List<RunSummary>> read(RunFilter filter, int most) {
    return read(filter, most, new ArrayList<>(), null);
  }

  private Future<List<RunSummary>> read(
      RunFilter filter, int most, List<RunSummary> sofar, @Nullable String cursor) {
    return runs.list(filter, RunSort.NEWEST_FIRST, PAGE, cursor).compose(page -> {
      sofar.addAll(page.data());
      return page.nextCursor() == null || sofar.size() >= most
          ? Future.succeededFuture(sofar)
          : read(filter, most, sofar, page.nextCursor());
    });
  }
}
