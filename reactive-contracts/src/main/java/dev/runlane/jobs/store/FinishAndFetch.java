package dev.runlane.jobs.store;

import java.util.List;
import java.util.Objects;

/**
 * Ends hand-outs and asks for the next jobs.
 *
 * @param finished the hand-outs that end, of any queues, none twice
 * @param fetch which jobs to hand out then
 */
public record FinishAndFetch(List<FinishJob> finished, FetchJobs fetch) {
  /** Copies the list and refuses null. */
  public FinishAndFetch {
    finished = List.copyOf(finished);
    Objects.requireNonNull(fetch);
  }
}
