package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.SearchJobsFilter;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command, and a look at all jobs after it: which of those that ended at one instant go first, or keep a key, is the
 * store's.
 *
 * @param command the command
 */
public record AndLook(JobCommand command) implements JobCommand {
  @Override
  public Future<?> to(JobStore store) {
    return command.to(store).compose(result -> store
        .searchJobs(SearchJobsFilter.ALL, 0, JobChecks.MOST_ENTRIES)
        .map(page -> new Answer(result, page.jobs())));
  }

  /**
   * What became of it.
   *
   * @param result the command's answer
   * @param left the jobs that are there now, the newest first; of the model, what makes this list once the ids are
   *     known that the result names
   */
  public record Answer(@Nullable Object result, Object left) {
    List<JobData> jobs() {
      return left instanceof List<?> list
          ? list.stream().map(JobData.class::cast).toList()
          : List.of();
    }
  }
}
