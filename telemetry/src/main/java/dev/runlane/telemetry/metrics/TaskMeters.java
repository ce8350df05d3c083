package dev.runlane.telemetry.metrics;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.observe.RefusedOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the runs of one task in one queue, kept so that none is looked for again. Durations are those of the
 * run's own record, by the clocks of the processes that wrote it; one that comes out negative is zero.
 */
final class TaskMeters {
  private static final String NO_ERROR = "none";

  private final Meters meters;
  private final BoundedLabel errors;
  private final Tags tags;
  private final Counter started;
  private final Counter late;
  private final Timer wait;
  private final Map<String, Counter> created = new ConcurrentHashMap<>(); // by source
  private final Map<String, Counter> attempts = new ConcurrentHashMap<>(); // by outcome and error
  private final Map<String, Timer> attemptTimes = new ConcurrentHashMap<>(); // by outcome
  private final Map<String, Ended> ended = new ConcurrentHashMap<>(); // by outcome
  private final AtomicInteger waiting = new AtomicInteger(); // outcomes that are refused

  TaskMeters(Meters meters, BoundedLabel errors, String queue, String task) {
    this.meters = meters;
    this.errors = errors;
    tags = Tags.of(MetricNames.QUEUE, queue, MetricNames.TASK, task);
    started = meters.counter(MetricNames.ATTEMPTS_STARTED, "Attempts begun", tags);
    late = meters.counter(
        MetricNames.HEARTBEATS_LATE, "Leases renewed with less than a third of them left", tags);
    wait = meters.timer(MetricNames.WAIT, "From when a run was due to its attempt", tags);
    meters.gauge(
        MetricNames.OUTCOMES_WAITING,
        "Outcomes that the storage refuses and that are offered again",
        tags,
        waiting);
    for (RunStatus outcome : List.of(RunStatus.SUCCEEDED, RunStatus.FAILED)) {
      count(outcome.value()); // from zero on, so that the first one counts as more
    }
  }

  void created(RunRecord run) {
    created
        .computeIfAbsent(
            run.source().type().value(),
            source -> meters.counter(
                MetricNames.TRIGGERED,
                "Runs created by this process",
                tags.and(MetricNames.SOURCE, source)))
        .increment();
  }

  /** Since when a run was due that its worker lost is not known to the record; its wait is not measured. */
  void started(RunRecord run) {
    started.increment();
    Instant due = run.runAt() == null ? run.createdAt() : run.runAt();
    if (run.startedAt() != null && run.counters().lostAttempts(1) == 0) {
      record(wait, due, run.startedAt());
    }
  }

  void ended(AttemptOutcome outcome, @Nullable RunRecord run) {
    FailureRecord failure = run == null ? null : run.failure();
    String error = failure == null ? NO_ERROR : errors.of(failure.code().value());
    attempts
        .computeIfAbsent(
            outcome.value() + ' ' + error,
            key -> meters.counter(
                MetricNames.ATTEMPTS_ENDED,
                "Attempts by what they came to",
                tags.and(MetricNames.OUTCOME, outcome.value(), MetricNames.ERROR, error)))
        .increment();
    if (run != null && run.startedAt() != null) {
      Timer times = attemptTimes.computeIfAbsent(
          outcome.value(),
          value -> meters.timer(
              MetricNames.ATTEMPT_DURATION,
              "From the begin of an attempt to its outcome",
              tags.and(MetricNames.OUTCOME, value)));
      record(times, run.startedAt(), run.updatedAt());
    }
  }

  void ended(RunRecord run) {
    Ended meter = ended.computeIfAbsent(run.status().value(), this::endedBy);
    meter.count.increment();
    if (run.finishedAt() != null) {
      record(meter.duration, run.createdAt(), run.finishedAt());
    }
  }

  void late() {
    late.increment();
  }

  void refused(RefusedOutcome refused) {
    if (refused.times() == 1) {
      waiting.incrementAndGet();
    }
    meters
        .counter(
            MetricNames.OUTCOMES_REFUSED,
            "How often the storage refused an outcome that is offered again",
            tags.and(MetricNames.ERROR, errors.of(refused.code().value())))
        .increment();
  }

  void refusalEnded() {
    waiting.decrementAndGet();
  }

  private Ended endedBy(String outcome) {
    return new Ended(
        count(outcome),
        meters.timer(
            MetricNames.RUN_DURATION,
            "From the creation of a run to its end",
            tags.and(MetricNames.OUTCOME, outcome)));
  }

  private Counter count(String outcome) {
    return meters.counter(
        MetricNames.ENDED, "Runs that have ended for good", tags.and(MetricNames.OUTCOME, outcome));
  }

  private static void record(Timer timer, Instant from, Instant to) {
    Duration took = Duration.between(from, to);
    timer.record(took.isNegative() ? Duration.ZERO : took);
  }

  private record Ended(Counter count, Timer duration) {}
}
