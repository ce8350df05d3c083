package dev.runlane.telemetry.metrics;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobEventBus;
import dev.runlane.timing.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What the queues and workers of jobs of a process do, as meters. All meters are of this process; the sum over all
 * processes is that of the system. For any thread.
 */
public final class JobMetrics {
  private final MeterRegistry registry;
  private final Meters meters;
  private final BoundedLabel queues;
  private final BoundedLabel jobs;
  private final Clock clock;

  private JobMetrics(MeterRegistry registry, RunlaneMetricsOptions options, Clock clock) {
    this.registry = registry;
    meters = new Meters(registry, options.isHistograms());
    queues = new BoundedLabel(options.getMostLabelValues());
    jobs = new BoundedLabel(options.getMostLabelValues());
    this.clock = clock;
  }

  /** Meters in {@code registry}. */
  public static JobMetrics create(MeterRegistry registry) {
    return create(registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds: the most label values are those of queues and of names of jobs. */
  public static JobMetrics create(MeterRegistry registry, RunlaneMetricsOptions options) {
    return create(registry, options, Clock.system());
  }

  static JobMetrics create(MeterRegistry registry, RunlaneMetricsOptions options, Clock clock) {
    return new JobMetrics(registry, new RunlaneMetricsOptions(options), clock);
  }

  /** Counts what a worker does from now on; returns it. To be called before its start, and once. */
  public JobWorker observe(JobWorker worker) {
    JobEventBus events = worker.events();
    events.on(JobEvent.Type.ACTIVE, event -> event.job().ifPresent(this::started));
    for (JobEvent.Type type : List.of(
        JobEvent.Type.COMPLETED,
        JobEvent.Type.FAILED,
        JobEvent.Type.CANCELLED,
        JobEvent.Type.DELAYED,
        JobEvent.Type.WAITING)) {
      events.on(type, event -> event.job().ifPresent(job -> ended(job, outcome(type))));
    }
    Tags queue = Tags.of(MetricNames.QUEUE, queues.of(worker.queueName()));
    Counter stalled =
        meters.counter(MetricNames.JOBS_STALLED, "Jobs whose worker was found lost", queue);
    Counter failures = meters.counter(
        MetricNames.JOB_WORKER_FAILURES,
        "Fetches that failed, and outcomes that were not stored",
        queue);
    registry.find(MetricNames.JOB_OUTCOMES_WAITING).tags(queue).meters().forEach(registry::remove);
    Gauge.builder(MetricNames.JOB_OUTCOMES_WAITING, worker, each -> each.refusedOutcomes()
            .size())
        .description("Outcomes that the store refuses and that are sent again")
        .tags(queue)
        .register(registry);
    events.on(JobEvent.Type.STALLED, event -> stalled.increment());
    events.on(JobEvent.Type.ERROR, event -> failures.increment());
    return worker;
  }

  /** Counts the jobs that are added by this object from now on; returns it. To be called once. */
  public JobQueue observe(JobQueue queue) {
    for (JobEvent.Type type :
        List.of(JobEvent.Type.WAITING, JobEvent.Type.DELAYED, JobEvent.Type.WAITING_CHILDREN)) {
      queue.events().on(type, event -> event.job().ifPresent(job -> meters
          .counter(MetricNames.JOBS_ADDED, "Jobs added by this process", tags(job))
          .increment()));
    }
    return queue;
  }

  private void started(Job job) {
    JobData data = job.read();
    meters
        .counter(MetricNames.JOB_ATTEMPTS_STARTED, "Attempts of jobs begun", tags(job))
        .increment();
    if (isDueTimeKnown(data)) {
      record(
          meters.timer(
              MetricNames.JOB_WAIT, "From when a job was due to its first attempt", tags(job)),
          due(data));
    }
  }

  /** Nobody keeps since when a later attempt, a parent, a job of a series or one begun before its delay was due. */
  private boolean isDueTimeKnown(JobData job) {
    return job.startedAttempts() <= 1
        && job.childrenIds().isEmpty()
        && job.options().repeat() == null
        && !isPromoted(job);
  }

  /** Whether it was begun before its delay was over, which nobody keeps but the delay itself. */
  private boolean isPromoted(JobData job) {
    return job.delayUntil() == null
        && job.options().delay() != null
        && due(job).isAfter(clock.now());
  }

  /** A delayed job that is due waits as others do, and has no due time any more: what it was added with is left. */
  private static Instant due(JobData job) {
    if (job.delayUntil() != null) {
      return job.delayUntil();
    }
    Duration delay = job.options().delay();
    return delay == null ? job.createdAt() : job.createdAt().plus(delay);
  }

  private void ended(Job job, String outcome) {
    Tags tags = tags(job).and(MetricNames.OUTCOME, outcome);
    meters
        .counter(MetricNames.JOB_ATTEMPTS_ENDED, "Attempts of jobs by what they came to", tags)
        .increment();
    Instant begun = job.read().processedAt();
    if (begun != null) {
      record(
          meters.timer(
              MetricNames.JOB_ATTEMPT_DURATION,
              "From the begin of an attempt of a job to its outcome",
              tags),
          begun);
    }
  }

  private void record(Timer timer, Instant from) {
    Duration took = Duration.between(from, clock.now());
    timer.record(took.isNegative() ? Duration.ZERO : took);
  }

  /** What is tried again is waiting or delayed, as what asked for it is. */
  private static String outcome(JobEvent.Type type) {
    return switch (type) {
      case COMPLETED -> "completed";
      case FAILED -> "failed";
      case CANCELLED -> "cancelled";
      case DELAYED -> "delayed";
      default -> "waiting";
    };
  }

  private Tags tags(Job job) {
    return Tags.of(
        MetricNames.QUEUE, queues.of(job.queueName()), MetricNames.JOB, jobs.of(job.name()));
  }
}
