package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.SearchJobsFilter;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Questions about jobs, as records: one for each method of {@link JobStore}. */
public final class JobReads {
  private JobReads() {}

  /** {@code getJob}. */
  public record GetJob(String queueName, String jobId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getJob(queueName, jobId);
    }
  }

  /** {@code findJobById}. */
  public record FindJobById(String jobId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.findJobById(jobId);
    }
  }

  /** {@code findByDeduplicationKey}. */
  public record FindByDeduplicationKey(String queueName, String key, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.findByDeduplicationKey(queueName, key, now);
    }
  }

  /** {@code getLogs}. */
  public record GetLogs(String queueName, String jobId, int start, int end) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getLogs(queueName, jobId, start, end);
    }
  }

  /** {@code listAttempts}. */
  public record ListAttempts(String queueName, String jobId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listAttempts(queueName, jobId);
    }
  }

  /** {@code getActiveCount}. */
  public record GetActiveCount(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getActiveCount(queueName);
    }
  }

  /** {@code listJobs}. */
  public record ListJobs(String queueName, JobState state, int start, int end)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listJobs(queueName, state, start, end);
    }
  }

  /** {@code countJobs}. */
  public record CountJobs(String queueName, JobState state) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.countJobs(queueName, state);
    }
  }

  /** {@code countJobs}, of failed jobs that fit. */
  public record CountFailedJobs(String queueName, FailedJobsFilter filter) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.countJobs(queueName, filter);
    }
  }

  /** {@code getJobCounts}. */
  public record GetJobCounts(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getJobCounts(queueName);
    }
  }

  /** {@code listQueues}. */
  public record ListQueues() implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listQueues();
    }
  }

  /** {@code searchByName}. */
  public record SearchByName(String query, @Nullable String queueName, int limit)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.searchByName(query, Optional.ofNullable(queueName), limit);
    }
  }

  /** {@code searchByPayload}. */
  public record SearchByPayload(String queueName, String query, int limit) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.searchByPayload(queueName, query, limit);
    }
  }

  /** {@code searchJobs}. */
  public record SearchJobs(SearchJobsFilter filter, int start, int end) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.searchJobs(filter, start, end);
    }
  }

  /** {@code listFlowParents}. */
  public record ListFlowParents(@Nullable JobState state, int limit) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listFlowParents(Optional.ofNullable(state), limit);
    }
  }

  /** {@code getNextDelayedTimestamp}. */
  public record GetNextDelayedTimestamp(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getNextDelayedTimestamp(queueName);
    }
  }

  /** {@code getPausedJobNames}. */
  public record GetPausedJobNames(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getPausedJobNames(queueName);
    }
  }

  /** {@code getStalledJobs}. */
  public record GetStalledJobs(String queueName, Instant now, int limit) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getStalledJobs(queueName, now, limit);
    }
  }

  /** {@code getChildrenJobs}. */
  public record GetChildrenJobs(String parentQueueName, String parentId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getChildrenJobs(parentQueueName, parentId);
    }
  }

  /** {@code getGroupActiveCount}. */
  public record GetGroupActiveCount(String queueName, String groupId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getGroupActiveCount(queueName, groupId);
    }
  }

  /** {@code getWaitingGroupCount}. */
  public record GetWaitingGroupCount(String queueName, String groupId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getWaitingGroupCount(queueName, groupId);
    }
  }

  /** {@code getSchedule}. */
  public record GetSchedule(String queueName, String key) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getSchedule(queueName, key);
    }
  }

  /** {@code listSchedules}. */
  public record ListSchedules(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listSchedules(queueName);
    }
  }

  /** {@code listDueSchedules}. */
  public record ListDueSchedules(String queueName, Instant now, int limit) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.listDueSchedules(queueName, now, limit);
    }
  }

  /** {@code getNextScheduleTimestamp}. */
  public record GetNextScheduleTimestamp(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getNextScheduleTimestamp(queueName);
    }
  }

  /** {@code getMetrics}. */
  public record GetMetrics(MetricsQuery query) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.getMetrics(query);
    }
  }

  /**
   * {@code aggregateMetrics}, and then {@code getMetrics}: before it is open how much of the minutes the hours have.
   */
  public record AggregateAndGet(Instant now, MetricsQuery query) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.aggregateMetrics(now).compose(done -> store.getMetrics(query));
    }
  }
}
