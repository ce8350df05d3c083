package dev.runlane.runtime.maintenance;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.process.SweepTimes;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.sweep.QuietPause;
import dev.runlane.runtime.sweep.SweepAppends;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets due runs delivered. Runs of unbounded queues that wait for nothing but a wakeup (retried, released,
 * lost with their worker) get a fresh delivery request. Runs of bounded queues get theirs together with a
 * slot, reserved for as long as the queue says; where that is left to workers that scan, only those whose
 * reservation of before has lapsed, which no worker may claim. Runs whose wakeups were ignored while their queue was
 * paused get a new request after its resume. Lost races are normal and skipped.
 */
public final class Dispatcher implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  /** For how long the runs of a resumed queue are one dispatcher's to wake = 30 s. */
  private static final Duration RESUMED_CLAIM = Duration.ofSeconds(30);

  /** How often runs of resumed queues are looked for where this process knows of no resume = 10 s. */
  private static final Duration RESUMED_LOOK = Duration.ofSeconds(10);

  /** How often lapsed reservations are looked for where none are made any more = 10 s. */
  private static final Duration LAPSED_LOOK = Duration.ofSeconds(10);

  private final RuntimeContext context;
  private final DispatcherOptions options;
  private final SweepAppends appends;
  private final List<String> queues;
  private final List<String> unbounded;
  private final Map<String, QueuePolicy> bounded;
  private final SweepTimes due;
  private final QuietPause pause;
  private @Nullable Duration
      recoveredAt; // the last recovery that took all there was, on the timers' time
  private @Nullable Duration resumedAt; // the last look for resumed queues that found none
  private @Nullable Duration lapsedAt; // the last look for lapsed reservations that left none

  /** Throws {@code CapabilityUnsupported} when the storage persists no outbox. */
  public Dispatcher(RuntimeContext context, DispatcherOptions options) {
    this.context = context;
    this.options = options;
    Capabilities.require(
        context.storage().capabilities(), StorageCapability.PERSISTS_OUTBOX, "a dispatcher");
    appends = new SweepAppends(context);
    due = new SweepTimes(options.getDueResolution());
    pause = new QuietPause(
        context.notifications(), options.getIdleDelay(), options.getLongestIdleDelay());
    queues = context.registry().policies().stream().map(QueuePolicy::queue).toList();
    unbounded = context.registry().unboundedNames();
    bounded = context.registry().boundedPolicies().stream()
        .collect(Collectors.toUnmodifiableMap(QueuePolicy::queue, Function.identity()));
  }

  /**
   * Both phases; the second also when the first failed, so that no broken run stops bounded queues. News of
   * bounded queues may bring on many sweeps in one idle delay; those leave the first phase out.
   */
  @Override
  public Future<Boolean> sweepOnce() {
    Duration started = context.timers().elapsed();
    boolean known = due.removeDue(context.clock().now());
    boolean recent =
        recoveredAt != null && started.minus(recoveredAt).compareTo(options.getIdleDelay()) < 0;
    Future<PhaseCount> recovery = recent && !known
        ? Future.succeededFuture(PhaseCount.NOTHING)
        : recoverDeliveries().map(count -> {
          recoveredAt = count.moreWaiting() ? null : started;
          return count;
        });
    return recovery.transform((recovered, failure) -> {
      Future<PhaseCount> reserved = reserveDispatches();
      return failure == null
          ? reserved.map(count -> {
            pause.swept(count.done() + recovered.done() == 0);
            return count.moreWaiting() || recovered.moreWaiting();
          })
          : reserved.transform((count, second) -> Future.failedFuture(
              second == null ? failure : Failures.first(List.of(failure, second))));
    });
  }

  @Override
  public Optional<Instant> nextDue() {
    return due.earliest();
  }

  @Override
  public Duration pause(Duration usual) {
    return pause.current();
  }

  @Override
  public List<LocalNotifications.Registration> listen(
      Executor executor, Consumer<Duration> wakeIn) {
    return List.of(
        pause.endOnNewWork(executor, wakeIn),
        context.notifications().onDispatchChanged(executor, queue -> {
          if (isDispatched(queue)) {
            pause.news();
            wakeIn.accept(options.getGatherDelay());
          }
        }),
        context.notifications().onQueueResumed(executor, queue -> {
          recoveredAt = null;
          resumedAt = null;
          wakeIn.accept(Duration.ZERO);
        }),
        context.notifications().onRunWaits(executor, run -> {
          if (run.runAt() != null && isOurs(run)) {
            // A worker of this process that waits for the same instant gets the time to be faster.
            due.add(run.runAt().plus(options.getGatherDelay()));
            due.earliest()
                .ifPresent(at -> wakeIn.accept(Duration.between(context.clock().now(), at)));
          }
        }));
  }

  /** Scheduled runs own an outbox message, which wakes a worker when it is due. */
  private boolean isOurs(RunRecord run) {
    return run.status() != RunStatus.SCHEDULED
        && (isDispatched(run.queue()) || unbounded.contains(run.queue()));
  }

  private boolean isDispatched(String queue) {
    return options.isBoundedDispatch() && bounded.containsKey(queue);
  }

  /** Requests delivery for due runs of unbounded queues, and for those of a queue that was resumed. */
  public Future<PhaseCount> recoverDeliveries() {
    return recoverDue()
        .transform((recovered, failure) -> recoverResumedQueues().transform((woken, second) -> {
          List<Throwable> failures =
              Stream.of(failure, second).filter(Objects::nonNull).toList();
          return failures.isEmpty()
              ? Future.succeededFuture(new PhaseCount(
                  recovered.done() + woken.done(), recovered.moreWaiting() || woken.moreWaiting()))
              : Future.failedFuture(Failures.first(failures));
        }));
  }

  private Future<PhaseCount> recoverDue() {
    List<String> queues = context.pauses().notKnownToBePaused(unbounded, queue -> queue);
    if (queues.isEmpty()) {
      return Future.succeededFuture(PhaseCount.NOTHING);
    }
    Instant now = context.clock().now();
    int limit = options.getSweepLimit();
    return context
        .storage()
        .listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(context.environment(), queues, now, limit))
        .compose(found -> unpaused(found)
            .compose(candidates -> appends.withEach(
                candidates, runs -> appends.append(runs, run -> recovery(run, now), run -> {})))
            .map(done -> PhaseCount.of(found.size(), limit, done)));
  }

  /**
   * Requests deliveries for the next runs of a queue that was resumed. The storage remembers how far that has come, so
   * that whoever dies over it leaves the rest to the next dispatcher. Bounded queues are left to the reservations.
   */
  private Future<PhaseCount> recoverResumedQueues() {
    Optional<OperatorStore> operator = context.storage().operator();
    if (operator.isEmpty() || !context.clockMonitor().mayClaim()) {
      return Future.succeededFuture(PhaseCount.NOTHING);
    }
    Duration started = context.timers().elapsed();
    if (resumedAt != null && started.minus(resumedAt).compareTo(RESUMED_LOOK) < 0) {
      return Future.succeededFuture(PhaseCount.NOTHING);
    }
    resumedAt =
        started; // a resume that is reported while the answer is under way has the next sweep look
    // again
    return takeResumed(operator.get()).onFailure(failure -> resumedAt = null);
  }

  private Future<PhaseCount> takeResumed(OperatorStore store) {
    String token = context.ids().token();
    int limit = options.getSweepLimit();
    return store
        .takeResumedRuns(new TakeResumedRuns(
            context.environment(),
            queues,
            token,
            context.clock().now(),
            context.options().toleratedSkew(),
            RESUMED_CLAIM,
            limit))
        .compose(taken -> {
          if (taken.isEmpty()) {
            return Future.succeededFuture(PhaseCount.NOTHING);
          }
          resumedAt = null;
          return wake(taken.get()).compose(done -> store
              .finishResumedRuns(new FinishResumedRuns(context.environment(), token, taken.get()))
              .map(finished -> PhaseCount.of(taken.get().runs().size(), limit, done)));
        });
  }

  private Future<Integer> wake(ResumedRuns taken) {
    if (!unbounded.contains(taken.queue())) {
      return Future.succeededFuture(0);
    }
    return appends
        .withEach(taken.runs(), runs -> appends.append(runs, this::newWakeup, run -> {}))
        .recover(failure -> {
          if (isFinal(failure)
              && Stream.of(failure.getSuppressed()).allMatch(Dispatcher::isFinal)) {
            LOG.warn("a run of queue {} gets no wakeup after the resume", taken.queue(), failure);
            return Future.succeededFuture(0);
          }
          return Future.failedFuture(failure);
        });
  }

  private static boolean isFinal(Throwable failure) {
    return failure instanceof RunlaneException known && !known.isRetryable();
  }

  private Optional<RunEvent> newWakeup(RunRecord run) {
    return run.status() == RunStatus.QUEUED
        ? Optional.of(delivery(run, context.clock().now(), null))
        : Optional.empty();
  }

  /**
   * Reserves slots for due runs of bounded queues; where the options leave those to the workers, once in a while for
   * runs whose reservation has lapsed: workers may claim what waits and what is reserved, but not these.
   */
  public Future<PhaseCount> reserveDispatches() {
    if (options.isBoundedDispatch()) {
      return reserve(run -> true);
    }
    Duration started = context.timers().elapsed();
    if (lapsedAt != null && started.minus(lapsedAt).compareTo(LAPSED_LOOK) < 0) {
      return Future.succeededFuture(PhaseCount.NOTHING);
    }
    return reserve(run -> run.reservation() != null).map(count -> {
      lapsedAt = count.moreWaiting() ? null : started;
      return count;
    });
  }

  private Future<PhaseCount> reserve(Predicate<RunRecord> wanted) {
    List<QueuePolicy> policies =
        context.pauses().notKnownToBePaused(List.copyOf(bounded.values()), QueuePolicy::queue);
    if (policies.isEmpty() || !context.clockMonitor().mayClaim()) { // it may have jumped meanwhile
      return Future.succeededFuture(PhaseCount.NOTHING);
    }
    Instant now = context.clock().now();
    int limit = options.getSweepLimit();
    return context
        .storage()
        .listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(context.environment(), policies, now, limit))
        .compose(found -> unpaused(found)
            .compose(candidates -> appends.withEach(
                candidates, runs -> reserveAll(runs.stream().filter(wanted).toList(), now)))
            .map(done -> PhaseCount.of(found.size(), limit, done)));
  }

  /** Asked once something was found, so that a dispatcher with nothing to do need not know what is paused. */
  private Future<List<RunnableRunRef>> unpaused(List<RunnableRunRef> found) {
    return found.isEmpty()
        ? Future.succeededFuture(found)
        : context.pauses().unpaused(found, RunnableRunRef::queue);
  }

  private Optional<RunEvent> recovery(RunRecord run, Instant now) {
    return RunDueTimes.deliveryRecoveryAvailableAt(run)
        .filter(due -> !due.isAfter(now))
        .map(due -> delivery(run, now, null));
  }

  private Future<Integer> reserveAll(List<RunRecord> runs, Instant now) {
    List<Future<Boolean>> reservations = new ArrayList<>();
    for (RunRecord run : runs) {
      QueuePolicy policy = bounded.get(run.queue());
      if (policy != null && RunDueTimes.isRunnableAt(run, now)) {
        reservations.add(reserve(run, now, policy));
      }
    }
    if (reservations.isEmpty()) {
      return Future.succeededFuture(0);
    }
    return Future.join(reservations).transform((all, failure) -> {
      List<Throwable> failures =
          reservations.stream().filter(Future::failed).map(Future::cause).toList();
      long done = reservations.stream()
          .filter(reservation -> reservation.succeeded() && reservation.result())
          .count();
      return failures.isEmpty()
          ? Future.succeededFuture((int) done)
          : Future.failedFuture(Failures.first(failures));
    });
  }

  private Future<Boolean> reserve(RunRecord run, Instant now, QueuePolicy policy) {
    Duration timeout = policy.dispatchTimeout() == null
        ? ContractDefaults.DISPATCH_RESERVATION
        : policy.dispatchTimeout();
    return context
        .appends()
        .reserve(run, delivery(run, now, timeout), policy)
        .map(Optional::isPresent);
  }

  /**
   * A request that is available as soon as it occurred, which leaves the run queued.
   *
   * @param reserveFor how long a slot is held; null: there are no slots
   */
  private RunEvent.DeliveryRequested delivery(
      RunRecord run, Instant now, @Nullable Duration reserveFor) {
    EventHeader header = SweepAppends.header(run, now);
    Instant occurredAt = header.occurredAt();
    return new RunEvent.DeliveryRequested(
        header,
        new DeliveryIntent(
            run.environment(),
            run.id(),
            run.queue(),
            occurredAt,
            occurredAt,
            reserveFor == null ? null : occurredAt.plus(reserveFor),
            null));
  }
}
