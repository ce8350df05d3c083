package dev.runlane.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.http.ApiJson;
import dev.runlane.client.read.Fields;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Job queues over HTTP. */
public final class JobsClient {
  private static final int LINES = 200;

  private final ApiCalls calls;

  JobsClient(ApiCalls calls) {
    this.calls = calls;
  }

  /**
   * Jobs that were found.
   *
   * @param jobs this page, without payloads and results
   * @param total how many were found, on all pages
   */
  public record Found(List<ApiJob> jobs, long total) {
    /** Copies the list. */
    public Found {
      jobs = List.copyOf(jobs);
    }
  }

  /** The queues that have jobs, with how many in each state. */
  public Future<List<QueueInfo>> queues() {
    return calls.get(ApiAddress.of("job-queues")).map(body -> new Fields("the answer", body)
        .rows("data", JobsClient::queue));
  }

  /**
   * Jobs of a queue, the newest first.
   *
   * @param filter names the queue, else the future fails with {@code ValidationFailed}
   * @param skip how many to pass over first
   * @param limit how many at most, 1 to 200
   */
  public Future<Found> search(SearchJobsFilter filter, int skip, int limit) {
    String queue = filter.queueName();
    if (queue == null) {
      return Future.failedFuture(
          RunlaneException.validationFailed("over HTTP, jobs are looked for in one queue"));
    }
    return calls
        .get(ApiAddress.of("job-queues", queue, "jobs")
            .withAll("state", filter.states().stream().map(JobState::value).toList())
            .with("name", filter.name())
            .with("createdFrom", filter.createdAfter())
            .with("createdBefore", filter.createdBefore())
            .with("skip", skip)
            .with("limit", limit))
        .map(body -> {
          Fields answer = new Fields("the answer", body);
          return new Found(answer.rows("data", JobsClient::job), answer.number("total"));
        });
  }

  /**
   * The job of an id in whichever queue, without payload and result; where several queues have one, the oldest. Empty
   * where there is none. A console of a release before that route knows no such path.
   */
  public Future<Optional<ApiJob>> find(String jobId) {
    return calls.get(ApiAddress.of("jobs", jobId)).map(body -> new Fields("the answer", body)
        .rows("data", JobsClient::job).stream().findFirst());
  }

  /** A job with payload and result. Fails with {@code JobNotFound}. */
  public Future<ApiJob> get(String queue, String jobId) {
    return calls
        .get(ApiAddress.of("job-queues", queue, "jobs", jobId))
        .map(body -> job(new Fields("the job", body)));
  }

  /**
   * The lines that a job's handlers wrote, up to 200 behind those that are passed over.
   *
   * @param skip how many to pass over first
   */
  public Future<List<String>> lines(String queue, String jobId, int skip) {
    return calls
        .get(ApiAddress.of("job-queues", queue, "jobs", jobId, "log")
            .with("skip", skip)
            .with("limit", LINES))
        .map(body -> new Fields("the answer", body).texts("data"));
  }

  /** Lets a job wait again that has ended. */
  public Future<Void> retry(String queue, String jobId, String reason) {
    return onJob(queue, jobId, "retry", reason);
  }

  /** Lets a delayed job wait now. */
  public Future<Void> promote(String queue, String jobId, String reason) {
    return onJob(queue, jobId, "promote", reason);
  }

  /**
   * Cancels a job: one that no worker has ends at once, a handler is told. False when it had ended, or was cancelled
   * before.
   */
  public Future<Boolean> cancel(String queue, String jobId, String reason) {
    return calls
        .post(
            ApiAddress.of("job-queues", queue, "jobs", jobId, "cancel"), RunsClient.reason(reason))
        .map(body -> new Fields("the answer", body).text("done").equals("cancelled"));
  }

  /** Removes a job for ever. */
  public Future<Void> remove(String queue, String jobId, String reason) {
    return onJob(queue, jobId, "remove", reason);
  }

  /**
   * Lets jobs wait again that failed, all that fit; answers how many. A console of a release before filters refuses
   * each that is given, and retries cancelled jobs too.
   */
  public Future<Integer> retryFailed(String queue, FailedJobsFilter filter, String reason) {
    ObjectNode body = RunsClient.reason(reason);
    if (filter.withCancelled()) {
      body.put("withCancelled", true);
    }
    if (filter.name() != null) {
      body.put("name", filter.name());
    }
    if (filter.groupId() != null) {
      body.put("group", filter.groupId());
    }
    if (filter.createdAfter() != null) {
      body.put("createdFrom", filter.createdAfter().toString());
    }
    if (filter.createdBefore() != null) {
      body.put("createdBefore", filter.createdBefore().toString());
    }
    return onQueue(queue, "retry-failed", body);
  }

  /** How many jobs {@link #retryFailed} would let wait again. */
  public Future<Long> countFailed(String queue, FailedJobsFilter filter) {
    return calls
        .get(ApiAddress.of("job-queues", queue, "failed-count")
            .with("name", filter.name())
            .with("group", filter.groupId())
            .with("createdFrom", filter.createdAfter())
            .with("createdBefore", filter.createdBefore())
            .with("withCancelled", filter.withCancelled() ? true : null))
        .map(body -> new Fields("the answer", body).number("count"));
  }

  /** Lets all delayed jobs wait now; answers how many. */
  public Future<Integer> promoteDelayed(String queue, String reason) {
    return onQueue(queue, "promote-delayed", reason);
  }

  /**
   * Puts jobs of a dead-letter queue back into the queues they came from, oldest first; answers how many.
   *
   * @param limit how many at most, 1 to 10 000
   */
  public Future<Integer> redrive(String queue, int limit, String reason) {
    return onQueue(queue, "redrive", RunsClient.reason(reason).put("limit", limit));
  }

  /** Hands out no job of a queue any more. */
  public Future<Void> pause(String queue, String reason) {
    return onQueue(queue, "pause", reason).mapEmpty();
  }

  /** Hands out no job of exactly this name any more. A console of a release before refuses it. */
  public Future<Void> pause(String queue, String jobName, String reason) {
    return onQueue(queue, "pause", RunsClient.reason(reason).put("name", jobName))
        .mapEmpty();
  }

  /** Takes a pause back. */
  public Future<Void> resume(String queue, String reason) {
    return onQueue(queue, "resume", reason).mapEmpty();
  }

  /** Takes the pause of a name back. A console of a release before refuses it. */
  public Future<Void> resume(String queue, String jobName, String reason) {
    return onQueue(queue, "resume", RunsClient.reason(reason).put("name", jobName))
        .mapEmpty();
  }

  /** The schedules of a queue, by key. A console of a release before tells no options. */
  public Future<List<ApiJobSchedule>> schedules(String queue) {
    return calls
        .get(ApiAddress.of("job-queues", queue, "schedules"))
        .map(body -> new Fields("the answer", body).rows("data", JobsClient::schedule));
  }

  /** Ends a schedule for ever; jobs that it has added stay. Fails with {@code ScheduleNotFound}. */
  public Future<Void> removeSchedule(String queue, String key, String reason) {
    return calls
        .post(
            ApiAddress.of("job-queues", queue, "schedules", key, "remove"),
            RunsClient.reason(reason))
        .mapEmpty();
  }

  /** Removes all jobs that no worker has and that have not ended, for ever. */
  public Future<Void> drain(String queue, String reason) {
    return onQueue(queue, "drain", reason).mapEmpty();
  }

  private Future<Void> onJob(String queue, String jobId, String action, String reason) {
    return calls
        .post(ApiAddress.of("job-queues", queue, "jobs", jobId, action), RunsClient.reason(reason))
        .mapEmpty();
  }

  private Future<Integer> onQueue(String queue, String action, String reason) {
    return onQueue(queue, action, RunsClient.reason(reason));
  }

  private Future<Integer> onQueue(String queue, String action, ObjectNode request) {
    return calls
        .post(ApiAddress.of("job-queues", queue, action), request)
        .map((JsonNode body) -> new Fields("the answer", body).count("count"));
  }

  private static QueueInfo queue(Fields row) {
    Fields counted = row.object("counts");
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      counts.put(state, counted.number(state.value()));
    }
    return new QueueInfo(
        row.text("name"),
        counts,
        row.flag("paused"),
        row.textsOrNone("pausedNames"),
        row.instantOrNull("latestActivity"),
        row.number("repeating"));
  }

  private static ApiJobSchedule schedule(Fields row) {
    return new ApiJobSchedule(
        row.text("key"),
        row.text("queueName"),
        row.text("name"),
        row.instantOrNull("nextAt"),
        row.number("fired"),
        row.instantOrNull("lastFiredAt"),
        ApiJson.text(row.node()));
  }

  private static ApiJob job(Fields row) {
    return new ApiJob(
        row.text("id"),
        row.text("queueName"),
        row.text("name"),
        row.known("state", JobState::ofValue),
        row.count("startedAttempts"),
        row.instant("createdAt"),
        row.instantOrNull("delayUntil"),
        row.textOrNull("failedReason"),
        ApiJson.text(row.node()));
  }
}
