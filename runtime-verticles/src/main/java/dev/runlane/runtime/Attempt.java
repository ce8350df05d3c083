package dev.runlane.runtime;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One try at a run, from a claimed lease to a stored outcome. Its state is touched on the home context; only
 * {@link #invoke} runs where the handler does.
 */
final class Attempt implements HeldRun.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);

  private final RuntimeContext context;
  private final AttemptEnds ends;
  private final RegisteredTask<?> task;
  private final TaskQueue queue;
  private final Json payload;
  private final HeldRun held;
  private final AttemptContext handlerContext;
  private final Promise<Void> handled = Promise.promise();
  private final Promise<Optional<RunRecord>> closed = Promise.promise();
  private final Set<SignalReason> signals = EnumSet.noneOf(SignalReason.class);
  private Timers.@Nullable Timer timeout;
  private boolean ended;

  Attempt(AttemptParts parts, RunRecord run, Lease lease, Executor place) {
    context = parts.context();
    ends = parts.ends();
    task = context.registry().requireTask(run.taskId());
    queue = context
        .registry()
        .queue(run.queue())
        .orElseThrow(() -> RunlaneException.validationFailed(
            "queue %s is not registered in this runtime", run.queue()));
    payload = run.payload();
    held = new HeldRun(context, run, lease, this);
    handlerContext = new AttemptContext(run, parts.triggers(), place);
  }

  HeldRun held() {
    return held;
  }

  /** Completes when the handler is done, or given up: its slot is free. Never fails. */
  Future<Void> handled() {
    return handled.future();
  }

  /**
   * Completes when nothing is left to do: with the run as its outcome left it, or empty when the lease was
   * lost and nothing was written. Fails when the outcome could not be stored.
   */
  Future<Optional<RunRecord>> closed() {
    return closed.future();
  }

  /** Whether the handler is done and its outcome is being stored. */
  boolean isEnding() {
    return ended && !closed.future().isComplete();
  }

  /** Prepares the handler's call; false when there will be none, because the outcome is known already. */
  boolean begin() {
    int lost = held.run().counters().lostAttempts(1);
    if (lost > task.task().maxLostAttempts()) {
      ended(OutcomeRules.crashLoop(lost));
      return false;
    }
    task.task().attemptTimeout().ifPresent(this::armTimeout);
    return true;
  }

  /**
   * Calls the handler, on its own context.
   *
   * @param batch takes an end that is known when the call returns, so that many go home in one turn
   */
  void invoke(EndBatch batch) {
    Future<TaskResult> result = call(task);
    if (result.isComplete()) {
      batch.add(this, endOf(result));
    } else {
      result.onComplete(done -> {
        AttemptEnd end = endOf(done);
        context.host().execute(() -> ended(end));
      });
    }
  }

  /** Asks the handler to give up. */
  void signal(SignalReason reason) {
    if (!ended && signals.add(reason)) {
      handlerContext.fire(reason);
    }
  }

  /** Ends the attempt before its handler was called, because the worker stops. */
  void handBack() {
    signals.add(SignalReason.WORKER_STOPPING);
    ended(ends.threw(
        held.id(), RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the worker stops")));
  }

  /** Lets the run go without an outcome; whatever the handler still returns is ignored. */
  void letGo() {
    if (!ended) {
      held.abandon();
      close(Optional.empty());
    }
  }

  /** Stores how the attempt ended, unless it has ended before. */
  void ended(AttemptEnd end) {
    if (ended) {
      return;
    }
    over();
    OutcomeRules rules = new OutcomeRules(task.task(), queue, end, signals);
    held.end(run -> rules.events(run, context.appends().occurredAt(run), context.randomness()))
        .onComplete(written -> {
          if (written.failed()) {
            LOG.error("the outcome of run {} was not stored", held.id(), written.cause());
            closed.tryFail(written.cause());
          } else {
            written.result().ifPresent(this::tellOthers);
            closed.tryComplete(written.result());
          }
        });
  }

  @Override
  public void changed(RunRecord run) {
    if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
      signal(SignalReason.CANCELLATION_REQUESTED);
    }
  }

  @Override
  public void leaseLost() {
    if (!ended) {
      LOG.warn("the lease of run {} is lost, its attempt is abandoned", held.id());
      signal(SignalReason.LEASE_LOST);
      close(Optional.empty());
    }
  }

  private void close(Optional<RunRecord> run) {
    over();
    closed.tryComplete(run);
  }

  private void over() {
    ended = true;
    disarmTimeout();
    handled.tryComplete();
  }

  private void tellOthers(RunRecord run) {
    QueuePolicy policy = queue.policy();
    if (policy.isBounded()) {
      context.nudges().dispatchChanged(policy.queue());
      context.nudges().workAvailable(policy.queue());
    } else if (run.status() == RunStatus.QUEUED) {
      context.nudges().workAvailable(policy.queue()); // handed back
    }
  }

  private <P> Future<TaskResult> call(RegisteredTask<P> registered) {
    try {
      P value = registered.codec().decode(payload);
      Task.AttemptBody<P> body = registered.task().body();
      if (body instanceof Task.AttemptBody.Blocking<P> blocking) {
        return context.host().blocking(() -> blocking.handler().handle(value, handlerContext));
      }
      Future<TaskResult> result =
          ((Task.AttemptBody.OnEventLoop<P>) body).handler().handle(value, handlerContext);
      return result == null ? Future.succeededFuture() : result;
    } catch (Exception | LinkageError | AssertionError | StackOverflowError thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private AttemptEnd endOf(AsyncResult<TaskResult> result) {
    return result.succeeded()
        ? ends.returned(handlerContext.runId(), result.result())
        : ends.threw(handlerContext.runId(), result.cause());
  }

  private void armTimeout(Duration after) {
    timeout = context.timers().schedule(after, () -> {
      signal(SignalReason.ATTEMPT_TIMEOUT);
      timeout = context
          .timers()
          .schedule(
              context.options().getAttemptTimeoutGrace(), () -> ended(OutcomeRules.timedOut()));
    });
  }

  private void disarmTimeout() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }

  /** Ends that are known in one turn of a handler's context go home together. */
  static final class EndBatch {
    private final RuntimeHost host;
    private final List<Runnable> known = new ArrayList<>();

    EndBatch(RuntimeHost host) {
      this.host = host;
    }

    void add(Attempt attempt, AttemptEnd end) {
      known.add(() -> attempt.ended(end));
    }

    void goHome() {
      if (!known.isEmpty()) {
        host.execute(() -> known.forEach(Runnable::run));
      }
    }
  }
}
