package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobAttemptOutcome;
import dev.runlane.jobs.queue.schedule.Series;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ContextTurns;
import dev.runlane.timing.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a handler, for one job or a batch: from the hand-out to the stored outcome. Touched on the home
 * context only; the handler is called on the worker's place.
 */
public final class HandlerCall {
  private static final Logger LOG = LoggerFactory.getLogger(HandlerCall.class);

  /** How long the end of a job waits for lines of its log: what a worker that closes has for both is two seconds. */
  private static final Duration LINES_WITHIN = Duration.ofSeconds(1);

  private final CallContext context;
  private final List<JobData> jobs;
  private final Duration takenAt;
  private final Executor executor;
  private final FiredSignal signal;
  private final Outcomes outcomes;
  private final Map<String, JobSignalReason> reasons =
      new HashMap<>(); // by job, those that one was told
  private final Promise<Void> handled = Promise.promise();
  private final Promise<Void> closed = Promise.promise();
  private final Optional<Duration> timeout;
  private JobAttemptObserver observer = JobAttemptObserver.NONE;
  private Timers.@Nullable Timer timer;
  private boolean over;

  public HandlerCall(CallContext context, List<JobData> jobs, Duration takenAt, Executor executor) {
    this.context = context;
    this.jobs = jobs;
    this.takenAt = takenAt;
    this.executor = ContextTurns.ofCall(executor);
    signal = new FiredSignal(this.executor);
    outcomes = new Outcomes(context);
    timeout = jobs.stream()
        .map(job -> job.options().timeout())
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .min(Comparator.naturalOrder());
  }

  /** Completes when the handler has ended, or is not waited for any more. */
  public Future<Void> handled() {
    return handled.future();
  }

  /** Completes, and never fails, when nothing is left to be done for its jobs. */
  public Future<Void> closed() {
    return closed.future();
  }

  boolean isHandled() {
    return over;
  }

  public List<JobData> jobs() {
    return jobs;
  }

  /**
   * Calls the handler. False where its place is gone, as the worker pool of a verticle is after its undeployment: then
   * the jobs are handed back.
   */
  public boolean start() {
    for (JobData job : jobs) {
      context
          .jobs()
          .locks()
          .add(
              job.lock(),
              context.options().getLockDuration(),
              takenAt,
              status -> lockNews(job, status));
    }
    timeout.ifPresent(after -> timer = timers().schedule(after, this::timedOut));
    List<Job> handed =
        jobs.stream().map(job -> new Job(context.jobs(), job, job.lock())).toList();
    if (context.events().hasListeners(JobEvent.Type.ACTIVE)) {
      handed.forEach(job -> context.events().emit(JobEvent.about(JobEvent.Type.ACTIVE, job)));
    }
    observer = context.jobs().observer().attemptStarted(jobs);
    try {
      executor.execute(() -> Future.<Void>succeededFuture()
          .compose(begin -> Objects.requireNonNull(call(handed), "the handler returned no future"))
          .map(results -> requireOneEach(results, handed.size()))
          .onComplete(result -> context.jobs().host().execute(() -> handlerEnded(result))));
      return true;
    } catch (RejectedExecutionException gone) {
      handlerEnded(Future.succeededFuture(
          Collections.nCopies(jobs.size(), JobResult.snooze(Duration.ZERO))));
      return false;
    }
  }

  private Future<List<JobResult>> call(List<Job> handed) {
    if (context.processor().isBlocking()) {
      return context.processor().call(handed, signal, this::block);
    }
    Runnable end = observer.turn();
    try {
      return context.processor().call(handed, signal, this::block);
    } finally {
      end.run();
    }
  }

  private Future<List<JobResult>> block(Callable<List<JobResult>> handler) {
    return context.jobs().host().blocking().run(() -> {
      Runnable end = observer.turn();
      try {
        return handler.call();
      } finally {
        end.run();
      }
    });
  }

  /** The job was cancelled. Does nothing for a job that is none of this call's. */
  public void cancelled(String jobId) {
    reasons.put(jobId, JobSignalReason.CANCELLED);
    signal.fire(JobSignalReason.CANCELLED);
  }

  /** The worker stops: the handler is to give up, and is not waited for beyond the grace. */
  public void stop(Duration grace) {
    if (over) {
      return;
    }
    signal.fire(JobSignalReason.WORKER_STOPPING);
    timers().schedule(grace, this::abandon);
  }

  private void abandon() {
    if (!over) {
      LOG.warn(
          "worker {} stops while the handler of job {} goes on; the lock will run out",
          context.workerId(),
          jobs.get(0).id());
      finish();
      jobs.forEach(this::drop);
      jobs.forEach(job -> observer.ended(job, JobAttemptOutcome.LOST, null));
      closed.tryComplete();
    }
  }

  private void lockNews(JobData job, LockStatus status) {
    if (over) {
      return;
    }
    if (status == LockStatus.HELD_CANCELLED) {
      cancelled(job.id());
    } else {
      reasons.putIfAbsent(job.id(), JobSignalReason.LOCK_LOST);
      signal.fire(JobSignalReason.LOCK_LOST);
    }
  }

  private void timedOut() {
    if (over) {
      return;
    }
    jobs.forEach(job -> reasons.putIfAbsent(job.id(), JobSignalReason.TIMEOUT));
    signal.fire(JobSignalReason.TIMEOUT);
    timer = timers().schedule(context.options().getSignalGrace(), () -> {
      if (!over) {
        LOG.warn(
            "the handler of job {} of queue {} goes on after its timeout, its attempt has failed",
            jobs.get(0).id(),
            jobs.get(0).queueName());
        handlerEnded(Future.failedFuture(new IllegalStateException("the handler goes on")));
      }
    });
  }

  private void handlerEnded(AsyncResult<List<JobResult>> result) {
    if (over) {
      return;
    }
    finish();
    Instant now = context.jobs().clock().now();
    List<Future<Void>> stored = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      JobResult one =
          result.succeeded() ? result.result().get(i) : JobResult.failed(result.cause());
      stored.add(finish(jobs.get(i), one, now));
    }
    handled.tryComplete();
    if (stored.size() == 1) {
      stored.get(0).onComplete(done -> closed.tryComplete());
    } else {
      Future.join(stored).onComplete(done -> closed.tryComplete());
    }
  }

  private void finish() {
    over = true;
    if (timer != null) {
      timer.cancel();
    }
    handled.tryComplete();
  }

  /** Stores how one job ended, behind the lines that its handler has sent; never fails. */
  private Future<Void> finish(JobData job, JobResult result, Instant now) {
    Outcomes.Decision decision = decide(job, result, now);
    Future<Void> lines = context.jobs().lines().answered(job.lock(), timers(), LINES_WITHIN);
    if (lines.isComplete()) {
      return store(job, decision, result, now); // in this turn, so that a fetch takes it along
    }
    Promise<Void> here = Promise.promise();
    lines.onComplete(answered -> context.jobs().host().execute(here::complete));
    return here.future().compose(answered -> store(job, decision, result, now));
  }

  private Future<Void> store(
      JobData job, Outcomes.Decision decision, JobResult result, Instant now) {
    return context
        .jobs()
        .outcomes()
        .finish(
            new FinishJob(job.lock(), decision.outcome(), next(job, decision.outcome(), now), now),
            job.startedAttempts(),
            context.options().getLockDuration(),
            decision.outcome() instanceof JobOutcome.Completed && goesAtOnce(job))
        .transform((answer, failure) -> {
          drop(job);
          if (failure != null) {
            notStored(job, failure);
            observer.ended(job, JobAttemptOutcome.LOST, null);
            context.events().emit(JobEvent.error(job.queueName(), failure));
          } else if (answer instanceof FinishResult.Finished finished) {
            AttemptLog.ended(LOG, job, decision, result, finished.change().job());
            observer.ended(job, Outcomes.came(finished.change().job()), decision.code());
            outcomes.publish(job, decision, finished.change(), now);
          } else {
            LOG.debug(
                "job {} of queue {} was another's when it ended here", job.id(), job.queueName());
            observer.ended(job, JobAttemptOutcome.LOST, null);
          }
          return Future.succeededFuture();
        });
  }

  private static boolean goesAtOnce(JobData job) {
    JobRemoval removal = job.options().removalAfter(JobState.COMPLETED);
    return removal != null && removal.isAtOnce();
  }

  /** Whatever exceptions and back-offs of the application's throw when they are asked: the job ends, and its lock. */
  private Outcomes.Decision decide(JobData job, JobResult result, Instant now) {
    try {
      return outcomes.of(
          job, result, Optional.ofNullable(reasons.get(job.id())), signal, timeout, now);
    } catch (Throwable undecided) {
      String why = "what its handler ended with could not be read: "
          + undecided.getClass().getName();
      return new Outcomes.Decision(new JobOutcome.Failed(why, null), undecided);
    }
  }

  /** Outcomes that a store out of reach has not taken are counted in one line, by the gate. */
  private static void notStored(JobData job, Throwable failure) {
    if (failure instanceof RunlaneException known
        && (known.isRetryable() || known.code() == ErrorCode.OPERATION_CANCELLED)) {
      LOG.debug(
          "the outcome of job {} of queue {} was given up", job.id(), job.queueName(), failure);
    } else {
      LOG.warn(
          "the outcome of job {} ({}) of queue {} was refused, the attempt will be made again: {}",
          job.id(),
          job.name(),
          job.queueName(),
          failure.toString());
    }
  }

  private @Nullable NewJob next(JobData job, JobOutcome outcome, Instant now) {
    return outcome instanceof JobOutcome.Snooze
        ? null
        : Series.next(job, now, unreadable -> context
            .events()
            .emit(JobEvent.error(job.queueName(), unreadable)));
  }

  private void drop(JobData job) {
    context.jobs().locks().remove(job.lock(), context.options().getLockDuration());
  }

  private Timers timers() {
    return context.jobs().host().timers();
  }

  private static List<JobResult> requireOneEach(@Nullable List<JobResult> results, int wanted) {
    if (results == null || results.size() != wanted || results.stream().anyMatch(Objects::isNull)) {
      throw RunlaneException.validationFailed(
          "the handler must answer one result for each of its %d jobs, but answered %s",
          wanted, results == null ? "null" : results.size() + " or null among them");
    }
    return results;
  }
}
