package dev.runlane.runtime;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepIds;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Timers;
import io.vertx.core.AsyncResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one attempt: numbers them, answers them from history or does them, records results and gives
 * them to the handler in the order of history, each in a turn of its own. Ends the attempt once nothing but
 * sleeps is left to wait for. Touched on the home context only.
 *
 * <p>Nothing is written for a request alone: it is stored with the next result or the end of the attempt,
 * before it, so that a step costs one write.
 */
final class AttemptSteps implements StepTurns.Listener {
  /** Events written at once. */
  private static final int MOST_EVENTS = 256;

  private final RuntimeContext context;
  private final StepResults results;
  private final HeldRun held;
  private final Executor place;
  private final Owner owner;
  private final List<StepCall<?>> calls = new ArrayList<>(); // by position
  private final Set<StepCall<?>> sleeping = new LinkedHashSet<>();
  private final Set<StepCall<?>> pausing = new LinkedHashSet<>(); // between two tries
  private final List<Unwritten> unwritten = new ArrayList<>();
  private final StepTurns turns;
  private @Nullable StepHistory history; // null until it was read
  private Timers.@Nullable Timer suspension;
  private boolean reading;
  private int working; // steps whose work goes on, pauses between tries included
  private boolean writing;
  private boolean over;

  /**
   * @param place where the handler is called
   * @param later the same, but never within the turn of the handler that goes on
   */
  AttemptSteps(
      RuntimeContext context,
      StepResults results,
      HeldRun held,
      Executor place,
      Executor later,
      Owner owner) {
    this.context = context;
    this.results = results;
    this.held = held;
    this.place = place;
    this.owner = owner;
    turns = new StepTurns(context, results, later, calls, this);
  }

  /** Takes a call of the handler; the order of calls is the order of positions. */
  void request(StepCall<?> call) {
    if (over) {
      return; // what the handler of an attempt that is over asks for is dropped, as its result
      // would be
    }
    Optional<RunlaneException> refusal = refusal();
    if (refusal.isPresent()) {
      place.execute(() -> call.refuse(refusal.get()));
      return;
    }
    call.position = calls.size();
    calls.add(call);
    disarmSuspension();
    if (history != null) {
      begin(call, history);
    } else if (!reading) {
      readHistory();
    }
  }

  /** The signal has fired: no step is tried again. */
  void signalled(SignalReason reason) {
    for (StepCall<?> call : List.copyOf(pausing)) {
      pausing.remove(call);
      call.disarm();
      gaveUp(
          call,
          RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "the attempt gave up because of %s", reason));
    }
  }

  /** Drops everything: the attempt is over. */
  void close() {
    over = true;
    disarmSuspension();
    turns.close();
    sleeping.forEach(StepCall::disarm);
    pausing.forEach(StepCall::disarm);
  }

  /** Requests that no result was written after; they go before the attempt's end where the run goes on. */
  List<RunEvent> unwrittenRequests(EventHeader header) {
    return unwritten.stream()
        .filter(each -> each.call == null)
        .map(each -> each.event.of(header))
        .toList();
  }

  private Optional<RunlaneException> refusal() {
    try {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.READS_RUN_HISTORY, "a step");
    } catch (RunlaneException unsupported) {
      return Optional.of(unsupported);
    }
    return calls.size() < ContractDefaults.MAX_STEPS
        ? Optional.empty()
        : Optional.of(RunlaneException.validationFailed(
            "run %s has %d steps already, and more are not possible", held.id(), calls.size()));
  }

  private void readHistory() {
    reading = true;
    new StepHistoryReader(context, held.run()).read(() -> over).onComplete(read -> {
      if (over) {
        return;
      }
      if (read.failed()) {
        owner.failed(read.cause());
        return;
      }
      StepHistory found = read.result();
      history = found;
      found.settled().forEach(turns::add);
      List.copyOf(calls).forEach(call -> {
        if (!over) {
          begin(call, found);
        }
      });
      turns.pump();
      suspendLater();
    });
  }

  private void begin(StepCall<?> call, StepHistory known) {
    StepHistory.Recorded recorded = known.at(call.position).orElse(null);
    if (recorded != null && !recorded.description().equals(call.description())) {
      owner.nonDeterministic(
          known.nonDeterministicReleases(),
          StepEnds.otherStep(held.id(), call.position, recorded.description(), call.description()));
    } else if (recorded != null && recorded.result() != null) {
      turns.pump();
    } else if (call.isSleep()) {
      sleep(call, recorded);
    } else {
      if (recorded == null || recorded.isForgotten()) {
        write(call, recorded == null ? 1 : recorded.attempt() + 1, null);
      }
      working++;
      tryOnce(call);
    }
  }

  private void sleep(StepCall<?> call, StepHistory.@Nullable Recorded recorded) {
    Instant now = context.clock().now();
    Instant due = recorded == null ? null : recorded.dueAt();
    if (due == null) {
      due = now.plus(call.duration).truncatedTo(ChronoUnit.MICROS);
      write(call, 1, due);
    }
    Duration left = Duration.between(now, due);
    call.dueAt = due;
    if (left.isNegative() || left.isZero()) {
      settle(call, header -> completed(header, call, null, null));
      return;
    }
    sleeping.add(call);
    call.timer = context.timers().schedule(left, () -> {
      call.timer = null;
      sleeping.remove(call);
      settle(call, header -> completed(header, call, null, null));
    });
    suspendLater();
  }

  private <T> void tryOnce(StepCall<T> call) {
    call.tries++;
    if (call.startedAt == null) {
      call.startedAt = context.clock().now();
    }
    place.execute(() -> call.begin().onComplete(done -> {
      StepCall.Tried tried = tried(call, done);
      context.host().execute(() -> tried(call, tried));
    }));
  }

  /** Encodes where the handler runs: the home context has other things to do. */
  private StepCall.Tried tried(StepCall<?> call, AsyncResult<?> done) {
    if (done.failed()) {
      return new StepCall.Tried(null, done.cause());
    }
    try {
      return new StepCall.Tried(results.encode(call.step, done.result()), null);
    } catch (RunlaneException unrecordable) {
      return new StepCall.Tried(null, unrecordable);
    }
  }

  private void tried(StepCall<?> call, StepCall.Tried tried) {
    if (over) {
      return;
    }
    Throwable cause = tried.failure();
    if (cause == null) {
      working--;
      settle(call, header -> completed(header, call, tried, null));
      return;
    }
    if (owner.isSignalled() && AttemptEnds.isGivingUp(cause)) {
      gaveUp(call, cause);
      return;
    }
    FailureRecord failure = results.failure(held.id(), call.step, cause);
    if (!failure.retryable() || !call.step.retry().allowsRetryAfter(call.tries - 1)) {
      working--;
      settle(call, header -> completed(header, call, tried, failure));
    } else if (owner.isSignalled()) {
      gaveUp(
          call,
          RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "the attempt gave up between two tries"));
    } else {
      pausing.add(call);
      call.timer = context
          .timers()
          .schedule(call.step.retry().backoff().delay(call.tries, context.randomness()), () -> {
            call.timer = null;
            pausing.remove(call);
            tryOnce(call);
          });
    }
  }

  /** Nothing is recorded, so the step is done anew by the attempt that follows. */
  private void gaveUp(StepCall<?> call, Throwable failure) {
    working--;
    place.execute(() -> call.refuse(failure));
    suspendLater();
  }

  private RunEvent.StepCompleted completed(
      EventHeader header,
      StepCall<?> call,
      StepCall.@Nullable Tried tried,
      @Nullable FailureRecord failure) {
    return new RunEvent.StepCompleted(
        header,
        StepIds.of(held.id(), call.position),
        call.tries,
        call.startedAt,
        tried == null ? null : tried.output(),
        failure);
  }

  private void write(StepCall<?> call, int attempt, @Nullable Instant dueAt) {
    unwritten.add(new Unwritten(
        null,
        header -> new RunEvent.StepRequested(
            header,
            StepIds.of(held.id(), call.position),
            call.step.name(),
            null,
            null,
            attempt,
            dueAt)));
  }

  private void settle(StepCall<?> call, StepEvent event) {
    unwritten.add(new Unwritten(call, event));
    write();
  }

  /** One command at a time; what is settled meanwhile goes together in the next. */
  private void write() {
    if (writing || over || unwritten.stream().allMatch(each -> each.call == null)) {
      return;
    }
    writing = true;
    disarmSuspension();
    List<Unwritten> next = unwritten.subList(0, Math.min(unwritten.size(), MOST_EVENTS));
    List<Unwritten> batch = List.copyOf(next);
    next.clear();
    held.append(run -> events(run, batch)).onComplete(stored -> {
      writing = false;
      if (over) {
        return;
      }
      if (stored.failed()) {
        owner.failed(stored.cause());
        return;
      }
      settledBy(batch, stored.result());
      turns.pump();
      write();
      suspendLater();
    });
  }

  private List<RunEvent> events(RunRecord run, List<Unwritten> batch) {
    EventHeader header = context.appends().header(run).withTrace(run.traceCarrier());
    return batch.stream().map(each -> each.event.of(header)).toList();
  }

  private void settledBy(List<Unwritten> batch, List<RunEvent> stored) {
    for (int index = 0; index < batch.size(); index++) {
      StepCall<?> call = batch.get(index).call;
      if (call != null && stored.get(index) instanceof RunEvent.StepCompleted result) {
        turns.add(new StepTurns.Settled(call.position, call.description(), result));
      }
    }
  }

  @Override
  public void turnEnded() {
    suspendLater();
  }

  @Override
  public void neverAsked(StepTurns.Settled recorded, StepTurns.Settled waiting) {
    owner.nonDeterministic(
        history == null ? 0 : history.nonDeterministicReleases(),
        StepEnds.neverAsked(held.id(), recorded, waiting));
  }

  private void suspendLater() {
    if (!isIdle()) {
      disarmSuspension();
    } else if (suspension == null) {
      suspension = context.timers().schedule(context.options().getStepWait(), () -> {
        suspension = null;
        if (isIdle()) {
          owner.suspend(
              sleeping.stream().map(StepCall::dueAt).min(Instant::compareTo).orElseThrow());
        }
      });
    }
  }

  /** Whether the handler can be waiting for nothing but sleeps. */
  private boolean isIdle() {
    return !over
        && history != null
        && !sleeping.isEmpty()
        && working == 0
        && !writing
        && turns.isIdle();
  }

  private void disarmSuspension() {
    if (suspension != null) {
      suspension.cancel();
      suspension = null;
    }
  }

  /** The attempt, told on the home context. */
  interface Owner {
    /** Whether the handler was asked to give up. */
    boolean isSignalled();

    /** Nothing is left but to wait until {@code resumeAt}. */
    void suspend(Instant resumeAt);

    /** The handler asks for other steps than are recorded, after so many releases for this reason. */
    void nonDeterministic(int releasesBefore, Map<String, String> both);

    /** The history can be neither read nor written. */
    void failed(Throwable cause);
  }

  private interface StepEvent {
    RunEvent of(EventHeader header);
  }

  /** An event to be written, with the call whose result it is; null for a request. */
  private record Unwritten(@Nullable StepCall<?> call, StepEvent event) {}
}
