package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.attempt.Backoffs;
import dev.runlane.jobs.queue.attempt.CallContext;
import dev.runlane.jobs.queue.attempt.GroupWindows;
import dev.runlane.jobs.queue.attempt.HandlerCall;
import dev.runlane.jobs.queue.attempt.StallCheck;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobEventBus;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.observe.RefusedJobOutcome;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.EventHub;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Slots;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches jobs of one queue into its free slots and calls its handler for them. It polls when the store
 * notifies it of some, when a slot becomes free, when a delayed one is due, and, as a net below that, every poll
 * interval. Made by {@link Jobs#worker}; methods may be called by any thread, events are emitted on the context
 * that all workers of a {@link Jobs} share.
 */
public final class JobWorker {
  private static final Logger LOG = LoggerFactory.getLogger(JobWorker.class);
  /** How long a free slot of a busy worker waits at most for others, to fetch for them together. */
  private static final Duration GATHER = Duration.ofMillis(2);

  /** What closing may take after the drain timeout, for the outcomes of those who gave up at its very end. */
  private static final Duration CLOSE_BEYOND_DRAIN = Duration.ofSeconds(1);

  /** How often a worker polls whose limit may have held it back, unasked; at most. */
  private static final Duration LIMITED_POLL = Duration.ofMillis(250);

  private final Jobs jobs;
  private final JobsContext context;
  private final JobsHost host;
  private final String queueName;
  private final String id;
  private final JobWorkerOptions options;
  private final Executor executor;
  private final JobEventBus events = new JobEventBus();
  private final CallContext calls;
  private final FailureLog failures;
  private final Duration pollInterval;
  private final int jobsOfSlot;
  private final @Nullable GroupWindows groupWindows;
  private final Set<HandlerCall> active = new LinkedHashSet<>();
  private final Map<String, HandlerCall> byJob = new HashMap<>();
  private final Promise<Void> closed = Promise.promise();
  private final SweepLoop stalls;
  private final Slots slots;
  private EventHub.@Nullable Registration registration;
  private Future<?> released = Future.succeededFuture(); // never failed
  private boolean started;
  private boolean closing;
  private Duration notBefore = Duration.ZERO; // hints do not shorten the pause after a failure

  JobWorker(
      Jobs jobs,
      String queueName,
      JobProcessor processor,
      JobWorkerOptions given,
      Executor executor) {
    this.jobs = jobs;
    context = jobs.context();
    host = context.host();
    this.queueName = queueName;
    this.executor = executor;
    options = new JobWorkerOptions(given);
    id = options.getWorkerId().orElseGet(jobs::newWorkerId);
    jobsOfSlot = processor.isBatch() ? options.getBatchSize() : 1;
    groupWindows = options.getGroupLimiter().map(GroupWindows::new).orElse(null);
    pollInterval = options.getPollInterval().orElseGet(jobs::defaultPollInterval);
    failures = new FailureLog(LOG, "job worker " + id + "'s poll for jobs");
    calls = new CallContext(
        context,
        id,
        processor,
        options,
        new Backoffs(processor.strategies(), context.randomness()),
        events);
    stalls = new SweepLoop(
        host.timers(),
        "stalled jobs of queue " + queueName,
        new StallCheck(context, queueName, events)::sweepOnce,
        options.getStalledInterval());
    slots =
        new Slots(host.timers(), host::defer, options.getConcurrency(), GATHER, new WorkSource());
  }

  /** The id it has locks under. */
  public String id() {
    return id;
  }

  /** The queue it works on. */
  public String queueName() {
    return queueName;
  }

  /** What happens to its jobs: active, completed, failed, cancelled, stalled, and errors nobody else is notified of. */
  public JobEventBus events() {
    return events;
  }

  /** Those of {@link Jobs#refusedOutcomes()} that are of its queue, whichever worker of this process had the job. */
  public List<RefusedJobOutcome> refusedOutcomes() {
    return jobs.refusedOutcomes().stream()
        .filter(each -> each.queueName().equals(queueName))
        .toList();
  }

  /** Begins to work. Does nothing when it works already or is closed. */
  public JobWorker start() {
    host.execute(this::begin);
    return this;
  }

  /** Begins no fetch until {@link #resume()}; one that has begun may still bring jobs, and jobs that run continue. */
  public JobWorker pause() {
    host.execute(slots::pause);
    return this;
  }

  /** Fetches again. Does nothing when it is not paused. */
  public JobWorker resume() {
    host.execute(slots::resume);
    return this;
  }

  /**
   * Fetches no more and waits for the handlers that run. The signal grace (at most half of the drain timeout)
   * before the drain timeout is over they are asked to give up; jobs of those that do are handed back and use no
   * attempt. The lock of a job whose handler continues beyond the drain timeout runs out, and another worker takes
   * the job. It ends within the drain timeout and two seconds, whatever the store does: an outcome that it has not
   * taken by then may be lost, and the attempt made again.
   *
   * <p>A worker whose handlers' context is gone, as after the undeployment of a worker verticle that has not closed it,
   * closes itself, and hands back what it has fetched.
   *
   * @return completes when no handler is waited for any more; the same for every call
   */
  public Future<Void> close() {
    host.execute(this::beginClose);
    return host.call(closed::future);
  }

  /** Completes when the worker has been closed, by whomever. */
  public Future<Void> closed() {
    return host.call(closed::future);
  }

  private void begin() {
    if (started || closing) {
      return;
    }
    started = true;
    registration = context.hub().onQueue(queueName, this::onEvent);
    jobs.register(this);
    stalls.start();
    context.hub().listening(queueName).onComplete(listening -> slots.pollSoon());
    slots.start();
  }

  private void beginClose() {
    if (closing) {
      return;
    }
    closing = true;
    Future<?> fetched = slots.stop();
    Future<?> swept = stalls.stop();
    Duration drain = options.getDrainTimeout();
    Duration grace = shorter(options.getSignalGrace(), drain.dividedBy(2));
    Timers.Timer signals = host.timers()
        .schedule(drain.minus(grace), () -> List.copyOf(active).forEach(call -> call.stop(grace)));
    Timers.Timer end =
        host.timers().schedule(drain.plus(CLOSE_BEYOND_DRAIN), this::closeWithoutAnswers);
    fetched
        .compose(ended -> Future.join(active.stream().map(HandlerCall::closed).toList()))
        .transform(ended -> released)
        .compose(ended -> swept)
        .onComplete(ended -> {
          signals.cancel();
          end.cancel();
          ended();
        });
  }

  private void closeWithoutAnswers() {
    LOG.warn(
        "job worker {} is closed though the store does not answer: the outcomes of {} jobs are not stored, and where they"
            + " never are, the attempts are made again",
        id,
        byJob.size());
    ended();
  }

  private void ended() {
    if (registration != null) {
      registration.close(); // not sooner: running handlers still learn of cancellations
      registration = null;
    }
    jobs.unregister(this);
    events.removeAllListeners();
    closed.tryComplete();
  }

  Duration drainTimeout() {
    return options.getDrainTimeout();
  }

  /** Something may be waiting. */
  void fetchNow() {
    slots.pollSoon();
  }

  /** A job of this process was cancelled. */
  void cancelled(String jobId) {
    HandlerCall call = byJob.get(jobId);
    if (call != null) {
      call.cancelled(jobId);
    }
  }

  private void onEvent(StoreEvent event) {
    StoreEventType type = event.type();
    if (type == StoreEventType.JOB_WAITING || type == StoreEventType.QUEUE_RESUMED) {
      fetchNow();
    } else if (type == StoreEventType.JOB_CANCELLED && event.jobId() != null) {
      askWhetherCancelled(event.jobId());
    }
    if (isLimitedByOthers() && endsJob(type)) {
      fetchNow();
    }
  }

  /** Other roles of the database may send events too: the job itself says whether it was cancelled. */
  private void askWhetherCancelled(String jobId) {
    HandlerCall asked = byJob.get(jobId);
    if (asked == null) {
      return;
    }
    context
        .store()
        .getJob(queueName, jobId)
        .onSuccess(found -> {
          // another call by now is of a hand-out that the answer may know nothing of
          if (found.isPresent() && found.get().cancelledAt() != null && byJob.get(jobId) == asked) {
            asked.cancelled(jobId);
          }
        })
        .onFailure(failure -> LOG.debug(
            "whether job {} of queue {} was cancelled is found out when its lock is renewed",
            jobId,
            queueName,
            failure));
  }

  private static boolean endsJob(StoreEventType type) {
    return type == StoreEventType.JOB_COMPLETED
        || type == StoreEventType.JOB_FAILED
        || type == StoreEventType.JOB_CANCELLED
        || type == StoreEventType.JOB_DELAYED
        || type == StoreEventType.JOB_REMOVED;
  }

  private boolean isLimitedByOthers() {
    return options.getGroupConcurrency().isPresent()
        || options.getMaxGlobalConcurrency().isPresent();
  }

  /** One at a time where the next depends on the group of the last. */
  private int wanted(int free) {
    long most = groupWindows == null ? (long) free * jobsOfSlot : 1;
    return (int) Math.min(most, Jobs.MOST_FETCHED);
  }

  private FetchJobs command(int limit) {
    FetchOptions which = new FetchOptions(
        options.isLifo(),
        options.getJobName().orElse(null),
        options.getGroupConcurrency().orElse(null),
        groupWindows == null ? Set.of() : groupWindows.full(host.timers().elapsed()),
        options.getLimiter().orElse(null),
        options.getMaxGlobalConcurrency().orElse(null));
    return new FetchJobs(
        queueName, id, options.getLockDuration(), which, limit, context.clock().now());
  }

  private void begin(List<JobData> fetched, Duration asked) {
    if (!fetched.isEmpty()) {
      context.changed(fetched.stream()
          .map(job -> ChangeEvents.inState(
              queueName, job.id(), JobState.ACTIVE, null, context.clock().now()))
          .toList());
      countServed(fetched);
    }
    if (closing) {
      released = jobs.release(fetched);
      return;
    }
    for (int from = 0; from < fetched.size(); from += jobsOfSlot) {
      List<JobData> batch = fetched.subList(from, Math.min(fetched.size(), from + jobsOfSlot));
      call(new HandlerCall(calls, batch, asked, executor));
    }
  }

  private void countServed(List<JobData> fetched) {
    if (groupWindows != null) {
      for (JobData job : fetched) {
        if (job.groupId() != null) {
          groupWindows.served(job.groupId(), host.timers().elapsed());
        }
      }
    }
  }

  private void call(HandlerCall call) {
    active.add(call);
    call.jobs().forEach(job -> byJob.put(job.id(), call));
    call.closed().onComplete(done -> {
      active.remove(call);
      call.jobs().forEach(job -> byJob.remove(job.id(), call));
    });
    slots.take(call.handled(), call.closed());
    // not sooner: the fetch of the next job comes before the outcome, and takes it along
    if (!call.start() && !closing) {
      LOG.warn("job worker {} is closed, as the context of its handlers is gone", id);
      beginClose();
    }
  }

  /** How long until the next poll unasked: sooner where a limit may be what held jobs back. */
  private Duration pause(boolean nothingFound) {
    Duration pause = pollInterval;
    if (options.getLimiter().isPresent()) {
      RateLimit limit = options.getLimiter().get();
      Duration share = limit.duration().dividedBy(limit.max());
      Duration again = nothingFound ? longer(share, LIMITED_POLL) : share;
      pause = shorter(pause, again);
    }
    if (groupWindows != null) {
      pause =
          shorter(pause, groupWindows.untilAvailable(host.timers().elapsed()).orElse(pause));
    }
    return pause;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** What fills the slots, and when it is polled for. */
  private final class WorkSource implements Slots.WorkSource {
    @Override
    public Duration pollDelay() {
      return notBefore.minus(host.timers().elapsed());
    }

    @Override
    public Future<Slots.Found> claim(int free) {
      Duration asked = host.timers().elapsed();
      int wanted = wanted(free);
      if (groupWindows != null && groupWindows.isBeyond(JobChecks.MOST_ENTRIES, asked)) {
        return Future.succeededFuture(new Slots.Found(true, false, () -> {})); // until one has room
      }
      return context.outcomes().fetch(command(wanted)).map(fetched -> {
        failures.succeeded();
        return new Slots.Found(
            fetched.isEmpty(), fetched.size() >= wanted, () -> begin(fetched, asked));
      });
    }

    @Override
    public boolean pollsAfterEachEnd() {
      return isLimitedByOthers();
    }

    @Override
    public void idle(boolean nothingFound) {
      slots.pollWithin(pause(nothingFound));
    }

    @Override
    public Duration failed(Throwable failure, int inARow) {
      Duration pause = Slots.AFTER_FAILURE.delay(inARow, context.randomness());
      failures.failed(failure, pause);
      notBefore = host.timers().elapsed().plus(pause);
      events.emit(JobEvent.error(queueName, failure));
      return pause;
    }
  }
}
