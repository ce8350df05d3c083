package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobTransitions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hands out jobs, one after the other. */
final class JobFetches {
  private final JobTable table;
  private Duration longestWindow = Duration.ZERO;

  JobFetches(JobTable table) {
    this.table = table;
  }

  List<JobData> fetch(FetchJobs command) {
    QueueJobs queue = table.queue(command.queueName());
    List<JobData> fetched = new ArrayList<>();
    while (fetched.size() < command.limit() && isFree(queue, command)) {
      Optional<JobRow> best = best(queue, command.options());
      if (best.isEmpty()) {
        break;
      }
      fetched.add(handOut(queue, best.get(), command));
    }
    return List.copyOf(fetched);
  }

  private boolean isFree(QueueJobs queue, FetchJobs command) {
    Integer most = command.options().globalConcurrency();
    return !queue.paused.contains(JobStore.ALL)
        && (most == null || queue.in(JobState.ACTIVE).size() < most)
        && isWithin(queue, command.options().rateLimit(), command.now());
  }

  private boolean isWithin(QueueJobs queue, @Nullable RateLimit limit, Instant now) {
    if (limit == null) {
      return true;
    }
    longestWindow =
        limit.duration().compareTo(longestWindow) > 0 ? limit.duration() : longestWindow;
    Instant needed = now.minus(longestWindow).minus(RateLimit.MOST_LATE);
    queue.limitedFetches.removeIf(each -> !each.isAfter(needed));
    Instant begin = now.minus(limit.duration());
    return queue.limitedFetches.stream().filter(begin::isBefore).count() < limit.max();
  }

  private static Optional<JobRow> best(QueueJobs queue, FetchOptions options) {
    Comparator<JobRow> order = options.lifo() ? QueueJobs.LAST_IN : QueueJobs.FIRST_IN;
    Comparator<QueueJobs.Group> byTurn = Comparator.comparingLong(group -> group.served);
    return queue.groups.values().stream()
        .filter(group -> !options.isGrouped() || isEligible(group, options))
        .flatMap(
            group -> best(queue, group, options).map(row -> new Candidate(group, row)).stream())
        .min(
            options.isGrouped()
                ? Comparator.comparing(Candidate::group, byTurn)
                    .thenComparing(Candidate::row, order)
                : Comparator.comparing(Candidate::row, order))
        .map(Candidate::row);
  }

  private static Optional<JobRow> best(
      QueueJobs queue, QueueJobs.Group group, FetchOptions options) {
    return (options.lifo() ? group.lastIn : group.firstIn)
        .stream()
            .filter(row -> !queue.paused.contains(row.job.name()))
            .filter(row -> options.jobName() == null || options.jobName().equals(row.job.name()))
            .findFirst();
  }

  private static boolean isEligible(QueueJobs.Group group, FetchOptions options) {
    Integer most = options.groupConcurrency();
    return group.id.equals(QueueJobs.UNGROUPED)
        || (!options.excludeGroups().contains(group.id) && (most == null || group.active < most));
  }

  private JobData handOut(QueueJobs queue, JobRow row, FetchJobs command) {
    queue.put(
        row,
        JobTransitions.fetched(
            row.job, command.workerId(), table.newId(), command.lockDuration(), command.now()));
    if (command.options().isGrouped()) {
      queue.markServed(row);
    }
    if (command.options().rateLimit() != null) {
      queue.limitedFetches.add(command.now());
    }
    return row.job;
  }

  private record Candidate(QueueJobs.Group group, JobRow row) {}
}
