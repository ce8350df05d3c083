package dev.runlane.runtime.attempt;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Lease;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.lease.LeaseHeartbeater;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.storage.CancellationSource;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts of claimed runs, whoever claimed them. Touched on the home context only. */
public final class Attempts {
  private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);

  private final RuntimeContext context;
  private final AttemptParts parts;
  private final LeaseHeartbeater leases;
  private final Set<Attempt> active = new LinkedHashSet<>();
  private LocalNotifications.@Nullable Registration ownCancellations;
  private @Nullable Future<Subscription> cancellations;
  private boolean closing;

  public Attempts(AttemptParts parts, LeaseHeartbeater leases) {
    context = parts.context();
    this.parts = parts;
    this.leases = leases;
  }

  /**
   * Begins an attempt for each run, leased and started just now, for callers without slots.
   *
   * @param sentAt when their claim was sent, on the timers' own time
   * @param executor where handlers are called
   */
  public List<Attempt> start(List<RunRecord> runs, Duration sentAt, Executor executor) {
    return start(runs, sentAt, executor, () -> AttemptSlot.NONE);
  }

  /**
   * Begins an attempt for each run, leased and started just now, in slots.
   *
   * @param sentAt when their claim was sent, on the timers' own time
   * @param executor where handlers are called
   * @param slots the slot of each, in their order
   */
  public List<Attempt> start(
      List<RunRecord> runs, Duration sentAt, Executor executor, Supplier<AttemptSlot> slots) {
    if (closing) {
      return handBack(runs, sentAt);
    }
    listen();
    List<Attempt> attempts = new ArrayList<>();
    List<Attempt> toInvoke = new ArrayList<>();
    for (RunRecord run : runs) {
      Attempt attempt = held(run, sentAt, executor, slots.get());
      attempts.add(attempt);
      if (attempt.mayBeCrashLoop()) {
        attempt
            .checkCrashLoop()
            .onSuccess(goesOn -> invoke(goesOn ? List.of(attempt) : List.of(), executor));
      } else {
        toInvoke.add(attempt);
      }
    }
    invoke(toInvoke, executor);
    return attempts;
  }

  private void invoke(List<Attempt> attempts, Executor executor) {
    List<Attempt> begun = attempts.stream().filter(Attempt::begin).toList();
    if (begun.isEmpty()) {
      return;
    }
    try {
      executor.execute(() -> {
        Attempt.EndBatch batch = new Attempt.EndBatch(context.host());
        try {
          begun.forEach(attempt -> attempt.invoke(batch));
        } finally {
          batch.submit();
        }
      });
    } catch (RejectedExecutionException nowhereToCall) {
      LOG.error(
          "{} handlers cannot be called, their leases will expire", begun.size(), nowhereToCall);
      begun.forEach(Attempt::abandon);
    }
  }

  /** Gives runs back that were claimed by a worker which stops. */
  public List<Attempt> handBack(List<RunRecord> runs, Duration sentAt) {
    List<Attempt> attempts = new ArrayList<>();
    for (RunRecord run : runs) {
      Attempt attempt = held(run, sentAt, Runnable::run, AttemptSlot.NONE);
      attempts.add(attempt);
      attempt.handBack();
    }
    return attempts;
  }

  /** Abandons what a worker that stops has not ended in time; the leases expire. */
  public static void abandon(String workerId, Set<Attempt> active) {
    if (!active.isEmpty()) {
      LOG.warn(
          "worker {} stops while {} attempts go on; their leases will expire",
          workerId,
          active.size());
    }
    List.copyOf(active).forEach(Attempt::abandon);
  }

  /**
   * Asks what is still under way to give up, waits for it until the runtime's close timeout is over, and ends the
   * subscription to cancellations. Nothing begins any more.
   */
  public Future<Void> close() {
    closing = true;
    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));
    context.closeDeadline().expired().onComplete(over -> List.copyOf(active)
        .forEach(Attempt::giveUp));
    return Future.join(active.stream().map(Attempt::closed).toList())
        .otherwiseEmpty() // each attempt has logged its own failure
        .compose(ended -> stopListening());
  }

  private Future<Void> stopListening() {
    if (ownCancellations != null) {
      ownCancellations.close();
      ownCancellations = null;
    }
    Future<Subscription> subscribed = cancellations;
    cancellations = null;
    return subscribed == null
        ? Future.succeededFuture()
        : subscribed.compose(Subscription::close).recover(failure -> {
          LOG.warn("the subscription to cancellations did not end", failure);
          return Future.succeededFuture();
        });
  }

  private Attempt held(RunRecord run, Duration sentAt, Executor executor, AttemptSlot slot) {
    Lease lease = run.lease();
    if (lease == null) {
      throw RunlaneException.invariantViolation("run %s was claimed without a lease", run.id());
    }
    AttemptObserver observer = context.observer().attemptStarted(run);
    Attempt attempt = new Attempt(parts, run, lease, sentAt, executor, slot, observer);
    leases.add(attempt.held());
    active.add(attempt);
    if (observer != AttemptObserver.NONE) {
      attempt.handled().onComplete(done -> observer.handled());
    }
    attempt.closed().onComplete(done -> {
      active.remove(attempt);
      leases.remove(attempt.held());
      ended(observer, done.succeeded() ? done.result().orElse(null) : null);
    });
    return attempt;
  }

  private void ended(AttemptObserver observer, @Nullable RunRecord after) {
    observer.ended(after == null ? AttemptOutcome.LOST : AttemptOutcome.of(after), after);
    if (after != null && after.status().isTerminal()) {
      context.observer().runEnded(after);
    }
  }

  /** From the first attempt on, cancellation requests, and results of steps that others have stored, are heard. */
  private void listen() {
    if (ownCancellations == null) {
      ownCancellations =
          context.notifications().onCancellationRequested(context.host()::execute, leases::refresh);
    }
    if (cancellations == null) {
      context.storage().cancellations().ifPresent(this::subscribe);
    }
  }

  private void subscribe(CancellationSource source) {
    cancellations = source.subscribe(context.environment(), leases::refresh);
    cancellations.onFailure(failure -> {
      LOG.warn(
          "other processes' cancellations and results are noticed late, until the next attempt",
          failure);
      cancellations = null;
    });
  }
}
