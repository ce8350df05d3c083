package dev.runlane.runtime.worker;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.attempt.Attempt;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.process.Nudges;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due runs into its free slots and runs them. One scan at a time; a hint that comes during one asks
 * for another. Touched on the home context only; handlers are called on a place of the worker's own.
 *
 * <p>Under backlog, slots that become free soon after one another are filled by one claim, since a claim
 * costs the same for one run as for many.
 */
public final class Worker implements WorkerHandle {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(5)).withJitter(0.2);

  /** Work was there, but locked by a competing claim: how long until the next look. */
  private static final Duration CONTENDED = Duration.ofMillis(5);

  /** How long until the next look while the process's clock is not to be trusted. */
  private static final Duration CLOCK_OFF = Duration.ofSeconds(1);

  /** How long a free slot of a busy worker waits at most for others, to claim for them together. */
  private static final Duration GATHER = Duration.ofMillis(5);

  /** A claim is worth a statement of its own for this part of the slots. */
  private static final int GATHERED_PART = 4;

  private final RuntimeContext context;
  private final Claims claims;
  private final Attempts attempts;
  private final WorkerOptions options;
  private final String workerId;
  private final List<QueuePolicy> queues;
  private final Set<String> queueNames;
  private final Duration pollInterval;
  private final FailureLog failures;
  private final Executor place;
  private final Set<Attempt> active = new LinkedHashSet<>();
  private final List<Nudges.Registration> registrations = new ArrayList<>();
  private final Promise<Void> closed = Promise.promise();
  private Future<?> scan = Future.succeededFuture(); // the last one's end, never failed
  private Timers.@Nullable Timer timer;
  private @Nullable Duration timerDue;
  private boolean scanning;
  private boolean again; // a hint came during a scan, or while no slot was free
  private boolean backlog; // the last scan left work behind
  private boolean deferred;
  private boolean stopping;
  private int failedScans;
  private int busySlots; // handlers that run, whoever owns their runs by now

  /** Throws {@code ConfigurationInvalid} when a queue is not registered. */
  public Worker(
      RuntimeContext context,
      Claims claims,
      Attempts attempts,
      WorkerOptions given,
      Executor place) {
    this.context = context;
    this.claims = claims;
    this.attempts = attempts;
    options = new WorkerOptions(given);
    workerId = options.getWorkerId().orElseGet(context.ids()::workerId);
    failures = new FailureLog(LOG, "worker " + workerId + "'s look for work");
    queues = context.registry().policiesOf(options.getQueues());
    queueNames = queues.stream().map(QueuePolicy::queue).collect(Collectors.toUnmodifiableSet());
    pollInterval = options.getPollInterval().orElseGet(() -> defaultPollInterval(context, options));
    this.place = place;
  }

  @Override
  public String workerId() {
    return workerId;
  }

  @Override
  public Future<Void> closed() {
    return closed.future();
  }

  /** Begins to work. */
  public void start() {
    Executor home = context.host()::execute;
    if (options.getMode() != WorkerMode.SAFETY_NET) {
      registrations.add(context.nudges().onWorkAvailable(home, this::workAvailable));
      registrations.add(context.nudges().onRunWaits(home, this::runWaits));
    }
    fillLater();
  }

  @Override
  public Future<Void> stop() {
    context.host().execute(this::beginStop);
    return closed.future();
  }

  private void beginStop() {
    if (stopping) {
      return;
    }
    stopping = true;
    disarm();
    registrations.forEach(Nudges.Registration::close);
    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));
    Timers.Timer bound = context.timers().schedule(options.getDrainTimeout(), this::letGo);
    context.closing().over().onComplete(over -> letGo());
    scan.compose(ended -> allClosed()).onComplete(ended -> {
      bound.cancel();
      closed.tryComplete();
    });
  }

  private Future<?> allClosed() {
    return Future.join(active.stream().map(Attempt::closed).toList())
        .otherwiseEmpty(); // each attempt has logged its own failure
  }

  private void letGo() {
    if (closed.future().isComplete()) {
      return;
    }
    if (!active.isEmpty()) {
      LOG.warn(
          "worker {} stops while {} attempts go on; their leases will expire",
          workerId,
          active.size());
    }
    List.copyOf(active).forEach(Attempt::letGo);
    closed.tryComplete();
  }

  private void workAvailable(String queue) {
    if (queueNames.contains(queue)) {
      again = true;
      fillLater();
    }
  }

  /** Somebody may request its delivery when it is due, but this worker knows already. */
  private void runWaits(RunRecord run) {
    if (queueNames.contains(run.queue()) && run.runAt() != null && !stopping) {
      Duration delay = Duration.between(context.clock().now(), run.runAt());
      if (delay.compareTo(pollInterval) < 0) {
        arm(delay);
      }
    }
  }

  /** Fills free slots at the end of this turn, so that those freed in it are filled together. */
  private void fillLater() {
    if (!deferred && !stopping) {
      deferred = true;
      context.host().defer(() -> {
        deferred = false;
        fill();
      });
    }
  }

  /** A few slots of a busy worker wait a little for others. */
  private void fill() {
    int free = freeSlots();
    if (free == 0 || free >= options.getConcurrency() / GATHERED_PART) {
      scan();
    } else {
      arm(GATHER);
    }
  }

  /**
   * A slot is taken while its handler runs. Its outcome is stored beside the next handler's work, for as
   * many runs again as there are slots, so that a slow storage slows the claims down.
   */
  private int freeSlots() {
    int ending = (int) active.stream().filter(Attempt::isEnding).count();
    int unstored = Math.max(0, ending - options.getConcurrency());
    return options.getConcurrency() - busySlots - unstored;
  }

  /** Whether no slot is free and runs wait, or may wait. */
  private boolean isSlotWanted() {
    return (again || backlog) && freeSlots() <= 0;
  }

  private void scan() {
    int free = freeSlots();
    if (stopping) {
      return;
    }
    if (scanning || free <= 0) {
      again = true;
      return;
    }
    if (options.getMode() != WorkerMode.DRAIN && !context.clockWatch().mayClaim()) {
      arm(CLOCK_OFF);
      return;
    }
    disarm();
    scanning = true;
    again = false;
    scan = Future.<Void>succeededFuture()
        .compose(start -> claims.claimDue(queues, workerId, free))
        .transform((claimed, failure) -> {
          scanning = false;
          if (failure == null) {
            run(claimed);
          } else {
            scanFailed(failure);
          }
          return Future.succeededFuture();
        });
  }

  private void run(Claims.Claimed claimed) {
    failedScans = 0;
    failures.succeeded();
    backlog = claimed.mayHaveMore();
    List<Attempt> begun = stopping
        ? attempts.handBack(claimed.runs(), claimed.sentAt())
        : attempts.start(claimed.runs(), claimed.sentAt(), place, this::isSlotWanted);
    active.addAll(begun);
    busySlots += begun.size();
    begun.forEach(attempt -> {
      attempt.handled().onComplete(done -> handlerDone());
      attempt.closed().onComplete(done -> outcomeStored(attempt));
    });
    if (stopping) {
      return;
    }
    if (again || (backlog && !begun.isEmpty())) {
      fillLater();
    } else if (backlog) {
      arm(CONTENDED);
    } else if (options.getMode() == WorkerMode.DRAIN) {
      closeIfDrained(begun.isEmpty());
    } else {
      arm(pollInterval);
    }
  }

  private void scanFailed(Throwable failure) {
    failedScans++;
    if (options.getMode() == WorkerMode.DRAIN && active.isEmpty()) {
      stopping = true;
      registrations.forEach(Nudges.Registration::close);
      closed.tryFail(failure);
      return;
    }
    Duration pause = AFTER_FAILURE.delay(failedScans, context.randomness());
    failures.failed(failure, pause);
    if (!stopping) {
      arm(pause);
    }
  }

  private void handlerDone() {
    busySlots--;
    slotFreed();
  }

  private void outcomeStored(Attempt attempt) {
    active.remove(attempt);
    slotFreed();
  }

  private void slotFreed() {
    if (stopping) {
      return;
    }
    boolean draining = options.getMode() == WorkerMode.DRAIN;
    if (again || backlog || (draining && active.isEmpty())) {
      fillLater();
    }
  }

  private void closeIfDrained(boolean nothingClaimed) {
    if (nothingClaimed && active.isEmpty()) {
      stopping = true;
      disarm();
      registrations.forEach(Nudges.Registration::close);
      closed.tryComplete();
    }
  }

  /** Looks for work after {@code delay} at the latest. */
  private void arm(Duration delay) {
    Duration due = context.timers().elapsed().plus(delay);
    if (timerDue != null && timerDue.compareTo(due) <= 0) {
      return;
    }
    disarm();
    timerDue = due;
    timer = context.timers().schedule(delay, () -> {
      timer = null;
      timerDue = null;
      scan();
    });
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
      timerDue = null;
    }
  }

  private static Duration defaultPollInterval(RuntimeContext context, WorkerOptions options) {
    return options.getMode() == WorkerMode.SAFETY_NET
            || context.transport().wakeups().isPresent()
        ? ContractDefaults.POLL_WITH_WAKEUPS
        : ContractDefaults.POLL_WITHOUT_WAKEUPS;
  }
}
