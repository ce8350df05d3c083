package dev.runlane.runtime.steps;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.process.HandlerValues;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.SignalReason;
import io.vertx.core.AsyncResult;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The steps of one attempt that are done here: tried, and tried again. Touched on the home context only. */
final class LocalSteps {
  private final RuntimeContext context;
  private final StepResults results;
  private final String runId;
  private final Executor executor;
  private final AttemptSteps.Owner owner;
  private final StepLog log;
  private final Runnable gaveUp;
  private final AttemptObserver observer;
  private final Set<StepCall<?>> pausing = new LinkedHashSet<>(); // between two tries
  private int working; // steps whose work goes on, pauses between tries included
  private boolean gaveUpOne;
  private boolean over;

  /**
   * @param executor where the work is done
   * @param log takes results
   * @param gaveUp called when a step ended without one
   * @param observer is told of results
   */
  LocalSteps(
      RuntimeContext context,
      StepResults results,
      String runId,
      Executor executor,
      AttemptSteps.Owner owner,
      StepLog log,
      Runnable gaveUp,
      AttemptObserver observer) {
    this.observer = observer;
    this.context = context;
    this.results = results;
    this.runId = runId;
    this.executor = executor;
    this.owner = owner;
    this.log = log;
    this.gaveUp = gaveUp;
  }

  /** Does the work of a step until it has a result, or gives up. */
  void begin(StepCall<?> call) {
    working++;
    tryOnce(call);
  }

  /** Whether no step is under way. */
  boolean isIdle() {
    return working == 0;
  }

  /** Whether the handler was given a failure that is not recorded. */
  boolean gaveUpOne() {
    return gaveUpOne;
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
    pausing.forEach(StepCall::disarm);
  }

  private <T> void tryOnce(StepCall<T> call) {
    call.tries++;
    if (call.startedAt == null) {
      call.startedAt = context.eventTime();
      call.startedElapsed = context.timers().elapsed();
    }
    Promise<StepCall.Tried> once = Promise.promise();
    once.future().onSuccess(tried -> context.host().execute(() -> tried(call, tried)));
    executor.execute(() -> {
      try {
        call.begin().onComplete(done -> once.tryComplete(tried(call, done)));
      } catch (Throwable thrown) { // by a future of the application's own kind
        once.tryComplete(new StepCall.Tried(null, thrown));
      }
    });
  }

  /** Encodes where the handler runs: the home context has other things to do. */
  private StepCall.Tried tried(StepCall<?> call, AsyncResult<?> done) {
    if (done.failed()) {
      return new StepCall.Tried(null, done.cause());
    }
    try {
      return new StepCall.Tried(results.encode(call.step, done.result()), null);
    } catch (Throwable unrecordable) { // of the application's own getters too
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
      observe(call, null);
      log.settle(header -> call.completed(header, tried, null));
      return;
    }
    if (owner.isLeaseOver() || (owner.isSignalled() && HandlerValues.isGivingUp(cause))) {
      gaveUp(call, cause);
      return;
    }
    FailureRecord failure = results.failure(runId, call.step, cause);
    if (!failure.retryable() || !call.step.retry().allowsRetryAfter(call.tries - 1)) {
      working--;
      observe(call, failure);
      log.settle(header -> call.completed(header, tried, failure));
    } else if (owner.isSignalled()) {
      gaveUp(
          call,
          RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "the attempt gave up between two tries"));
    } else {
      pause(call);
    }
  }

  /** By how long the step took, so that none ends before it began, whatever the clock does. */
  private void observe(StepCall<?> call, @Nullable FailureRecord failure) {
    Instant began = call.startedAt;
    if (observer != AttemptObserver.NONE && began != null) {
      Instant ended = began.plus(context.timers().elapsed().minus(call.startedElapsed));
      observer.stepEnded(call.step.name(), began, ended, call.tries, failure);
    }
  }

  private void pause(StepCall<?> call) {
    pausing.add(call);
    call.timer = context
        .timers()
        .schedule(call.step.retry().backoff().delay(call.tries, context.randomness()), () -> {
          call.timer = null;
          pausing.remove(call);
          tryOnce(call);
        });
  }

  /** Nothing is recorded, so the step is done anew by the attempt that follows. */
  private void gaveUp(StepCall<?> call, Throwable failure) {
    working--;
    gaveUpOne = true;
    executor.execute(() -> call.refuse(failure));
    gaveUp.run();
  }
}
