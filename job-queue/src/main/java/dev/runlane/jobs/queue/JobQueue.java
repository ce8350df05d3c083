package dev.runlane.jobs.queue;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobEventBus;
import dev.runlane.jobs.queue.job.JobObservable;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.queue.schedule.DurationText;
import dev.runlane.jobs.queue.schedule.Series;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One queue: where jobs are added, looked up and managed. Made by {@link Jobs#queue}; safe for use by any thread,
 * futures complete on the caller's context.
 *
 * <p>A payload is anything Jackson can write, a Vert.x {@code JsonObject} or {@code JsonArray}, or {@link Json}.
 */
public final class JobQueue {
  private static final Logger LOG = LoggerFactory.getLogger(JobQueue.class);

  private final Jobs jobs;
  private final JobsContext context;
  private final String name;
  private final JobOptions defaults;
  private final JobEventBus events = new JobEventBus();
  private volatile boolean closed; // any thread may close it

  JobQueue(Jobs jobs, String name, JobOptions defaults) {
    this.jobs = jobs;
    context = jobs.context();
    this.name = name;
    this.defaults = defaults;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** What this object did: waiting, delayed, paused, resumed, drained. */
  public JobEventBus events() {
    return events;
  }

  /** Adds a job with the queue's options. */
  public Future<Job> add(String jobName, @Nullable Object data) {
    return add(jobName, data, JobOptions.NONE);
  }

  /**
   * Adds a job; what these options do not say, the queue's say. Where a job with the id, or an open one with the
   * deduplication key, is there, that one is answered, and no event is published.
   *
   * <p>Fails with {@code ValidationFailed} for a malformed job, with {@code ConfigurationInvalid} for a malformed
   * cron expression, with the conflict {@code queue_capacity} when its group is full.
   */
  public Future<Job> add(String jobName, @Nullable Object data, JobOptions options) {
    return addBulk(List.of(new JobEntry(jobName, data, options))).map(added -> added.get(0));
  }

  /** As {@link #add(String, Object, JobOptions)} for each entry, all in one transaction, answered in their order. */
  public Future<List<Job>> addBulk(List<JobEntry> entries) {
    return open(() -> {
      Instant now = context.clock().now();
      List<NewJob> wanted = entries.stream().map(entry -> newJob(entry, now)).toList();
      return wanted.isEmpty()
          ? Future.succeededFuture(List.of())
          : jobs.store().saveJobs(name, wanted, now).compose(saved -> answers(wanted, saved, now));
    });
  }

  /**
   * Adds jobs in the caller's transaction.
   *
   * @param transaction a store that is bound to it, such as {@code PgJobStore.on(connection)}; used by the
   *     answered object alone, and only until the transaction ends
   */
  public JobAdder inTransaction(JobStore transaction) {
    return entries -> open(() -> {
      Instant now = context.clock().now();
      List<NewJob> wanted = entries.stream().map(entry -> newJob(entry, now)).toList();
      return wanted.isEmpty()
          ? Future.succeededFuture(List.of())
          : transaction.saveBulk(name, wanted, now);
    });
  }

  /**
   * Notifies workers, those of other processes too, that jobs wait or are delayed. Called when a transaction with jobs
   * added {@link #inTransaction} it has been committed; otherwise workers find the jobs when they next poll.
   */
  public void wake() {
    Instant now = context.clock().now();
    context.changed(List.of(
        new StoreEvent(StoreEventType.JOB_WAITING, name, null, null, now), someDelayed(name, now)));
  }

  /** Adds a job that is due after {@code delay}. */
  public Future<Job> schedule(
      Duration delay, String jobName, @Nullable Object data, JobOptions options) {
    return add(jobName, data, options.toBuilder().delay(delay).build());
  }

  /** The same with the delay as text: {@code 30s}, {@code 1.5 hours}, {@code in 2 days}. */
  public Future<Job> schedule(
      String delay, String jobName, @Nullable Object data, JobOptions options) {
    return open(() -> schedule(DurationText.parseDelay(delay), jobName, data, options));
  }

  /** Adds a job without a delay, whatever the options say. */
  public Future<Job> now(String jobName, @Nullable Object data, JobOptions options) {
    return schedule(Duration.ZERO, jobName, data, options);
  }

  /**
   * Adds a job that runs now, or at its start, and then again and again, each time so long after the last run
   * ended. Every call begins a series of its own: what a program says at each start is {@link #upsertSchedule}.
   */
  public Future<Job> every(
      Duration interval, String jobName, @Nullable Object data, JobOptions options) {
    return repeating(null, interval, jobName, data, options);
  }

  /** The same with the interval as text. */
  public Future<Job> every(
      String interval, String jobName, @Nullable Object data, JobOptions options) {
    return open(() -> every(DurationText.parse(interval), jobName, data, options));
  }

  /** Adds a job that runs at each match of a cron expression; the first run waits for the first match. */
  public Future<Job> cron(
      String expression, String jobName, @Nullable Object data, JobOptions options) {
    return repeating(expression, null, jobName, data, options);
  }

  private Future<Job> repeating(
      @Nullable String expression,
      @Nullable Duration interval,
      String jobName,
      @Nullable Object data,
      JobOptions options) {
    JobRepeat said = repeatOf(options);
    JobRepeat repeat = new JobRepeat(
        expression, interval, said.limit(), said.startDate(), said.endDate(), said.zone());
    return add(jobName, data, options.toBuilder().repeat(repeat).build());
  }

  /**
   * Says how the schedule with this name is to be: makes it, or changes it. Saying the same again, at each start of
   * a program for example, neither doubles nor delays a fire. Each fire adds a job with these options; how jobs
   * end has no influence on the schedule. An interval first fires when it is over once, cron at the first
   * match. Fires that were missed, with no worker anywhere, collapse into one. Its jobs carry no trace.
   */
  public Future<JobSchedule> upsertSchedule(
      String key, JobRepeat repeat, String jobName, @Nullable Object data, JobOptions options) {
    return open(() -> {
          Instant now = context.clock().now();
          JobChecks.check(repeat);
          Instant next = Series.fireAfter(repeat, now).orElse(null);
          UpsertSchedule command = new UpsertSchedule(
              name,
              key,
              jobName,
              payload(jobName, data),
              options
                  .withDefaults(
                      defaults.toBuilder().repeat(null).jobId(null).delay(null).build())
                  .carrying(null), // its jobs would all be of one trace, for ever
              repeat,
              next,
              now);
          return jobs.store().upsertSchedule(command);
        })
        .onSuccess(schedule -> {
          if (schedule.nextAt() != null) {
            jobs.scheduled(name, schedule.nextAt());
            // who has workers may be another process
            Json due = Json.ofChecked(Long.toString(schedule.nextAt().toEpochMilli()));
            context.changed(List.of(new StoreEvent(
                StoreEventType.JOB_DELAYED, name, null, due, context.clock().now())));
          }
        });
  }

  /** All schedules of the queue, by name. */
  public Future<List<JobSchedule>> getSchedules() {
    return open(() -> jobs.store().listSchedules(name));
  }

  /** The schedule with this name, or empty. */
  public Future<Optional<JobSchedule>> getSchedule(String key) {
    return open(() -> jobs.store().getSchedule(name, key));
  }

  /** Ends a schedule; jobs it has added stay. False where there was none. */
  public Future<Boolean> removeSchedule(String key) {
    return open(() -> jobs.store().removeSchedule(name, key));
  }

  /** Hands out no job of the queue any more, in whatever process; what runs continues. */
  public Future<Void> pause() {
    return pause(Optional.empty());
  }

  /** Hands out no job of this name any more. */
  public Future<Void> pause(String jobName) {
    return pause(Optional.of(jobName));
  }

  /** Takes {@link #pause()} back; names that are paused stay so. */
  public Future<Void> resume() {
    return resume(Optional.empty());
  }

  /** Takes {@link #pause(String)} back. */
  public Future<Void> resume(String jobName) {
    return resume(Optional.of(jobName));
  }

  /** What is paused: names, and {@link JobStore#ALL} for the queue. */
  public Future<List<String>> getPausedJobNames() {
    return open(() -> jobs.store().getPausedJobNames(name));
  }

  /** Removes all jobs that no worker has and that have not ended. */
  public Future<Void> drain() {
    Instant now = context.clock().now();
    return open(() -> jobs.store().drain(name, now)).map(ancestors -> {
      publish(StoreEventType.QUEUE_DRAINED, null);
      context.changed(ChangeEvents.of(ancestors, now));
      events.emit(JobEvent.of(JobEvent.Type.DRAINED, name));
      return null;
    });
  }

  /** Removes jobs that completed, or failed, more than {@code grace} ago; answers how many. */
  public Future<Integer> clean(JobState state, Duration grace) {
    return open(() -> jobs.store().clean(name, state, grace, context.clock().now()));
  }

  /** The job with its logs, stacks and hand-outs, or empty. */
  public Future<Optional<Job>> getJob(String jobId) {
    return open(() -> jobs.store().getJob(name, jobId))
        .map(found -> found.map(job -> new Job(context, job)));
  }

  /** Jobs in a state from {@code start} to {@code end}, exclusive: ended ones last first, others oldest first. */
  public Future<List<Job>> getJobs(JobState state, int start, int end) {
    return open(() -> jobs.store().listJobs(name, state, start, end))
        .map(found -> found.stream().map(job -> new Job(context, job)).toList());
  }

  /** The first 100 jobs in a state. */
  public Future<List<Job>> getJobs(JobState state) {
    return getJobs(state, 0, 100);
  }

  /** How many jobs are in a state. */
  public Future<Long> count(JobState state) {
    return open(() -> jobs.store().countJobs(name, state));
  }

  /** How many jobs are in each of the six states. */
  public Future<Map<JobState, Long>> getJobCounts() {
    return open(() -> jobs.store().getJobCounts(name));
  }

  /** Deletes all of the queue. Fails with the conflict {@code job_state} while a job is active, unless forced. */
  public Future<Void> obliterate(Obliterate how) {
    Instant now = context.clock().now();
    return open(() -> jobs.store().obliterate(name, how, now)).map(ancestors -> {
      context.changed(ChangeEvents.of(ancestors, now));
      return null;
    });
  }

  /** Retries all failed, or all completed, jobs as if they were new; answers how many. */
  public Future<Integer> retryJobs(JobState state) {
    return open(() -> jobs.store().retryJobs(name, state)).onSuccess(this::someWait);
  }

  /** Retries those failed jobs that fit as if they were new; answers how many. */
  public Future<Integer> retryJobs(FailedJobsFilter filter) {
    return open(() -> jobs.store().retryJobs(name, filter)).onSuccess(this::someWait);
  }

  /** How many jobs {@link #retryJobs(FailedJobsFilter)} would retry. */
  public Future<Long> count(FailedJobsFilter filter) {
    return open(() -> jobs.store().countJobs(name, filter));
  }

  /** Promotes all delayed jobs, so that they may be fetched now; answers how many. */
  public Future<Integer> promoteJobs() {
    return open(() -> jobs.store().promoteJobs(name)).onSuccess(this::someWait);
  }

  /**
   * Takes up to {@code limit} jobs out of this dead-letter queue, oldest first, and adds each to the queue it came
   * from, with its options.
   */
  public Future<List<JobRef>> redrive(int limit) {
    Instant now = context.clock().now();
    return open(() -> jobs.store().redriveDeadLetters(name, limit, now))
        .onSuccess(redriven -> context.changed(Stream.concat(
                redriven.stream()
                    .map(job -> StoreEvent.of(
                        StoreEventType.JOB_WAITING, job.queueName(), job.jobId(), now)),
                redriven.stream() // their options may delay them
                    .map(JobRef::queueName)
                    .distinct()
                    .map(queueName -> someDelayed(queueName, now)))
            .toList()));
  }

  /** As {@link Job#cancel()}, by id. */
  public Future<Boolean> cancel(String jobId) {
    return open(() -> context.cancel(name, jobId));
  }

  /** Observes the progress and end of a job. */
  public JobObservable observe(String jobId) {
    return new JobObservable(context, name, jobId);
  }

  /**
   * Closes this object: its listeners are gone and its methods fail with {@code OperationCancelled}. Jobs and
   * workers of the queue are untouched.
   */
  public void close() {
    closed = true;
    events.removeAllListeners();
  }

  private Future<Void> pause(Optional<String> jobName) {
    return open(() -> jobs.store().pauseJobName(name, jobName.orElse(JobStore.ALL)))
        .map(done -> {
          publish(StoreEventType.QUEUE_PAUSED, jobName.orElse(null));
          events.emit(JobEvent.of(JobEvent.Type.PAUSED, name).forName(jobName.orElse(null)));
          return null;
        });
  }

  private Future<Void> resume(Optional<String> jobName) {
    return open(() -> jobs.store().resumeJobName(name, jobName.orElse(JobStore.ALL)))
        .map(done -> {
          publish(StoreEventType.QUEUE_RESUMED, jobName.orElse(null));
          events.emit(JobEvent.of(JobEvent.Type.RESUMED, name).forName(jobName.orElse(null)));
          return null;
        });
  }

  private NewJob newJob(JobEntry entry, Instant now) {
    JobOptions options = entry.options().withDefaults(defaults);
    return Series.first(
        entry.name(),
        payload(entry.name(), entry.data()),
        context.carried(name, entry.name(), options, options.traceCarrier()),
        now);
  }

  private Json payload(String jobName, @Nullable Object data) {
    return context.payloads().encode("the payload of a job named " + jobName, data);
  }

  private Future<List<Job>> answers(List<NewJob> wanted, List<SavedJob> saved, Instant now) {
    List<StoreEvent> told = new ArrayList<>(saved.size());
    List<Future<Job>> answers = new ArrayList<>(saved.size());
    for (int i = 0; i < saved.size(); i++) {
      NewJob job = wanted.get(i);
      SavedJob fate = saved.get(i);
      ChangeEvents.saved(told, name, fate, job.delayUntil(), now);
      if (fate.outcome() == SavedJob.Outcome.STORED) {
        Job stored = new Job(context, stored(job, fate));
        emit(stored);
        answers.add(Future.succeededFuture(stored));
      } else {
        answers.add(existing(job, fate));
      }
    }
    context.changed(told);
    return Future.all(answers).map(all -> all.<Job>list());
  }

  private void emit(Job stored) {
    JobEvent.Type type =
        stored.state() == JobState.DELAYED ? JobEvent.Type.DELAYED : JobEvent.Type.WAITING;
    if (events.hasListeners(type)) {
      events.emit(JobEvent.about(type, stored));
    }
  }

  /** What another job stands for is read; where that cannot be, its id and state are answered with what was given. */
  private Future<Job> existing(NewJob job, SavedJob fate) {
    return jobs.store()
        .getJob(name, fate.id())
        .otherwise(failure -> {
          // Not a failure of what was added: that is stored.
          LOG.warn("job {} of queue {} was there and cannot be read", fate.id(), name, failure);
          return Optional.empty();
        })
        .map(found -> new Job(context, found.orElseGet(() -> stored(job, fate))));
  }

  private JobData stored(NewJob job, SavedJob fate) {
    return JobData.builder(
            fate.id(), name, job.name(), job.data(), fate.state(), job.options(), job.createdAt())
        .delayUntil(job.delayUntil())
        .deduplicationKey(job.deduplicationKey())
        .groupId(job.groupId())
        .build();
  }

  private static JobRepeat repeatOf(JobOptions options) {
    JobRepeat repeat = options.repeat();
    return repeat == null ? new JobRepeat(null, null, null, null, null, null) : repeat;
  }

  private void someWait(int count) {
    if (count > 0) {
      publish(StoreEventType.JOB_WAITING, null);
    }
  }

  /** Something may be due later: who has workers of the queue looks when. */
  private static StoreEvent someDelayed(String queueName, Instant now) {
    return new StoreEvent(StoreEventType.JOB_DELAYED, queueName, null, null, now);
  }

  private void publish(StoreEventType type, @Nullable String jobName) {
    Json about = jobName == null ? null : JsonValues.text(jobName);
    context.changed(
        List.of(new StoreEvent(type, name, null, about, context.clock().now())));
  }

  private <T> Future<T> open(Supplier<Future<T>> call) {
    return closed
        ? Future.failedFuture(JobsContext.closed("queue " + name))
        : AdapterCall.of("the job store", call);
  }
}
