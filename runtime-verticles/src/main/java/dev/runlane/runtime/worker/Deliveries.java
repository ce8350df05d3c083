package dev.runlane.runtime.worker;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.attempt.Attempt;
import dev.runlane.runtime.attempt.AttemptSlot;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.lease.NamedClaims;
import dev.runlane.runtime.process.RunReads;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the runs that wakeups name, if storage says that they are due. A slot is taken before a lease is
 * claimed and until the handler is done, so a run that is leased never waits for a slot. A wakeup that finds none
 * waits a moment for one, which saves reading its run where handlers are quick, and then only if there is work for it.
 * A run that is due within the tolerated clock skew is held until then: its waker's clock is merely ahead.
 *
 * <p>Called by any thread; its state is touched on the home context only.
 */
public final class Deliveries implements DeliveryWorker {
  /** How often a run is claimed again that somebody held and left as it was = {@value}. */
  private static final int MOST_PASSED_OVER = 5;

  /** The pause before each of these claims: 1.55 s in all. */
  private static final Backoff AFTER_PASSED_OVER =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(1));

  /** How long a wakeup waits for a slot before its run is read: about as long as a claim and the end of one take. */
  private static final Duration BEFORE_READ = Duration.ofMillis(20);

  private final RuntimeContext context;
  private final Claims claims;
  private final NamedClaims named;
  private final Attempts attempts;
  private final RunReads reads;
  private final String workerId;
  private final Set<String> queues;
  private final int concurrency;
  private final Duration drainTimeout;
  private final Set<Attempt> active = new LinkedHashSet<>();
  private final List<Beginning> beginning = new ArrayList<>(); // of one claim, in one turn
  private final Deque<Promise<Void>> waiting = new ArrayDeque<>(); // for a slot
  private final Deque<Unread> unread = new ArrayDeque<>(); // wait a moment for one
  private Timers.@Nullable Timer patience; // ends the wait of the first of those
  private final Map<Promise<Void>, Timers.Timer> held = new LinkedHashMap<>(); // until they are due
  private final Promise<Void> stopped = Promise.promise();
  private int busySlots;
  private boolean isHandingOver; // slots that are free to those who wait for one
  private int undecided; // deliveries of which it is not known yet whether there is an attempt
  private boolean stopping;

  private Deliveries(
      RuntimeContext context,
      Claims claims,
      Attempts attempts,
      RunReads reads,
      WorkerOptions options,
      int concurrency) {
    this.context = context;
    this.claims = claims;
    this.attempts = attempts;
    this.reads = reads;
    this.concurrency = concurrency;
    workerId = options.getWorkerId().orElseGet(context.ids()::workerId);
    List<QueuePolicy> policies = context.registry().policiesOf(options.getQueues());
    queues = policies.stream().map(QueuePolicy::queue).collect(Collectors.toUnmodifiableSet());
    named = new NamedClaims(context, claims, workerId, policies, this::beginAll);
    drainTimeout = options.getDrainTimeout();
  }

  /** With as many slots as the options say. Throws {@code ConfigurationInvalid} for an unknown queue. */
  public static Deliveries of(
      RuntimeContext context,
      Claims claims,
      Attempts attempts,
      RunReads reads,
      WorkerOptions options) {
    Deliveries made =
        new Deliveries(context, claims, attempts, reads, options, options.getConcurrency());
    context.observer().workerStarted(made.workerId, made.queues, made.concurrency);
    made.stopped().onComplete(done -> context.observer().workerStopped(made.workerId));
    return made;
  }

  /** For callers that bound what they ask for themselves. */
  public static Deliveries unlimited(
      RuntimeContext context, Claims claims, Attempts attempts, RunReads reads, String workerId) {
    WorkerOptions options = new WorkerOptions().setWorkerId(workerId);
    return new Deliveries(context, claims, attempts, reads, options, Integer.MAX_VALUE);
  }

  @Override
  public String workerId() {
    return workerId;
  }

  /** How many runs it works on at most. */
  public int slots() {
    return concurrency;
  }

  /** How many runs it works on. On the home context. */
  public int running() {
    return active.size();
  }

  @Override
  public Set<String> queues() {
    return queues;
  }

  @Override
  public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
    Executor executor = context.host().callerExecutor();
    return context.host().call(() -> {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.LEASES_RUNS, "executeDelivery");
      return mayBeOurs(message)
          ? decide(new Wakeup(message, executor, 0)).compose(Decision::result)
          : ignored(IgnoredReason.NOT_FOUND).compose(Decision::result);
    });
  }

  /** Asked first: an id that no run can have would be refused together with those of other wakeups. */
  private boolean mayBeOurs(DeliveryMessage message) {
    return message.environment().equals(context.environment())
        && Identifiers.fault(message.runId(), ContractDefaults.MAX_ID_BYTES).isEmpty();
  }

  @Override
  public Future<Void> stop() {
    context
        .host()
        .<Void>call(() -> {
          beginStop();
          return Future.succeededFuture();
        })
        .onFailure(neverStarted -> stopped.tryComplete());
    return stopped.future();
  }

  /** Completes with the stop. */
  public Future<Void> stopped() {
    return stopped.future();
  }

  private void beginStop() {
    if (stopping) {
      return;
    }
    stopping = true;
    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));
    List.copyOf(waiting).forEach(each -> each.tryFail(cancelled()));
    waiting.clear();
    List.copyOf(unread).forEach(each -> each.slot().tryFail(cancelled()));
    unread.clear();
    if (patience != null) {
      patience.cancel();
    }
    named.cancel(cancelled());
    Map<Promise<Void>, Timers.Timer> notDue = Map.copyOf(held);
    held.clear();
    notDue.forEach((each, timer) -> {
      timer.cancel();
      each.tryFail(cancelled());
    });
    Timers.Timer bound = context.timers().schedule(drainTimeout, this::abandonAttempts);
    context.closeDeadline().onExpired(stopped.future(), this::abandonAttempts);
    stopped.future().onComplete(done -> bound.cancel());
    completeIfDrained();
  }

  private void abandonAttempts() {
    if (stopped.future().isComplete()) {
      return;
    }
    Attempts.abandon(workerId, active);
    stopped.tryComplete();
  }

  private void completeIfDrained() {
    if (stopping && undecided == 0 && beginning.isEmpty() && active.isEmpty()) {
      stopped.tryComplete();
    }
  }

  /** What a delivery comes to: a result that is known, or the end of an attempt that has begun. */
  private record Decision(Future<DeliveryResult> result) {}

  /**
   * What is delivered.
   *
   * @param executor where the handler is called
   * @param passedOver how often its run was due and could not be claimed
   */
  private record Wakeup(DeliveryMessage message, Executor executor, int passedOver) {
    private Wakeup again() {
      return new Wakeup(message, executor, passedOver + 1);
    }
  }

  private Future<Decision> decide(Wakeup wakeup) {
    if (stopping) {
      return Future.failedFuture(cancelled());
    }
    undecided++;
    return claimAtOnce(wakeup)
        .compose(begun -> begun.isPresent()
            ? Future.succeededFuture(begun.get())
            : reads.read(wakeup.message().runId()).compose(found -> judge(found, wakeup)))
        .onComplete(decided -> {
          undecided--;
          completeIfDrained();
        });
  }

  /**
   * Most wakeups come for runs that are due, so that these are claimed together with others, unread, where there is a
   * slot for them. Empty where that is not so, and the run is to be read to learn why.
   */
  private Future<Optional<Decision>> claimAtOnce(Wakeup wakeup) {
    return named.serves(wakeup.message().queue())
        ? slotSoon()
            .compose(
                taken -> taken ? claimInSlot(wakeup) : Future.succeededFuture(Optional.empty()))
        : Future.succeededFuture(Optional.empty());
  }

  /** With a slot, which is free again where nothing is claimed. */
  private Future<Optional<Decision>> claimInSlot(Wakeup wakeup) {
    DeliveryMessage message = wakeup.message();
    Future<Boolean> isPaused =
        stopping ? Future.failedFuture(cancelled()) : context.pauses().isPaused(message.queue());
    return isPaused
        .compose(paused -> paused || !context.clockMonitor().mayClaim()
            ? Future.succeededFuture(Optional.<Claims.ClaimedRun>empty())
            : named.claim(message.queue(), message.runId()))
        .map(claimed -> claimed.map(mine -> new Decision(begin(mine, wakeup.executor()))))
        .onComplete((begun, failure) -> {
          if (failure != null || begun.isEmpty()) {
            freeSlot();
          }
        });
  }

  private Future<Decision> judge(Optional<RunRecord> found, Wakeup wakeup) {
    Optional<IgnoredReason> reason = found
        .map(run -> refusal(run, wakeup.message()))
        .orElse(Optional.of(IgnoredReason.NOT_FOUND));
    if (reason.isPresent()) {
      return ignored(reason.get());
    }
    RunRecord run = found.orElseThrow();
    context.registry().requireTask(run.taskId()).body(); // refused where this process only triggers
    // Failed while the clocks disagree, so that it comes again: no other wakeup does.
    return context.clockMonitor().requireAgreement().compose(agreed -> judgeDue(run, wakeup));
  }

  private Future<Decision> judgeDue(RunRecord run, Wakeup wakeup) {
    Duration untilDue = untilDue(run);
    if (untilDue.isZero()) {
      return context
          .pauses()
          .isPausedNow(run.queue())
          .compose(paused -> paused
              ? ignored(IgnoredReason.QUEUE_PAUSED)
              : slot().compose(taken -> claimUnlessPaused(run, wakeup)));
    }
    return untilDue.compareTo(context.options().toleratedSkew()) <= 0
        ? after(untilDue).compose(due -> decide(wakeup))
        : ignored(IgnoredReason.NOT_DUE);
  }

  private Optional<IgnoredReason> refusal(RunRecord run, DeliveryMessage message) {
    if (run.status().isTerminal()) {
      return Optional.of(IgnoredReason.TERMINAL);
    }
    if (!run.queue().equals(message.queue()) || !queues.contains(run.queue())) {
      return Optional.of(IgnoredReason.WRONG_QUEUE);
    }
    boolean leased = run.status() == RunStatus.CANCELLATION_REQUESTED
        || (run.status() == RunStatus.RUNNING && !untilDue(run).isZero());
    return leased ? Optional.of(IgnoredReason.ALREADY_LEASED) : Optional.empty();
  }

  /** The wait for a slot may have been long, and the clock may have jumped meanwhile. */
  private Future<Decision> claimUnlessPaused(RunRecord run, Wakeup wakeup) {
    return context.pauses().isPausedNow(run.queue()).transform((paused, failure) -> {
      if (failure == null && !paused && context.clockMonitor().mayClaim()) {
        return claimAndBegin(run, wakeup);
      }
      freeSlot();
      if (failure != null) {
        return Future.failedFuture(failure);
      }
      return paused
          ? ignored(IgnoredReason.QUEUE_PAUSED)
          : decide(wakeup); // which fails until the clocks agree
    });
  }

  /** With a slot, which is free again when nothing was claimed, or else when the handler is done. */
  private Future<Decision> claimAndBegin(RunRecord run, Wakeup wakeup) {
    TaskQueue queue = context.registry().queue(run.queue()).orElseThrow();
    return Future.<Void>succeededFuture()
        .compose(start -> stopping ? Future.failedFuture(cancelled()) : claim(run, queue.policy()))
        .map(claimed -> claimed.map(mine -> begin(mine, wakeup.executor())))
        .transform((begun, failure) -> {
          if (failure != null) {
            freeSlot();
            return Future.failedFuture(failure);
          }
          if (begun.isEmpty()) {
            freeSlot();
            return afterLostClaim(run, queue, wakeup);
          }
          return Future.succeededFuture(new Decision(begun.get()));
        });
  }

  /**
   * A run that is still to be begun may have had the result of a step since it was read, above all where it waited for
   * a slot, or is not due any more by a clock that was set back: nobody has claimed it, and no other wakeup comes for
   * it. One that is as it was is somebody else's for the moment, whose transaction may leave it so; in a queue with a
   * limit its reservation ends, and another wakeup comes.
   */
  private Future<Decision> afterLostClaim(RunRecord run, TaskQueue queue, Wakeup wakeup) {
    return reads.read(run.id()).compose(found -> {
      boolean isAsItWas =
          found.filter(now -> now.eventSequence() == run.eventSequence()).isPresent();
      if (isAsItWas && untilDue(run).isZero()) {
        return queue.policy().isBounded() || wakeup.passedOver() >= MOST_PASSED_OVER
            ? ignored(IgnoredReason.CLAIM_LOST)
            : after(AFTER_PASSED_OVER.delay(wakeup.passedOver() + 1, context.randomness()))
                .compose(over -> decide(wakeup.again()));
      }
      return found.isPresent() && !found.get().status().isLeased()
          ? judge(found, wakeup)
          : ignored(IgnoredReason.CLAIM_LOST);
    });
  }

  /** Together with others where that is possible. */
  private Future<Optional<Claims.ClaimedRun>> claim(RunRecord run, QueuePolicy queue) {
    return named.serves(run.queue())
        ? named
            .claim(run.queue(), run.id())
            .compose(claimed -> claimed.isPresent()
                ? Future.succeededFuture(claimed)
                : claims.claim(run, queue, workerId))
        : claims.claim(run, queue, workerId);
  }

  /** Runs that are claimed together begin together, so that their handlers are called in one turn. */
  private Future<DeliveryResult> begin(Claims.ClaimedRun claimed, Executor executor) {
    Beginning next = new Beginning(claimed, executor, Promise.promise());
    beginning.add(next);
    if (!named.isAnswering()) {
      beginAll();
    }
    return next.result().future();
  }

  private void beginAll() {
    Map<Start, List<Beginning>> starts = beginning.stream()
        .collect(Collectors.groupingBy(Beginning::start, LinkedHashMap::new, Collectors.toList()));
    beginning.clear();
    starts.forEach(this::begin);
  }

  private void begin(Start start, List<Beginning> some) {
    List<RunRecord> runs = some.stream().map(each -> each.claimed().run()).toList();
    List<Attempt> begun = stopping
        ? attempts.handBack(runs, start.sentAt())
        : attempts.start(runs, start.sentAt(), start.executor(), KeptSlot::new);
    active.addAll(begun);
    for (int index = 0; index < begun.size(); index++) {
      Attempt attempt = begun.get(index);
      attempt.handled().onComplete(done -> freeSlot());
      ended(attempt).onComplete(some.get(index).result());
    }
  }

  private Future<DeliveryResult> ended(Attempt attempt) {
    return attempt
        .closed()
        .onComplete(done -> {
          active.remove(attempt);
          completeIfDrained();
        })
        .map(ended -> ended
            .<DeliveryResult>map(DeliveryResult.Executed::new)
            .orElse(new DeliveryResult.Ignored(IgnoredReason.ABANDONED)));
  }

  /**
   * A run that was claimed and is to begin.
   *
   * @param executor where its handler is called
   * @param result what its delivery comes to
   */
  private record Beginning(
      Claims.ClaimedRun claimed, Executor executor, Promise<DeliveryResult> result) {
    private Start start() {
      return new Start(executor, claimed.sentAt());
    }
  }

  /** What runs that begin in one turn have in common. */
  private record Start(Executor executor, Duration sentAt) {}

  private Future<Void> slot() {
    if (stopping) {
      return Future.failedFuture(cancelled());
    }
    if (busySlots < concurrency && waiting.isEmpty()) {
      busySlots++;
      return Future.succeededFuture();
    }
    Promise<Void> turn = Promise.promise();
    waiting.add(turn);
    return turn.future();
  }

  /** Completes with whether a slot is taken, now or in a moment. */
  private Future<Boolean> slotSoon() {
    if (busySlots < concurrency && waiting.isEmpty() && unread.isEmpty()) {
      busySlots++;
      return Future.succeededFuture(true);
    }
    Unread last = new Unread(Promise.promise(), context.timers().elapsed().plus(BEFORE_READ));
    unread.add(last);
    awaitPatience();
    return last.slot().future();
  }

  private void awaitPatience() {
    Unread first = unread.peek();
    if (patience == null && first != null) {
      Duration left = first.until().minus(context.timers().elapsed());
      patience = context.timers().schedule(left.isNegative() ? Duration.ZERO : left, () -> {
        patience = null;
        Duration now = context.timers().elapsed();
        while (!unread.isEmpty() && unread.peek().until().compareTo(now) <= 0) {
          unread.remove().slot().complete(false);
        }
        awaitPatience();
      });
    }
  }

  /**
   * A wakeup whose run is not read yet.
   *
   * @param slot whether it has one in the end
   * @param until when it gives up, on the timers' own time
   */
  private record Unread(Promise<Boolean> slot, Duration until) {}

  /** The slot of every attempt, which keeps it: the message it has come with waits for its end. */
  private final class KeptSlot implements AttemptSlot {
    @Override
    public boolean isWanted() {
      return !waiting.isEmpty() || !unread.isEmpty();
    }

    @Override
    public boolean lend() {
      return false;
    }

    @Override
    public void reclaim(Runnable action) {
      action.run();
    }
  }

  /** Those that have read their runs have waited longest. */
  private void freeSlot() {
    busySlots--;
    if (isHandingOver) {
      return; // by one that needed none after all, and the next has it
    }
    isHandingOver = true;
    try {
      while (busySlots < concurrency && !(waiting.isEmpty() && unread.isEmpty())) {
        busySlots++;
        if (waiting.isEmpty()) {
          unread.remove().slot().complete(true);
        } else {
          waiting.remove().complete();
        }
      }
    } finally {
      isHandingOver = false;
    }
  }

  /** By the time that a claim is sent with, which is not the run's own where its waker's clock is ahead. */
  private Duration untilDue(RunRecord run) {
    Instant now = context.clock().now();
    Duration until = RunDueTimes.runnableAvailableAt(run)
        .map(due -> Duration.between(now, due))
        .orElse(Duration.ZERO);
    return until.isNegative() ? Duration.ZERO : until;
  }

  private Future<Void> after(Duration delay) {
    if (stopping) {
      return Future.failedFuture(cancelled());
    }
    Promise<Void> over = Promise.promise();
    held.put(over, context.timers().schedule(delay, () -> {
      held.remove(over);
      over.tryComplete();
    }));
    return over.future();
  }

  private static Future<Decision> ignored(IgnoredReason reason) {
    return Future.succeededFuture(
        new Decision(Future.succeededFuture(new DeliveryResult.Ignored(reason))));
  }

  private RunlaneException cancelled() {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "worker %s stops", workerId)
        .asRetryable();
  }
}
