package dev.runlane.jobs.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which failed jobs of a queue are meant; all that is given must fit.
 *
 * @param name a part of the name in any case, verbatim, or null
 * @param groupId their group, or null for any and none
 * @param createdAfter made then or later, or null
 * @param createdBefore made then or earlier, or null
 * @param withCancelled whether those that were cancelled are meant too
 */
public record FailedJobsFilter(
    @Nullable String name,
    @Nullable String groupId,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore,
    boolean withCancelled) {
  /** All that failed, without those that were cancelled. */
  public static final FailedJobsFilter ALL = new FailedJobsFilter(null, null, null, null, false);

  /** The same, with those that were cancelled. */
  public FailedJobsFilter withCancelledOnes() {
    return new FailedJobsFilter(name, groupId, createdAfter, createdBefore, true);
  }
}
