package dev.runlane.runtime.remote;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.json.JsonValues;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.process.SweepTimes;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes pending steps: dispatches those that are due, again where a task is missing, fails those whose deadline
 * has passed, and deletes the tasks of ended runs. All of it is one sweep over claimed rows: what
 * a process that dies leaves behind is due again when its claim ends.
 *
 * <pre>
 *   due, not dispatched ─► insert the task, unless a result stands ─► dispatched, due again after the check
 *   interval or at the deadline due, dispatched     ─► neither task nor result? ─► not dispatched, due at once
 *   past its deadline   ─► delete the task ─► no result either? ─► the failure goes into the history
 *   run ended           ─► delete the task ─► forgotten
 * </pre>
 */
public final class StepDispatcher implements SweepRole {
  /** The reason, in the meta of a failure, of a step that has no result at its deadline. */
  static final String STEP_DEADLINE = "step_deadline";

  /** How long after a step's deadline a result that stands is waited for to be taken. */
  private static final Duration RESULT_GRACE = Duration.ofHours(1);

  /** Steps that are dealt with one by one at the same time. */
  private static final int AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(StepDispatcher.class);

  private final RuntimeContext context;
  private final RemoteSteps steps;
  private final StepDispatcherOptions options;
  private final StepCompletions completions;
  private final SweepTimes due = new SweepTimes(Duration.ofMillis(1));

  /** Throws {@code CapabilityUnsupported} when the runtime was built without a step transport. */
  public StepDispatcher(RuntimeContext context, StepDispatcherOptions options) {
    this.context = context;
    this.options = options;
    steps = require(context, "a step dispatcher");
    completions = new StepCompletions(context, steps);
  }

  static RemoteSteps require(RuntimeContext context, String what) {
    return context
        .remoteSteps()
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED,
            "%s needs a step transport, and this runtime was built without one",
            what));
  }

  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(PhaseCount::moreWaiting);
  }

  /** One pass over the steps that are due, and how many they were. */
  public Future<PhaseCount> sweep() {
    Instant now = context.clock().now();
    due.removeDue(now);
    return steps
        .storage()
        .claimDueSteps(new ClaimDueSteps(
            context.environment(), now, options.getClaimDuration(), options.getSweepLimit()))
        .compose(claimed -> process(claimed, now)
            .map(done -> PhaseCount.of(claimed.size(), options.getSweepLimit(), claimed.size())));
  }

  @Override
  public Optional<Instant> nextDue() {
    return due.earliest();
  }

  @Override
  public List<LocalNotifications.Registration> listen(
      Executor executor, Consumer<Duration> wakeIn) {
    return List.of(context.notifications().onStepsDue(executor, at -> {
      due.add(at);
      Duration ahead = Duration.between(context.clock().now(), at);
      wakeIn.accept(ahead.isNegative() ? Duration.ZERO : ahead);
    }));
  }

  /** Each kind by itself: one that fails does not keep the others back, but fails the sweep in the end. */
  private Future<Void> process(List<ClaimedStep> claimed, Instant now) {
    List<ClaimedStep> ended = new ArrayList<>();
    List<ClaimedStep> expired = new ArrayList<>();
    List<ClaimedStep> waiting = new ArrayList<>();
    List<ClaimedStep> dispatched = new ArrayList<>();
    for (ClaimedStep each : claimed) {
      if (each.step().runEnded()) {
        ended.add(each);
      } else if (!deadline(each.step()).isAfter(now)) {
        expired.add(each);
      } else if (each.step().dispatchedAt() == null) {
        waiting.add(each);
      } else {
        dispatched.add(each);
      }
    }
    List<Future<Void>> all = List.of(
        retryingSoon(ended, this::end),
        retryingSoon(expired, each -> expire(each, now)),
        retryingSoon(waiting, each -> dispatch(each, now)),
        retryingSoon(dispatched, each -> check(each, now)));
    return Future.join(all).transform(joined -> {
      List<Throwable> failures =
          all.stream().filter(Future::failed).map(Future::cause).toList();
      return failures.isEmpty()
          ? Future.succeededFuture()
          : Future.failedFuture(Failures.first(failures));
    });
  }

  /** What could not be done is due again soon, not only when the claim ends. */
  private Future<Void> retryingSoon(
      List<ClaimedStep> claimed, Function<List<ClaimedStep>, Future<Void>> work) {
    return claimed.isEmpty()
        ? Future.succeededFuture()
        : AdapterCall.of("a sweep of steps", () -> work.apply(claimed))
            .recover(failure -> claimed.size() == 1
                ? moveSoon(claimed, failure)
                : eachByItself(claimed, work, failure));
  }

  /**
   * Steps that cannot be done, such as one whose task somebody keeps locked, do not keep the others from it. A few at a
   * time; where none of a few can be done, as during an outage, the rest is left.
   */
  private Future<Void> eachByItself(
      List<ClaimedStep> claimed,
      Function<List<ClaimedStep>, Future<Void>> work,
      Throwable failure) {
    List<ClaimedStep> few = claimed.subList(0, Math.min(claimed.size(), AT_ONCE));
    List<ClaimedStep> rest = claimed.subList(few.size(), claimed.size());
    List<Future<Void>> done = few.stream()
        .map(step -> AdapterCall.of("a sweep of steps", () -> work.apply(List.of(step))))
        .toList();
    return Future.join(done).transform(joined -> {
      List<ClaimedStep> failed = IntStream.range(0, few.size())
          .filter(place -> done.get(place).failed())
          .mapToObj(few::get)
          .toList();
      if (failed.size() == few.size()) {
        return moveSoon(claimed, failure);
      }
      Future<Void> others =
          rest.isEmpty() ? Future.succeededFuture() : eachByItself(rest, work, failure);
      return failed.isEmpty() ? others : others.transform(ended -> moveSoon(failed, failure));
    });
  }

  private Future<Void> moveSoon(List<ClaimedStep> claimed, Throwable failure) {
    return move(
            claimed,
            context.clock().now().plus(options.getRepeatDelay()),
            step -> step.dispatchedAt())
        .transform(moved -> Future.failedFuture(failure));
  }

  private Future<Void> end(List<ClaimedStep> ended) {
    return withdraw(ended).compose(withdrawn -> steps
        .storage()
        .removePendingSteps(new RemovePendingSteps(
            context.environment(),
            ended.stream()
                .map(each -> new RemovePendingSteps.Removal(
                    each.step().runId(), each.step().stepId(), each.token()))
                .toList()))
        .mapEmpty());
  }

  /**
   * The task goes first, so that no result comes after the failure that was stored. One that stands is taken, as after
   * an outage of all engines in which workers went on; where nobody takes it, the step fails in the end.
   */
  private Future<Void> expire(List<ClaimedStep> expired, Instant now) {
    List<String> ids = expired.stream().map(each -> each.step().stepId()).toList();
    return withdraw(expired)
        .compose(withdrawn -> transport().listMissingSteps(new ListMissingSteps(ids)))
        .compose(found -> {
          Set<String> missing = Set.copyOf(found);
          List<ClaimedStep> answered = new ArrayList<>();
          List<Future<Boolean>> failing = new ArrayList<>();
          for (ClaimedStep each : expired) {
            boolean waits = deadline(each.step()).plus(RESULT_GRACE).isAfter(now);
            if (waits && !missing.contains(each.step().stepId())) {
              answered.add(each);
            } else {
              failing.add(completions.complete(each.step(), StepDispatcher::deadlinePassed));
            }
          }
          Future<Void> later = answered.isEmpty()
              ? Future.succeededFuture()
              : move(answered, now.plus(options.getRepeatDelay()), PendingStep::dispatchedAt);
          return Future.join(failing)
              .transform(failed -> later.compose(moved -> failed.succeeded()
                  ? Future.succeededFuture()
                  : Future.failedFuture(failed.cause())));
        });
  }

  /**
   * No step is asked for whose result stands: whoever claimed it before may have asked and died before that was
   * stored, and storage may know of a next attempt already when the engine that took the result of the one before
   * has died. There are workers who drop a result that meets another.
   */
  private Future<Void> dispatch(List<ClaimedStep> waiting, Instant now) {
    List<StepTask> tasks = waiting.stream().map(each -> task(each.step())).toList();
    return transport()
        .dispatchMissingSteps(new DispatchSteps(tasks, now))
        .compose(
            outcomes -> dispatched(waiting, outcomes, now),
            failure -> isRefusal(failure)
                ? oneByOne(waiting, now, failure)
                : Future.failedFuture(failure));
  }

  /** A step that the transport refuses, such as one that its tables cannot hold, fails; its neighbours do not. */
  private Future<Void> oneByOne(List<ClaimedStep> waiting, Instant now, Throwable refusal) {
    if (waiting.size() == 1) {
      ClaimedStep refused = waiting.get(0);
      LOG.warn("step {} cannot be dispatched", refused.step().stepId(), refusal);
      FailureRecord failure = new FailureRecord(
          ErrorCode.VALIDATION_FAILED, String.valueOf(refusal.getMessage()), false, null);
      return completions
          .complete(
              refused.step(),
              (header, step) -> new RunEvent.StepCompleted(
                  header, step.stepId(), step.tries(), null, null, failure))
          .mapEmpty();
    }
    return Future.join(
            waiting.stream().map(each -> dispatch(List.of(each), now)).toList())
        .mapEmpty();
  }

  private Future<Void> dispatched(
      List<ClaimedStep> waiting, List<DispatchOutcome> outcomes, Instant now) {
    List<ReschedulePendingSteps.NextCheck> moves = new ArrayList<>();
    Set<String> asked = new HashSet<>();
    Set<String> inserted = new HashSet<>();
    for (int index = 0; index < waiting.size(); index++) {
      ClaimedStep each = waiting.get(index);
      if (isInTheWay(outcomes.get(index))) {
        moves.add(move(each, now.plus(options.getRepeatDelay()), null));
      } else {
        asked.add(each.step().stepId());
        if (outcomes.get(index) == DispatchOutcome.DISPATCHED) {
          inserted.add(each.step().stepId());
        }
        moves.add(move(each, nextCheck(each.step(), now), now));
      }
    }
    if (!asked.isEmpty()) {
      context.notifications().stepsDispatched(asked.size());
    }
    return steps
        .storage()
        .reschedulePendingSteps(new ReschedulePendingSteps(context.environment(), moves))
        .compose(moved -> withdrawOrphans(
            waiting.stream()
                .map(ClaimedStep::step)
                .filter(step -> asked.contains(step.stepId()) && !moved.contains(step.stepId()))
                .toList(),
            inserted));
  }

  /** What stands is taken away by its worker, or taken by an engine; then the step is looked after again. */
  private static boolean isInTheWay(DispatchOutcome outcome) {
    return outcome == DispatchOutcome.BLOCKED || outcome == DispatchOutcome.ANSWERED;
  }

  /**
   * The step got its result, or its run ended, while the task was inserted: nobody waits for that task. Nor does
   * anybody for one of an attempt that has failed meanwhile, which would be in the way of the next.
   */
  private Future<Void> withdrawOrphans(List<PendingStep> lost, Set<String> inserted) {
    List<Future<Void>> withdrawn = new ArrayList<>();
    for (PendingStep step : lost) {
      withdrawn.add(completions
          .pending(step.runId(), step.stepId())
          .map(pending -> pending.filter(
              still -> still.attempt() == step.attempt() || !inserted.contains(step.stepId())))
          .compose(wanted -> wanted.isPresent()
              ? Future.<Void>succeededFuture()
              : transport()
                  .withdrawSteps(new WithdrawSteps(List.of(step.stepId())))
                  .mapEmpty()));
    }
    return Future.join(withdrawn).mapEmpty();
  }

  /** Only a step that is still claimed here is dispatched again: any result would have ended the claim. */
  private Future<Void> check(List<ClaimedStep> dispatched, Instant now) {
    List<String> ids = dispatched.stream().map(each -> each.step().stepId()).toList();
    return transport().listMissingSteps(new ListMissingSteps(ids)).compose(found -> {
      Set<String> missing = Set.copyOf(found);
      if (!missing.isEmpty()) {
        LOG.warn("{} steps have neither task nor result and are dispatched again", missing.size());
        due.add(now);
      }
      List<ReschedulePendingSteps.NextCheck> moves = dispatched.stream()
          .map(each -> missing.contains(each.step().stepId())
              ? move(each, now, null)
              : move(each, nextCheck(each.step(), now), each.step().dispatchedAt()))
          .toList();
      return steps
          .storage()
          .reschedulePendingSteps(new ReschedulePendingSteps(context.environment(), moves))
          .mapEmpty();
    });
  }

  private Future<Void> withdraw(List<ClaimedStep> claimed) {
    return transport()
        .withdrawSteps(
            new WithdrawSteps(claimed.stream().map(each -> each.step().stepId()).toList()))
        .mapEmpty();
  }

  private Future<Void> move(
      List<ClaimedStep> claimed,
      Instant nextAt,
      Function<PendingStep, @Nullable Instant> dispatchedAt) {
    return steps
        .storage()
        .reschedulePendingSteps(new ReschedulePendingSteps(
            context.environment(),
            claimed.stream()
                .map(each -> move(each, nextAt, dispatchedAt.apply(each.step())))
                .toList()))
        .mapEmpty();
  }

  private static ReschedulePendingSteps.NextCheck move(
      ClaimedStep each, Instant nextAt, @Nullable Instant dispatchedAt) {
    return new ReschedulePendingSteps.NextCheck(
        each.step().runId(), each.step().stepId(), each.token(), nextAt, dispatchedAt);
  }

  /** The longer a worker has been at it, the less often somebody looks: runs that wait for days cost nothing. */
  private Instant nextCheck(PendingStep step, Instant now) {
    Duration least = options.getCheckInterval();
    Instant since = step.dispatchedAt();
    Duration age = since == null ? Duration.ZERO : Duration.between(since, now);
    Instant next = now.plus(age.compareTo(least) > 0 ? age : least);
    Instant deadline = deadline(step);
    return deadline.isBefore(next) ? deadline : next;
  }

  private static Instant deadline(PendingStep step) {
    StepDispatch dispatch = Objects.requireNonNull(step.request().dispatch());
    return dispatch.deadlineAt();
  }

  private static StepTask task(PendingStep step) {
    RunEvent.StepRequested request = step.request();
    return new StepTask(
        step.stepId(),
        step.runId(),
        StepIds.position(step.runId(), step.stepId()).orElseThrow(),
        request.name(),
        Objects.requireNonNull(request.group()),
        request.input(),
        step.attempt());
  }

  private static RunEvent.StepCompleted deadlinePassed(EventHeader header, PendingStep step) {
    return new RunEvent.StepCompleted(
        header,
        step.stepId(),
        step.tries(),
        null,
        null,
        new FailureRecord(
            ErrorCode.TASK_FAILED,
            "The step had no result at its deadline.",
            true,
            JsonValues.object(Map.of("reason", STEP_DEADLINE))),
        step.dispatchedAt());
  }

  private static boolean isRefusal(Throwable failure) {
    return failure instanceof RunlaneException refusal
        && refusal.code() == ErrorCode.VALIDATION_FAILED;
  }

  private StepTransport transport() {
    return steps.transport();
  }
}
