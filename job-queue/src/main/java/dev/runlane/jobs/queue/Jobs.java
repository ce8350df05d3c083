package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.queue.host.Deadline;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.queue.observe.RefusedJobOutcome;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.queue.schedule.QueueMaintenance;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of one store, as a process sees them: where queues, workers and flows come from. A process makes one
 * for a store and shares it, since what its queues and workers have in common is done together: outcomes are
 * gathered, locks renewed and events published with few calls of the store. Methods may be called by any thread and
 * answer on the caller's context.
 *
 * <p>The store stays the caller's: it is connected before, and disconnected after {@link #close()}.
 */
public final class Jobs {
  /** Most jobs that one call hands out. */
  static final int MOST_FETCHED = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

  /** What closing may take after the workers have drained: more than a worker's own. */
  private static final Duration CLOSE_BEYOND_DRAIN = Duration.ofMillis(1_500);

  private static final Duration POLL_WITH_EVENTS = Duration.ofSeconds(5);
  private static final Duration HAND_BACK_LOCK = JobWorkerOptions.DEFAULT_LOCK_DURATION;
  private static final Duration POLL_WITHOUT_EVENTS = Duration.ofSeconds(1);

  private final JobsContext context;
  private final JobsHost host;
  private final Clock clock;
  private final Randomness randomness;
  private final Ids ids;
  private final Optional<Duration> pollInterval;
  private final Set<JobWorker> workers = new LinkedHashSet<>();
  private final Map<String, Set<JobWorker>> workersOf = new HashMap<>();
  private final Map<String, QueueMaintenance> maintenance = new HashMap<>();
  private final Set<Future<?>> leaving = new HashSet<>();
  private boolean closed;

  /** Those on {@code home}; what {@link #create} makes with the defaults. */
  public Jobs(
      JobsHost host,
      JobStore given,
      Clock clock,
      Randomness randomness,
      JsonCodec codec,
      JobsOptions said,
      List<JobsObserver> observers,
      Optional<Duration> pollInterval) {
    context =
        new JobsContext(host, given, clock, randomness, codec, said, observers, new WorkersHere());
    this.host = host;
    this.clock = clock;
    this.randomness = randomness;
    this.pollInterval = pollInterval;
    ids = new Ids(clock, randomness);
  }

  /** The jobs of a connected store, with the default options. */
  public static Jobs create(Vertx vertx, JobStore store) {
    return builder(vertx, store).build();
  }

  /** Begins with the default options, the machine's clock and a mapper for records, dates and Optional. */
  public static JobsBuilder builder(Vertx vertx, JobStore store) {
    return new JobsBuilder(vertx, store);
  }

  /** The queue with this name. Throws {@code ValidationFailed} for a malformed one. */
  public JobQueue queue(String name) {
    return queue(name, JobOptions.NONE);
  }

  /** The same; what {@code defaults} say holds for each job that says nothing else. */
  public JobQueue queue(String name, JobOptions defaults) {
    JobChecks.requireQueue(name);
    JobChecks.check(defaults);
    return new JobQueue(this, name, defaults);
  }

  /**
   * A worker, which begins at once unless configured otherwise. Its handlers are called on the context this is called
   * on. Throws {@code ValidationFailed} for a malformed name of a queue.
   */
  public JobWorker worker(String queueName, JobProcessor processor, JobWorkerOptions options) {
    JobChecks.requireQueue(queueName);
    JobWorker worker = new JobWorker(this, queueName, processor, options, host.callerExecutor());
    host.execute(() -> {
      if (closed) {
        worker.close();
      } else {
        workers.add(worker);
      }
    });
    return options.isAutoStart() ? worker.start() : worker;
  }

  /** The same, with the default options and a handler of single jobs. */
  public JobWorker worker(String queueName, JobHandler handler) {
    return worker(queueName, JobProcessor.of(handler), new JobWorkerOptions());
  }

  /** Where flows of jobs are added. */
  public FlowProducer flows() {
    return new FlowProducer(this);
  }

  /**
   * Closes all workers, as {@link JobWorker#close()} does, then publishes the events that are left. Waiters fail.
   * Closing twice is harmless. It ends within the longest drain timeout of the workers and two seconds, whatever the
   * store does; outcomes that it has not taken by then are given up, and the attempts are made again.
   */
  public Future<Void> close() {
    return host.call(() -> {
      closed = true;
      Duration drain = workers.stream()
          .map(JobWorker::drainTimeout)
          .max(Comparator.naturalOrder())
          .orElse(Duration.ZERO);
      Future<Void> orderly = Future.join(
              List.copyOf(workers).stream().map(JobWorker::close).toList())
          .compose(ended -> Future.join(List.copyOf(leaving)))
          .compose(ended -> context.locks().close())
          .compose(ended -> context.publisher().flushed())
          .compose(ended -> {
            context.watches().close();
            return context.hub().close();
          })
          .mapEmpty();
      return Deadline.on(
              host.timers(), orderly, drain.plus(CLOSE_BEYOND_DRAIN), "closing the job queue")
          .otherwise(failure -> {
            LOG.warn("the job queue is closed all the same: {}", failure.getMessage());
            context.watches().close();
            return null;
          })
          .compose(ended -> {
            context.outcomes().close();
            return host.close();
          });
    });
  }

  /**
   * How jobs of this process ended which the store refuses, and which are sent again: each has a place of a worker. Any
   * thread may call.
   */
  public List<RefusedJobOutcome> refusedOutcomes() {
    return context.outcomes().refused();
  }

  /** The store, for what has no method here; its futures complete on the caller's context. */
  public JobStore store() {
    return context.store();
  }

  /** What its queues, workers and jobs share. */
  public JobsContext context() {
    return context;
  }

  String newWorkerId() {
    return ids.workerId();
  }

  /** A random UUID of version 4. */
  String newJobId() {
    long high = (randomness.nextLong() & ~0xf000L) | 0x4000L;
    long low = (randomness.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
    return new UUID(high, low).toString();
  }

  Duration defaultPollInterval() {
    return pollInterval.orElseGet(
        () -> store().sharesEvents() ? POLL_WITH_EVENTS : POLL_WITHOUT_EVENTS);
  }

  /** A schedule or a delayed job of a queue is due then. Any thread may call. */
  void scheduled(String queueName, Instant due) {
    host.execute(() -> {
      QueueMaintenance keeper = maintenance.get(queueName);
      if (keeper != null) {
        keeper.dueAt(due);
      }
    });
  }

  /** A worker has begun: its queue is kept. */
  void register(JobWorker worker) {
    String queue = worker.queueName();
    workersOf.computeIfAbsent(queue, name -> new LinkedHashSet<>()).add(worker);
    maintenance.computeIfAbsent(queue, name -> {
      QueueMaintenance keeper = new QueueMaintenance(context, name, defaultPollInterval());
      keeper.start();
      return keeper;
    });
  }

  /** A worker has ended; the last one of a queue leaves it to other processes. */
  void unregister(JobWorker worker) {
    workers.remove(worker);
    Set<JobWorker> left = workersOf.get(worker.queueName());
    if (left == null || !left.remove(worker) || !left.isEmpty()) {
      return;
    }
    workersOf.remove(worker.queueName());
    QueueMaintenance keeper = maintenance.remove(worker.queueName());
    if (keeper != null) {
      Future<?> stopped = keeper.stop();
      leaving.add(stopped);
      stopped.onComplete(ended -> leaving.remove(stopped));
    }
  }

  /** Gives up jobs that were fetched too late to be worked on. Never fails: their locks run out otherwise. */
  Future<?> release(List<JobData> fetched) {
    Instant now = clock.now();
    return Future.join(fetched.stream().map(job -> release(job, now)).toList());
  }

  private Future<Void> release(JobData job, Instant now) {
    Duration locked = job.processedAt() == null || job.lockUntil() == null
        ? HAND_BACK_LOCK
        : Duration.between(job.processedAt(), job.lockUntil());
    return context
        .outcomes()
        .finish(
            FinishJob.of(job.lock(), new JobOutcome.Snooze(now), now),
            job.startedAttempts(),
            locked,
            false)
        .transform((result, failure) -> {
          if (result instanceof FinishResult.Finished finished) {
            context.changed(ChangeEvents.of(finished.change(), null, now));
            return Future.succeededFuture();
          }
          if (failure != null) {
            LOG.debug(
                "job {} of queue {} could not be handed back, its lock will run out",
                job.id(),
                job.queueName(),
                failure);
          }
          // an earlier try may have handed it back without an answer, and no event says so
          workersOf(job.queueName()).forEach(JobWorker::fetchNow);
          return Future.succeededFuture();
        });
  }

  private Set<JobWorker> workersOf(String queueName) {
    return workersOf.getOrDefault(queueName, Set.of());
  }

  /** What reaches the workers from what they share. */
  private final class WorkersHere implements JobsContext.Workers {
    @Override
    public void waits(String queueName) {
      workersOf(queueName).forEach(JobWorker::fetchNow);
    }

    @Override
    public void cancelled(String queueName, String jobId) {
      List.copyOf(workersOf(queueName)).forEach(worker -> worker.cancelled(jobId));
    }

    @Override
    public void late(List<JobData> fetched) {
      if (!fetched.isEmpty()) {
        LOG.warn(
            "{} jobs came when nobody waited for them any more, and are handed back",
            fetched.size());
        release(fetched);
      }
    }
  }
}
