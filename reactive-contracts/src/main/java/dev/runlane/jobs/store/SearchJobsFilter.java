package dev.runlane.jobs.store;

import dev.runlane.jobs.JobState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs are searched; all that is given must fit.
 *
 * @param queueName the queue, or null for all
 * @param states any of these states; empty for all
 * @param name a part of the name in any case, verbatim, or null
 * @param createdAfter made then or later, or null
 * @param createdBefore made then or earlier, or null
 */
public record SearchJobsFilter(
    @Nullable String queueName,
    List<JobState> states,
    @Nullable String name,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore) {
  /** All jobs. */
  public static final SearchJobsFilter ALL =
      new SearchJobsFilter(null, List.of(), null, null, null);

  /** Copies the states. */
  public SearchJobsFilter {
    states = List.copyOf(states);
  }
}
