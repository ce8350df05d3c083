package dev.runlane.jobs.queue.schedule;

import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.EventHub;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a queue needs beside workers, once in a process that has some: lets delayed jobs wait when they are due,
 * fires schedules, removes what retention has made due. Touched on the home context only.
 */
public final class QueueMaintenance {
  private static final Logger LOG = LoggerFactory.getLogger(QueueMaintenance.class);

  /** Schedules fired, and jobs removed, in one step. */
  private static final int LIMIT = 1_000;

  /** Schedules that are fired at the same time: the others' statements wait for the connections that these need. */
  private static final int AT_ONCE = 8;

  private static final int MOST_FAILED_IN_A_ROW = 2;

  /** News that something may be delayed, without its due time, are gathered this long: each is a sweep. */
  private static final Duration GATHER = Duration.ofMillis(20);

  /** When what is due is looked at again where that changed nothing, as of a job whose row somebody holds. */
  private static final Duration LATER = Duration.ofSeconds(1);

  private final JobsContext jobs;
  private final String queueName;
  private final Duration pollInterval;
  private final FailureLog failures;
  private final FailureLog firing;
  private final SweepLoop due;
  private final SweepLoop retention;
  private EventHub.@Nullable Registration registration;

  public QueueMaintenance(JobsContext jobs, String queueName, Duration pollInterval) {
    this.jobs = jobs;
    this.queueName = queueName;
    this.pollInterval = pollInterval;
    failures = new FailureLog(LOG, "listening to events of queue " + queueName);
    firing = new FailureLog(LOG, "firing schedules of queue " + queueName);
    due = new SweepLoop(
        jobs.host().timers(), "due jobs of queue " + queueName, this::sweepDue, pollInterval);
    retention = new SweepLoop(
        jobs.host().timers(),
        "retention of queue " + queueName,
        this::sweepRetention,
        jobs.options().getRetentionInterval());
  }

  public void start() {
    registration = jobs.hub().onQueue(queueName, this::onEvent);
    due.start();
    retention.start();
  }

  public Future<?> stop() {
    if (registration != null) {
      registration.close();
    }
    return Future.join(due.stop(), retention.stop());
  }

  /** Something is due at this instant. */
  public void dueAt(Instant instant) {
    due.wakeIn(Duration.between(jobs.clock().now(), instant));
  }

  private void onEvent(StoreEvent event) {
    if (event.type() != StoreEventType.JOB_DELAYED) {
      return;
    }
    Json data = event.data();
    if (data == null) {
      due.wakeIn(GATHER);
    } else {
      try {
        dueAt(Instant.ofEpochMilli(Long.parseLong(data.text())));
      } catch (NumberFormatException fromElsewhere) {
        due.wakeIn(GATHER);
      }
    }
  }

  Future<Boolean> sweepDue() {
    Instant now = jobs.clock().now();
    listen();
    return jobs.store().promoteDelayedJobs(queueName, now).compose(promoted -> {
      if (promoted > 0) {
        jobs.changed(
            List.of(new StoreEvent(StoreEventType.JOB_WAITING, queueName, null, null, now)));
      }
      return fireSchedules(now)
          .compose(fired -> promoted >= JobChecks.MOST_ENTRIES || fired >= LIMIT
              ? Future.succeededFuture(true)
              : armNext(now).map(armed -> false));
    });
  }

  /** Subscribes again where that failed, because the store's connection was away for example. */
  private void listen() {
    jobs.hub()
        .listening(queueName)
        .onSuccess(listening -> failures.succeeded())
        .onFailure(failure -> failures.failed(failure, pollInterval));
  }

  /**
   * A schedule that is still due cannot be fired, or not be read, and is the next one always; a job that is still
   * delayed was passed over, since somebody holds its row, and is so in every process.
   */
  private Future<Void> armNext(Instant now) {
    return Future.all(
            jobs.store().getNextDelayedTimestamp(queueName),
            jobs.store().getNextScheduleTimestamp(queueName))
        .map(both -> {
          both.<Optional<Instant>>list().forEach(next -> next.ifPresent(at -> arm(at, now)));
          return null;
        });
  }

  private void arm(Instant next, Instant now) {
    if (next.isAfter(now)) {
      dueAt(next);
    } else {
      due.wakeIn(LATER);
    }
  }

  private Future<Integer> fireSchedules(Instant now) {
    return jobs.store()
        .listDueSchedules(queueName, now, LIMIT)
        .compose(schedules -> fireAll(schedules, now));
  }

  /** Each is a transaction; a few at a time. */
  private Future<Integer> fireAll(List<JobSchedule> schedules, Instant now) {
    List<Turns> all = Stream.generate(() -> new Turns(now))
        .limit(Math.min(AT_ONCE, schedules.size()))
        .toList();
    for (int i = 0; i < schedules.size(); i++) {
      all.get(i % all.size()).then(schedules.get(i));
    }
    return Future.join(all.stream().map(Turns::ended).toList())
        .map(ended -> all.stream().mapToInt(turns -> turns.fired).sum());
  }

  /**
   * Schedules one after the other. One that fails for now, such as one whose row somebody holds, keeps none behind it
   * from firing; two in a row do, as during an outage.
   */
  private final class Turns {
    private final Instant now;
    private Future<Void> last = Future.succeededFuture();
    private int fired;
    private int failedInARow;
    private @Nullable Throwable failure;

    Turns(Instant now) {
      this.now = now;
    }

    void then(JobSchedule schedule) {
      last = last.compose(before -> failedInARow == MOST_FAILED_IN_A_ROW
          ? Future.succeededFuture()
          : Future.<Void>succeededFuture()
              .compose(begin -> fire(schedule, now)) // which throws for one that cannot be read
              .map(done -> true)
              .recover(cause -> notFired(schedule, cause))
              .transform((good, cause) -> {
                failedInARow = cause == null ? 0 : failedInARow + 1;
                failure = cause == null ? failure : cause;
                fired += cause == null && good ? 1 : 0;
                return Future.succeededFuture();
              }));
    }

    /** Fails where one has. */
    Future<Void> ended() {
      return last.compose(
          done -> failure == null ? Future.succeededFuture() : Future.failedFuture(failure));
    }
  }

  /** One that cannot be read, as of a later release, stays due for ever; the others go on. */
  private Future<Boolean> notFired(JobSchedule schedule, Throwable failure) {
    if (failure instanceof RunlaneException known && known.isRetryable()) {
      return Future.failedFuture(failure);
    }
    firing.failed(
        RunlaneException.of(
                ErrorCode.INTERNAL_ERROR,
                "schedule %s cannot be fired: %s",
                schedule.key(),
                failure)
            .causedBy(failure),
        LATER);
    return Future.succeededFuture(false);
  }

  private Future<Void> fire(JobSchedule schedule, Instant now) {
    Instant dueAt = Objects.requireNonNull(schedule.nextAt());
    NewJob job = NewJob.of(schedule.jobName(), schedule.data(), schedule.options(), now);
    Instant next =
        Series.nextFire(schedule.repeat(), dueAt, now, schedule.fired() + 1).orElse(null);
    return jobs.store()
        .fireSchedule(
            new FireSchedule(queueName, schedule.key(), dueAt, schedule.repeat(), job, next, now))
        .map(saved -> {
          List<StoreEvent> told = new ArrayList<>(1);
          saved.ifPresent(one -> ChangeEvents.saved(told, queueName, one, job.delayUntil(), now));
          jobs.changed(told);
          return null;
        });
  }

  private Future<Boolean> sweepRetention() {
    Instant now = jobs.clock().now();
    return jobs.store()
        .removeExpiredJobs(queueName, now, LIMIT)
        .compose(removed -> removed >= LIMIT
            ? Future.succeededFuture(true)
            : aggregateMetrics(now).compose(aggregated -> forgetWebhooks(now)).map(false));
  }

  private Future<Void> aggregateMetrics(Instant now) {
    return jobs.store()
        .aggregateMetrics(now)
        .recover(failure -> failure instanceof RunlaneException known
                && known.code() == ErrorCode.CAPABILITY_UNSUPPORTED
            ? Future.succeededFuture() // metrics are off
            : Future.failedFuture(failure));
  }

  /** Those that no process has any more, where none tells of others, which would forget them. */
  private Future<Void> forgetWebhooks(Instant now) {
    return jobs.store()
        .webhooks()
        .map(webhooks -> webhooks.registerWebhooks(new RegisterJobWebhooks(Map.of(), now)))
        .orElse(Future.succeededFuture());
  }
}
