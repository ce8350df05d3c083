package dev.runlane.cli.operator;

import dev.runlane.cli.operate.Operations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs that an action by filter is for.
 *
 * @param filter what they have that a list is asked for
 * @param tags they have all of these
 * @param errorCode the code of their last failure; null: any, or none
 */
record MeantRuns(
    RunFilter filter, Map<String, String> tags, @Nullable ErrorCode errorCode) {
  private static final int PAGE = 200;

  /** The next of them, the oldest first: of a page of the list those whose failure has the code, which no index has. */
  Future<Page<RunSummary>> page(Operations operations, @Nullable String cursor) {
    return operations
        .listOldest(tags, filter, PAGE, cursor)
        .map(page ->
            new Page<>(page.data().stream().filter(this::fits).toList(), page.nextCursor()));
  }

  private boolean fits(RunSummary run) {
    FailureRecord failure = run.failure();
    return errorCode == null || (failure != null && failure.code() == errorCode);
  }

  /** As the log of actions has it: values of tags are left out like those of keys. */
  @Override
  public String toString() {
    return RunFilterOptions.text(filter)
        + (tags.isEmpty() ? "" : " tag=(given)")
        + (errorCode == null ? "" : " errorCode=" + errorCode.value());
  }
}
