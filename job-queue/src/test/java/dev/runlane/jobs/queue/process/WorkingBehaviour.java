package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.JobWorkerVerticle;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.QueueBehaviour;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.timing.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a worker makes of jobs one at a time. */
public abstract class WorkingBehaviour extends QueueBehaviour {
  public WorkingBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  @Test
  void a_job_that_was_added_before_the_worker_and_one_after_are_run() {
    Job before = await(queue.add("x", 1));
    worker((job, signal) -> done(job.data()));
    Job after = await(queue.add("x", "two"));

    assertThat(await(before.waitUntilFinished()).orElseThrow().text()).isEqualTo("1");
    assertThat(await(after.waitUntilFinished()).orElseThrow().text()).isEqualTo("\"two\"");
    assertThat(fresh(after).state()).isEqualTo(JobState.COMPLETED);
    assertThat(fresh(after).attemptsMade()).isZero();
  }

  @Test
  void a_worker_that_does_not_start_by_itself_waits_for_start() {
    List<String> ran = new CopyOnWriteArrayList<>();
    JobWorker worker = worker(options().setAutoStart(false), (job, signal) -> {
      ran.add(job.name());
      return done();
    });
    Job job = await(queue.add("x", 1));
    assertThat(fresh(job).state()).isEqualTo(JobState.WAITING);

    worker.start().start();

    await(job.waitUntilFinished());
    assertThat(ran).containsExactly("x");
  }

  @Test
  void jobs_run_by_priority_then_in_the_order_they_were_added() {
    List<String> ran = new CopyOnWriteArrayList<>();
    List<Job> added = await(queue.addBulk(List.of(
        entry("third", JobOptions.builder().priority(5).build()),
        entry("first", JobOptions.builder().priority(1).build()),
        entry("second", JobOptions.builder().priority(1).build()),
        entry("fourth", JobOptions.builder().priority(5).build()))));

    worker((job, signal) -> {
      ran.add(job.name());
      return done();
    });

    added.forEach(job -> await(job.waitUntilFinished()));
    assertThat(ran).containsExactly("first", "second", "third", "fourth");
  }

  @Test
  void a_worker_may_take_the_last_first_and_a_job_may_go_to_the_front() {
    List<String> ran = new CopyOnWriteArrayList<>();
    List<Job> added = await(queue.addBulk(List.of(entry("a"), entry("b"), entry("c"))));
    worker(options().setLifo(true), (job, signal) -> {
      ran.add(job.name());
      return done();
    });
    added.forEach(job -> await(job.waitUntilFinished()));
    assertThat(ran).containsExactly("c", "b", "a");

    JobQueue other = jobs.queue("front");
    List<String> front = new CopyOnWriteArrayList<>();
    await(other.add("a", 1));
    Job last = await(other.add("b", 1));
    await(other.add("now", 1, JobOptions.builder().lifo(true).build()));
    jobs.worker(
        "front",
        JobProcessor.of((job, signal) -> {
          front.add(job.name());
          return done();
        }),
        options());
    await(last.waitUntilFinished());
    assertThat(front).containsExactly("now", "a", "b");
  }

  @Test
  void a_failed_job_is_tried_again_until_it_completes() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() < 3 ? failed("no") : done("yes"));

    Job job = await(queue.add("x", 1, attempts(3)));

    assertThat(await(job.waitUntilFinished()).orElseThrow().text()).isEqualTo("\"yes\"");
    Job ended = fresh(job);
    assertThat(ended.attemptsMade()).isEqualTo(2);
    assertThat(ended.failedReason()).contains("no");
    assertThat(ended.read().stacktrace()).hasSize(2).allMatch(text -> text.contains("no"));
    assertThat(await(job.attempts()))
        .extracting(AttemptRecord::status)
        .containsExactly(
            AttemptRecord.Status.FAILED,
            AttemptRecord.Status.FAILED,
            AttemptRecord.Status.COMPLETED);
  }

  @Test
  void a_job_fails_for_good_after_its_last_attempt() {
    List<Throwable> errors = new CopyOnWriteArrayList<>();
    worker((job, signal) -> failed("no"))
        .events()
        .on(JobEvent.Type.FAILED, event -> errors.add(event.error().orElseThrow()));

    Job job = await(queue.add("x", 1, attempts(2)));

    assertThat(failure(job.waitUntilFinished())).hasMessage("no");
    assertFails(ErrorCode.TASK_FAILED, job.waitUntilFinished());
    assertThat(fresh(job).attemptsMade()).isEqualTo(2);
    until(() -> Future.succeededFuture(!errors.isEmpty()));
    assertThat(errors).hasSize(1);
  }

  @Test
  void an_exception_that_is_thrown_a_null_future_and_a_null_result_are_failed_attempts() {
    worker((job, signal) -> {
      if (job.name().equals("throws")) {
        throw new IllegalStateException("thrown");
      }
      return job.name().equals("null") ? null : Future.succeededFuture();
    });

    Job thrown = await(queue.add("throws", 1));
    Job nothing = await(queue.add("null", 1));
    Job ofNull = await(queue.add("ofNull", 1));

    assertThat(failure(thrown.waitUntilFinished())).hasMessage("thrown");
    assertThat(failure(nothing.waitUntilFinished())).hasMessageContaining("no future");
    assertThat(failure(ofNull.waitUntilFinished()))
        .hasMessage("the handler answered null instead of a result");
  }

  @Test
  void a_retry_waits_for_its_back_off_and_runs_then() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1 ? failed("no") : done());
    Duration backOff = Duration.ofMillis(150);
    JobOptions options =
        JobOptions.builder().attempts(2).backoff(JobBackoff.fixed(backOff)).build();

    Job job = await(queue.add("x", 1, options));

    await(job.waitUntilFinished());
    assertThat(calls).hasValue(2);
    List<AttemptRecord> attempts = await(job.attempts());
    assertThat(attempts.get(1).startedAt())
        .isAfterOrEqualTo(Objects.requireNonNull(attempts.get(0).endedAt())
            .plus(backOff.multipliedBy(3).dividedBy(4)));
  }

  @Test
  void an_exponential_back_off_doubles_with_each_failure_give_or_take_a_quarter() {
    worker((job, signal) -> failed("no"));
    Job job = await(queue.add(
        "x",
        1,
        attempts(3).toBuilder()
            .backoff(JobBackoff.exponential(Duration.ofHours(1)))
            .build()));

    for (int failures = 1; failures <= 2; failures++) {
      untilState(job, JobState.DELAYED);
      JobData waits = fresh(job).read();
      Duration wait = Duration.between(jobs.context().clock().now(), waits.delayUntil());
      assertThat(waits.attemptsMade()).isEqualTo(failures);
      assertThat(wait)
          .isBetween(Duration.ofMinutes(44L * failures), Duration.ofMinutes(75L * failures));
      await(job.promote());
    }

    assertThat(failure(job.waitUntilFinished())).hasMessage("no");
  }

  @Test
  void a_back_off_strategy_of_the_worker_decides_the_wait() {
    List<Integer> asked = new CopyOnWriteArrayList<>();
    JobProcessor processor = JobProcessor.of((job, signal) -> failed("no"))
        .backoff("mine", failures -> {
          asked.add(failures);
          return Duration.ofMillis(1);
        });
    jobs.worker("mail", processor, options());

    Job job = await(queue.add("x", 1, custom("mine")));

    failure(job.waitUntilFinished());
    assertThat(asked).containsExactly(1, 2);
  }

  @Test
  void a_job_whose_back_off_strategy_is_missing_fails_and_says_so() {
    List<Throwable> told = new CopyOnWriteArrayList<>();
    worker((job, signal) -> failed("no"))
        .events()
        .on(JobEvent.Type.ERROR, event -> told.add(event.error().orElseThrow()));

    Job job = await(queue.add("x", 1, custom("missing")));

    assertThat(failure(job.waitUntilFinished()))
        .hasMessageStartingWith("no;")
        .hasMessageContaining("customStrategy 'missing'");
    assertThat(told).singleElement().asString().contains("customStrategy 'missing'");
  }

  private static JobOptions custom(String strategy) {
    return JobOptions.builder().attempts(3).backoff(JobBackoff.custom(strategy)).build();
  }

  @Test
  void an_unrecoverable_job_is_not_tried_again() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> {
      calls.incrementAndGet();
      return Future.succeededFuture(JobResult.unrecoverable("bad address"));
    });

    Job job = await(queue.add("x", 1, attempts(5)));

    assertThat(failure(job.waitUntilFinished())).hasMessage("bad address");
    assertThat(calls).hasValue(1);
  }

  @Test
  void a_snoozed_job_comes_back_and_uses_no_attempt() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() <= 3
        ? Future.succeededFuture(JobResult.snooze(Duration.ofMillis(20)))
        : done());

    Job job = await(queue.add("x", 1));

    await(job.waitUntilFinished());
    assertThat(calls).hasValue(4);
    assertThat(fresh(job).attemptsMade()).isZero();
    assertThat(fresh(job).startedAttempts()).isEqualTo(4);
  }

  @Test
  void a_handler_may_take_its_job_out_and_have_it_run_later() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1
        ? job.moveToDelayed(jobs.context().clock().now().plus(NEVER)).map(JobResult.done("dropped"))
        : done("kept"));
    Job job = await(queue.add("x", 1));
    untilState(job, JobState.DELAYED);

    await(job.promote());

    assertThat(await(job.waitUntilFinished()).orElseThrow().text()).isEqualTo("\"kept\"");
    assertThat(calls).hasValue(2);
  }

  @Test
  void a_discarded_job_is_not_tried_again() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> {
      calls.incrementAndGet();
      return job.discard().compose(discarded -> failed("no"));
    });

    Job job = await(queue.add("x", 1, attempts(5)));

    failure(job.waitUntilFinished());
    assertThat(calls).hasValue(1);
  }

  @Test
  void a_discarded_job_that_is_retried_is_tried_again_as_often_as_it_may() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> switch (calls.incrementAndGet()) {
      case 1 -> job.discard().compose(discarded -> failed("no"));
      case 2 -> failed("not yet");
      default -> done();
    });
    Job job = await(queue.add("x", 1, attempts(5)));
    failure(job.waitUntilFinished());

    await(job.retry());

    await(job.waitUntilFinished());
    assertThat(calls).hasValue(3);
  }

  /** An end waits a second for them, and no longer: on a machine that takes more for them they come behind it. */
  @Test
  void who_hears_that_a_job_has_ended_finds_all_lines_its_handler_sent_and_did_not_wait_for() {
    List<String> lines = IntStream.range(0, 50).mapToObj(n -> "line " + n).toList();
    AtomicLong returnedAt = new AtomicLong();
    worker((job, signal) -> {
      lines.forEach(job::log);
      returnedAt.set(System.nanoTime());
      return done();
    });
    Job job = await(queue.add("x", 1));

    await(job.waitUntilFinished());

    if (System.nanoTime() - returnedAt.get() < TimeUnit.SECONDS.toNanos(1)) {
      assertThat(await(job.logs(0, 100))).isEqualTo(lines);
    }
    until(() -> job.logs(0, 100).map(lines::equals));
  }

  @Test
  void progress_and_logs_are_kept_and_the_lines_of_an_attempt_with_it() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> {
      int call = calls.incrementAndGet();
      return job.updateProgress(call * 33.3)
          .compose(done -> job.log("line " + call))
          .compose(logged -> call == 1 ? failed("no") : done());
    });

    Job job = await(queue.add("x", 1, attempts(2)));

    await(job.waitUntilFinished());
    assertThat(fresh(job).progress()).isEqualTo(66.6);
    assertThat(await(job.logs(0, 10))).containsExactly("line 1", "line 2");
    assertThat(await(job.attempts()))
        .extracting(AttemptRecord::logs)
        .containsExactly(List.of("line 1"), List.of("line 2"));
    await(job.clearLogs());
    assertThat(await(job.logs(0, 10))).isEmpty();
    assertFails(ErrorCode.VALIDATION_FAILED, job.updateProgress(100.5));
  }

  @Test
  void a_return_value_that_cannot_be_stored_fails_the_job() {
    worker((job, signal) -> done(new JsonObject().put("n", Double.NaN)));

    Job job = await(queue.add("x", 1, attempts(3)));

    assertThat(failure(job.waitUntilFinished())).hasMessageContaining("return value");
  }

  @Test
  void a_delayed_job_runs_when_it_is_due() {
    worker((job, signal) -> done());

    Job job = await(queue.schedule("60ms", "x", 1, JobOptions.NONE));

    await(job.waitUntilFinished());
  }

  @Test
  void as_many_handlers_run_at_once_as_there_are_slots() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Promise<Void> full = Promise.promise();
    worker(options().setConcurrency(5), (job, signal) -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      if (running.get() == 5) {
        full.tryComplete();
      }
      return full.future().map(done -> {
        running.decrementAndGet();
        return JobResult.done();
      });
    });

    List<Job> added = await(
        queue.addBulk(IntStream.range(0, 20).mapToObj(number -> entry("x")).toList()));

    added.forEach(job -> await(job.waitUntilFinished()));
    assertThat(most.get()).isEqualTo(5);
  }

  @Test
  void a_backlog_is_drained_without_waiting_for_polls() {
    AtomicInteger calls = new AtomicInteger();
    for (int bulk = 0; bulk < 5; bulk++) {
      await(queue.addBulk(IntStream.range(0, 100).mapToObj(number -> entry("x")).toList()));
    }

    worker((job, signal) -> {
      calls.incrementAndGet();
      return done();
    });

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 500));
    assertThat(calls).hasValue(500);
  }

  @Test
  void competing_workers_run_each_job_once() {
    AtomicInteger calls = new AtomicInteger();
    for (int worker = 0; worker < 4; worker++) {
      worker(options().setConcurrency(8), (job, signal) -> {
        calls.incrementAndGet();
        Promise<JobResult> later = Promise.promise();
        vertx.setTimer(1, over -> later.complete(JobResult.done()));
        return later.future();
      });
    }

    await(queue.addBulk(IntStream.range(0, 500).mapToObj(number -> entry("x")).toList()));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 500));
    assertThat(calls).hasValue(500);
  }

  @Test
  void a_blocking_handler_blocks_no_event_loop() {
    CountDownLatch together = new CountDownLatch(10);
    JobProcessor processor = JobProcessor.blocking((job, signal) -> {
      assertThat(Context.isOnEventLoopThread()).isFalse();
      together.countDown();
      assertThat(together.await(60, TimeUnit.SECONDS)).isTrue();
      return JobResult.done(job.data());
    });
    jobs.worker("mail", processor, options().setConcurrency(10));

    List<Job> added = await(
        queue.addBulk(IntStream.range(0, 10).mapToObj(number -> entry("x")).toList()));

    added.forEach(job -> await(job.waitUntilFinished()));
  }

  @Test
  void nothing_of_a_paused_queue_or_name_is_handed_out_until_it_is_resumed() {
    List<String> ran = new CopyOnWriteArrayList<>();
    await(queue.pause());
    await(queue.pause("b"));
    worker((job, signal) -> {
      ran.add(job.name());
      return done();
    });
    Job a = await(queue.add("a", 1));
    Job b = await(queue.add("b", 1));

    await(queue.resume());
    await(a.waitUntilFinished());
    assertThat(ran).containsExactly("a");

    await(queue.resume("b"));
    await(b.waitUntilFinished());
    assertThat(ran).containsExactly("a", "b");
  }

  @Test
  void a_paused_worker_fetches_nothing_until_it_is_resumed() {
    JobWorker worker = worker(options().setAutoStart(false), (job, signal) -> done());
    worker.pause().start(); // or a fetch that has begun brings the job
    Job job = await(queue.add("x", 1));
    assertThat(fresh(job).state()).isEqualTo(JobState.WAITING);

    worker.resume().resume();

    await(job.waitUntilFinished());
  }

  @Test
  void a_worker_may_take_jobs_of_one_name_only() {
    List<String> ran = new CopyOnWriteArrayList<>();
    worker(options().setJobName("b"), (job, signal) -> {
      ran.add(job.name());
      return done();
    });

    Job a = await(queue.add("a", 1));
    Job b = await(queue.add("b", 1));

    await(b.waitUntilFinished());
    assertThat(ran).containsExactly("b");
    assertThat(fresh(a).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void a_worker_tells_what_happens_to_its_jobs() {
    List<String> heard = new CopyOnWriteArrayList<>();
    Promise<Void> completed = Promise.promise();
    JobWorker worker = worker(options().setAutoStart(false), (job, signal) -> done(7));
    worker.events().on(JobEvent.Type.ACTIVE, event -> heard.add("active"));
    worker.events().on(JobEvent.Type.COMPLETED, event -> {
      heard.add("completed " + event.result().orElseThrow().text());
      completed.complete();
    });

    worker.start();
    await(queue.add("x", 1));

    await(completed.future());
    assertThat(heard).containsExactly("active", "completed 7");
  }

  @Test
  void jobs_are_removed_as_their_options_say_and_their_end_is_told_all_the_same() {
    worker((job, signal) -> job.name().equals("bad") ? failed("no") : done("gone"));
    JobOptions atOnce = JobOptions.builder()
        .removeOnComplete(JobRemoval.atOnce())
        .removeOnFail(JobRemoval.atOnce())
        .build();

    await(queue.pause());
    Job good = await(queue.add("good", 1, atOnce));
    Job bad = await(queue.add("bad", 1, atOnce));
    Future<?> goodEnd =
        good.waitUntilFinished().map(value -> value.orElseThrow().text());
    Future<?> badEnd = bad.waitUntilFinished();
    await(good.refresh());
    await(queue.resume());

    assertThat(await(goodEnd)).isEqualTo("\"gone\"");
    assertThat(failure(badEnd)).hasMessage("no");
    assertThat(await(good.refresh())).isEmpty();
    assertThat(await(bad.refresh())).isEmpty();
  }

  @Test
  void of_jobs_that_are_kept_by_number_the_last_stay() {
    worker((job, signal) -> done());
    JobOptions two =
        JobOptions.builder().removeOnComplete(JobRemoval.keeping(2)).build();
    for (int number = 0; number < 5; number++) {
      await(await(queue.add("n" + number, number, two)).waitUntilFinished());
    }

    assertThat(await(queue.getJobs(JobState.COMPLETED)))
        .extracting(Job::name)
        .containsExactlyInAnyOrder("n3", "n4");
  }

  @Test
  void a_job_that_failed_for_good_is_copied_to_its_dead_letter_queue_and_driven_back() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1 ? failed("no") : done(job.data()));
    JobOptions options = JobOptions.builder().deadLetterQueue("dead").build();
    Job job = await(queue.add("x", 42, options));
    failure(job.waitUntilFinished());

    JobQueue dead = jobs.queue("dead");
    Job copy = await(dead.getJobs(JobState.WAITING)).get(0);
    assertThat(copy.data().text()).isEqualTo("42");
    assertThat(copy.read().deadLetter().reason()).isEqualTo("no");
    assertThat(await(dead.redrive(10))).hasSize(1);

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 1));
    assertThat(await(dead.count(JobState.WAITING))).isZero();
  }

  @Test
  void waiting_for_a_job_ends_at_once_when_it_has_ended_and_gives_up_in_time() {
    Job never = await(queue.add("x", 1));

    assertThat(failure(never.waitUntilFinished(Duration.ofMillis(30))))
        .hasMessage("waitUntilFinished timed out after 30ms");
    assertThat(fresh(never).state()).isEqualTo(JobState.WAITING);
    await(never.moveToFailed("no"));
    assertThat(failure(never.waitUntilFinished())).hasMessage("no");
    await(never.remove());
    assertFails(ErrorCode.JOB_NOT_FOUND, never.waitUntilFinished());
  }

  @Test
  void many_wait_for_many_jobs() {
    List<Job> added = await(queue.addBulk(IntStream.range(0, 300)
        .mapToObj(number -> new JobEntry("x", number, JobOptions.NONE))
        .toList()));
    List<Future<?>> ends = new ArrayList<>();
    added.forEach(
        job -> ends.add(job.waitUntilFinished().map(value -> value.orElseThrow().text())));

    worker(options().setConcurrency(50), (job, signal) -> done(job.data()));

    for (int number = 0; number < added.size(); number++) {
      assertThat(await(ends.get(number))).isEqualTo(String.valueOf(number));
    }
  }

  /** Fails whoever asks it why. */
  private static final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  void a_job_whose_failure_cannot_be_read_ends_all_the_same_and_frees_its_slot() {
    worker(
        options().setConcurrency(1),
        (job, signal) -> job.name().equals("speechless")
            ? Future.failedFuture(new Speechless())
            : job.name().equals("endless")
                ? Future.<JobResult>succeededFuture(null)
                    .map(none -> JobResult.snooze(ChronoUnit.FOREVER.getDuration()))
                : done());

    List<Job> added =
        await(queue.addBulk(List.of(entry("speechless"), entry("endless"), entry("well"))));

    untilState(added.get(0), JobState.FAILED);
    untilState(added.get(1), JobState.FAILED);
    untilState(added.get(2), JobState.COMPLETED);
    assertThat(fresh(added.get(0)).failedReason().orElseThrow())
        .contains(IllegalStateException.class.getName());
  }

  @Test
  void a_clock_that_steps_forward_takes_no_job_from_a_handler_that_runs_here() {
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    Jobs stepped = Jobs.builder(vertx, store)
        .clock(() -> Clock.system().now().plus(ahead.get()))
        .build();
    AtomicInteger begun = new AtomicInteger();
    Promise<JobResult> handler = Promise.promise();
    JobWorker worker = stepped.worker(
        "mail",
        JobProcessor.of((job, signal) -> {
          begun.incrementAndGet();
          return handler.future();
        }),
        options().setStalledInterval(Duration.ofMillis(20)));
    Job job = await(stepped.queue("mail").add("x", 1));
    until(() -> Future.succeededFuture(begun.get() == 1));

    ahead.set(Duration.ofHours(1));
    vertx.timer(200, TimeUnit.MILLISECONDS).onSuccess(later -> handler.complete(JobResult.done()));

    untilState(job, JobState.COMPLETED);
    assertThat(begun).hasValue(1);
    assertThat(fresh(job).startedAttempts()).isEqualTo(1);
    await(worker.close());
    await(stepped.close());
  }

  @Test
  void handlers_of_verticles_run_on_their_own_contexts() {
    Set<Context> contexts = ConcurrentHashMap.newKeySet();
    Promise<Void> both = Promise.promise();
    for (int instance = 0; instance < 2; instance++) {
      await(vertx.deployVerticle(new JobWorkerVerticle(
          jobs,
          "mail",
          JobProcessor.of((job, signal) -> {
            assertThat(local().put("session", job.id())).isNull();
            contexts.add(ContextInternal.current().unwrap());
            if (contexts.size() == 2) {
              both.tryComplete();
            }
            return both.future().map(seen -> JobResult.done());
          }),
          options())));
    }

    await(queue.addBulk(IntStream.range(0, 40).mapToObj(number -> entry("x")).toList()));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 40));
    assertThat(contexts).hasSize(2);
  }

  @Test
  void a_worker_whose_verticle_is_gone_hands_back_what_it_fetches_and_closes() {
    Promise<JobWorker> left = Promise.promise();
    String deployment = verticleWithAPoolOfItsOwn(
        () -> left.complete(worker((job, signal) -> failed("nobody is here"))));
    JobWorker worker = await(left.future());
    await(vertx.undeploy(deployment));

    List<Job> added = await(queue.addBulk(List.of(entry("x"), entry("x"))));

    await(worker.closed());
    worker((job, signal) -> done());
    for (Job job : added) {
      await(job.waitUntilFinished());
      assertThat(fresh(job).attemptsMade()).isZero();
    }
  }

  @Test
  void
      a_blocking_handler_ends_its_job_though_the_worker_pool_of_the_verticle_that_began_its_worker_is_gone() {
    CountDownLatch release = new CountDownLatch(1);
    Promise<Void> begun = Promise.promise();
    JobProcessor processor = JobProcessor.blocking((job, signal) -> {
      begun.complete();
      assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
      return JobResult.done("ended");
    });
    String deployment = verticleWithAPoolOfItsOwn(() -> jobs.worker("mail", processor, options()));
    Job job = await(queue.add("x", 1));
    await(begun.future());
    await(vertx.undeploy(deployment));

    release.countDown();

    assertThat(await(job.waitUntilFinished()).orElseThrow().text()).isEqualTo("\"ended\"");
  }

  @Test
  void who_waits_for_a_job_after_the_close_is_told_so() {
    Job job = await(queue.add("x", 1));

    await(jobs.close());

    assertFails(ErrorCode.OPERATION_CANCELLED, job.waitUntilFinished());
  }

  @Test
  void calls_of_jobs_whose_vertx_is_closed_fail_in_their_futures() {
    Vertx gone = Vertx.vertx();
    Jobs there = Jobs.create(gone, store);
    JobProcessor processor = JobProcessor.of((job, signal) -> done());
    JobWorker worker = there.worker("mail", processor, options());
    Job job = await(there.queue("other").add("x", 1));

    await(gone.close());

    assertFails(ErrorCode.OPERATION_CANCELLED, worker.closed());
    assertFails(ErrorCode.OPERATION_CANCELLED, worker.close());
    assertFails(ErrorCode.OPERATION_CANCELLED, job.waitUntilFinished());
    assertFails(
        ErrorCode.OPERATION_CANCELLED,
        there.worker("mail", processor, options()).closed());
    assertFails(ErrorCode.OPERATION_CANCELLED, there.close());
    assertThat(await(there.store().getJob("other", job.id()))).isPresent();
  }

  /** What is local to the context of the caller. */
  private static Map<Object, Object> local() {
    return ContextInternal.current().getLocal(ContextInternal.LOCAL_MAP, ConcurrentHashMap::new);
  }

  private static JobEntry entry(String name) {
    return JobEntry.of(name, 1);
  }

  private static JobEntry entry(String name, JobOptions options) {
    return new JobEntry(name, 1, options);
  }

  private static JobOptions attempts(int attempts) {
    return JobOptions.builder().attempts(attempts).build();
  }
}
