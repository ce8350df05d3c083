package dev.runlane.cli.operate;

import dev.runlane.client.ApiJob;
import dev.runlane.client.ApiJobSchedule;
import dev.runlane.client.JobsClient;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the commands on jobs need, wherever the jobs are. Every failure comes through the future. */
public interface JobOperations {
  /** The queues that have jobs. */
  Future<List<QueueInfo>> queues();

  /** Jobs of a queue, the newest first. */
  Future<JobsClient.Found> search(SearchJobsFilter filter, int skip, int limit);

  /** A job with payload and result. Fails with {@code JobNotFound}. */
  Future<ApiJob> get(String queue, String jobId);

  /** The lines that a job's handlers wrote, the last 1000. Fails with {@code JobNotFound}. */
  Future<List<String>> lines(String queue, String jobId);

  /** Lets a job wait again that has ended. Fails with {@code JobNotFound}, as the next three do. */
  Future<Void> retry(String queue, String jobId);

  /** Lets a delayed job wait now. */
  Future<Void> promote(String queue, String jobId);

  /** Cancels a job. False when it had ended, or was cancelled before. */
  Future<Boolean> cancel(String queue, String jobId);

  /** Removes a job for ever. */
  Future<Void> remove(String queue, String jobId);

  /** Lets jobs wait again that failed, all that fit; answers how many. */
  Future<Integer> retryFailed(String queue, FailedJobsFilter filter);

  /** How many jobs that would be. */
  Future<Long> countFailed(String queue, FailedJobsFilter filter);

  /** Lets all delayed jobs wait now; answers how many. */
  Future<Integer> promoteDelayed(String queue);

  /** Puts up to so many jobs of a dead-letter queue back to where they came from; answers how many. */
  Future<Integer> redrive(String queue, int limit);

  /** The schedules of a queue, by key. */
  Future<List<ApiJobSchedule>> schedules(String queue);

  /** Ends a schedule for ever; jobs that it has added stay. Fails with {@code ScheduleNotFound}. */
  Future<Void> removeSchedule(String queue, String key);

  /** Hands out no job of a queue any more; null: whatever its name. */
  Future<Void> pause(String queue, @Nullable String name);

  /** Takes a pause back. */
  Future<Void> resume(String queue, @Nullable String name);

  /** Removes all jobs that no worker has and that have not ended, for ever. */
  Future<Void> drain(String queue);

  /** Gives everything back. */
  Future<Void> close();
}
