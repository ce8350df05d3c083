package dev.runlane.jobs.queue;

import dev.runlane.jobs.FetchJobs;
import dev.runlane.jobs.FinishAndFetch;
import dev.runlane.jobs.FinishJob;
import dev.runlane.jobs.FinishResult;
import dev.runlane.jobs.FinishedJob;
import dev.runlane.jobs.JobChange;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobStore;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how jobs ended: a few calls at a time, each with all outcomes that came meanwhile. What the store could
 * not take is sent again until it does, or too long has passed. Touched on the home context only.
 */
final class OutcomeGate {
  private static final Logger LOG = LoggerFactory.getLogger(OutcomeGate.class);
  private static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(5)).withJitter(0.2);

  /** Most outcomes that go along with a fetch; more are sent beside it, which is faster then. */
  private static final int TAKEN_ALONG = 16;

  private final JobStore store;
  private final Home home;
  private final Randomness randomness;
  private final JobsOptions options;
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final FailureLog failures = new FailureLog(LOG, "storing how jobs ended");
  private int calls;
  private int failedInARow;
  private boolean deferred;

  OutcomeGate(JobStore store, Home home, Randomness randomness, JobsOptions options) {
    this.store = store;
    this.home = home;
    this.randomness = randomness;
    this.options = options;
  }

  /**
   * Stores an outcome. Fails only with what no repetition heals, or when the store was out of reach for too
   * long; then the job's lock runs out.
   *
   * @param startedAttempts the hand-out's number
   */
  Future<FinishResult> finish(FinishJob command, int startedAttempts) {
    Pending entry =
        new Pending(command, startedAttempts, home.timers().elapsed(), Promise.promise());
    pending.add(entry);
    sendLater();
    return entry.promise.future();
  }

  /**
   * Hands out jobs, as the store does. Outcomes that wait for the end of this turn go along: a slot that becomes free
   * gets its next job with the call that stores the end of the last.
   */
  Future<List<JobData>> fetch(FetchJobs command) {
    if (pending.isEmpty()
        || pending.size() > TAKEN_ALONG
        || pending.stream().anyMatch(each -> each.alone)
        || calls >= options.getOutcomeCalls()) {
      return store.fetchNextJobs(command);
    }
    List<Pending> batch = List.copyOf(pending);
    pending.clear();
    calls++;
    return Future.<Void>succeededFuture()
        .compose(start -> store.finishAndFetch(new FinishAndFetch(commands(batch), command)))
        .map(both -> {
          requireOneEach(batch, both.results());
          return both;
        })
        .transform((both, failure) -> {
          answered(batch, failure == null ? both.results() : List.of(), failure);
          return failure == null
              ? Future.succeededFuture(both.fetched())
              : Future.failedFuture(failure);
        });
  }

  /** Sends at the end of this turn, so that what ends in it goes together. */
  private void sendLater() {
    if (!deferred && calls < options.getOutcomeCalls()) {
      deferred = true;
      home.defer(() -> {
        deferred = false;
        send();
      });
    }
  }

  private void send() {
    while (calls < options.getOutcomeCalls() && !pending.isEmpty()) {
      List<Pending> batch = new ArrayList<>();
      do {
        batch.add(pending.remove());
      } while (!pending.isEmpty()
          && batch.size() < options.getOutcomeBatch()
          && !batch.get(0).alone
          && !pending.peek().alone);
      send(batch);
    }
  }

  private void send(List<Pending> batch) {
    calls++;
    Future.<Void>succeededFuture()
        .compose(start -> store.finishJobs(commands(batch)))
        .map(results -> requireOneEach(batch, results))
        .onComplete(
            (results, failure) -> answered(batch, failure == null ? results : List.of(), failure));
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
      List<Pending> batch, List<FinishResult> results, @Nullable Throwable failure) {
    calls--;
    if (failure == null) {
      failedInARow = 0;
      failures.succeeded();
      for (int i = 0; i < batch.size(); i++) {
        settle(batch.get(i), results.get(i));
      }
    } else {
      failed(batch, failure);
    }
    send();
  }

  private void settle(Pending entry, FinishResult result) {
    if (result instanceof FinishResult.LockLost && entry.uncertain) {
      reread(entry).onComplete(entry.promise);
    } else {
      entry.promise.complete(result);
    }
  }

  /** The answer of an earlier call was lost: it may have been carried out then. */
  private Future<FinishResult> reread(Pending entry) {
    FinishJob command = entry.command;
    return store
        .getJob(command.lock().queueName(), command.lock().jobId())
        .map(found -> carriedOut(entry, found)
            .<FinishResult>map(FinishResult.Finished::new)
            .orElseGet(FinishResult.LockLost::new))
        .otherwise(unread -> new FinishResult.LockLost());
  }

  private static Optional<FinishedJob> carriedOut(Pending entry, Optional<JobData> found) {
    FinishJob command = entry.command;
    JobState wanted =
        command.outcome() instanceof JobOutcome.Completed ? JobState.COMPLETED : JobState.FAILED;
    return found
        .filter(job -> job.startedAttempts() == entry.startedAttempts && job.state() == wanted)
        .map(job -> new JobChange(
            job.queueName(),
            job.id(),
            job.state(),
            job.failedReason(),
            job.cancelledAt() != null,
            false))
        .map(change -> new FinishedJob(change, List.of(), null, null));
  }

  private void failed(List<Pending> batch, Throwable failure) {
    if (!(failure instanceof RunlaneException known && known.isRetryable())) {
      refused(batch, failure);
      return;
    }
    failedInARow++;
    Duration pause = AFTER_FAILURE.delay(failedInARow, randomness);
    failures.failed(failure, pause);
    List<Pending> again = new ArrayList<>();
    for (Pending entry : batch) {
      entry.uncertain = true;
      Duration tried = home.timers().elapsed().minus(entry.since);
      if (tried.plus(pause).compareTo(options.getOutcomeTimeout()) > 0) {
        entry.promise.fail(failure);
      } else {
        again.add(entry);
      }
    }
    if (!again.isEmpty()) {
      home.timers().schedule(pause, () -> {
        pending.addAll(again);
        send();
      });
    }
  }

  /** One of them is at fault, the others go on: each is sent by itself. */
  private void refused(List<Pending> batch, Throwable failure) {
    if (batch.size() == 1) {
      batch.get(0).promise.fail(failure);
      return;
    }
    batch.forEach(entry -> entry.alone = true);
    pending.addAll(batch);
  }

  /** One outcome on its way. */
  private static final class Pending {
    private final FinishJob command;
    private final int startedAttempts;
    private final Duration since;
    private final Promise<FinishResult> promise;
    private boolean uncertain; // a call's answer was lost
    private boolean alone;

    Pending(FinishJob command, int startedAttempts, Duration since, Promise<FinishResult> promise) {
      this.command = command;
      this.startedAttempts = startedAttempts;
      this.since = since;
      this.promise = promise;
    }
  }
}
