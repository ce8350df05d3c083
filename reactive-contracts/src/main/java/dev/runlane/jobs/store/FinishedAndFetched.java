package dev.runlane.jobs.store;

import dev.runlane.jobs.JobData;
import java.util.List;

/**
 * What became of a {@link FinishAndFetch}.
 *
 * @param results answer <i>i</i> belongs to command <i>i</i>
 * @param fetched the jobs that were handed out
 */
public record FinishedAndFetched(List<FinishResult> results, List<JobData> fetched) {
  /** Copies the lists and refuses null. */
  public FinishedAndFetched {
    results = List.copyOf(results);
    fetched = List.copyOf(fetched);
  }
}
