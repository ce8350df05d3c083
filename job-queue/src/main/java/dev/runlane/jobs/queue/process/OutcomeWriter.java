package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.host.Deadline;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.observe.RefusedJobOutcome;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageRefusals;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how jobs ended: a few calls at a time, each with all outcomes that came since. What the store could
 * not take, or did not answer in time, is sent again until it does, or too long has passed: in pieces, and beside what
 * comes meanwhile, since it may be one outcome of the call that it cannot take, such as one whose row somebody holds.
 * Touched on the home context only.
 */
public final class OutcomeWriter {
  private static final Logger LOG = LoggerFactory.getLogger(OutcomeWriter.class);
  private static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(5)).withJitter(0.2);
  private static final Backoff AFTER_REFUSAL =
      Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(10)).withJitter(0.2);

  /** Most outcomes that go along with a fetch; more are sent beside it, which is faster then. */
  private static final int TAKEN_ALONG = 16;

  /** A call that failed is sent again in so many pieces: one outcome of 256 is alone with the third try. */
  private static final int PIECES = 16;

  /** A call may take this part of the shortest lock that it is about. */
  private static final int PART_OF_LOCK = 3;

  private static final String WHAT = "the call that stores how jobs ended";

  private final JobStore store;
  private final JobsHost host;
  private final Clock clock;
  private final Randomness randomness;
  private final JobsOptions options;
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final ArrayDeque<List<Pending>> again = new ArrayDeque<>(); // pieces of calls that failed
  private final FailureLog failures;
  private final FailureLog refusals;
  private final Map<JobLock, RefusedJobOutcome> refused = new ConcurrentHashMap<>();
  private final Set<Pending> open = new HashSet<>(); // all whose end nobody knows yet
  private final Consumer<List<JobData>> late;
  private final Line ofNew = new Line();
  private final Line ofPieces = new Line();
  private boolean newNext; // a piece went last
  private boolean deferred;
  private boolean closed;

  /** @param late gets jobs that were handed out when nobody waited for them any more */
  OutcomeWriter(
      JobStore store,
      JobsHost host,
      Clock clock,
      Randomness randomness,
      JobsOptions options,
      Consumer<List<JobData>> late) {
    this.store = store;
    this.host = host;
    this.clock = clock;
    this.randomness = randomness;
    this.options = options;
    this.late = late;
    failures = new FailureLog(LOG, "storing how jobs ended", host.timers());
    refusals = new FailureLog(LOG, "storing an end of a job that the store refuses", host.timers());
  }

  /**
   * Stores an outcome. It is offered also when the lock has run out: the store takes it for as long as nobody else has
   * the job. Fails only with what no repetition heals, or when the store was out of reach, or refused it for what
   * somebody may mend, for too long; then the job's lock runs out.
   *
   * @param startedAttempts the hand-out's number
   * @param lockDuration how long the job was locked; a call that takes a third of it counts as one without an answer
   * @param goesAtOnce whether the job is removed with this end: that it is gone after a lost
   *     answer is taken for its end
   */
  public Future<FinishResult> finish(
      FinishJob command, int startedAttempts, Duration lockDuration, boolean goesAtOnce) {
    Pending entry = new Pending(
        command,
        startedAttempts,
        goesAtOnce,
        lockDuration.dividedBy(PART_OF_LOCK),
        host.timers().elapsed(),
        Promise.promise());
    if (closed) {
      entry.promise.fail(JobsContext.closed("the job queue"));
      return entry.promise.future();
    }
    open.add(entry);
    pending.add(entry);
    sendLater();
    return entry.promise.future().onComplete(ended -> {
      open.remove(entry);
      if (entry.refusals > 0) {
        refused.remove(command.lock());
      }
    });
  }

  /** What the store refuses and is sent again, the one that was refused first at the beginning. Any thread. */
  public List<RefusedJobOutcome> refused() {
    return refused.values().stream()
        .sorted(Comparator.comparing(RefusedJobOutcome::since))
        .toList();
  }

  /** Offers nothing any more, and waits for no answer. */
  public void close() {
    closed = true;
    pending.clear();
    again.clear();
    if (!open.isEmpty()) {
      LOG.warn(
          "{} outcomes of jobs are given up, as the store has not taken them; their locks run out, and the attempts are"
              + " made again",
          open.size());
    }
    List.copyOf(open).forEach(each -> each.promise.tryFail(JobsContext.closed("the job queue")));
  }

  /**
   * Hands out jobs, as the store does. Outcomes that wait for the end of this turn go along: a slot that becomes free
   * gets its next job with the call that stores the end of the last. Where the store answers that it cannot take an
   * outcome now, jobs are handed out without: the row of that one may be held by somebody.
   */
  public Future<List<JobData>> fetch(FetchJobs command) {
    if (pending.isEmpty()
        || ofNew.pauses > 0
        || pending.size() > TAKEN_ALONG
        || isOneJobTwice(pending)
        || !mayCall()) {
      return fetchAlone(command);
    }
    List<Pending> batch = List.copyOf(pending);
    pending.clear();
    ofNew.calls++;
    Duration sent = host.timers().elapsed();
    return Future.<Void>succeededFuture()
        .compose(start -> Deadline.on(
            host.timers(),
            store.finishAndFetch(new FinishAndFetch(commands(batch), command)),
            callTimeout(batch),
            WHAT,
            both -> late.accept(both.fetched())))
        .map(both -> {
          requireOneEach(batch, both.results());
          return both;
        })
        .transform((both, failure) -> {
          answered(ofNew, batch, failure == null ? both.results() : List.of(), failure);
          if (failure == null) {
            return Future.succeededFuture(both.fetched());
          }
          boolean inTime = host.timers().elapsed().minus(sent).compareTo(callTimeout(batch)) < 0;
          return isRetryable(failure) && inTime && !closed
              ? fetchAlone(command)
              : Future.failedFuture(failure);
        });
  }

  private Future<List<JobData>> fetchAlone(FetchJobs command) {
    return Deadline.on(
        host.timers(),
        store.fetchNextJobs(command),
        command.lockDuration(),
        "the poll for jobs",
        late);
  }

  /** Sends at the end of this turn, so that what ends in it goes together. */
  private void sendLater() {
    if (!deferred) {
      deferred = true;
      host.defer(() -> {
        deferred = false;
        send();
      });
    }
  }

  private void send() {
    while (mayCall()) {
      boolean isNew = !pending.isEmpty() && ofNew.pauses == 0;
      if (mayPieceGo() && !(isNew && newNext)) {
        newNext = true;
        send(ofPieces, again.remove());
      } else if (isNew) {
        newNext = false;
        send(ofNew, takeNew());
      } else {
        return;
      }
    }
  }

  private boolean mayCall() {
    return ofNew.calls + ofPieces.calls < options.getOutcomeCalls();
  }

  /** They leave a call to what is new where there are several. */
  private boolean mayPieceGo() {
    return !again.isEmpty()
        && ofPieces.pauses == 0
        && ofPieces.calls < Math.max(1, options.getOutcomeCalls() - 1);
  }

  private List<Pending> takeNew() {
    List<Pending> batch = new ArrayList<>();
    do {
      batch.add(pending.remove());
    } while (!pending.isEmpty()
        && batch.size() < options.getOutcomeBatch()
        && !isAbout(batch, pending.peek().command.lock()));
    return batch;
  }

  /** A job that was lost and came again may have two ends on their way; a call names each job once. */
  private static boolean isAbout(List<Pending> batch, JobLock lock) {
    return batch.stream()
        .map(each -> each.command.lock())
        .anyMatch(
            each -> each.queueName().equals(lock.queueName()) && each.jobId().equals(lock.jobId()));
  }

  private static boolean isOneJobTwice(Collection<Pending> batch) {
    return batch.stream()
            .map(each ->
                List.of(each.command.lock().queueName(), each.command.lock().jobId()))
            .distinct()
            .count()
        < batch.size();
  }

  private void send(Line line, List<Pending> batch) {
    line.calls++;
    Future.<Void>succeededFuture()
        .compose(start ->
            Deadline.on(host.timers(), store.finishJobs(commands(batch)), callTimeout(batch), WHAT))
        .map(results -> requireOneEach(batch, results))
        .onComplete((results, failure) ->
            answered(line, batch, failure == null ? results : List.of(), failure));
  }

  /** How long a call may take: who holds the shortest lock has the least time. */
  private static Duration callTimeout(List<Pending> batch) {
    return batch.stream()
        .map(each -> each.callTimeout)
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  private static List<FinishJob> commands(List<Pending> batch) {
    return batch.stream().map(each -> each.command).toList();
  }

  private static List<FinishResult> requireOneEach(
      List<Pending> batch, List<FinishResult> results) {
    if (results.size() != batch.size()) {
      throw RunlaneException.adapterContractViolation(
          "the store answered %d results for %d ends", results.size(), batch.size());
    }
    return results;
  }

  private void answered(
      Line line, List<Pending> batch, List<FinishResult> results, @Nullable Throwable failure) {
    line.calls--;
    if (failure == null) {
      line.failedInARow = 0;
      failures.succeeded();
      for (int i = 0; i < batch.size(); i++) {
        settle(batch.get(i), results.get(i));
      }
    } else {
      failed(line, batch, failure);
    }
    send();
  }

  private void settle(Pending entry, FinishResult result) {
    if (entry.refusals > 0) {
      refusals.succeeded();
    }
    if (result instanceof FinishResult.LockLost && entry.uncertain) {
      reread(entry).onSuccess(found -> entry.promise.tryComplete(found.orElse(result)));
    } else {
      entry.promise.tryComplete(result);
    }
  }

  /** An earlier call may have been carried out, though its answer was lost or a failure. */
  private Future<Optional<FinishResult>> reread(Pending entry) {
    JobLock lock = entry.command.lock();
    return Future.<Void>succeededFuture()
        .compose(start -> Deadline.on(
            host.timers(), store.getJob(lock.queueName(), lock.jobId()), entry.callTimeout, WHAT))
        .map(found -> carriedOut(entry, found).<FinishResult>map(FinishResult.Finished::new))
        .otherwise(unread -> Optional.empty());
  }

  private static Optional<FinishedJob> carriedOut(Pending entry, Optional<JobData> found) {
    FinishJob command = entry.command;
    if (found.isEmpty() && entry.goesAtOnce && entry.uncertain) {
      JobLock lock = command.lock();
      JobChange gone =
          new JobChange(lock.queueName(), lock.jobId(), JobState.COMPLETED, null, false, true);
      return Optional.of(new FinishedJob(gone, List.of(), null, null));
    }
    JobState wanted =
        command.outcome() instanceof JobOutcome.Completed ? JobState.COMPLETED : JobState.FAILED;
    return found
        .filter(job -> job.startedAttempts() == entry.startedAttempts && job.state() == wanted)
        .map(job -> JobChange.of(job, false))
        .map(change -> new FinishedJob(change, List.of(), null, null));
  }

  /** New outcomes keep what failed before them waiting, which says nothing of those that are new. */
  private void failed(Line line, List<Pending> batch, Throwable failure) {
    if (!isRetryable(failure)) {
      refused(batch, failure);
      return;
    }
    line.failedInARow++;
    Duration pause = AFTER_FAILURE.delay(line.failedInARow, randomness);
    failures.failed(failure, pause);
    sendAgain(batch, (batch.size() + PIECES - 1) / PIECES);
    giveUp(pause, failure);
    if (!closed) {
      pause(line, pause);
    }
  }

  private void pause(Line line, Duration pause) {
    List<Line> pausing = line == ofNew ? List.of(ofNew, ofPieces) : List.of(ofPieces);
    pausing.forEach(each -> each.pauses++);
    host.timers().schedule(pause, () -> {
      pausing.forEach(each -> each.pauses--);
      send();
    });
  }

  private static boolean isRetryable(Throwable failure) {
    return failure instanceof RunlaneException known && known.isRetryable();
  }

  private void sendAgain(List<Pending> batch, int size) {
    batch.forEach(entry -> entry.uncertain = true);
    for (int from = 0; from < batch.size() && !closed; from += size) {
      again.add(List.copyOf(batch.subList(from, Math.min(batch.size(), from + size))));
    }
  }

  /** Of all that wait to be sent again those that would be sent too late after this pause. */
  private void giveUp(Duration pause, Throwable failure) {
    Duration now = host.timers().elapsed();
    Predicate<Pending> isLate =
        entry -> now.minus(entry.since).plus(pause).compareTo(options.getOutcomeTimeout()) > 0;
    List<Pending> givenUp = again.stream().flatMap(List::stream).filter(isLate).toList();
    if (givenUp.isEmpty()) {
      return;
    }
    LOG.warn(
        "{} outcomes of jobs were not stored within {}; their locks run out, and the attempts are made again",
        givenUp.size(),
        options.getOutcomeTimeout());
    List<List<Pending>> left = again.stream()
        .map(piece -> piece.stream().filter(isLate.negate()).toList())
        .filter(piece -> !piece.isEmpty())
        .toList();
    again.clear();
    again.addAll(left);
    givenUp.forEach(entry -> entry.promise.tryFail(failure));
  }

  /**
   * One of them is at fault, the others continue: each is sent by itself, and may have been stored already. So may one
   * that went alone, with a fetch that failed.
   */
  private void refused(List<Pending> batch, Throwable failure) {
    if (batch.size() == 1) {
      Pending entry = batch.get(0);
      reread(entry)
          .onSuccess(found ->
              found.ifPresentOrElse(entry.promise::tryComplete, () -> refused(entry, failure)));
      return;
    }
    sendAgain(batch, 1);
  }

  /** What somebody may mend keeps this outcome waiting and no other: its lock is renewed meanwhile. */
  private void refused(Pending entry, Throwable failure) {
    Duration pause = AFTER_REFUSAL.delay(++entry.refusals, randomness);
    Duration left = options.getOutcomeTimeout().minus(host.timers().elapsed().minus(entry.since));
    if (closed || !StorageRefusals.mayEnd(failure) || left.compareTo(pause) < 0) {
      entry.promise.tryFail(failure);
      return;
    }
    JobLock lock = entry.command.lock();
    refused.merge(
        lock,
        refused(entry, lock, failure),
        (before, last) -> new RefusedJobOutcome(
            before.queueName(),
            before.jobId(),
            before.since(),
            last.times(),
            last.code(),
            last.message()));
    refusals.failed(
        failure,
        String.format(
            Locale.ROOT,
            "job %s of queue %s is kept and its outcome sent again in %s, for %s at most",
            lock.jobId(),
            lock.queueName(),
            pause,
            left));
    host.timers().schedule(pause, () -> {
      sendAgain(List.of(entry), 1);
      send();
    });
  }

  /** As of now; {@link StorageRefusals} are failures of Runlane's own form. */
  private RefusedJobOutcome refused(Pending entry, JobLock lock, Throwable failure) {
    ErrorCode code =
        failure instanceof RunlaneException own ? own.code() : ErrorCode.INTERNAL_ERROR;
    return new RefusedJobOutcome(
        lock.queueName(),
        lock.jobId(),
        clock.now(),
        entry.refusals,
        code,
        String.valueOf(failure.getMessage()));
  }

  /** Calls of one kind: with outcomes that are new, or with pieces of calls that failed. */
  private static final class Line {
    private int calls;
    private int failedInARow;
    private int pauses; // after failed calls: what comes meanwhile waits and goes together
  }

  /** One outcome on its way. */
  private static final class Pending {
    private final FinishJob command;
    private final int startedAttempts;
    private final boolean goesAtOnce;
    private final Duration callTimeout;
    private final Duration since;
    private final Promise<FinishResult> promise;
    private boolean uncertain; // a call failed, and may have been carried out
    private int refusals; // of calls about this one alone

    Pending(
        FinishJob command,
        int startedAttempts,
        boolean goesAtOnce,
        Duration callTimeout,
        Duration since,
        Promise<FinishResult> promise) {
      this.command = command;
      this.startedAttempts = startedAttempts;
      this.goesAtOnce = goesAtOnce;
      this.callTimeout = callTimeout;
      this.since = since;
      this.promise = promise;
    }
  }
}
