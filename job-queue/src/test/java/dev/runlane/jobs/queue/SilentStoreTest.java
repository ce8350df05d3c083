package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What becomes of jobs while their store fails, loses answers or does not answer at all; in virtual time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SilentStoreTest {
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final Duration DRAIN = Duration.ofSeconds(20);
  private static final Duration MOMENT = Duration.ofMillis(100);
  private static final List<String> ENDS = List.of("finishJobs", "finishAndFetch");

  private enum Answer {
    NEVER, // nothing is carried out, and nothing answered
    FAILS, // nothing is carried out
    IS_LOST, // carried out, but the answer is a failure
    HANGS, // carried out, but not answered
    LATE // carried out, and answered with what is held
  }

  private final ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
  private final ManualTimers timers = new ManualTimers(clock);
  private final JobsHost.SingleThread home = new JobsHost.SingleThread(timers);
  private final MemoryJobStore real = new MemoryJobStore();
  private final Map<String, Answer> answers = new HashMap<>(); // by method; others answer
  private final List<Runnable> held = new ArrayList<>(); // calls that were not carried out
  private final Jobs jobs = new Jobs(
      home,
      (JobStore) Proxy.newProxyInstance(
          JobStore.class.getClassLoader(),
          new Class<?>[] {JobStore.class},
          (proxy, method, arguments) -> call(method, arguments)),
      clock,
      Randomness.seeded(1),
      JsonCodec.standard(),
      new JobsOptions(),
      List.of(),
      Optional.of(Duration.ofHours(1)));
  private int failed;
  private final List<JobSignalReason> reasons = new ArrayList<>();
  private final List<JobEvent.Type> told = new ArrayList<>();
  private final Promise<JobResult> handler = Promise.promise();

  @Test
  void a_handler_is_told_when_its_lock_has_ended_although_its_renewal_hangs() {
    assertToldAtTheEnd(Answer.NEVER);
  }

  @Test
  void a_handler_is_told_when_its_lock_has_ended_although_an_answer_never_comes() {
    assertToldAtTheEnd(Answer.HANGS);
  }

  @Test
  void a_handler_is_told_when_its_lock_has_ended_although_its_renewal_fails() {
    assertToldAtTheEnd(Answer.FAILS);
  }

  private void assertToldAtTheEnd(Answer renewals) {
    answers.put("extendLocks", renewals);
    runOne();

    advance(LOCK.minus(MOMENT));
    assertThat(reasons).isEmpty();
    advance(MOMENT.multipliedBy(2));

    assertThat(reasons).containsExactly(JobSignalReason.LOCK_LOST);
  }

  @Test
  void the_end_of_a_lock_counts_from_when_it_was_last_renewed() {
    runOne();
    advance(LOCK.multipliedBy(10));
    answers.put("extendLocks", Answer.NEVER);

    advance(LOCK.multipliedBy(2).dividedBy(3).minus(MOMENT));
    assertThat(reasons).isEmpty();
    advance(LOCK);

    assertThat(reasons).containsExactly(JobSignalReason.LOCK_LOST);
  }

  @Test
  void a_renewal_that_hangs_does_not_keep_the_next_from_being_sent() {
    answers.put("extendLocks", Answer.NEVER);
    runOne();
    advance(LOCK.dividedBy(6).plus(MOMENT));
    answers.clear();

    advance(LOCK.multipliedBy(3));

    assertThat(reasons).isEmpty();
    assertThat(job().lockUntil()).isAfter(clock.now());
  }

  @Test
  void a_finished_outcome_is_offered_after_the_end_of_the_own_lock() {
    answers.put("extendLocks", Answer.FAILS);
    ENDS.forEach(end -> answers.put(end, Answer.FAILS));
    runOne();
    advance(LOCK.plus(MOMENT));
    handler.complete(JobResult.done("finished"));
    advance(LOCK.multipliedBy(2));
    assertThat(job().state()).isEqualTo(JobState.ACTIVE);

    answers.clear();
    advance(LOCK);

    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(job().startedAttempts()).isEqualTo(1);
    assertThat(told).containsExactly(JobEvent.Type.COMPLETED);
  }

  @Test
  void an_end_whose_answer_was_lost_is_known_to_have_been_stored() {
    assertKnownAfter(Answer.IS_LOST);
  }

  @Test
  void an_end_whose_answer_never_comes_is_known_to_have_been_stored() {
    assertKnownAfter(Answer.HANGS);
  }

  private void assertKnownAfter(Answer answer) {
    runOne();
    ENDS.forEach(end -> answers.put(end, answer));
    handler.complete(JobResult.done("finished"));
    advance(MOMENT.dividedBy(2));
    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(told).isEmpty();

    answers.clear();
    advance(LOCK);

    assertThat(told).containsExactly(JobEvent.Type.COMPLETED);
  }

  @Test
  void an_end_is_stored_once_the_lines_are_that_the_handler_has_written() {
    answers.put("appendLog", Answer.NEVER);
    run(this::writingLastWords);
    advance(MOMENT);
    assertThat(job().state()).isEqualTo(JobState.ACTIVE);

    held.forEach(Runnable::run);
    advance(MOMENT);

    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(real.getLogs("mail", job().id(), 0, 10).result()).containsExactly("last words");
  }

  @Test
  void lines_that_are_not_answered_hold_an_end_up_for_a_second() {
    answers.put("appendLog", Answer.NEVER);
    run(this::writingLastWords);

    advance(Duration.ofSeconds(1).minus(MOMENT));
    assertThat(job().state()).isEqualTo(JobState.ACTIVE);
    advance(MOMENT.multipliedBy(2));

    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(told).containsExactly(JobEvent.Type.COMPLETED);
  }

  @Test
  void lines_that_are_refused_hold_no_end_up() {
    answers.put("appendLog", Answer.FAILS);
    run(this::writingLastWords);

    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
  }

  private Future<JobResult> writingLastWords(Job job, JobSignal signal) {
    job.log("last words");
    return Future.succeededFuture(JobResult.done("finished"));
  }

  @Test
  void an_end_that_another_was_before_is_not_taken_for_the_own() {
    runOne();
    JobData mine = job();
    ENDS.forEach(end -> answers.put(end, Answer.FAILS));
    handler.complete(JobResult.done("finished"));
    advance(MOMENT.dividedBy(2));
    Instant later = clock.now().plus(LOCK).plusSeconds(1);
    real.finishJob(FinishJob.of(mine.lock(), new JobOutcome.Stalled(), later));
    JobData theirs =
        real.fetchNextJob(FetchJobs.one("mail", "other", LOCK, later)).result().orElseThrow();
    real.finishJob(FinishJob.of(theirs.lock(), new JobOutcome.Completed(null), later));

    answers.clear();
    advance(LOCK);

    assertThat(told).isEmpty();
    assertThat(job().returnvalue()).isNull();
  }

  @Test
  void a_call_that_hangs_does_not_keep_other_outcomes_from_being_stored() {
    ENDS.forEach(end -> answers.put(end, Answer.NEVER));
    runOne();
    handler.complete(JobResult.done("finished"));
    advance(MOMENT);
    answers.clear();

    advance(LOCK);

    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void a_look_for_jobs_that_hangs_is_made_again_and_what_it_brings_late_is_handed_back() {
    answers.put("fetchNextJobs", Answer.NEVER);
    runOne();
    advance(LOCK.minus(MOMENT));
    answers.clear();
    advance(Duration.ofSeconds(10));
    assertThat(job().startedAttempts()).isEqualTo(1);
    jobs.queue("mail").add("second", 2);
    advance(MOMENT);

    held.forEach(Runnable::run);
    advance(MOMENT);

    assertThat(real.countJobs("mail", JobState.ACTIVE).result()).isEqualTo(1);
    assertThat(real.countJobs("mail", JobState.WAITING).result()).isEqualTo(1);
  }

  @Test
  void
      jobs_that_came_late_and_whose_hand_back_is_not_answered_either_are_fetched_before_the_next_poll() {
    answers.put("fetchNextJobs", Answer.NEVER);
    runOne();
    advance(LOCK.minus(MOMENT));
    answers.clear();
    handler.complete(JobResult.done("finished"));
    advance(Duration.ofSeconds(10));
    assertThat(told).hasSize(1);
    NewJob second = NewJob.of("second", Json.ofChecked("2"), JobOptions.NONE, clock.now());
    real.saveJob("mail", second, clock.now()); // without an event

    ENDS.forEach(end -> answers.put(end, Answer.HANGS));
    held.forEach(Runnable::run);
    advance(MOMENT);
    assertThat(real.countJobs("mail", JobState.WAITING).result()).isEqualTo(1);
    answers.clear();
    advance(LOCK);

    assertThat(real.countJobs("mail", JobState.COMPLETED).result()).isEqualTo(2);
    assertThat(told).hasSize(2);
  }

  @Test
  void closing_ends_within_the_drain_timeout_and_two_seconds_though_nothing_answers() {
    assertClosesInTime(Answer.NEVER);
  }

  @Test
  void closing_ends_within_the_drain_timeout_and_two_seconds_though_everything_fails() {
    assertClosesInTime(Answer.FAILS);
  }

  private void assertClosesInTime(Answer answer) {
    runOne();
    for (Method method : JobStore.class.getMethods()) {
      answers.put(method.getName(), answer);
    }
    answers.remove("sharesEvents");
    handler.complete(JobResult.done("finished"));
    advance(Duration.ofSeconds(1));

    Future<Void> closed = jobs.close();
    advance(DRAIN.plusSeconds(2));

    assertThat(closed.succeeded()).isTrue();
    assertThat(job().state()).isEqualTo(JobState.ACTIVE);
  }

  @Test
  void a_handler_that_goes_on_does_not_keep_a_worker_from_closing() {
    JobWorker worker = runOne();

    Future<Void> closed = worker.close();
    advance(DRAIN.minus(Duration.ofSeconds(6)));
    assertThat(reasons).isEmpty();
    advance(Duration.ofSeconds(2));
    assertThat(reasons).containsExactly(JobSignalReason.WORKER_STOPPING);
    assertThat(closed.isComplete()).isFalse();
    advance(Duration.ofSeconds(4));

    assertThat(closed.succeeded()).isTrue();
    advance(LOCK);
    assertThat(job().lockUntil()).as("renewed no more").isBefore(clock.now());
  }

  @Test
  void jobs_that_are_fetched_while_their_worker_closes_are_handed_back() {
    answers.put("fetchNextJobs", Answer.NEVER);
    JobWorker worker = runOne();

    Future<Void> closed = worker.close();
    answers.clear();
    held.forEach(Runnable::run);
    advance(MOMENT);

    assertThat(closed.succeeded()).isTrue();
    assertThat(job().startedAttempts()).isEqualTo(1);
    assertThat(job().state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void a_job_whose_handler_gives_up_for_a_closing_worker_is_handed_back() {
    JobWorker worker = run((job, signal) -> {
      signal.fired().onSuccess(reasons::add);
      return signal.untilFired(handler.future());
    });

    Future<Void> closed = worker.close();
    advance(DRAIN);

    assertThat(reasons).containsExactly(JobSignalReason.WORKER_STOPPING);
    assertThat(closed.succeeded()).isTrue();
    assertThat(job().state()).isEqualTo(JobState.WAITING);
    assertThat(job().startedAttempts()).isEqualTo(1);
    assertThat(job().attemptsMade()).isZero();
  }

  @Test
  void a_store_that_is_away_is_asked_seldom_however_much_there_is_to_tell_it() {
    runOne();
    for (String method : List.of("finishJobs", "finishAndFetch", "fetchNextJobs", "publishAll")) {
      answers.put(method, Answer.FAILS);
    }
    handler.complete(JobResult.done("finished"));

    for (int i = 0; i < 600; i++) {
      jobs.queue("mail").add("more", i);
      advance(MOMENT);
    }

    assertThat(failed).isLessThan(3 * 25);
    answers.clear();
    advance(Duration.ofSeconds(10));
    assertThat(job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(real.countJobs("mail", JobState.COMPLETED).result()).isEqualTo(601);
  }

  @Test
  void jobs_that_were_added_are_answered_though_one_that_was_there_cannot_be_read() {
    JobOptions named = JobOptions.builder().jobId("there").build();
    jobs.queue("mail").add("old", 1, named);
    takeTurns();
    answers.put("getJob", Answer.FAILS);

    Future<List<Job>> added =
        jobs.queue("mail").addBulk(List.of(JobEntry.of("new", 1), new JobEntry("again", 2, named)));
    takeTurns();

    assertThat(added.result()).extracting(Job::name).containsExactly("new", "again");
    assertThat(added.result().get(1).id()).isEqualTo("there");
    assertThat(real.countJobs("mail", JobState.WAITING).result()).isEqualTo(2);
  }

  @Test
  void what_is_heard_late_of_a_cancellation_is_not_said_to_a_later_attempt() {
    List<Promise<JobResult>> attempts = new ArrayList<>();
    run((job, signal) -> {
      signal.fired().onSuccess(reasons::add);
      attempts.add(Promise.promise());
      return attempts.get(attempts.size() - 1).future();
    });
    answers.put("getJob", Answer.LATE);
    real.cancelJob("mail", job().id(), clock.now()); // by another process
    advance(MOMENT);
    attempts.get(0).complete(JobResult.done("finished"));
    advance(MOMENT);
    assertThat(told).containsExactly(JobEvent.Type.CANCELLED);

    jobs.queue("mail").retryJobs(FailedJobsFilter.ALL.withCancelledOnes());
    advance(MOMENT);
    assertThat(attempts).hasSize(2);
    held.forEach(Runnable::run);
    advance(MOMENT);

    assertThat(reasons).isEmpty();
  }

  private JobWorker runOne() {
    return run((job, signal) -> {
      signal.fired().onSuccess(reasons::add);
      return handler.future();
    });
  }

  private JobWorker run(JobHandler handling) {
    JobWorkerOptions options = new JobWorkerOptions()
        .setLockDuration(LOCK)
        .setDrainTimeout(DRAIN)
        .setStalledInterval(Duration.ofHours(10));
    JobWorker worker = jobs.worker("mail", JobProcessor.of(handling), options);
    worker.events().on(JobEvent.Type.COMPLETED, event -> told.add(event.type()));
    worker.events().on(JobEvent.Type.CANCELLED, event -> told.add(event.type()));
    jobs.queue("mail").add("send", 1);
    advance(MOMENT.dividedBy(100));
    return worker;
  }

  private JobData job() {
    return real.searchByName("send", Optional.of("mail"), 1).result().get(0);
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    Answer answer = answers.get(method.getName());
    if (answer == null) {
      return carriedOut(method, arguments);
    }
    Promise<Object> open = Promise.promise();
    switch (answer) {
      case NEVER -> held.add(() -> carryOut(method, arguments).onComplete(open));
      case FAILS -> {
        failed++;
        open.fail(unavailable());
      }
      case IS_LOST -> {
        carriedOut(method, arguments);
        open.fail(unavailable());
      }
      case HANGS -> carriedOut(method, arguments);
      case LATE -> {
        Future<Object> known = carryOut(method, arguments);
        held.add(() -> known.onComplete(open));
      }
      default -> throw new AssertionError(answer);
    }
    return open.future();
  }

  private static RunlaneException unavailable() {
    return RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "not now");
  }

  private Future<Object> carryOut(Method method, Object[] arguments) {
    try {
      return ((Future<?>) carriedOut(method, arguments)).map(value -> (Object) value);
    } catch (Throwable thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private Object carriedOut(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private void advance(Duration time) {
    Duration end = timers.elapsed().plus(time);
    takeTurns();
    while (timers
        .untilNext()
        .filter(next -> next.compareTo(end.minus(timers.elapsed())) <= 0)
        .isPresent()) {
      timers.advance(timers.untilNext().orElseThrow());
      takeTurns();
    }
    timers.advance(end.minus(timers.elapsed()));
  }

  private void takeTurns() {
    while (home.runNext()) {
      // until nobody has anything left to do
    }
  }
}
