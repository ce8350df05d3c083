package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.UpsertSchedule;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What changes jobs, as records: one for each method of {@link JobStore}. */
public final class JobWrites {
  private JobWrites() {}

  /** {@code saveJobs}. */
  public record SaveJobs(String queueName, List<NewJob> jobs, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.saveJobs(queueName, jobs, now);
    }
  }

  /** {@code saveJob}. */
  public record SaveJob(String queueName, NewJob job, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.saveJob(queueName, job, now);
    }
  }

  /** {@code updateJob}. */
  public record UpdateJob(String queueName, String jobId, JobUpdate updates) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.updateJob(queueName, jobId, updates);
    }
  }

  /** {@code updateJob}. */
  public record UpdateHeldJob(JobLock lock, JobUpdate updates) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.updateJob(lock, updates);
    }
  }

  /** {@code updateJob}. */
  public record UpdateExpectedJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.updateJob(queueName, jobId, updates, expectedStates);
    }
  }

  /** {@code removeJob}. */
  public record RemoveJob(String queueName, String jobId, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.removeJob(queueName, jobId, now);
    }
  }

  /** {@code fetchNextJobs}. */
  public record Fetch(FetchJobs command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.fetchNextJobs(command);
    }
  }

  /** {@code fetchNextJob}. */
  public record FetchOne(FetchJobs command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.fetchNextJob(command);
    }
  }

  /** {@code extendLock}. */
  public record ExtendLock(String queueName, String jobId, Duration duration, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.extendLock(queueName, jobId, duration, now);
    }
  }

  /** {@code extendLocks}. */
  public record ExtendLocks(List<JobLock> locks, Duration duration, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.extendLocks(locks, duration, now);
    }
  }

  /** {@code releaseLock}. */
  public record ReleaseLock(String queueName, String jobId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.releaseLock(queueName, jobId);
    }
  }

  /** {@code releaseLock}. */
  public record ReleaseHeldLock(JobLock lock) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.releaseLock(lock);
    }
  }

  /** {@code finishJobs}. */
  public record FinishJobs(List<FinishJob> commands) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.finishJobs(commands);
    }
  }

  /** {@code finishAndFetch}. */
  public record HandOver(FinishAndFetch command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.finishAndFetch(command);
    }
  }

  /** {@code failJob}. */
  public record FailJob(String queueName, String jobId, String reason, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.failJob(queueName, jobId, reason, now);
    }
  }

  /** {@code cancelJob}. */
  public record CancelJob(String queueName, String jobId, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.cancelJob(queueName, jobId, now);
    }
  }

  /** {@code cancelOpenJob}. */
  public record CancelOpenJob(String queueName, String jobId, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.cancelOpenJob(queueName, jobId, now);
    }
  }

  /** {@code appendLog}. */
  public record AppendLog(String queueName, String jobId, String line) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.appendLog(queueName, jobId, line);
    }
  }

  /** {@code appendLog}. */
  public record AppendHeldLog(JobLock lock, String line) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.appendLog(lock, line);
    }
  }

  /** {@code clearLogs}. */
  public record ClearLogs(String queueName, String jobId) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.clearLogs(queueName, jobId);
    }
  }

  /** {@code promoteDelayedJobs}. */
  public record PromoteDelayedJobs(String queueName, Instant timestamp) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.promoteDelayedJobs(queueName, timestamp);
    }
  }

  /** {@code promoteJobs}. */
  public record PromoteJobs(String queueName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.promoteJobs(queueName);
    }
  }

  /** {@code pauseJobName}. */
  public record PauseJobName(String queueName, String jobName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.pauseJobName(queueName, jobName);
    }
  }

  /** {@code resumeJobName}. */
  public record ResumeJobName(String queueName, String jobName) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.resumeJobName(queueName, jobName);
    }
  }

  /** {@code clean}. */
  public record Clean(String queueName, JobState state, Duration grace, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.clean(queueName, state, grace, now);
    }
  }

  /** {@code drain}. */
  public record Drain(String queueName, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.drain(queueName, now);
    }
  }

  /** {@code obliterate}. */
  public record ObliterateQueue(String queueName, Obliterate how, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.obliterate(queueName, how, now);
    }
  }

  /** {@code retryJobs}. */
  public record RetryJobs(String queueName, JobState state) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.retryJobs(queueName, state);
    }
  }

  /** {@code retryJobs} by a filter. */
  public record RetryFailedJobs(String queueName, FailedJobsFilter filter) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.retryJobs(queueName, filter);
    }
  }

  /** {@code removeExpiredJobs}. */
  public record RemoveExpiredJobs(String queueName, Instant now, int limit) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.removeExpiredJobs(queueName, now, limit);
    }
  }

  /** {@code redriveDeadLetters}. */
  public record RedriveDeadLetters(String queueName, int limit, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.redriveDeadLetters(queueName, limit, now);
    }
  }

  /** {@code saveFlow}. */
  public record SaveFlow(List<FlowNode> jobs, Instant now) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.saveFlow(jobs, now);
    }
  }

  /** {@code notifyChildCompleted}. */
  public record NotifyChildCompleted(String parentQueueName, String parentId, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.notifyChildCompleted(parentQueueName, parentId, now);
    }
  }

  /** {@code failParentOnChildFailure}. */
  public record FailParent(String parentQueueName, String parentId, String reason, Instant now)
      implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.failParentOnChildFailure(parentQueueName, parentId, reason, now);
    }
  }

  /** {@code upsertSchedule}. */
  public record Upsert(UpsertSchedule command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.upsertSchedule(command);
    }
  }

  /** {@code removeSchedule}. */
  public record RemoveSchedule(String queueName, String key) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.removeSchedule(queueName, key);
    }
  }

  /** {@code fireSchedule}. */
  public record Fire(FireSchedule command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return store.fireSchedule(command);
    }
  }
}
