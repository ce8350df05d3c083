package dev.runlane.jobs.queue.schedule;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs of a job that repeats. */
public final class Series {
  private static final Logger LOG = LoggerFactory.getLogger(Series.class);

  private Series() {}

  /**
   * The first run of a series, or the one run of a job without: one that repeats by cron waits for the first
   * match. Throws {@code ConfigurationInvalid} or {@code ValidationFailed} for a malformed job and for a
   * series without any run.
   */
  public static NewJob first(String name, Json data, JobOptions options, Instant now) {
    JobChecks.check(options);
    NewJob job = NewJob.of(name, data, options, now);
    JobRepeat repeat = options.repeat();
    if (repeat == null || repeat.cron() == null) {
      return job;
    }
    Instant from = job.delayUntil() == null ? now : job.delayUntil().minusNanos(1);
    Instant due = fireAfter(repeat, from)
        .orElseThrow(() -> RunlaneException.validationFailed(
            "the job repeats by '%s' and never runs", String.valueOf(repeat.cron())));
    return job.dueAt(due);
  }

  /**
   * The run that follows this one, which ends now, or null when it was the last: intervals count from its
   * end, cron continues with the next match. It is of no trace: one that went on for ever could not be read. Null
   * also where that cannot be read, as of a later release or of a zone that this JVM does not know: the series ends,
   * and {@code unreadable} is notified.
   */
  public static @Nullable NewJob next(
      JobData job, Instant now, Consumer<RuntimeException> unreadable) {
    try {
      return next(job, now);
    } catch (RuntimeException failure) {
      LOG.error(
          "the series of job {} of queue {} ends: when it runs next cannot be read",
          job.id(),
          job.queueName(),
          failure);
      unreadable.accept(failure);
      return null;
    }
  }

  static @Nullable NewJob next(JobData job, Instant now) {
    JobRepeat repeat = job.options().repeat();
    if (repeat == null || (repeat.limit() != null && repeat.limit() <= 0)) {
      return null;
    }
    Optional<Instant> due = fireAfter(repeat, now);
    if (due.isEmpty()) {
      return null;
    }
    Integer left = repeat.limit() == null ? null : repeat.limit() - 1;
    JobOptions options = job.options().toBuilder()
        .jobId(null)
        .delay(null)
        .traceCarrier(null)
        .repeat(repeat.withLimit(left))
        .build();
    return NewJob.of(job.name(), job.data(), options, now).dueAt(due.get());
  }

  /** The first run after {@code after} and not before the start; none at or after the end. */
  public static Optional<Instant> fireAfter(JobRepeat repeat, Instant after) {
    Instant start = repeat.startDate();
    Instant from = start != null && start.isAfter(after) ? start.minusNanos(1) : after;
    Optional<Instant> fire = repeat.cron() != null
        ? times(repeat).next(from)
        : Optional.of(laterOf(after.plus(Objects.requireNonNull(repeat.every())), start));
    Instant end = repeat.endDate();
    return fire.filter(due -> end == null || due.isBefore(end));
  }

  /** Throws {@code ConfigurationInvalid} for a malformed cron expression or zone. */
  static CronTimes times(JobRepeat repeat) {
    return CronTimes.of(
        Objects.requireNonNull(repeat.cron()), CronTimes.zone(Optional.ofNullable(repeat.zone())));
  }

  /** How a schedule continues after the fire that was due then: fires that were missed collapse into one. */
  static Optional<Instant> nextFire(JobRepeat repeat, Instant dueAt, Instant now, long fired) {
    if (repeat.limit() != null && fired > repeat.limit()) {
      return Optional.empty();
    }
    if (repeat.every() == null) {
      return fireAfter(repeat, laterOf(now, dueAt));
    }
    Duration every = repeat.every();
    long missed = now.isAfter(dueAt) ? Duration.between(dueAt, now).dividedBy(every) : 0;
    return fireAfter(repeat, dueAt.plus(every.multipliedBy(missed)));
  }

  private static Instant laterOf(Instant one, @Nullable Instant other) {
    return other != null && other.isAfter(one) ? other : one;
  }
}
