package dev.runlane.runtime.steps;

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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run's history says of its steps. Of a step's results the first counts; a failure that no later request
 * followed ended its attempt and is forgotten with {@code run.retry_scheduled}. One that the retry names ended its
 * attempt although other requests followed: it is in doubt until its step is requested again, or the run is released
 * as non-deterministic, or a later retry does not name it.
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
  private int pending; // remote steps without a result
  private int delivered; // of those settled

  StepHistory(String runId) {
    this.runId = runId;
  }

  /** The step at a position, as far as it was requested. */
  Optional<Recorded> at(int position) {
    return Optional.ofNullable(steps.get(position));
  }

  /** The results that count, without those in doubt, in their order. */
  List<OrderedStepResults.Settled> settled() {
    List<OrderedStepResults.Settled> results = new ArrayList<>();
    for (Recorded step : settled) {
      if (!step.doubtful) {
        results.add(step.settled());
      }
    }
    return results;
  }

  /** The last position that was requested; -1: none. */
  int lastPosition() {
    return steps.keySet().stream().mapToInt(Integer::intValue).max().orElse(-1);
  }

  /** The result of a step in doubt counts no more: it is to be requested anew. */
  void forget(int position) {
    forget(Objects.requireNonNull(steps.get(position)));
  }

  /** The results of steps in doubt, which count; in their order, and not among those that are settled. */
  List<OrderedStepResults.Settled> kept(List<Integer> positions) {
    List<Recorded> kept =
        settled.stream().filter(step -> positions.contains(step.position)).toList();
    settled.removeAll(kept);
    kept.forEach(step -> step.doubtful = false);
    return kept.stream().map(Recorded::settled).toList();
  }

  private void forget(Recorded step) {
    settled.remove(step);
    step.forget();
  }

  /** The results that count and that this was not asked for before, in their order. */
  List<OrderedStepResults.Settled> newlySettled() {
    List<OrderedStepResults.Settled> all = settled();
    List<OrderedStepResults.Settled> fresh = List.copyOf(all.subList(delivered, all.size()));
    delivered = all.size();
    return fresh;
  }

  /** Whether workers elsewhere may still have results that are not in here. */
  boolean hasPending() {
    return pending > 0;
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
    if (before != null && before.doubtful && event.attempt() > before.request.attempt()) {
      forget(before);
    }
    if (before == null || before.result == null) {
      if (event.isRemote() && (before == null || !before.isPending())) {
        pending++;
      }
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
      if (step.isPending()) {
        pending--;
      }
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
    settled.removeAll(unanswered);
    unanswered.forEach(Recorded::forget);
    unanswered.clear();
    Set<Integer> named = UnhandledFailures.of(event);
    settled.forEach(step -> step.markDoubtful(named));
    return this;
  }

  @Override
  public StepHistory released(RunEvent.Released event) {
    if (StepEnds.NON_DETERMINISTIC.equals(event.reason())) {
      nonDeterministic++;
      settled.forEach(Recorded::confirm);
    }
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
    private int forgottenTries;
    private boolean forgotten;
    private boolean doubtful;
    private boolean sure; // never to be in doubt again

    Recorded(int position, RunEvent.StepRequested request) {
      this.position = position;
      this.request = request;
    }

    private void forget() {
      forgottenTries = result == null ? 0 : result.tries();
      result = null;
      forgotten = true;
      doubtful = false;
    }

    private void markDoubtful(Set<Integer> named) {
      doubtful = !sure && result != null && result.isFailed() && named.contains(position);
    }

    /** Without its failure the handler asked for something else than recorded: something came of it. */
    private void confirm() {
      sure |= doubtful;
      doubtful = false;
    }

    private OrderedStepResults.Settled settled() {
      return new OrderedStepResults.Settled(
          position, description(), Objects.requireNonNull(result));
    }

    /** Whether the handler may have its failure only once nothing else is left to replay. */
    boolean isDoubtful() {
      return doubtful;
    }

    private boolean isPending() {
      return request.isRemote() && result == null && !forgotten;
    }

    /** The attempt to request after a result that was forgotten; workers are never asked for one twice. */
    int nextAttempt() {
      return request.attempt() + (request.isRemote() ? Math.max(1, forgottenTries) : 1);
    }

    /** When a remote step has failed, or null. */
    @Nullable
    Instant deadlineAt() {
      return request.dispatch() == null ? null : request.dispatch().deadlineAt();
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

    /** What it is, for people and for comparing: a step with its name, a remote one, or a sleep. */
    String description() {
      return StepCall.describe(request.name(), request.dueAt() != null, request.isRemote());
    }
  }
}
