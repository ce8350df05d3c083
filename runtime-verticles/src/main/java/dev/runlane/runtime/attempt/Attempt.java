package dev.runlane.runtime.attempt;

import dev.runlane.json.JsonValues;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.AttemptUnwound;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.lease.HeldRun;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.process.BlockedThreads;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.runtime.steps.AttemptSteps;
import dev.runlane.runtime.steps.StepCall;
import dev.runlane.runtime.steps.StepEnds;
import dev.runlane.runtime.steps.StepResults;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.timing.ContextTurns;
import dev.runlane.timing.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One try at a run, from a claimed lease to a stored outcome. Its state is touched on the home context; only
 * {@link #invoke} runs where the handler does.
 */
public final class Attempt implements HeldRun.Listener, AttemptSteps.Owner {
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
  private final StepResults results;
  private final AttemptExecutor executor;
  private final AttemptObserver observer;
  private final AttemptSlot slot;
  private Timers.@Nullable Timer timeout;
  private @Nullable AttemptSteps steps; // null until the handler asks for one
  private @Nullable Throwable failedWith; // what the handler failed with, if it did
  private volatile boolean ended; // read by the thread of a blocking handler
  private boolean returned; // the handler did, or it threw
  private final AtomicBoolean called = new AtomicBoolean(); // a blocking handler, or never to be

  /** Behind other handlers when its run was released: its slot is free once a thread passes it over. */
  private boolean queued;

  private boolean
      suspending; // the release is being stored, unless something has happened to the run
  private final List<Runnable> meanwhile = new ArrayList<>(); // what came up while suspending

  /**
   * @param sentAt when the claim was sent, on the timers' own time
   * @param slot of the worker that makes it
   * @param observer is told of its turns and steps
   */
  Attempt(
      AttemptParts parts,
      RunRecord run,
      Lease lease,
      Duration sentAt,
      Executor executor,
      AttemptSlot slot,
      AttemptObserver observer) {
    this.observer = observer;
    context = parts.context();
    ends = parts.ends();
    task = context.registry().requireTask(run.taskId());
    queue = context
        .registry()
        .queue(run.queue())
        .orElseThrow(() -> RunlaneException.validationFailed(
            "queue %s is not registered in this runtime", run.queue()));
    payload = run.payload();
    held = new HeldRun(context, run, lease, sentAt, this);
    results = parts.results();
    this.executor = new AttemptExecutor(ContextTurns.ofCall(executor), run, observer);
    this.slot = slot;
    handlerContext = new AttemptContext(
        run,
        parts.triggers(),
        this.executor,
        isBlocking() ? threads() : null,
        parts.context().handlerLog().of(run),
        this::asked);
  }

  HeldRun held() {
    return held;
  }

  /**
   * Completes when the handler is done, or given up: its slot is free. A lease that is lost does not make it so, since
   * the handler runs on. Never fails.
   */
  public Future<Void> handled() {
    return handled.future();
  }

  /**
   * Completes when nothing is left to do: with the run as its outcome left it, or empty when the lease was
   * lost and nothing was written; the handler may still be running then. Fails when the outcome could not be stored.
   */
  public Future<Optional<RunRecord>> closed() {
    return closed.future();
  }

  /** Whether the handler is done and its outcome is being stored. */
  public boolean isEnding() {
    return handled.future().isComplete() && !closed.future().isComplete();
  }

  /** Whether so many attempts of the run were lost in its life that it may be in a crash loop. */
  boolean mayBeCrashLoop() {
    return AttemptLosses.total(held.run()) > task.task().maxLostAttempts();
  }

  /**
   * Looks whether a suspect run is in a crash loop, and ends the attempt if it is. Completes with whether the handler
   * is to be called; never fails.
   */
  Future<Boolean> checkCrashLoop() {
    int most = task.task().maxLostAttempts();
    return new AttemptLosses(context)
        .consecutive(held.run(), most, () -> ended || isLeaseOver())
        .map(lost -> {
          if (lost > most) {
            ended(OutcomeRules.crashLoop(lost));
          } else if (isSignalled()) {
            givenUp();
          }
          return !ended;
        })
        .otherwise(unreadable -> {
          failed(unreadable);
          return false;
        });
  }

  /** Prepares the handler's call; false when there will be none, because the lease is over already. */
  boolean begin() {
    if (held.isLeaseOver()) {
      lost("was over when its claim was answered, nothing begins");
      abandon();
      return false;
    }
    if (isBlocking()) {
      armWaitForThread();
    } else {
      armTimeout();
    }
    return true;
  }

  /**
   * Calls the handler, on its own context. Whatever comes out of it, such as of a future of the application's own kind,
   * ends this attempt, and keeps none that is called after it waiting.
   *
   * @param batch takes an end that is known when the call returns, so that many go home in one turn
   */
  void invoke(EndBatch batch) {
    try {
      invokeHandler(batch);
    } catch (Throwable thrown) {
      batch.add(this, ends.threw(held.id(), thrown));
    }
  }

  private void invokeHandler(EndBatch batch) {
    Future<TaskResult> result = executor.call(() -> call(task));
    if (result.cause() instanceof Undecodable undecodable) {
      context.host().execute(() -> undecodable(undecodable.fault));
    } else if (!result.isComplete()) {
      result.onComplete(done -> {
        AttemptEnd end = endOf(done);
        context.host().execute(() -> {
          if (!ended) {
            failedWith = done.cause();
          }
          returned(end);
        });
      });
    } else {
      batch.add(this, endOf(result));
    }
  }

  private void returned(AttemptEnd end) {
    returned = true;
    ended(end);
  }

  /** Its slot is free before its outcome is worked out. */
  private void returnedAtOnce() {
    returned = true;
    if (!suspending) {
      freeSlot();
    }
  }

  /** Signals the handler to give up. */
  public void signal(SignalReason reason) {
    if (!ended && signals.add(reason)) {
      handlerContext.fire(reason);
      if (steps != null) {
        steps.signalled(reason);
      }
      if (mayEndUncalled()) {
        givenUp(); // nobody else would end it
      }
    }
  }

  /** Whether there is a blocking handler that has no thread yet; it will not be called then. */
  private boolean mayEndUncalled() {
    return isBlocking() && !ended && called.compareAndSet(false, true);
  }

  /** Ends the attempt before its handler was called, because the worker stops. */
  void handBack() {
    signals.add(SignalReason.WORKER_STOPPING);
    givenUp();
  }

  /** Abandons the run without an outcome; whatever the handler still returns is ignored. */
  public void abandon() {
    if (!ended) {
      held.abandon();
      close();
    }
    freeSlot();
  }

  /** Abandons the run as {@link #abandon} does, also when its outcome is being stored. */
  void giveUp() {
    if (isEnding()) {
      LOG.warn(
          "the outcome of attempt {} of run {} was not stored before the close timeout was over; unless the storage has it"
              + " after all, the attempt will be made again",
          held.run().counters().attempts(),
          held.id());
      held.abandon();
      closed.tryComplete(Optional.empty());
    }
    abandon();
  }

  /**
   * Stores how the attempt ended, unless it has ended before, as that of a blocking handler has which is taken off its
   * thread.
   */
  void ended(AttemptEnd end) {
    if (ended) {
      freeSlot();
      return;
    }
    if (suspending) {
      meanwhile.add(() -> ended(end));
      return;
    }
    if (isLeaseOver() && end.isFailure()) {
      lost("ended, and its attempt with it: it is made again");
      abandon();
      return;
    }
    over();
    if (queued) {
      disarmTimeout();
    } else {
      freeSlot();
    }
    OutcomeRules rules = new OutcomeRules(task.task(), queue, end, signals);
    held.end(run -> outcome(rules, run)).onComplete(written -> {
      if (closed.future().isComplete()) {
        return; // was given up meanwhile
      }
      if (written.failed()) {
        LOG.error(
            "the outcome of attempt {} of run {} of task {} was not stored, the attempt will be made again: {}",
            handlerContext.attempt(),
            held.id(),
            handlerContext.taskId(),
            written.cause().toString());
        closed.tryFail(written.cause());
      } else {
        try {
          written.result().ifPresent(run -> told(run, end));
        } finally {
          closed.tryComplete(written.result()); // its slot waits for it, whatever a log throws
        }
      }
    });
  }

  private void told(RunRecord run, AttemptEnd end) {
    notifyOthers(run);
    if (run.failure() != null) { // else there is no line, and nothing to set the log's context for
      executor.runNow(() -> context.attemptLog().ended(run, task.task().retry(), end.cause()));
    }
  }

  @Override
  public boolean isSignalled() {
    return !signals.isEmpty();
  }

  @Override
  public boolean isCancelled() {
    return signals.contains(SignalReason.CANCELLATION_REQUESTED);
  }

  @Override
  public boolean isLeaseOver() {
    return signals.contains(SignalReason.LEASE_LOST);
  }

  @Override
  public boolean isSlotWanted() {
    return slot.isWanted();
  }

  @Override
  public boolean isSlotForBacklog() {
    return slot.hasBacklog();
  }

  /**
   * In a bounded queue a run that waits would keep another one of its partition from running, and a handler that blocks
   * one of its thread.
   */
  @Override
  public boolean lendSlot() {
    boolean isAlone = !queue.policy().isBounded() && !isBlocking();
    if (ended || suspending || isSignalled() || !isAlone || !slot.lend()) {
      return false;
    }
    disarmTimeout();
    observer.waits();
    return true;
  }

  /** Its time begins again, as that of the next attempt would. */
  @Override
  public void reclaimSlot(Runnable action) {
    slot.reclaim(() -> goOnInSlot(action));
  }

  private void goOnInSlot(Runnable action) {
    if (suspending) {
      meanwhile.add(() -> goOnInSlot(action)); // unless the run is somebody else's by then
    } else if (!ended) {
      observer.goesOn();
      armTimeout();
      action.run();
    }
  }

  /** Whatever happened to the run meanwhile may be what the handler waits for: then it goes on. */
  @Override
  public void suspend(Instant resumeAt) {
    if (ended || suspending) {
      return;
    }
    suspending = true;
    long known = held.run().eventSequence();
    OutcomeRules rules =
        new OutcomeRules(task.task(), queue, new AttemptEnd.Suspended(resumeAt), signals);
    held.suspend(run -> run.status() == RunStatus.RUNNING && run.eventSequence() != known
            ? List.of()
            : outcome(rules, run))
        .onComplete(written -> {
          suspending = false;
          if (written.failed()) {
            LOG.error("the release of run {} was not stored", held.id(), written.cause());
            leave();
            closed.tryFail(written.cause());
          } else if (!ended && written.result().filter(this::isStillHeld).isPresent()) {
            goOn(written.result().get());
          } else {
            leave();
            written.result().ifPresent(this::notifyOthers);
            closed.tryComplete(written.result());
          }
        });
  }

  /** The handler is not resumed, unless it was given up before and goes on by itself. */
  private void leave() {
    if (!ended) {
      handlerContext.suspend();
    }
    over();
    freeSlot();
  }

  private boolean isStillHeld(RunRecord run) {
    return run.lease() != null;
  }

  private void goOn(RunRecord run) {
    List<Runnable> later = List.copyOf(meanwhile);
    meanwhile.clear();
    later.forEach(Runnable::run);
    if (!ended && steps != null) {
      steps.changed(run, List.of());
    }
  }

  @Override
  public void nonDeterministic(int releasesBefore, Map<String, String> both) {
    LOG.warn("the handler of run {} asks for other steps than recorded: {}", held.id(), both);
    Duration pause = RetryPolicy.DEFAULT_BACKOFF.delay(releasesBefore + 1, context.randomness());
    ended(new AttemptEnd.Released(pause, StepEnds.NON_DETERMINISTIC, JsonValues.object(both)));
  }

  @Override
  public void failed(Throwable cause) {
    ended(ends.threw(held.id(), cause));
  }

  @Override
  public void changed(RunRecord run, List<RunEvent> news) {
    if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
      signal(SignalReason.CANCELLATION_REQUESTED);
    }
    if (!ended && !suspending && steps != null) {
      steps.changed(run, news);
    }
  }

  @Override
  public boolean hasSteps() {
    return steps != null;
  }

  @Override
  public void leaseEnded() {
    if (!ended) {
      lost("ended before it could be renewed, its handler is told");
      signal(SignalReason.LEASE_LOST);
    }
  }

  @Override
  public void leaseLost() {
    if (!ended) {
      lost("is lost to somebody else, or what was stored under it is, its attempt is abandoned");
      signal(SignalReason.LEASE_LOST);
      close();
      if (steps != null) {
        freeSlot(); // a handler that waits for a step will not hear of it any more
      }
    }
  }

  /** Before the handler was called. */
  private void givenUp() {
    ended(ends.threw(
        held.id(),
        RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "the attempt gave up because of %s", signals)));
  }

  private void lost(String how) {
    context
        .attemptLog()
        .lostLeases()
        .noticed(String.format(
            Locale.ROOT,
            "that of attempt %d of run %s of task %s %s",
            handlerContext.attempt(),
            held.id(),
            handlerContext.taskId(),
            how));
  }

  /** The handler, if there is one, goes on by itself. */
  private void close() {
    over();
    closed.tryComplete(Optional.empty());
  }

  /** From the handler's context or thread. */
  private void asked(StepCall<?> call) {
    if (call.encodeInput(results)) {
      context.host().execute(() -> request(call));
    }
  }

  private void request(StepCall<?> call) {
    if (ended) {
      freeSlot(); // a handler that waits for a step will not hear of it any more
      return;
    }
    if (suspending) {
      meanwhile.add(() -> request(call));
      return;
    }
    if (steps == null) {
      steps = new AttemptSteps(context, results, held, executor, this::later, this, observer);
    }
    steps.request(call);
  }

  /** A handler of blocking steps has no turns that something could come in between. */
  private void later(Runnable action) {
    if (isBlocking()) {
      executor.execute(action);
    } else {
      context.host().defer(() -> executor.execute(action));
    }
  }

  /** What goes on with the run keeps the requests that were not written yet. */
  private List<RunEvent> outcome(OutcomeRules rules, RunRecord run) {
    Instant at = context.appends().occurredAt(run);
    List<RunEvent> events = rules.events(run, at, context.randomness());
    if (steps != null) {
      events = steps.withOpenFailures(events, failedWith);
    }
    if (steps == null || RunAppends.project(run, events).status().isTerminal()) {
      return events;
    }
    List<RunEvent> all =
        new ArrayList<>(steps.unwrittenRequests(events.get(0).header().withMeta(null)));
    all.addAll(events);
    return all;
  }

  private void over() {
    ended = true;
    if (!returned) {
      handlerContext.discard();
    }
    if (steps != null) {
      steps.close();
    }
    handlerContext.unwind();
  }

  /** The handler is done, or will not be waited for. */
  private void freeSlot() {
    disarmTimeout();
    handled.tryComplete();
  }

  private void notifyOthers(RunRecord run) {
    QueuePolicy policy = queue.policy();
    if (policy.isBounded()) {
      context.notifications().dispatchChanged(policy.queue());
      context.notifications().workAvailable(policy.queue());
    } else if (run.status() == RunStatus.QUEUED) {
      context.notifications().workAvailable(policy.queue()); // handed back
    }
  }

  /** The history says for how long already. */
  private void undecodable(RunlaneException fault) {
    if (ended) {
      freeSlot();
      return;
    }
    if (mayEndUncalled()) {
      countTimeout();
    }
    new UndecodablePayloads(context)
        .end(held.run(), fault, () -> ended || isLeaseOver())
        .onSuccess(end -> context.host().execute(() -> ended(end)));
  }

  private <P> Future<TaskResult> call(RegisteredTask<P> registered) {
    P value;
    try {
      value = registered.codec().decode(payload);
    } catch (RunlaneException fault) {
      return Future.failedFuture(new Undecodable(fault));
    } catch (Throwable fault) {
      return Future.failedFuture(new Undecodable(RunlaneException.validationFailed(
          "the payload of task %s cannot be read: %s",
          registered.id(), fault.getClass().getName())));
    }
    try {
      Task.AttemptBody<P> body = registered.body();
      if (body instanceof Task.AttemptBody.Blocking<P> blocking) {
        return context.host().blocking(executor.wrapped(() -> {
          requireGoingOn();
          return blocking.handler().handle(value, handlerContext);
        }));
      }
      Future<TaskResult> result =
          ((Task.AttemptBody.OnEventLoop<P>) body).handler().handle(value, handlerContext);
      return result == null ? Future.succeededFuture() : result;
    } catch (
        Throwable thrown) { // whatever it is, a lease and a slot wait for the end of the attempt
      return Future.failedFuture(thrown);
    }
  }

  /** At last on a thread of its own, for which it may have waited until its attempt was over. */
  private void requireGoingOn() {
    if (ended || !called.compareAndSet(false, true)) {
      throw new AttemptUnwound(held.id());
    }
    context.host().execute(() -> {
      if (!ended && !handled.future().isComplete()) {
        countTimeout();
      }
    });
  }

  /** The time counts from now, and no longer until there is a thread. */
  private void countTimeout() {
    disarmTimeout();
    armTimeout();
  }

  /** A handler waits for a thread as long as it may take at most, then another process may have one. */
  private void armWaitForThread() {
    task.task()
        .attemptTimeout()
        .ifPresent(after -> timeout = context.timers().schedule(after, () -> {
          if (mayEndUncalled()) {
            LOG.warn(
                "no thread was free for the handler of run {} of task {} within {}, the run is released",
                held.id(),
                handlerContext.taskId(),
                after);
            queued = true; // or a worker would claim and queue more and more
            Duration pause = RetryPolicy.DEFAULT_BACKOFF.delay(1, context.randomness());
            ended(new AttemptEnd.Released(pause, OutcomeRules.NO_THREAD, null));
          }
        }));
  }

  private boolean isBlocking() {
    return task.body() instanceof Task.AttemptBody.Blocking;
  }

  private BlockedThreads threads() {
    return new BlockedThreads(held.id(), context.host());
  }

  private AttemptEnd endOf(AsyncResult<TaskResult> result) {
    return result.succeeded()
        ? ends.returned(handlerContext.runId(), result.result())
        : ends.threw(handlerContext.runId(), result.cause());
  }

  /** Counts from when the handler is called, or goes on in a slot. */
  private void armTimeout() {
    task.task()
        .attemptTimeout()
        .ifPresent(after -> timeout = context.timers().schedule(after, () -> {
          signal(SignalReason.ATTEMPT_TIMEOUT);
          timeout = context
              .timers()
              .schedule(
                  context.options().getAttemptTimeoutGrace(), () -> ended(OutcomeRules.timedOut()));
        }));
  }

  private void disarmTimeout() {
    if (timeout != null) {
      timeout.cancel();
      timeout = null;
    }
  }

  /** The handler was not called, because there is no payload to call it with. */
  private static final class Undecodable extends Exception {
    private static final long serialVersionUID = 1;

    private final transient RunlaneException fault;

    Undecodable(RunlaneException fault) {
      super(fault);
      this.fault = fault;
    }
  }

  /**
   * Ends that are known in one turn of a handler's context go home together. Where their slots are wanted they are free
   * first, so that the next claim is on its way while the outcomes are worked out: of all that is done for a run the
   * claim takes longest.
   */
  static final class EndBatch {
    private final RuntimeHost host;
    private final List<Known> known = new ArrayList<>();

    EndBatch(RuntimeHost host) {
      this.host = host;
    }

    void add(Attempt attempt, AttemptEnd end) {
      known.add(new Known(attempt, end));
    }

    void submit() {
      if (!known.isEmpty()) {
        host.execute(this::endInTurn);
      }
    }

    private void endInTurn() {
      if (known.get(0).attempt.isSlotWanted()) { // the others are of the same worker
        known.forEach(each -> each.attempt.returnedAtOnce());
        host.defer(this::end);
      } else {
        end();
      }
    }

    private void end() {
      known.forEach(each -> each.attempt.returned(each.end));
    }

    private record Known(Attempt attempt, AttemptEnd end) {}
  }
}
