package dev.runlane.console.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.console.operate.MaskedActions;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the document says of job queues. A console that was given no jobs answers that it serves none. */
public final class JobRoutes {
  private static final int PAGE = 50;
  private static final int REDRIVEN = 1_000;
  private static final Duration USUAL_METRICS = Duration.ofHours(3);
  private static final Duration LONGEST_METRICS = Duration.ofDays(30);

  private final @Nullable Jobs jobs;
  private final Masks masks;
  private final Clock clock;
  private final JobBodies bodies;

  /** Over these jobs; null: there are none. */
  public JobRoutes(@Nullable Jobs jobs, Masks masks, Clock clock) {
    this.jobs = jobs;
    this.masks = masks;
    this.clock = clock;
    bodies = new JobBodies(masks);
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listJobQueues", call -> jobs()
        .store()
        .listQueues()
        .map(queues -> Pages.list(queues, queue -> bodies.queue(queue, call.caller()))));
    handlers.put("getJobQueue", this::queue);
    handlers.put("getJobMetrics", this::metrics);
    handlers.put("listJobs", this::list);
    handlers.put("findJob", this::find);
    handlers.put("getJob", this::get);
    handlers.put("listJobLines", this::lines);
    handlers.put("getJobFlow", this::flow);
    handlers.put("listJobSchedules", this::schedules);
    handlers.put("retryJob", call -> onJob(call, job -> job.retry().map("retried")));
    handlers.put("promoteJob", call -> onJob(call, job -> job.promote().map("promoted")));
    handlers.put(
        "cancelJob",
        call -> onJob(call, job -> job.cancel().map(done -> done ? "cancelled" : "unchanged")));
    handlers.put("removeJob", call -> onJob(call, job -> job.remove().map("removed")));
    handlers.put("removeJobSchedule", this::removeSchedule);
    handlers.put("pauseJobQueue", call -> onNames(call, JobQueue::pause, JobQueue::pause));
    handlers.put("resumeJobQueue", call -> onNames(call, JobQueue::resume, JobQueue::resume));
    handlers.put("drainJobQueue", call -> uncounted(call, JobQueue::drain));
    handlers.put(
        "retryFailedJobs",
        call -> onQueue(call, queue -> queue.retryJobs(visible(call, ofBody(call)))));
    handlers.put("countFailedJobs", this::countFailed);
    handlers.put("promoteDelayedJobs", call -> onQueue(call, JobQueue::promoteJobs));
    handlers.put(
        "redriveJobs",
        call -> onQueue(
            call,
            queue -> queue.redrive(call.body().path("limit").asInt(REDRIVEN)).map(List::size)));
    return handlers;
  }

  private Jobs jobs() {
    if (jobs == null) {
      throw ApiRefusal.notFound(
          "jobs_not_served",
          "this console was given no jobs: runlane serve and dev serve those of a schema that has their tables when"
              + " they start (with --classpath only of one that --schema names), a program those of"
              + " OperatorConsole.withJobs");
    }
    return jobs;
  }

  private Future<Answer> queue(ApiCall call) {
    JobQueue queue = jobs().queue(call.pathValue("queue"));
    return Future.all(queue.getJobCounts(), queue.getPausedJobNames()).map(both -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("name", queue.name());
      body.set("counts", JobBodies.counts(both.resultAt(0)));
      body.set(
          "pausedNames",
          bodies.pausedNames(
              both.<List<String>>resultAt(1).stream().sorted().toList(), call.caller()));
      return Answer.ok(body);
    });
  }

  private Future<Answer> metrics(ApiCall call) {
    Instant until = call.instant("until").orElseGet(clock::now);
    Instant from = call.instant("from").orElseGet(() -> until.minus(USUAL_METRICS));
    if (!from.isBefore(until) || from.isBefore(until.minus(LONGEST_METRICS))) {
      throw new ApiRefusal(
          ApiError.invalid("from", "from must be before until, and by 30 days at most"));
    }
    boolean isShort = Duration.between(from, until).compareTo(Duration.ofDays(1)) <= 0;
    MetricsGranularity step = isShort ? MetricsGranularity.MINUTE : MetricsGranularity.HOUR;
    return jobs()
        .store()
        .getMetrics(new MetricsQuery(call.pathValue("queue"), step, from, until))
        .map(buckets -> JobBodies.metrics(from, until, step, buckets))
        .recover(failure -> failure instanceof RunlaneException own
                && own.code() == ErrorCode.CAPABILITY_UNSUPPORTED
            ? Future.succeededFuture(JobBodies.metrics(from, until, step, null))
            : Future.failedFuture(failure))
        .map(Answer::ok);
  }

  private Future<Answer> list(ApiCall call) {
    requireVisibleFilter(call);
    int skip = call.number("skip").orElse(0);
    SearchJobsFilter filter = new SearchJobsFilter(
        call.pathValue("queue"),
        call.all("state").stream()
            .map(value -> JobState.ofValue(value).orElseThrow())
            .toList(),
        call.one("name").orElse(null),
        call.instant("createdFrom").orElse(null),
        call.instant("createdBefore").orElse(null));
    return jobs()
        .store()
        .searchSummaries(filter, skip, skip + call.number("limit").orElse(PAGE))
        .map(page -> {
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          body.put("total", page.total());
          ArrayNode data = body.putArray("data");
          page.jobs().forEach(job -> data.add(bodies.summary(job, call.caller())));
          return Answer.ok(body);
        });
  }

  private Future<Answer> countFailed(ApiCall call) {
    FailedJobsFilter filter = new FailedJobsFilter(
        call.one("name").orElse(null),
        call.one("group").orElse(null),
        call.instant("createdFrom").orElse(null),
        call.instant("createdBefore").orElse(null),
        call.one("withCancelled").map(Boolean::valueOf).orElse(false));
    return jobs()
        .queue(call.pathValue("queue"))
        .count(visible(call, filter))
        .map(count -> Answer.ok(counted(call, count)));
  }

  private static FailedJobsFilter ofBody(ApiCall call) {
    return new FailedJobsFilter(
        call.text("name").orElse(null),
        call.text("group").orElse(null),
        call.bodyInstant("createdFrom").orElse(null),
        call.bodyInstant("createdBefore").orElse(null),
        call.body().path("withCancelled").asBoolean());
  }

  private FailedJobsFilter visible(ApiCall call, FailedJobsFilter filter) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    if (filter.name() != null) {
      meant.put("name", filter.name());
    }
    if (filter.groupId() != null) {
      meant.put("groupId", filter.groupId());
    }
    masks.requireVisible(meant, call.caller());
    return filter;
  }

  private void requireVisibleFilter(ApiCall call) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    for (String field : List.of("name", "state")) {
      call.one(field).ifPresent(value -> meant.put(field, value));
    }
    masks.requireVisible(meant, call.caller());
  }

  private Future<Answer> find(ApiCall call) {
    String id = call.pathValue("jobId");
    masks.requireVisible(JsonNodeFactory.instance.objectNode().put("id", id), call.caller());
    return jobs()
        .store()
        .findJobById(id)
        .map(found ->
            Pages.list(found.stream().toList(), job -> bodies.summary(job, call.caller())));
  }

  private Future<Answer> get(ApiCall call) {
    return found(call).map(job -> Answer.ok(bodies.job(job, call.caller())));
  }

  private Future<Answer> lines(ApiCall call) {
    int skip = call.number("skip").orElse(0);
    return jobs()
        .store()
        .getLogs(
            call.pathValue("queue"),
            call.pathValue("jobId"),
            skip,
            skip + call.number("limit").orElse(PAGE))
        .map(lines -> Answer.ok(bodies.lines(lines, call.caller())));
  }

  private Future<Answer> flow(ApiCall call) {
    return found(call)
        .compose(job -> new FlowTree(jobs().store(), bodies, call.caller()).below(job))
        .map(Answer::ok);
  }

  private Future<Answer> schedules(ApiCall call) {
    String queue = call.pathValue("queue");
    boolean withPayloads = call.one("payloads").map(Boolean::valueOf).orElse(true);
    return withPayloads
        ? jobs()
            .store()
            .listSchedules(queue)
            .map(all -> Pages.list(all, schedule -> bodies.schedule(schedule, call.caller())))
        : jobs()
            .store()
            .listScheduleSummaries(queue)
            .map(all -> Pages.list(
                all, schedule -> bodies.schedule(schedule, call.caller()).without("data")));
  }

  private Future<Answer> removeSchedule(ApiCall call) {
    String queue = call.pathValue("queue");
    String key = call.pathValue("scheduleKey");
    return jobs().queue(queue).removeSchedule(key).map(wasThere -> {
      if (!wasThere) {
        throw RunlaneException.of(
            ErrorCode.SCHEDULE_NOT_FOUND, "job queue %s has no schedule %s", queue, key);
      }
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("queue", queue);
      body.put("key", key);
      body.put("done", "removed");
      return Answer.ok(body).ofAction("removed " + key);
    });
  }

  private Future<Answer> onJob(ApiCall call, Function<Job, Future<String>> action) {
    return found(call)
        .compose(job -> action.apply(new Job(jobs().context(), job)))
        .map(done -> {
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          body.put("queue", call.pathValue("queue"));
          body.put("jobId", call.pathValue("jobId"));
          body.put("done", done);
          return Answer.ok(body).ofAction(done + " " + call.pathValue("jobId"));
        });
  }

  /** Something that is done to a queue, or to the jobs of one name in it. */
  private Future<Answer> onNames(
      ApiCall call,
      Function<JobQueue, Future<Void>> whole,
      BiFunction<JobQueue, String, Future<Void>> ofName) {
    String name = call.text("name").orElse(null);
    if (name == null) {
      return uncounted(call, whole);
    }
    masks.requireVisible(JsonNodeFactory.instance.objectNode().put("name", name), call.caller());
    return uncounted(call, queue -> ofName.apply(queue, name))
        .map(answer -> answer.ofAction(MaskedActions.resultOfJobs(name)));
  }

  private Future<Answer> onQueue(ApiCall call, Function<JobQueue, Future<Integer>> action) {
    return action
        .apply(jobs().queue(call.pathValue("queue")))
        .map(count -> Answer.ok(counted(call, count)).ofAction(count + " jobs"));
  }

  /** Of what nobody counts the log of actions says that it is done, and no number. */
  private Future<Answer> uncounted(ApiCall call, Function<JobQueue, Future<Void>> action) {
    return action
        .apply(jobs().queue(call.pathValue("queue")))
        .map(done -> Answer.ok(counted(call, 0)));
  }

  private static ObjectNode counted(ApiCall call, long count) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("queue", call.pathValue("queue"));
    body.put("count", count);
    return body;
  }

  private Future<JobData> found(ApiCall call) {
    String jobId = call.pathValue("jobId");
    return jobs()
        .store()
        .getJob(call.pathValue("queue"), jobId)
        .map(job -> job.orElseThrow(
            () -> ApiRefusal.notFound("job_not_found", "there is no such job in this queue")));
  }
}
