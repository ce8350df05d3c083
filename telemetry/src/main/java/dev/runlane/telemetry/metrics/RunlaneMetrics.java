package dev.runlane.telemetry.metrics;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.storage.StatementObserver;
import dev.runlane.transport.DeliveryMessage;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a process does, as meters: given to {@code RunlaneBuilder.observer}, and to the storage for what it sends. All
 * meters are of this process; the sum over all processes is that of the system. Labels are bounded, see {@link
 * RunlaneMetricsOptions#getMostLabelValues}. For any thread.
 */
public final class RunlaneMetrics implements RuntimeObserver, StatementObserver {
  private final Meters meters;
  private final BoundedLabel queues;
  private final BoundedLabel tasks;
  private final BoundedLabel roles;
  private final BoundedLabel operations;
  private final BoundedLabel errors;
  private final BoundedLabel groups;
  private final Map<TaskKey, TaskMeters> byTask = new ConcurrentHashMap<>();
  private final Slots slots = new Slots();

  private RunlaneMetrics(MeterRegistry registry, RunlaneMetricsOptions options) {
    meters = new Meters(registry, options.isHistograms());
    int most = options.getMostLabelValues();
    queues = new BoundedLabel(most);
    tasks = new BoundedLabel(most);
    roles = new BoundedLabel(most);
    operations = new BoundedLabel(most);
    errors = new BoundedLabel(most);
    groups = new BoundedLabel(most);
    Meters.forget(
        registry, MetricNames.SLOTS_RUNNING, MetricNames.SLOTS_FREE, MetricNames.OUTCOMES_WAITING);
    Gauge.builder(MetricNames.SLOTS_RUNNING, slots, Slots::running)
        .description("Handlers that run")
        .register(registry);
    Gauge.builder(MetricNames.SLOTS_FREE, slots, Slots::free)
        .description("Handlers that could be begun at once")
        .register(registry);
  }

  /** Meters in {@code registry}, for one runtime; the gauges of an earlier one there are replaced. */
  public static RunlaneMetrics create(MeterRegistry registry) {
    return create(registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds. */
  public static RunlaneMetrics create(MeterRegistry registry, RunlaneMetricsOptions options) {
    return new RunlaneMetrics(registry, new RunlaneMetricsOptions(options));
  }

  @Override
  public void runCreated(RunRecord run) {
    of(run).created(run);
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    TaskMeters task = of(run);
    task.started(run);
    slots.taken(run);
    return new AttemptObserver() {
      private boolean waits;

      @Override
      public void waits() {
        waits = true;
        slots.freed(run);
      }

      @Override
      public void goesOn() {
        waits = false;
        slots.taken(run);
      }

      @Override
      public void handled() {
        if (!waits) {
          slots.freed(run);
        }
      }

      @Override
      public void ended(AttemptOutcome outcome, @Nullable RunRecord after) {
        task.ended(outcome, after);
      }
    };
  }

  @Override
  public void remoteStepEnded(
      RunRecord run, RunEvent.StepRequested request, RunEvent.StepCompleted result) {
    Instant asked =
        result.dispatchedAt() == null ? request.header().occurredAt() : result.dispatchedAt();
    Duration took = Duration.between(asked, result.header().occurredAt());
    meters
        .timer(
            MetricNames.REMOTE_STEP_DURATION,
            "From when workers of a group were asked for a step to its result",
            Tags.of(
                MetricNames.GROUP,
                groups.of(String.valueOf(request.group())),
                MetricNames.OUTCOME,
                result.failure() == null ? "succeeded" : "failed"))
        .record(took.isNegative() ? Duration.ZERO : took);
  }

  @Override
  public void runEnded(RunRecord run) {
    of(run).ended(run);
  }

  @Override
  public void wakeupPublished(DeliveryMessage wakeup) {
    meters
        .counter(
            MetricNames.PUBLISHED,
            "Wakeups the transport has taken",
            Tags.of(MetricNames.QUEUE, queues.of(wakeup.queue())))
        .increment();
  }

  @Override
  public void wakeupFailed(DeliveryMessage wakeup, FailureRecord failure, boolean deadLettered) {
    Tags tags = Tags.of(
        MetricNames.QUEUE, queues.of(wakeup.queue()),
        MetricNames.ERROR, errors.of(failure.code().value()));
    meters
        .counter(MetricNames.PUBLISH_FAILED, "Wakeups the transport has not taken", tags)
        .increment();
    // From zero on at the first failure, so that the first one that is given up later counts as
    // more.
    meters
        .counter(MetricNames.DEAD_LETTERED, "Wakeups that were given up", tags)
        .increment(deadLettered ? 1 : 0);
  }

  @Override
  public void heartbeatLate(RunRecord run, Duration late) {
    of(run).late();
  }

  @Override
  public void outcomeRefused(RefusedOutcome refused) {
    of(refused.queue(), refused.taskId()).refused(refused);
  }

  @Override
  public void refusalEnded(RefusedOutcome refused) {
    of(refused.queue(), refused.taskId()).refusalEnded();
  }

  @Override
  public void sweepEnded(String role, Duration took, @Nullable Throwable failure) {
    Tags tags = Tags.of(MetricNames.ROLE, roles.of(role));
    meters
        .timer(MetricNames.SWEEP_DURATION, "From the begin of a sweep to its end", tags)
        .record(took);
    if (failure != null) {
      meters
          .counter(
              MetricNames.SWEEPS_FAILED,
              "Sweeps that failed",
              tags.and(MetricNames.ERROR, error(failure)))
          .increment();
    }
  }

  @Override
  public void workerStarted(String workerId, Set<String> served, int most) {
    slots.opened(workerId, most);
  }

  @Override
  public void workerStopped(String workerId) {
    slots.closed(workerId);
  }

  @Override
  public void slotTaken(String operation, Duration waited) {
    meters
        .timer(
            MetricNames.SLOT_WAIT,
            "How long a statement was kept back for others to end",
            operation(operation))
        .record(waited);
  }

  @Override
  public void statementEnded(
      String operation, int commands, Duration took, @Nullable Throwable failure) {
    Tags tags = operation(operation);
    meters
        .timer(MetricNames.STATEMENT_DURATION, "From a statement to its answer", tags)
        .record(took);
    meters
        .commands(MetricNames.STATEMENT_COMMANDS, "Commands gathered into a statement", tags)
        .record(commands);
    if (failure != null) {
      meters
          .counter(
              MetricNames.STATEMENTS_FAILED,
              "Statements that failed as a whole",
              tags.and(MetricNames.ERROR, error(failure)))
          .increment();
    }
  }

  private Tags operation(String operation) {
    return Tags.of(MetricNames.OPERATION, operations.of(operation));
  }

  /** The code of what is our own, the class of what is not. */
  private String error(Throwable failure) {
    return errors.of(
        failure instanceof RunlaneException own
            ? own.code().value()
            : failure.getClass().getSimpleName());
  }

  private TaskMeters of(RunRecord run) {
    return of(run.queue(), run.taskId());
  }

  private TaskMeters of(String queue, String taskId) {
    TaskKey key = new TaskKey(queues.of(queue), tasks.of(taskId));
    TaskMeters known = byTask.get(key);
    return known != null
        ? known
        : byTask.computeIfAbsent(
            key, added -> new TaskMeters(meters, errors, added.queue(), added.task()));
  }

  private record TaskKey(String queue, String task) {}
}
