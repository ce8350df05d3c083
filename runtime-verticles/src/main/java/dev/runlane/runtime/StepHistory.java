package dev.runlane.runtime;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run's history says of its steps. Of a step's results the first counts; a failure that no later request
 * followed ended its attempt and is forgotten with {@code run.retry_scheduled}.
 */
final class StepHistory implements RunEvent.Visitor<StepHistory> {
  /** The types of events that say something of steps. */
  static final Set<RunEventType> TYPES = Set.of(
      RunEventType.STEP_REQUESTED,
      RunEventType.STEP_COMPLETED,
      RunEventType.RETRY_SCHEDULED,
      RunEventType.RELEASED);

  private final String runId;
  private final Map<Integer, Recorded> steps = new HashMap<>();
  private final List<Recorded> settled = new ArrayList<>(); // in the order of their results
  private final Set<Recorded> unanswered = new LinkedHashSet<>(); // failures no request followed
  private int nonDeterministic;

  StepHistory(String runId) {
    this.runId = runId;
  }

  /** The step at a position, as far as it was requested. */
  Optional<Recorded> at(int position) {
    return Optional.ofNullable(steps.get(position));
  }

  /** The results that count, in their order. */
  List<StepTurns.Settled> settled() {
    List<StepTurns.Settled> results = new ArrayList<>();
    for (Recorded step : settled) {
      RunEvent.StepCompleted result = step.result;
      if (result != null) {
        results.add(new StepTurns.Settled(step.position, step.description(), result));
      }
    }
    return results;
  }

  /** How often in a row the run was released because its handler asks for other steps. */
  int nonDeterministicReleases() {
    return nonDeterministic;
  }

  @Override
  public StepHistory stepRequested(RunEvent.StepRequested event) {
    unanswered.clear();
    int position = position(event.stepId());
    Recorded before = steps.get(position);
    if (before == null || before.result == null) {
      steps.put(position, new Recorded(position, event));
    }
    return this;
  }

  @Override
  public StepHistory stepCompleted(RunEvent.StepCompleted event) {
    nonDeterministic = 0;
    Recorded step = steps.get(position(event.stepId()));
    if (step == null) {
      throw RunlaneException.invariantViolation(
          "run %s has a result of step %s, which was never requested", runId, event.stepId());
    }
    if (step.result == null) {
      step.result = event;
      settled.add(step);
      if (event.isFailed()) {
        unanswered.add(step);
      }
    }
    return this;
  }

  @Override
  public StepHistory retryScheduled(RunEvent.RetryScheduled event) {
    unanswered.forEach(step -> step.result = null);
    settled.removeAll(unanswered);
    unanswered.forEach(step -> step.forgotten = true);
    unanswered.clear();
    return this;
  }

  @Override
  public StepHistory released(RunEvent.Released event) {
    nonDeterministic =
        StepEnds.NON_DETERMINISTIC.equals(event.reason()) ? nonDeterministic + 1 : nonDeterministic;
    return this;
  }

  @Override
  public StepHistory created(RunEvent.Created event) {
    return this;
  }

  @Override
  public StepHistory deliveryRequested(RunEvent.DeliveryRequested event) {
    return this;
  }

  @Override
  public StepHistory leaseClaimed(RunEvent.LeaseClaimed event) {
    return this;
  }

  @Override
  public StepHistory leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return this;
  }

  @Override
  public StepHistory started(RunEvent.Started event) {
    return this;
  }

  @Override
  public StepHistory succeeded(RunEvent.Succeeded event) {
    return this;
  }

  @Override
  public StepHistory failed(RunEvent.Failed event) {
    return this;
  }

  @Override
  public StepHistory cancellationRequested(RunEvent.CancellationRequested event) {
    return this;
  }

  @Override
  public StepHistory cancelled(RunEvent.Cancelled event) {
    return this;
  }

  private int position(String stepId) {
    return StepIds.position(runId, stepId)
        .orElseThrow(() ->
            RunlaneException.invariantViolation("run %s has a step whose id is %s", runId, stepId));
  }

  /** A step that was requested. */
  static final class Recorded {
    private final int position;
    private final RunEvent.StepRequested request;
    private RunEvent.@Nullable StepCompleted result;
    private boolean forgotten;

    Recorded(int position, RunEvent.StepRequested request) {
      this.position = position;
      this.request = request;
    }

    int attempt() {
      return request.attempt();
    }

    @Nullable
    Instant dueAt() {
      return request.dueAt();
    }

    RunEvent.@Nullable StepCompleted result() {
      return result;
    }

    /** Whether it had a result that does not count any more, so that it must be requested anew. */
    boolean isForgotten() {
      return forgotten;
    }

    /** What it is, for people and for comparing: a step with its name, or a sleep. */
    String description() {
      return StepCall.describe(request.name(), request.dueAt() != null);
    }
  }
}
