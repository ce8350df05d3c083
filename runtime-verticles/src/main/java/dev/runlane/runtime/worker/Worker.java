package dev.runlane.runtime.worker;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.attempt.Attempt;
import dev.runlane.runtime.attempt.AttemptSlot;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Slots;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due runs into its free {@link Slots} and runs them. Touched on the home context only; handlers are called on a
 * place of the worker's own.
 */
public final class Worker implements WorkerHandle {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** How long until the next poll while the process's clock is not to be trusted. */
  private static final Duration CLOCK_OFF = Duration.ofSeconds(1);

  /** How long a free slot of a busy worker waits at most for others, to claim for them together. */
  private static final Duration GATHER = Duration.ofMillis(5);

  private final RuntimeContext context;
  private final Claims claims;
  private final Attempts attempts;
  private final WorkerOptions options;
  private final String workerId;
  private final List<QueuePolicy> queues;
  private final Set<String> queueNames;
  private final Duration pollInterval;
  private final FailureLog failures;
  private final Executor executor;
  private final Set<Attempt> active = new LinkedHashSet<>();
  private final List<LocalNotifications.Registration> registrations = new ArrayList<>();
  private final Promise<Void> closed = Promise.promise();
  private final Slots slots;
  private int waiting; // attempts that have lent their slots
  private boolean stopping;

  /** Throws {@code ConfigurationInvalid} when a queue is not registered. */
  public Worker(
      RuntimeContext context,
      Claims claims,
      Attempts attempts,
      WorkerOptions given,
      Executor executor) {
    this.context = context;
    this.claims = claims;
    this.attempts = attempts;
    options = new WorkerOptions(given);
    workerId = options.getWorkerId().orElseGet(context.ids()::workerId);
    failures = new FailureLog(LOG, "worker " + workerId + "'s poll for work");
    queues = context.registry().policiesOf(options.getQueues());
    queueNames = queues.stream().map(QueuePolicy::queue).collect(Collectors.toUnmodifiableSet());
    pollInterval = options.getPollInterval().orElseGet(() -> defaultPollInterval(context, options));
    this.executor = executor;
    slots = new Slots(
        context.timers(),
        context.host()::defer,
        options.getConcurrency(),
        GATHER,
        new WorkSource());
  }

  @Override
  public String workerId() {
    return workerId;
  }

  /** The queues that it takes runs of. */
  public Set<String> queues() {
    return queueNames;
  }

  /** How many runs it works on at most. */
  public int slots() {
    return options.getConcurrency();
  }

  /** How many runs it works on, those that only wait without a slot left out. On the home context. */
  public int running() {
    return active.size() - waiting;
  }

  @Override
  public Future<Void> closed() {
    return closed.future();
  }

  /** Begins to work. */
  public void start() {
    Executor home = context.host()::execute;
    if (options.getMode() != WorkerMode.SAFETY_NET) {
      registrations.add(context.notifications().onWorkAvailable(home, this::workAvailable));
      registrations.add(context.notifications().onRunWaits(home, this::runWaits));
    }
    context.observer().workerStarted(workerId, queueNames, options.getConcurrency());
    closed.future().onComplete(stopped -> context.observer().workerStopped(workerId));
    registrations.add(context.notifications().onQueueResumed(home, this::workAvailable));
    slots.start();
  }

  @Override
  public Future<Void> stop() {
    context
        .host()
        .<Void>call(() -> {
          beginStop();
          return Future.succeededFuture();
        })
        .onFailure(runtimeIsClosed -> closed.tryComplete());
    return closed.future();
  }

  private void beginStop() {
    if (stopping) {
      return;
    }
    Future<?> polled = stopPolling();
    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));
    Timers.Timer bound =
        context.timers().schedule(options.getDrainTimeout(), this::abandonAttempts);
    context.closeDeadline().onExpired(closed.future(), this::abandonAttempts);
    polled.compose(ended -> allClosed()).onComplete(ended -> {
      bound.cancel();
      closed.tryComplete();
    });
  }

  /** Completes when the poll under way has ended. */
  private Future<?> stopPolling() {
    stopping = true;
    registrations.forEach(LocalNotifications.Registration::close);
    return slots.stop();
  }

  private Future<?> allClosed() {
    return Future.join(active.stream().map(Attempt::closed).toList())
        .otherwiseEmpty(); // each attempt has logged its own failure
  }

  private void abandonAttempts() {
    if (closed.future().isComplete()) {
      return;
    }
    Attempts.abandon(workerId, active);
    closed.tryComplete();
  }

  private void workAvailable(String queue) {
    if (queueNames.contains(queue)) {
      slots.pollSoon();
    }
  }

  /** Somebody may request its delivery when it is due, but this worker knows already. */
  private void runWaits(RunRecord run) {
    if (queueNames.contains(run.queue()) && run.runAt() != null) {
      Duration delay = Duration.between(context.clock().now(), run.runAt());
      if (delay.compareTo(pollInterval) < 0) {
        slots.pollWithin(delay);
      }
    }
  }

  private boolean isDraining() {
    return options.getMode() == WorkerMode.DRAIN;
  }

  private void begin(Claims.Claimed claimed) {
    List<LentSlot> taken = new ArrayList<>();
    List<Attempt> begun = stopping
        ? attempts.handBack(claimed.runs(), claimed.sentAt())
        : attempts.start(claimed.runs(), claimed.sentAt(), executor, () -> {
          LentSlot slot = new LentSlot();
          taken.add(slot);
          return slot;
        });
    active.addAll(begun);
    for (int index = 0; index < begun.size(); index++) {
      Attempt attempt = begun.get(index);
      LentSlot slot =
          index < taken.size() ? taken.get(index) : new LentSlot(); // of one that was handed back
      attempt.closed().onComplete(done -> active.remove(attempt));
      slot.until(attempt);
    }
  }

  /**
   * A safety net that goes on takes runs from under wakeups that are on their way, so it does for those alone that
   * wakeups have had half its poll interval for.
   */
  private boolean goesOn(Claims.Claimed claimed) {
    Instant late = context.clock().now().minus(pollInterval.dividedBy(2));
    return claimed.mayHaveMore()
        && (options.getMode() != WorkerMode.SAFETY_NET
            || claimed.runs().isEmpty()
            || claimed.runs().stream().anyMatch(run -> dueSince(run).isBefore(late)));
  }

  /** No later than this; what was made due again, as by a lost lease, may say when it was made. */
  private static Instant dueSince(RunRecord run) {
    return run.runAt() == null ? run.createdAt() : run.runAt();
  }

  private static Duration defaultPollInterval(RuntimeContext context, WorkerOptions options) {
    return options.getMode() == WorkerMode.SAFETY_NET
            || context.transport().wakeups().isPresent()
        ? ContractDefaults.POLL_WITH_WAKEUPS
        : ContractDefaults.POLL_WITHOUT_WAKEUPS;
  }

  /** The slot of one attempt; a bounded number of attempts wait without theirs. */
  private final class LentSlot implements AttemptSlot {
    private final Slots.Slot slot = slots.take();
    private boolean isLent;

    void until(Attempt attempt) {
      slot.until(attempt.handled(), attempt.closed());
      attempt.handled().onComplete(done -> back());
    }

    @Override
    public boolean isWanted() {
      return slots.isWanted();
    }

    @Override
    public boolean hasBacklog() {
      return slots.hasBacklog();
    }

    @Override
    public boolean lend() {
      if (stopping || isDraining() || waiting >= options.getMaxWaiting()) {
        return false;
      }
      isLent = true;
      waiting++;
      slot.lend();
      return true;
    }

    @Override
    public void reclaim(Runnable action) {
      slot.reclaim(() -> {
        back();
        action.run();
      });
    }

    private void back() {
      if (isLent) {
        isLent = false;
        waiting--;
      }
    }
  }

  /** What fills the slots, and when it is polled for. */
  private final class WorkSource implements Slots.WorkSource {
    @Override
    public Duration pollDelay() {
      return isDraining() || context.clockMonitor().mayClaim() ? Duration.ZERO : CLOCK_OFF;
    }

    @Override
    public Future<Slots.Found> claim(int free) {
      return claims.claimDue(queues, workerId, free).map(claimed -> {
        failures.succeeded();
        return new Slots.Found(claimed.runs().isEmpty(), goesOn(claimed), () -> begin(claimed));
      });
    }

    @Override
    public boolean pollsAfterEachEnd() {
      return isDraining() && active.isEmpty();
    }

    @Override
    public void idle(boolean nothingFound) {
      if (!isDraining()) {
        slots.pollWithin(pollInterval);
      } else if (nothingFound && active.isEmpty()) {
        stopPolling();
        closed.tryComplete();
      }
    }

    @Override
    public Duration failed(Throwable failure, int inARow) {
      if (isDraining() && active.isEmpty()) {
        stopPolling();
        closed.tryFail(failure);
        return Duration.ZERO;
      }
      Duration pause = Slots.AFTER_FAILURE.delay(inARow, context.randomness());
      failures.failed(failure, pause);
      return pause;
    }
  }
}
