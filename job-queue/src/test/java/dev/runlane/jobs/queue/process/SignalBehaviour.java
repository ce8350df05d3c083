package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.JobWorkerVerticle;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.QueueBehaviour;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobObservable;
import dev.runlane.jobs.queue.job.JobObserver;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Jobs that are given up: cancelled, timed out, lost, or with a worker that stops. */
public abstract class SignalBehaviour extends QueueBehaviour {
  public SignalBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  /** Renewed after three seconds at the latest, and lost by a machine that stands still for six more. */
  private static final Duration BRIEF_LOCK = Duration.ofSeconds(9);

  private final Promise<Job> started = Promise.promise();
  private final List<JobSignalReason> reasons = new CopyOnWriteArrayList<>();

  /** Runs until it is signalled, then gives up. */
  private Future<JobResult> untilSignalled(Job job, JobSignal signal) {
    signal.fired().onSuccess(reasons::add);
    started.tryComplete(job);
    return signal.untilFired(Promise.<JobResult>promise().future());
  }

  @Test
  void a_waiting_and_a_delayed_job_are_cancelled_at_once() {
    Job waiting = await(queue.add("x", 1));
    Job delayed = await(queue.schedule(Duration.ofHours(1), "x", 1, JobOptions.NONE));

    assertThat(await(waiting.cancel())).isTrue();
    assertThat(await(queue.cancel(delayed.id()))).isTrue();

    for (Job job : List.of(fresh(waiting), fresh(delayed))) {
      assertThat(job.state()).isEqualTo(JobState.FAILED);
      assertThat(job.failedReason()).contains("Job cancelled");
      assertThat(job.cancelledAt()).isPresent();
      assertThat(failure(job.waitUntilFinished())).hasMessage("Job was cancelled");
    }
    assertThat(await(waiting.cancel())).isFalse();
    assertThat(await(queue.cancel("unknown"))).isFalse();
  }

  @Test
  void a_running_handler_learns_of_the_cancellation_and_its_job_ends_cancelled() {
    Promise<Void> told = Promise.promise();
    worker(this::untilSignalled).events().on(JobEvent.Type.CANCELLED, event -> told.complete());
    Job job = await(queue.add("x", 1, JobOptions.builder().attempts(5).build()));
    await(started.future());

    assertThat(await(job.cancel())).isTrue();

    assertFails(ErrorCode.OPERATION_CANCELLED, job.waitUntilFinished());
    await(told.future());
    assertThat(reasons).containsExactly(JobSignalReason.CANCELLED);
    assertThat(fresh(job).startedAttempts()).isEqualTo(1);
  }

  @Test
  void a_cancelled_job_ends_cancelled_also_when_its_handler_returns() {
    Promise<JobResult> handler = Promise.promise();
    worker((job, signal) -> {
      started.complete(job);
      return handler.future();
    });
    Job job = await(queue.add("x", 1));
    await(started.future());

    await(job.cancel());
    handler.complete(JobResult.done("too late"));

    assertThat(failure(job.waitUntilFinished())).hasMessage("Job was cancelled");
    assertThat(fresh(job).returnvalue()).isEmpty();
  }

  @Test
  void a_handler_in_another_process_learns_of_the_cancellation_from_the_store() {
    worker(this::untilSignalled);
    Job job = await(queue.add("x", 1));
    await(started.future());

    // As another process would, without this one's Jobs.
    await(store.cancelJob("mail", job.id(), jobs.context().clock().now()));

    assertFails(ErrorCode.OPERATION_CANCELLED, job.waitUntilFinished());
    assertThat(reasons).containsExactly(JobSignalReason.CANCELLED);
  }

  @Test
  void a_cancellation_whose_event_was_missed_is_seen_when_the_lock_is_renewed() {
    worker(options().setLockDuration(BRIEF_LOCK), this::untilSignalled);
    Job job = await(queue.add("x", 1));
    await(started.future());

    await(store.updateJob(
        "mail", job.id(), JobUpdate.NONE.cancelledAt(jobs.context().clock().now())));

    assertFails(ErrorCode.OPERATION_CANCELLED, job.waitUntilFinished());
    assertThat(reasons).containsExactly(JobSignalReason.CANCELLED);
  }

  @Test
  void an_attempt_beyond_its_timeout_is_signalled_and_fails() {
    worker(this::untilSignalled);

    Job job = await(queue.add("x", 1, timeout(40, 1)));

    assertThat(failure(job.waitUntilFinished())).hasMessage("Job timed out after 40ms");
    assertThat(reasons).containsExactly(JobSignalReason.TIMEOUT);
  }

  @Test
  void an_attempt_fails_after_the_grace_when_its_handler_goes_on() {
    worker((job, signal) -> Promise.<JobResult>promise().future());

    Job job = await(queue.add("x", 1, timeout(30, 1)));

    assertThat(failure(job.waitUntilFinished())).hasMessage("Job timed out after 30ms");
  }

  @Test
  void a_retry_does_not_begin_before_the_handler_that_timed_out_has_ended() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    JobHandler slow = (job, signal) -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      Promise<JobResult> later = Promise.promise();
      vertx.setTimer(150, over -> {
        running.decrementAndGet();
        later.complete(JobResult.done());
      });
      return later.future();
    };
    worker(options().setConcurrency(3).setSignalGrace(NEVER), slow);

    Job job = await(queue.add("x", 1, timeout(20, 3)));

    assertThat(failure(job.waitUntilFinished())).hasMessage("Job timed out after 20ms");
    assertThat(most).hasValue(1);
    assertThat(fresh(job).attemptsMade()).isEqualTo(3);
  }

  private static JobOptions timeout(int millis, int attempts) {
    return JobOptions.builder()
        .timeout(Duration.ofMillis(millis))
        .attempts(attempts)
        .build();
  }

  @Test
  void a_lock_is_renewed_for_as_long_as_the_handler_runs() {
    Promise<JobResult> handler = Promise.promise();
    JobWorkerOptions brief =
        options().setLockDuration(BRIEF_LOCK).setStalledInterval(Duration.ofMillis(50));
    worker(brief, (job, signal) -> {
      started.complete(job);
      return handler.future();
    });
    Job job = await(queue.add("x", 1));
    Job handed = await(started.future());

    until(() -> job.refresh().map(found -> found
        .orElseThrow()
        .read()
        .lockUntil()
        .isAfter(handed.read().lockUntil().plusMillis(900))));
    handler.complete(JobResult.done());

    await(job.waitUntilFinished());
    assertThat(fresh(job).startedAttempts()).isEqualTo(1);
  }

  @Test
  void the_job_of_a_lost_worker_is_run_again_and_uses_no_attempt() {
    Job job = await(queue.add("x", 1));
    fetchAsALostWorker();

    List<String> stalled = new CopyOnWriteArrayList<>();
    JobWorker worker = worker(
        options().setAutoStart(false).setStalledInterval(Duration.ofMillis(50)),
        (each, signal) -> done("saved"));
    worker.events().on(JobEvent.Type.STALLED, event -> stalled.add(event.jobId().orElseThrow()));
    worker.start();

    assertThat(await(job.waitUntilFinished()).orElseThrow().text()).isEqualTo("\"saved\"");
    assertThat(fresh(job).attemptsMade()).isZero();
    assertThat(fresh(job).read().stalls()).isEqualTo(1);
    until(() -> Future.succeededFuture(!stalled.isEmpty()));
    assertThat(stalled).containsExactly(job.id());
  }

  @Test
  void a_job_that_was_lost_too_often_fails() {
    Job job = await(queue.add("x", 1, JobOptions.builder().maxStalls(0).build()));
    fetchAsALostWorker();
    Promise<String> told = Promise.promise();

    worker(options().setStalledInterval(Duration.ofMillis(50)), (each, signal) -> done())
        .events()
        .on(JobEvent.Type.FAILED, event -> told.complete(event.jobId().orElseThrow()));

    assertThat(failure(job.waitUntilFinished()))
        .hasMessage("Job stalled and exceeded max attempts");
    assertThat(await(told.future())).isEqualTo(job.id());
  }

  @Test
  void a_lost_job_that_cannot_be_put_back_keeps_nobody_from_hearing_of_the_others() {
    Job broken = await(queue.add("x", 1));
    fetchAsALostWorker();
    Job other = await(queue.add("x", 1));
    fetchAsALostWorker();
    Jobs failing = Jobs.create(vertx, new ForwardingJobStore(store) {
      @Override
      public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
        return commands.stream().anyMatch(each -> each.lock().jobId().equals(broken.id()))
            ? Future.failedFuture(new IllegalStateException("not this one"))
            : super.finishJobs(commands);
      }
    });
    Promise<String> stalled = Promise.promise();
    JobWorker worker = failing.worker(
        "mail",
        JobProcessor.of((each, signal) -> done()),
        options().setAutoStart(false).setStalledInterval(Duration.ofMillis(50)));
    worker
        .events()
        .on(JobEvent.Type.STALLED, event -> stalled.tryComplete(event.jobId().orElseThrow()));

    worker.start();

    assertThat(await(stalled.future())).isEqualTo(other.id());
    await(other.waitUntilFinished());
    await(failing.close());
  }

  private void fetchAsALostWorker() {
    assertThat(await(store.fetchNextJob(FetchJobs.one(
            "mail", "lost", Duration.ofMillis(1), jobs.context().clock().now().minusSeconds(1)))))
        .isPresent();
  }

  @Test
  void a_worker_that_lost_its_lock_is_told_and_overwrites_nothing() {
    worker(options().setLockDuration(BRIEF_LOCK), (job, signal) -> {
      signal.fired().onSuccess(reasons::add);
      started.tryComplete(job);
      return signal
          .fired()
          .compose(lost -> job.updateProgress(50).otherwiseEmpty())
          .map(JobResult.done("overwritten"));
    });
    Job job = await(queue.add("x", 1));
    Job handed = await(started.future());

    await(store.releaseLock(handed.read().lock()));

    until(() -> Future.succeededFuture(!reasons.isEmpty()));
    assertThat(reasons).containsExactly(JobSignalReason.LOCK_LOST);
    await(jobs.close());
    assertThat(fresh(job).state()).isEqualTo(JobState.ACTIVE);
    assertThat(fresh(job).returnvalue()).isEmpty();
    assertThat(fresh(job).progress()).isZero();
  }

  @Test
  void a_handler_that_lost_its_job_and_does_not_know_changes_nothing_of_it() {
    worker(options().setLockDuration(NEVER.dividedBy(2)), (job, signal) -> {
      started.tryComplete(job);
      return signal.untilFired(Promise.<JobResult>promise().future());
    });
    Job job = await(queue.add("x", 1));
    Job handed = await(started.future());
    await(handed.log("mine"));

    Instant later = jobs.context().clock().now().plus(NEVER);
    await(store.finishJob(FinishJob.of(handed.read().lock(), new JobOutcome.Stalled(), later)));
    assertThatNothingIsChanged(job, handed);
    assertThat(await(store.fetchNextJob(FetchJobs.one("mail", "other", NEVER, later))))
        .isPresent();
    assertThatNothingIsChanged(job, handed);

    assertThat(await(job.logs(0, 10))).containsExactly("mine");
  }

  private void assertThatNothingIsChanged(Job job, Job handed) {
    JobData before = fresh(job).read();
    for (Job lost : List.of(handed, fresh(handed))) {
      for (Future<?> call : List.of(
          lost.updateProgress(50),
          lost.log("line"),
          lost.updateData("new"),
          lost.discard(),
          lost.moveToDelayed(jobs.context().clock().now().plus(NEVER)),
          lost.moveToFailed("by hand"))) {
        assertConflict(StorageConflictKind.JOB_STATE, call);
      }
    }
    assertThat(fresh(job).read()).isEqualTo(before);
  }

  @Test
  void a_handler_may_fail_its_job_for_good_whatever_it_answers_then() {
    worker((job, signal) -> job.moveToFailed("by hand").map(JobResult.done("dropped")));

    Job job = await(queue.add("x", 1, JobOptions.builder().attempts(5).build()));

    assertThat(failure(job.waitUntilFinished())).hasMessage("by hand");
    assertThat(fresh(job).returnvalue()).isEmpty();
  }

  @Test
  void closing_waits_for_handlers_that_run_and_fetches_no_more() {
    Promise<JobResult> handler = Promise.promise();
    JobWorker worker = worker(options().setDrainTimeout(NEVER), (job, signal) -> {
      started.tryComplete(job);
      return handler.future();
    });
    Job running = await(queue.add("x", 1));
    await(started.future());

    Future<Void> closed = worker.close();
    Job waiting = await(queue.add("x", 2));
    assertThat(closed.isComplete()).isFalse();
    handler.complete(JobResult.done());

    await(closed);
    assertThat(fresh(running).state()).isEqualTo(JobState.COMPLETED);
    assertThat(fresh(waiting).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void the_lock_of_a_job_whose_handler_ignores_a_closing_worker_runs_out() {
    JobWorker worker = worker((job, signal) -> {
      started.tryComplete(job);
      return Promise.<JobResult>promise().future();
    });
    Job job = await(queue.add("x", 1));
    Job handed = await(started.future());

    await(worker.close());

    assertThat(fresh(job).state()).isEqualTo(JobState.ACTIVE);
    assertThat(await(store.extendLock(
            handed.read().lock(), Duration.ofSeconds(30), jobs.context().clock().now())))
        .isEqualTo(LockStatus.HELD);
  }

  @Test
  void undeploying_closes_the_worker() {
    String deployed = await(vertx.deployVerticle(
        new JobWorkerVerticle(jobs, "mail", JobProcessor.of(this::untilSignalled), options())));
    await(queue.add("x", 1));
    await(started.future());

    await(vertx.undeploy(deployed));

    until(() -> Future.succeededFuture(!reasons.isEmpty()));
    assertThat(reasons).containsExactly(JobSignalReason.WORKER_STOPPING);
  }

  @Test
  void observers_follow_a_job_to_its_end() {
    List<String> seen = new CopyOnWriteArrayList<>();
    Promise<Void> over = Promise.promise();
    Promise<Void> go = Promise.promise();
    worker((job, signal) ->
        go.future().compose(ready -> job.updateProgress(40)).compose(told -> go(job)));
    Job job = await(queue.add("x", 1));
    job.observe().subscribe(new JobObserver() {
      @Override
      public void active(Job active) {
        seen.add("active");
        go.tryComplete();
      }

      @Override
      public void progress(Job progressing, double progress) {
        seen.add("progress " + progress);
        finish.complete();
      }

      @Override
      public void completed(Job completed, Optional<Json> value) {
        seen.add("completed " + value.orElseThrow().text());
        over.complete();
      }
    });

    await(over.future());
    assertThat(seen).containsExactly("active", "progress 40.0", "completed \"end\"");
  }

  private final Promise<Void> finish = Promise.promise();

  private Future<JobResult> go(Job job) {
    return finish.future().map(JobResult.done("end"));
  }

  @Test
  void an_observer_who_comes_late_is_told_the_end_and_one_who_left_nothing() {
    Job job = await(queue.add("x", 1));
    List<String> left = new CopyOnWriteArrayList<>();
    job.observe().subscribe(ends(left::add)).unsubscribe();
    await(job.cancel());

    Promise<String> late = Promise.promise();
    queue.observe(job.id()).subscribe(ends(late::tryComplete));

    assertThat(await(late.future())).isEqualTo("cancelled");
    assertThat(left).isEmpty();
  }

  @Test
  void an_observer_is_told_that_the_job_queue_is_closed_before_it_or_after_it_came() {
    Job job = await(queue.add("x", 1));
    Jobs other = Jobs.builder(vertx, store).build();
    JobQueue there = other.queue("mail");
    Promise<RunlaneException> before = Promise.promise();
    Promise<Void> begun = Promise.promise();
    JobObservable observable = there.observe(job.id());
    observable.subscribe(unobserved(before));
    there.getJob(job.id()).onComplete(read -> begun.complete()); // behind the subscription
    await(begun.future());

    await(other.close());
    Promise<RunlaneException> after = Promise.promise();
    observable.subscribe(unobserved(after));
    Promise<RunlaneException> another = Promise.promise();
    there.observe(job.id()).subscribe(unobserved(another));

    for (Promise<RunlaneException> told : List.of(before, after, another)) {
      assertThat(await(told.future()).code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    }
  }

  @Test
  void an_observer_beyond_the_most_that_may_watch_is_told_so() {
    Job first = await(queue.add("x", 1));
    Job second = await(queue.add("x", 2));
    Jobs other =
        Jobs.builder(vertx, store).options(new JobsOptions().setWatchedJobs(1)).build();
    Promise<RunlaneException> refused = Promise.promise();
    other.queue("mail").observe(first.id()).subscribe(new JobObserver() {});

    other.queue("mail").observe(second.id()).subscribe(unobserved(refused));

    RunlaneException why = await(refused.future());
    assertThat(why.code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(why.isRetryable()).isTrue();
    await(other.close());
  }

  @Test
  void an_observer_is_told_that_there_is_no_such_job() {
    Promise<RunlaneException> first = Promise.promise();
    JobObservable unknown = queue.observe("unknown");
    unknown.subscribe(unobserved(first));
    assertThat(await(first.future()).code()).isEqualTo(ErrorCode.JOB_NOT_FOUND);

    Promise<RunlaneException> later = Promise.promise();
    unknown.subscribe(unobserved(later));

    assertThat(await(later.future()).code()).isEqualTo(ErrorCode.JOB_NOT_FOUND);
  }

  @Test
  void an_observer_is_told_that_its_job_was_removed() {
    Job job = await(queue.add("x", 1));
    Jobs reading = Jobs.builder(vertx, store)
        .options(new JobsOptions().setWatchInterval(Duration.ofMillis(20)))
        .build();
    Promise<RunlaneException> gone = Promise.promise();
    Promise<Void> begun = Promise.promise();
    reading.queue("mail").observe(job.id()).subscribe(new JobObserver() {
      @Override
      public void active(Job active) {
        begun.tryComplete();
      }

      @Override
      public void unobserved(RunlaneException reason) {
        gone.complete(reason);
      }
    });
    await(store.fetchNextJob(
        FetchJobs.one("mail", "w", Duration.ofMinutes(1), jobs.context().clock().now())));
    await(begun.future());

    await(store.obliterate("mail", Obliterate.FORCED, jobs.context().clock().now()));

    assertThat(await(gone.future()).code()).isEqualTo(ErrorCode.JOB_NOT_FOUND);
    await(reading.close());
  }

  private static JobObserver unobserved(Promise<RunlaneException> told) {
    return new JobObserver() {
      @Override
      public void unobserved(RunlaneException reason) {
        told.complete(reason);
      }
    };
  }

  @Test
  void an_observer_finds_out_what_no_event_told() {
    Job job = await(queue.add("x", 1));
    Jobs reading = Jobs.builder(vertx, store)
        .options(new JobsOptions().setWatchInterval(Duration.ofMillis(20)))
        .build();
    Promise<String> heard = Promise.promise();
    Promise<Void> begun = Promise.promise();
    reading.queue("mail").observe(job.id()).subscribe(new JobObserver() {
      @Override
      public void active(Job active) {
        begun.tryComplete();
      }

      @Override
      public void failed(Job failed, String reason) {
        heard.tryComplete(reason);
      }
    });
    await(store.fetchNextJob(
        FetchJobs.one("mail", "w", Duration.ofMinutes(1), jobs.context().clock().now())));
    await(begun.future());

    await(store.failJob("mail", job.id(), "no luck", jobs.context().clock().now()));

    assertThat(await(heard.future())).isEqualTo("no luck");
    await(reading.close());
  }

  @Test
  void an_observer_whose_worker_pool_is_gone_keeps_no_other_from_the_end() {
    Promise<JobResult> handler = Promise.promise();
    Promise<Void> left = Promise.promise();
    Promise<Void> followed = Promise.promise();
    Promise<Void> over = Promise.promise();
    worker((job, signal) -> handler.future());
    Job job = await(queue.add("x", 1));
    JobObservable observable = job.observe();
    String verticle = verticleWithAPoolOfItsOwn(() -> observable.subscribe(begins(left)));
    await(left.future());
    await(vertx.undeploy(verticle));
    observable.subscribe(begins(followed));
    observable.subscribe(new JobObserver() {
      @Override
      public void completed(Job completed, Optional<Json> value) {
        over.complete();
      }
    });
    await(followed.future());

    handler.complete(JobResult.done());

    await(over.future());
  }

  private static JobObserver begins(Promise<Void> begun) {
    return new JobObserver() {
      @Override
      public void active(Job active) {
        begun.complete();
      }
    };
  }

  private static JobObserver ends(Consumer<String> end) {
    return new JobObserver() {
      @Override
      public void cancelled(Job job) {
        end.accept("cancelled");
      }
    };
  }

  @Test
  void a_job_is_changed_in_the_states_that_allow_it_only() {
    Job delayed = await(queue.schedule(Duration.ofHours(1), "x", 1, JobOptions.NONE));
    await(delayed.changeDelay(Duration.ofHours(2)));
    await(delayed.changePriority(7));
    await(delayed.updateData("new"));
    assertThat(fresh(delayed).read().delayUntil()).isAfter(delayed.read().delayUntil());
    assertThat(fresh(delayed).options().effectivePriority()).isEqualTo(7);
    assertThat(fresh(delayed).data().text()).isEqualTo("\"new\"");
    await(delayed.promote());
    assertThat(fresh(delayed).state()).isEqualTo(JobState.WAITING);

    assertConflict(StorageConflictKind.JOB_STATE, delayed.promote());
    assertConflict(StorageConflictKind.JOB_STATE, delayed.changeDelay(Duration.ofHours(1)));
    assertConflict(StorageConflictKind.JOB_STATE, delayed.discard());
    assertConflict(StorageConflictKind.JOB_STATE, delayed.retry());
    assertConflict(
        StorageConflictKind.JOB_STATE,
        delayed.moveToDelayed(jobs.context().clock().now().plus(NEVER)));
    assertFails(ErrorCode.VALIDATION_FAILED, delayed.changeDelay(Duration.ZERO));
    assertFails(
        ErrorCode.VALIDATION_FAILED, delayed.changeDelay(Duration.ofSeconds(Long.MAX_VALUE)));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        delayed.moveToDelayed(jobs.context().clock().now().minusSeconds(9)));

    await(delayed.moveToFailed("by hand"));
    assertConflict(StorageConflictKind.JOB_STATE, delayed.updateData(1));
    await(delayed.retry());
    assertThat(fresh(delayed).state()).isEqualTo(JobState.WAITING);
    assertThat(fresh(delayed).failedReason()).isEmpty();
    assertThat(await(delayed.isActive())).isFalse();
  }

  @Test
  void what_is_done_to_a_job_that_is_gone_fails() {
    Job job = await(queue.add("x", 1));
    await(job.remove());
    await(job.remove());

    assertFails(ErrorCode.JOB_NOT_FOUND, job.promote());
    assertFails(ErrorCode.JOB_NOT_FOUND, job.updateProgress(1));
    assertFails(ErrorCode.JOB_NOT_FOUND, job.log("x"));
    assertFails(ErrorCode.JOB_NOT_FOUND, job.changePriority(1));
    assertFails(ErrorCode.JOB_NOT_FOUND, job.moveToFailed("x"));
    assertThat(await(job.isCompleted())).isFalse();
    assertThat(await(queue.getJob(job.id()))).isEmpty();
  }
}
