package dev.runlane.steps.sql.worker;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepPauses;
import dev.runlane.steps.delivery.StepPoller;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepGroups;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the handlers of one process: claims no more tasks than it has free places, renews their leases while
 * they run, and records each result on its own under its own lease.
 *
 * <pre>
 *   look ─► claim ─► handler ─► record ─► gone
 *                      └── renew ──┘ lease lost: the handler is notified, nothing recorded
 * </pre>
 *
 * <p>Handlers are registered before it starts. Everything happens on the context that made it.
 */
public final class SqlStepWorker {
  private static final Logger LOG = LoggerFactory.getLogger(SqlStepWorker.class);

  private final Context context;
  private final StepTransport transport;
  private final SqlStepWorkerOptions options;
  private final String workerId;
  private final Clock clock;
  private final Timers timers;
  private final Map<String, StepHandler> handlers = new LinkedHashMap<>();
  private final HeldTasks held;
  private final StepPoller poller;

  private List<String> groups = List.of();
  private Phase phase = Phase.NEW;
  private int running; // handlers that have not answered
  private boolean pollScheduled; // a turn that looks is queued
  private @Nullable Promise<Void> drained; // once stopping
  private @Nullable Future<Void> stopped;

  SqlStepWorker(
      Context context,
      StepTransport transport,
      SqlStepWorkerOptions options,
      Clock clock,
      Timers timers) {
    this.context = context;
    this.transport = transport;
    this.options = new SqlStepWorkerOptions(options);
    this.workerId =
        options.getWorkerId().orElseGet(() -> new Ids(clock, Randomness.system()).workerId());
    this.clock = clock;
    this.timers = timers;
    this.held = new HeldTasks(transport, options.getLease(), clock, timers, this::released);
    this.poller = new StepPoller(
        timers,
        "step worker " + workerId,
        this::poll,
        new StepPauses(
            options.getShortestPause(),
            options.getLongestPause(),
            options.getLongestPauseWithSignals()));
  }

  /** A worker that has not started; the transport stays the caller's to close, after the worker stopped. */
  public static SqlStepWorker create(
      Vertx vertx, StepTransport transport, SqlStepWorkerOptions options) {
    return new SqlStepWorker(
        vertx.getOrCreateContext(), transport, options, Clock.system(), Timers.of(vertx));
  }

  /**
   * Registers the handler of steps of this name. Throws {@code ConfigurationInvalid} when the name has one,
   * {@code IllegalStateException} once the worker was started: tasks whose handler is missing fail for good.
   */
  public SqlStepWorker handle(String name, StepHandler handler) {
    if (phase != Phase.NEW) {
      throw new IllegalStateException("handlers are registered before the worker starts");
    }
    if (handlers.putIfAbsent(name, handler) != null) {
      throw RunlaneException.configurationInvalid("step %s has a handler already", name);
    }
    return this;
  }

  /**
   * Begins to claim tasks. Succeeds at once: a database that is down is asked again until it is there. Fails
   * with {@code ConfigurationInvalid} when there are neither handlers nor groups.
   */
  public Future<Void> start() {
    return onContext(() -> {
      if (phase != Phase.NEW) {
        throw new IllegalStateException("the worker is started once, but is " + phase);
      }
      groups = groupsToPoll();
      phase = Phase.WORKING;
      held.start();
      poller.start(transport.signals(), new Tasks());
      return Future.succeededFuture();
    });
  }

  /**
   * Ends it: claims nothing any more, hands back what was claimed and not begun, and waits for handlers and
   * their results, at most for the drain timeout, whatever the database answers. Tasks that still run then stay leased
   * until that passes, and their answers are not recorded. Stopping twice is harmless.
   */
  public Future<Void> stop() {
    return onContext(() -> {
      if (stopped == null) {
        stopped = phase == Phase.NEW ? Future.succeededFuture() : drain();
        phase = Phase.STOPPED;
      }
      return stopped;
    });
  }

  private Future<Void> drain() {
    phase = Phase.STOPPED;
    Promise<Void> empty = Promise.promise();
    drained = empty;
    Future<Void> inOrder = poller
        .stop()
        .compose(stopped -> {
          completeWhenDrained();
          return empty.future();
        })
        .compose(ended -> held.stop());
    return timers
        .within(options.getDrainTimeout(), inOrder, TimeoutException::new)
        .recover(failure -> {
          LOG.warn(
              "step worker {} stops with {} tasks under way; others may take them over after {}",
              workerId,
              held.size(),
              options.getLease(),
              failure);
          held.stop();
          return Future.succeededFuture();
        });
  }

  private List<String> groupsToPoll() {
    Set<String> polled = new TreeSet<>(options.getGroups());
    if (polled.isEmpty()) {
      String partition = options.getPartition().orElse(null);
      handlers.keySet().forEach(name -> polled.add(StepGroups.token(name, partition)));
    }
    if (polled.isEmpty()) {
      throw RunlaneException.configurationInvalid("a step worker needs a handler or a group");
    }
    return List.copyOf(polled);
  }

  private Future<StepPoller.PollResult> poll() {
    int places = options.getConcurrency();
    int free = Math.min(places - running, 2 * places - held.size());
    if (free <= 0) {
      return Future.succeededFuture(
          StepPoller.PollResult.NOTHING); // one that gets free looks again
    }
    Duration sentAt = timers.elapsed();
    return transport
        .claimStepTasks(new ClaimStepTasks(groups, workerId, clock.now(), options.getLease(), free))
        .compose(claimed -> {
          boolean isOver = timers.elapsed().minus(sentAt).compareTo(options.getLease()) >= 0;
          if (phase == Phase.STOPPED || isOver) {
            return releaseUnstarted(claimed);
          }
          claimed.forEach(each -> begin(each, sentAt));
          return Future.succeededFuture(found(claimed.size(), free));
        });
  }

  /** A full claim is followed by the next as soon as a place is free, which is not now. */
  private static StepPoller.PollResult found(int claimed, int asked) {
    return claimed == 0
        ? StepPoller.PollResult.NOTHING
        : claimed < asked ? StepPoller.PollResult.SOMETHING : StepPoller.PollResult.MORE;
  }

  private Future<StepPoller.PollResult> releaseUnstarted(List<ClaimedStepTask> claimed) {
    List<StepClaim> claims = claimed.stream()
        .map(ClaimedStepTask::claim)
        .filter(claim -> StepChecks.isStepId(claim.stepId()))
        .toList();
    return claims.isEmpty()
        ? Future.succeededFuture(StepPoller.PollResult.NOTHING)
        : transport
            .releaseStepTasks(new ReleaseStepTasks(claims))
            .map(StepPoller.PollResult.NOTHING);
  }

  private void begin(ClaimedStepTask claimed, Duration sentAt) {
    StepCall call = new StepCall(claimed.task());
    Instant startedAt = clock.now();
    HeldTask task = held.add(claimed.claim(), call, sentAt);
    running++;
    answer(claimed, call)
        .onComplete(answered -> context.runOnContext(turn -> {
          running--;
          pollSoon();
          StepOutcome outcome = answered.succeeded() && answered.result() != null
              ? answered.result()
              : HandlerFailures.outcome(answered.cause(), claimed.task());
          held.record(task, outcome, startedAt);
        }));
  }

  private Future<StepOutcome> answer(ClaimedStepTask claimed, StepCall call) {
    if (claimed.inputFault() != null) {
      return Future.succeededFuture(call.failedForGood("unreadable_input", claimed.inputFault()));
    }
    StepHandler handler = handlers.get(claimed.task().name());
    if (handler == null) {
      return Future.succeededFuture(
          call.failedForGood(null, "no handler for " + claimed.task().name()));
    }
    try {
      Future<StepOutcome> answer = handler.handle(call);
      return answer != null ? answer : Future.succeededFuture();
    } catch (Throwable thrown) {
      return Future.failedFuture(thrown);
    }
  }

  /** Looks after the turns that are queued already, so that places that get free together share a claim. */
  private void pollSoon() {
    if (!pollScheduled && phase == Phase.WORKING) {
      pollScheduled = true;
      context.runOnContext(turn -> {
        pollScheduled = false;
        poller.wake();
        poller.pollSoon(); // an engine that has one result of a run may ask for the next step
      });
    }
  }

  private void released() {
    if (drained != null) {
      completeWhenDrained();
    } else {
      pollSoon();
    }
  }

  private void completeWhenDrained() {
    if (drained != null && held.size() == 0) {
      drained.tryComplete();
    }
  }

  private <T> Future<T> onContext(java.util.function.Supplier<Future<T>> call) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(turn -> AdapterCall.of("step worker", call).onComplete(promise));
    return promise.future();
  }

  private enum Phase {
    NEW,
    WORKING,
    STOPPED
  }

  private final class Tasks implements StepListener {
    @Override
    public void onTasks(Set<String> signalled) {
      if (signalled.isEmpty() || !Collections.disjoint(signalled, groups)) {
        poller.wake();
      }
    }

    @Override
    public void onResults() {
      // not for a worker
    }

    @Override
    public void onPossibleLoss() {
      poller.wake();
    }
  }
}
