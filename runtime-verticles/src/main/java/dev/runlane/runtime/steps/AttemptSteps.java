package dev.runlane.runtime.steps;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.runtime.lease.HeldRun;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one attempt: numbers them, answers them from history, does them or has them done, records results
 * and gives them to the handler in the order of history, each in a turn of its own. Ends the attempt once nothing
 * but sleeps and remote steps is left to wait for. Touched on the home context only.
 */
public final class AttemptSteps implements OrderedStepResults.Listener, StepLog.Listener {
  /** How long after a deadline a run looks by itself whether the step has failed. */
  private static final Duration AFTER_DEADLINE = Duration.ofMinutes(1);

  /** Looks, during the wait before an attempt that only waits is ended, whether others want its slot. */
  private static final int LOOKS = 5;

  private final RuntimeContext context;
  private final HeldRun held;
  private final Executor executor;
  private final Owner owner;
  private final List<StepCall<?>> calls = new ArrayList<>(); // by position
  private final Set<StepCall<?>> sleeping = new LinkedHashSet<>();
  private final Map<Integer, StepCall<?>> asked = new LinkedHashMap<>(); // remote, by position
  private final StepLog log;
  private final LocalSteps local;
  private final OrderedStepResults orderedResults;
  private final DoubtfulSteps doubtful;
  private final UnhandledFailures openFailures = new UnhandledFailures();
  private Timers.@Nullable Timer suspension;
  private final List<Runnable> pending = new ArrayList<>(); // for a slot, in their order
  private Timers.@Nullable Timer leaving; // while something is pending
  private boolean isSlotLent;
  private Duration lentUntil = Duration.ZERO; // on the timers' own time
  private int looks; // since there is nothing to do but to wait
  private boolean opening;
  private int requesting; // remote steps whose request is not stored
  private boolean over;

  /**
   * @param executor where the handler is called
   * @param later the same, but never within the turn of the handler that goes on
   * @param observer is told of steps that are done here
   */
  public AttemptSteps(
      RuntimeContext context,
      StepResults results,
      HeldRun held,
      Executor executor,
      Executor later,
      Owner owner,
      AttemptObserver observer) {
    this.context = context;
    this.held = held;
    this.executor = executor;
    this.owner = owner;
    log = new StepLog(context, held, this);
    local = new LocalSteps(
        context, results, held.id(), executor, owner, log, this::suspendLater, observer);
    orderedResults = new OrderedStepResults(context, results, later, calls, this);
    doubtful = new DoubtfulSteps(context, orderedResults, this::begin);
  }

  /** Takes a call of the handler; the order of calls is the order of positions. */
  public void request(StepCall<?> call) {
    withSlot(() -> take(call));
  }

  private void take(StepCall<?> call) {
    if (over) {
      return; // what the handler of an attempt that is over asks for is dropped, as its result
      // would be
    }
    Optional<RunlaneException> refusal = refusal(call);
    if (refusal.isPresent()) {
      executor.execute(() -> call.refuse(refusal.get()));
      return;
    }
    call.position = calls.size();
    calls.add(call);
    disarmSuspension();
    StepHistory known = log.history();
    if (known != null) {
      begin(call, known);
      doubtful.decide(known, calls.size());
    } else if (!opening) {
      opening = true;
      log.open();
    }
  }

  /** The signal has fired: no step is tried again. */
  public void signalled(SignalReason reason) {
    local.signalled(reason);
    if (isSlotLent) {
      lentUntil = context.timers().elapsed();
      disarmSuspension();
      suspendLater();
    }
  }

  /** Drops everything: the attempt is over. */
  public void close() {
    over = true;
    disarmSuspension();
    disarmLeaving();
    pending.clear();
    log.close();
    orderedResults.close();
    doubtful.close();
    sleeping.forEach(StepCall::disarm);
    local.close();
  }

  /** Requests that no result was written after; they go before the attempt's end where the run goes on. */
  public List<RunEvent> unwrittenRequests(EventHeader header) {
    return log.unwrittenRequests(header);
  }

  /**
   * The events of the attempt's end, a retry with the steps that the next attempt may have to do anew.
   *
   * @param cause what the handler failed with, or null
   */
  public List<RunEvent> withOpenFailures(List<RunEvent> end, @Nullable Throwable cause) {
    return openFailures.named(end, cause);
  }

  /** Somebody else has written to the run: this news, or, without any, what is to be read. */
  public void changed(RunRecord run, List<RunEvent> news) {
    if (!over) {
      disarmSuspension();
      log.changed(run, news);
      suspendLater();
    }
  }

  private Optional<RunlaneException> refusal(StepCall<?> call) {
    try {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.READS_RUN_HISTORY, "a step");
      if (call.isRemote() && context.remoteSteps().isEmpty()) {
        throw RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED,
            "%s needs a step transport, and this runtime was built without one",
            call.description());
      }
      if (local.gaveUpOne() && !owner.isCancelled()) {
        // The next attempt has the step that gave up done anew, and may ask for another one here.
        throw RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED,
            "%s is not begun, since the attempt gave up a step before it",
            call.description());
      }
    } catch (RunlaneException unsupported) {
      return Optional.of(unsupported);
    }
    return calls.size() < ContractDefaults.MAX_STEPS
        ? Optional.empty()
        : Optional.of(RunlaneException.validationFailed(
            "run %s has %d steps already, and more are not possible", held.id(), calls.size()));
  }

  @Override
  public void opened(StepHistory history) {
    history.newlySettled().forEach(orderedResults::add);
    List.copyOf(calls).forEach(call -> {
      if (!over) {
        begin(call, history);
      }
    });
    orderedResults.deliverReady();
    lookAtDoubts();
    suspendLater();
  }

  private void begin(StepCall<?> call) {
    begin(call, Objects.requireNonNull(log.history()));
  }

  private void lookAtDoubts() {
    StepHistory known = log.history();
    if (!over && known != null) {
      doubtful.decide(known, calls.size());
    }
  }

  private void begin(StepCall<?> call, StepHistory known) {
    StepHistory.Recorded recorded = known.at(call.position).orElse(null);
    if (recorded != null && !recorded.description().equals(call.description())) {
      owner.nonDeterministic(
          known.nonDeterministicReleases(),
          StepEnds.otherStep(held.id(), call.position, recorded.description(), call.description()));
    } else if (recorded != null && recorded.isDoubtful()) {
      doubtful.add(call);
    } else if (recorded != null && recorded.result() != null) {
      orderedResults.deliverReady();
    } else if (call.isSleep()) {
      sleep(call, recorded);
    } else if (call.isRemote()) {
      ask(call, recorded);
    } else {
      if (recorded == null || recorded.isForgotten()) {
        int attempt = recorded == null ? 1 : recorded.nextAttempt();
        log.keep(header -> call.requested(header, attempt, null));
      }
      local.begin(call);
    }
  }

  private void sleep(StepCall<?> call, StepHistory.@Nullable Recorded recorded) {
    Instant now = context.eventTime();
    Instant due = recorded == null ? null : recorded.dueAt();
    if (due == null) {
      due = now.plus(call.duration).truncatedTo(ChronoUnit.MICROS);
      Instant dueAt = due;
      call.startedAt = now; // a short one is stored when it is over
      log.keep(header -> call.requested(header, 1, dueAt));
    }
    Duration left = Duration.between(now, due);
    call.dueAt = due;
    if (left.isNegative() || left.isZero()) {
      log.settle(header -> call.completed(header, null, null));
      return;
    }
    sleeping.add(call);
    call.timer = context.timers().schedule(left, () -> {
      call.timer = null;
      sleeping.remove(call);
      log.settle(header -> call.completed(header, null, null));
    });
    suspendLater();
  }

  /** Nobody is asked before the request is stored; one that is stored stands until it has its result. */
  private <T> void ask(StepCall<T> call, StepHistory.@Nullable Recorded recorded) {
    RemoteStep<T> remote = Objects.requireNonNull(call.remote);
    if (recorded != null && !recorded.isForgotten()) {
      call.dueAt = recorded.deadlineAt();
      asked.put(call.position, call);
      suspendLater();
      return;
    }
    StepDispatch dispatch = remote.dispatch(context.eventTime());
    int attempt = recorded == null ? 1 : recorded.nextAttempt();
    call.dueAt = dispatch.deadlineAt();
    requesting++;
    log.request(call, header -> call.remoteRequested(header, attempt, dispatch));
  }

  @Override
  public void requested(StepCall<?> call) {
    requesting--;
    asked.put(call.position, call);
    lendIfWanted();
  }

  @Override
  public void settled(List<OrderedStepResults.Settled> stored) {
    for (OrderedStepResults.Settled result : stored) {
      asked.remove(result.position());
      orderedResults.add(result);
    }
    if (orderedResults.isBusy()) {
      withSlot(orderedResults::deliverReady);
    } else {
      orderedResults.deliverReady();
    }
    suspendLater();
  }

  @Override
  public boolean isLeaseOver() {
    return owner.isLeaseOver();
  }

  @Override
  public void failed(Throwable cause) {
    owner.failed(cause);
  }

  @Override
  public void turnEnded() {
    lookAtDoubts();
    lendIfWanted();
    suspendLater();
  }

  @Override
  public void failedInSilence(int position, Throwable failure) {
    openFailures.add(position, failure);
  }

  @Override
  public void neverAsked(OrderedStepResults.Settled recorded, OrderedStepResults.Settled waiting) {
    StepHistory known = log.history();
    owner.nonDeterministic(
        known == null ? 0 : known.nonDeterministicReleases(),
        StepEnds.neverAsked(held.id(), recorded, waiting));
  }

  /** Others need not wait until requests are stored; those of a backlog are claimed for all slots that are lent. */
  private void lendIfWanted() {
    if (!isSlotLent && onlyWaits() && (owner.isSlotWanted() || owner.isSlotForBacklog())) {
      lendSlot();
    }
  }

  private void suspendLater() {
    if (!isIdle()) {
      disarmSuspension();
    } else if (suspension == null) {
      Duration left = isSlotLent
          ? lentUntil.minus(context.timers().elapsed())
          : context.options().getStepWait().dividedBy(LOOKS);
      suspension = context.timers().schedule(left.isNegative() ? Duration.ZERO : left, this::look);
    }
  }

  /** A run that only waits does not keep others from their slot for long. */
  private void look() {
    suspension = null;
    looks++;
    if (!isSlotLent && looks < LOOKS && !owner.isSlotWanted()) {
      suspendLater();
    } else if (isIdle() && !lendSlot()) {
      owner.suspend(resumeAt());
    }
  }

  /** Once, and where what the attempt waits for may come in time. */
  private boolean lendSlot() {
    Duration wait = context.options().getStepWaitWithoutSlot();
    if (isSlotLent || wait.isZero() || !mayGoOnWithin(wait) || !owner.lendSlot()) {
      return false;
    }
    isSlotLent = true;
    lentUntil = context.timers().elapsed().plus(wait);
    suspendLater();
    return true;
  }

  private boolean mayGoOnWithin(Duration wait) {
    Instant until = context.eventTime().plus(wait);
    return !asked.isEmpty()
        || requesting > 0
        || sleeping.stream().anyMatch(each -> each.dueAt().isBefore(until));
  }

  /** What lets the handler go on waits for a slot, where its own was lent. */
  private void withSlot(Runnable action) {
    if (!isSlotLent) {
      action.run();
      return;
    }
    pending.add(action);
    if (pending.size() == 1) {
      disarmSuspension();
      leaveLater();
      owner.reclaimSlot(this::goOn);
    }
  }

  private void goOn() {
    isSlotLent = false;
    disarmLeaving();
    List<Runnable> actions = List.copyOf(pending);
    pending.clear();
    actions.forEach(Runnable::run);
    suspendLater();
  }

  /** No slot has become free here: another worker may have one. */
  private void leaveLater() {
    leaving = context.timers().schedule(context.options().getStepWaitWithoutSlot(), () -> {
      leaveLater();
      owner.suspend(context.eventTime());
    });
  }

  private void disarmLeaving() {
    if (leaving != null) {
      leaving.cancel();
      leaving = null;
    }
  }

  /** The first sleep that ends; and a step whose deadline has passed is looked after now and then. */
  private Instant resumeAt() {
    Instant now = context.eventTime();
    Stream<Instant> deadlines = asked.values().stream()
        .map(call -> call.dueAt().isAfter(now) ? call.dueAt() : now)
        .map(deadline -> deadline.plus(AFTER_DEADLINE));
    return Stream.concat(sleeping.stream().map(StepCall::dueAt), deadlines)
        .min(Instant::compareTo)
        .orElseThrow();
  }

  /** Whether the handler can be waiting for nothing but sleeps and workers elsewhere, and all of it is stored. */
  private boolean isIdle() {
    return onlyWaits() && requesting == 0 && log.isIdle();
  }

  private boolean onlyWaits() {
    return !over
        && pending.isEmpty()
        && !(sleeping.isEmpty() && asked.isEmpty() && requesting == 0)
        && local.isIdle()
        && doubtful.isEmpty()
        && orderedResults.isIdle();
  }

  private void disarmSuspension() {
    looks = 0;
    if (suspension != null) {
      suspension.cancel();
      suspension = null;
    }
  }

  /** The attempt, told on the home context. */
  public interface Owner {
    /** Whether the handler was asked to give up. */
    boolean isSignalled();

    /** Whether it was asked to because the run is to be cancelled: no attempt follows. */
    boolean isCancelled();

    /** Whether it was asked to because its lease has ended: its failures are not recorded any more. */
    boolean isLeaseOver();

    /** Whether other runs wait for the slot of this one, and no other is free. */
    boolean isSlotWanted();

    /** Whether more runs wait than slots are free, so that one that is lent is filled with others of them. */
    boolean isSlotForBacklog();

    /** Gives the slot to other runs while this one waits; false: it may not wait without. */
    boolean lendSlot();

    /** Runs the action once there is a slot again. */
    void reclaimSlot(Runnable action);

    /** Nothing is left but to wait until {@code resumeAt}. */
    void suspend(Instant resumeAt);

    /** The handler asks for other steps than are recorded, after so many releases for this reason. */
    void nonDeterministic(int releasesBefore, Map<String, String> both);

    /** The history can be neither read nor written. */
    void failed(Throwable cause);
  }
}
