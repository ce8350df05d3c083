package dev.runlane.cli.operate;

import dev.runlane.cli.option.UsageException;
import dev.runlane.client.ApiClient;
import dev.runlane.client.ApiJob;
import dev.runlane.client.ApiJobSchedule;
import dev.runlane.client.JobsClient;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs through the API of a console. */
public final class RemoteJobs implements JobOperations {
  private static final int LARGEST_PAGE = 200;

  private final ApiClient client;
  private final @Nullable String reason;

  /**
   * Through this client, which it closes.
   *
   * @param reason why what changes something is done; null: nothing that changes something can be done
   */
  public RemoteJobs(ApiClient client, @Nullable String reason) {
    this.client = client;
    this.reason = reason;
  }

  @Override
  public Future<List<QueueInfo>> queues() {
    return client.jobs().queues();
  }

  @Override
  public Future<JobsClient.Found> search(SearchJobsFilter filter, int skip, int limit) {
    return search(filter, skip, limit, new LinkedHashMap<>());
  }

  /** Page by page: a job that is made meanwhile moves the others on, so that a page begins with some of the last. */
  private Future<JobsClient.Found> search(
      SearchJobsFilter filter, int skip, int limit, Map<String, ApiJob> all) {
    int page = Math.min(LARGEST_PAGE, limit - all.size());
    return client.jobs().search(filter, skip, page).compose(found -> {
      found.jobs().forEach(job -> all.putIfAbsent(job.id(), job));
      return found.jobs().size() < page || all.size() >= limit
          ? Future.succeededFuture(new JobsClient.Found(List.copyOf(all.values()), found.total()))
          : search(filter, skip + page, limit, all);
    });
  }

  @Override
  public Future<ApiJob> get(String queue, String jobId) {
    return client.jobs().get(queue, jobId);
  }

  @Override
  public Future<List<String>> lines(String queue, String jobId) {
    return get(queue, jobId).compose(job -> lines(queue, jobId, new ArrayList<>()));
  }

  private Future<List<String>> lines(String queue, String jobId, List<String> all) {
    return client.jobs().lines(queue, jobId, all.size()).compose(some -> {
      all.addAll(some);
      return some.size() < LARGEST_PAGE || all.size() >= JobData.MOST_LOG_LINES
          ? Future.succeededFuture(all)
          : lines(queue, jobId, all);
    });
  }

  @Override
  public Future<Void> retry(String queue, String jobId) {
    return client.jobs().retry(queue, jobId, reason());
  }

  @Override
  public Future<Void> promote(String queue, String jobId) {
    return client.jobs().promote(queue, jobId, reason());
  }

  @Override
  public Future<Boolean> cancel(String queue, String jobId) {
    return client.jobs().cancel(queue, jobId, reason());
  }

  @Override
  public Future<Void> remove(String queue, String jobId) {
    return client.jobs().remove(queue, jobId, reason());
  }

  @Override
  public Future<Integer> retryFailed(String queue, FailedJobsFilter filter) {
    return client.jobs().retryFailed(queue, filter, reason());
  }

  @Override
  public Future<Long> countFailed(String queue, FailedJobsFilter filter) {
    return client.jobs().countFailed(queue, filter);
  }

  @Override
  public Future<Integer> promoteDelayed(String queue) {
    return client.jobs().promoteDelayed(queue, reason());
  }

  @Override
  public Future<Integer> redrive(String queue, int limit) {
    return client.jobs().redrive(queue, limit, reason());
  }

  @Override
  public Future<List<ApiJobSchedule>> schedules(String queue) {
    return client.jobs().schedules(queue);
  }

  @Override
  public Future<Void> removeSchedule(String queue, String key) {
    return client.jobs().removeSchedule(queue, key, reason());
  }

  @Override
  public Future<Void> pause(String queue, @Nullable String name) {
    return name == null
        ? client.jobs().pause(queue, reason())
        : client.jobs().pause(queue, name, reason());
  }

  @Override
  public Future<Void> resume(String queue, @Nullable String name) {
    return name == null
        ? client.jobs().resume(queue, reason())
        : client.jobs().resume(queue, name, reason());
  }

  @Override
  public Future<Void> drain(String queue) {
    return client.jobs().drain(queue, reason());
  }

  private String reason() {
    if (reason == null) {
      throw new UsageException("--reason is missing: what is done over HTTP is recorded with one");
    }
    return reason;
  }

  @Override
  public Future<Void> close() {
    return client.close();
  }
}
