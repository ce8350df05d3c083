package dev.runlane.jobs.store;

import dev.runlane.jobs.RateLimit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a fetch may hand out. All limits hold over all workers and processes, and are decided with the
 * hand-out itself: however many fetch at once, none is exceeded.
 *
 * @param lifo whether the last of equal priority goes first
 * @param jobName only jobs of this name, or null
 * @param groupConcurrency most active jobs of one group, 1 or more, or null; jobs without a group are exempt
 * @param excludeGroups groups to pass over
 * @param rateLimit most hand-outs in a window, counting those of fetches with a rate limit only, or null
 * @param globalConcurrency most active jobs of the queue, 1 or more, or null
 */
public record FetchOptions(
    boolean lifo,
    @Nullable String jobName,
    @Nullable Integer groupConcurrency,
    Set<String> excludeGroups,
    @Nullable RateLimit rateLimit,
    @Nullable Integer globalConcurrency) {
  /** Any job, in the usual order. */
  public static final FetchOptions ANY = new FetchOptions(false, null, null, Set.of(), null, null);

  /** Copies the groups. */
  public FetchOptions {
    excludeGroups = Set.copyOf(excludeGroups);
  }

  /** Whether groups are served in turn: when one of the two group options is given. */
  public boolean isGrouped() {
    return groupConcurrency != null || !excludeGroups.isEmpty();
  }

  /** The last of equal priority first. */
  public FetchOptions lastFirst() {
    return new FetchOptions(
        true, jobName, groupConcurrency, excludeGroups, rateLimit, globalConcurrency);
  }

  /** Only jobs of this name, or of any where null. */
  public FetchOptions named(@Nullable String name) {
    return new FetchOptions(
        lifo, name, groupConcurrency, excludeGroups, rateLimit, globalConcurrency);
  }

  /** At most so many active jobs of one group. */
  public FetchOptions withGroupConcurrency(@Nullable Integer most) {
    return new FetchOptions(lifo, jobName, most, excludeGroups, rateLimit, globalConcurrency);
  }

  /** None of these groups. */
  public FetchOptions without(Set<String> groups) {
    return new FetchOptions(lifo, jobName, groupConcurrency, groups, rateLimit, globalConcurrency);
  }

  /** Within this window. */
  public FetchOptions withRateLimit(@Nullable RateLimit limit) {
    return new FetchOptions(
        lifo, jobName, groupConcurrency, excludeGroups, limit, globalConcurrency);
  }

  /** At most so many active jobs of the queue. */
  public FetchOptions withGlobalConcurrency(@Nullable Integer most) {
    return new FetchOptions(lifo, jobName, groupConcurrency, excludeGroups, rateLimit, most);
  }
}
