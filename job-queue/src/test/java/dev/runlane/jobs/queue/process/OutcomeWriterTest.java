package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which outcomes go to the store together, and what becomes of them while it fails; in virtual time. */
@Isolated
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutcomeWriterTest {
  private static final Duration LOCK = Duration.ofSeconds(30);

  private final ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
  private final ManualTimers timers = new ManualTimers(clock);
  private final JobsHost.SingleThread home = new JobsHost.SingleThread(timers);
  private final MemoryJobStore real = new MemoryJobStore();
  private final List<Integer> calls = new ArrayList<>(); // the outcomes of each
  private final List<Integer> fetches = new ArrayList<>(); // the outcomes that went along
  private final List<JobData> late = new ArrayList<>();
  private Function<Supplier<Future<Object>>, Future<Object>> answer = Supplier::get;
  private boolean readable = true;
  private JobData guilty; // the store refuses each call with its outcome
  private JobData held; // the store cannot take its outcome now
  private boolean othersStored; // of a call that is refused
  private RunlaneException refusal = RunlaneException.validationFailed("refused by this test");
  private OutcomeWriter gate = gate(new JobsOptions());

  private OutcomeWriter gate(JobsOptions options) {
    JobStore store = (JobStore) Proxy.newProxyInstance(
        JobStore.class.getClassLoader(),
        new Class<?>[] {JobStore.class},
        (proxy, method, arguments) -> call(method, arguments));
    return new OutcomeWriter(store, home, clock, Randomness.seeded(1), options, late::addAll);
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "finishJobs" -> {
        List<?> commands = (List<?>) arguments[0];
        calls.add(commands.size());
        if (isHeld(commands)) {
          return Future.failedFuture(away());
        }
        return isRefused(commands)
            ? refused(commands)
            : answer.apply(() -> carriedOut(method, arguments));
      }
      case "finishAndFetch" -> {
        List<FinishJob> commands = ((FinishAndFetch) arguments[0]).finished();
        fetches.add(commands.size());
        if (isHeld(commands)) {
          return Future.failedFuture(away());
        }
        return answer.apply(() -> carriedOut(method, arguments));
      }
      case "fetchNextJobs" -> fetches.add(0);
      case "getJob" -> {
        if (!readable) {
          return Future.failedFuture(away());
        }
      }
      default -> throw new AssertionError(method);
    }
    return carriedOut(method, arguments);
  }

  private boolean isHeld(List<?> commands) {
    return held != null
        && commands.stream().anyMatch(each -> ((FinishJob) each).lock().equals(held.lock()));
  }

  private boolean isRefused(List<?> commands) {
    return guilty != null && commands.stream().anyMatch(this::isGuilty);
  }

  private boolean isGuilty(Object command) {
    return ((FinishJob) command).lock().equals(guilty.lock());
  }

  private Future<Object> refused(List<?> commands) {
    if (othersStored) {
      real.finishJobs(commands.stream()
          .filter(each -> !isGuilty(each))
          .map(FinishJob.class::cast)
          .toList());
    }
    return Future.failedFuture(refusal);
  }

  private Future<Object> carriedOut(Method method, Object[] arguments) {
    try {
      return ((Future<?>) method.invoke(real, arguments)).map(value -> (Object) value);
    } catch (ReflectiveOperationException broken) {
      throw new AssertionError(broken);
    }
  }

  private static RunlaneException away() {
    return RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "not now");
  }

  /** Calls are carried out when the promise is completed. */
  private Promise<Void> holdCalls() {
    Promise<Void> released = Promise.promise();
    answer = call -> released.future().compose(open -> call.get());
    return released;
  }

  /** Calls are carried out, but their answers are lost. */
  private void loseAnswers() {
    answer = call -> call.get().transform(done -> Future.failedFuture(away()));
  }

  private JobQueue queue() {
    return new Jobs(
            home,
            real,
            clock,
            Randomness.seeded(2),
            JsonCodec.standard(),
            new JobsOptions(),
            List.of(),
            Optional.empty())
        .queue("mail");
  }

  private void addOne() {
    queue().add("next", 1);
    takeTurns();
  }

  /** So many jobs that are being worked on. */
  private List<JobData> jobs(int count) {
    JobQueue queue = queue();
    IntStream.range(0, count).forEach(i -> queue.add("send", i));
    takeTurns();
    return real.fetchNextJobs(fetchCommand().upTo(count)).result();
  }

  private FetchJobs fetchCommand() {
    return FetchJobs.one("mail", "worker", LOCK, clock.now());
  }

  private Future<FinishResult> finish(JobData job) {
    return finish(job, new JobOutcome.Completed(null));
  }

  private Future<FinishResult> finish(JobData job, JobOutcome outcome) {
    return finish(job, outcome, false);
  }

  private Future<FinishResult> finish(JobData job, JobOutcome outcome, boolean goesAtOnce) {
    return gate.finish(
        FinishJob.of(job.lock(), outcome, clock.now()), job.startedAttempts(), LOCK, goesAtOnce);
  }

  private void takeTurns() {
    while (home.runNext()) {
      // until nobody has anything left to do
    }
  }

  private static ErrorCode code(Future<?> future) {
    return ((RunlaneException) future.cause()).code();
  }

  @Test
  void outcomes_of_one_turn_go_together_as_many_as_a_call_may_hold() {
    gate = gate(new JobsOptions().setOutcomeBatch(3));
    List<Future<FinishResult>> finished = jobs(7).stream().map(this::finish).toList();

    takeTurns();

    assertThat(calls).containsExactly(3, 3, 1);
    assertThat(finished).allMatch(Future::succeeded);
  }

  @Test
  void two_ends_of_one_job_go_in_two_calls() {
    List<JobData> jobs = jobs(2);
    finish(jobs.get(0));
    Future<FinishResult> again = finish(jobs.get(0));
    finish(jobs.get(1));

    takeTurns();

    assertThat(calls).containsExactly(1, 2);
    assertThat(again.result()).isInstanceOf(FinishResult.LockLost.class);
  }

  @Test
  void no_more_calls_run_at_a_time_than_may_and_the_next_follows_when_one_has_ended() {
    gate = gate(new JobsOptions().setOutcomeBatch(1).setOutcomeCalls(2));
    Promise<Void> released = holdCalls();
    List<Future<FinishResult>> finished = jobs(5).stream().map(this::finish).toList();

    takeTurns();
    assertThat(calls).hasSize(2);
    released.complete();

    assertThat(calls).hasSize(5);
    assertThat(finished).allMatch(Future::succeeded);
  }

  @Test
  void up_to_sixteen_outcomes_go_along_with_a_fetch_and_more_go_beside_it() {
    List<JobData> jobs = jobs(33);
    jobs.subList(0, 16).forEach(this::finish);
    gate.fetch(fetchCommand());
    jobs.subList(16, 33).forEach(this::finish);
    gate.fetch(fetchCommand());
    takeTurns();

    assertThat(fetches).containsExactly(16, 0);
    assertThat(calls).containsExactly(17);
  }

  @Test
  void a_fetch_takes_nothing_along_while_as_many_calls_run_as_may() {
    gate = gate(new JobsOptions().setOutcomeCalls(1));
    List<JobData> jobs = jobs(2);
    holdCalls();
    finish(jobs.get(0));
    takeTurns();
    finish(jobs.get(1));

    gate.fetch(fetchCommand());

    assertThat(fetches).containsExactly(0);
  }

  @Test
  void a_fetch_that_takes_outcomes_along_is_one_of_the_calls_that_run() {
    gate = gate(new JobsOptions().setOutcomeCalls(1));
    List<JobData> jobs = jobs(2);
    Promise<Void> released = holdCalls();
    finish(jobs.get(0));
    gate.fetch(fetchCommand());
    Future<FinishResult> second = finish(jobs.get(1));

    takeTurns();
    assertThat(calls).isEmpty();
    released.complete();
    takeTurns();

    assertThat(fetches).containsExactly(1);
    assertThat(second.succeeded()).isTrue();
  }

  @Test
  void jobs_that_come_with_a_late_answer_are_passed_on() {
    JobData finished = jobs(1).get(0);
    Promise<Void> released = holdCalls();
    finish(finished);
    Future<List<JobData>> fetched = gate.fetch(fetchCommand());
    timers.advance(LOCK);
    assertThat(code(fetched)).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    answer = Supplier::get;
    addOne();

    released.complete();

    assertThat(late).extracting(JobData::name).containsExactly("next");
  }

  @Test
  void an_outcome_that_the_store_refuses_fails_alone_and_the_others_are_stored() {
    List<JobData> jobs = jobs(3);
    guilty = jobs.get(1);
    List<Future<FinishResult>> finished = jobs.stream().map(this::finish).toList();

    takeTurns();

    assertThat(calls).containsExactly(3, 1, 1, 1);
    assertThat(finished).extracting(Future::succeeded).containsExactly(true, false, true);
    assertThat(code(finished.get(1))).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void an_outcome_that_the_store_cannot_take_now_keeps_no_other_of_its_call_from_being_stored() {
    List<JobData> jobs = jobs(40);
    held = jobs.get(20);
    List<Future<FinishResult>> finished = jobs.stream().map(this::finish).toList();
    takeTurns();
    assertThat(calls).containsExactly(40);

    timers.advance(Duration.ofSeconds(10));

    assertThat(calls.subList(1, 15)).as("in pieces").containsOnlyOnce(1).contains(3);
    assertThat(finished.stream().filter(Future::succeeded)).hasSize(39);
    assertThat(finished.get(20).isComplete()).isFalse();
    held = null;
    timers.advance(Duration.ofSeconds(10));
    assertThat(finished.get(20).succeeded()).isTrue();
  }

  @ParameterizedTest(name = "by {0} calls at a time")
  @ValueSource(ints = {1, 2})
  void what_comes_while_the_store_cannot_take_an_outcome_goes_by_it(int callsAtATime) {
    gate = gate(new JobsOptions().setOutcomeCalls(callsAtATime));
    List<JobData> jobs = jobs(2);
    held = jobs.get(0);
    Future<FinishResult> waiting = finish(jobs.get(0));
    takeTurns();

    Future<FinishResult> next = finish(jobs.get(1));
    takeTurns();
    timers.advance(Duration.ofMillis(200));

    assertThat(next.succeeded()).isTrue();
    assertThat(waiting.isComplete()).isFalse();
  }

  @Test
  void a_call_for_what_failed_leaves_one_for_what_is_new() {
    List<JobData> jobs = jobs(4);
    held = jobs.get(0);
    finish(jobs.get(0));
    finish(jobs.get(1));
    takeTurns();
    held = null;
    holdCalls();

    timers.advance(Duration.ofMillis(200)); // both go again by themselves, and are not answered
    finish(jobs.get(2));
    finish(jobs.get(3));
    takeTurns();

    assertThat(calls).containsExactly(2, 1, 2);
  }

  @Test
  void jobs_are_handed_out_without_the_outcome_that_the_store_cannot_take_now() {
    List<JobData> jobs = jobs(1);
    addOne();
    held = jobs.get(0);
    Future<FinishResult> finished = finish(jobs.get(0));

    Future<List<JobData>> fetched = gate.fetch(fetchCommand());
    takeTurns();

    assertThat(fetches).containsExactly(1, 0);
    assertThat(fetched.result()).extracting(JobData::name).containsExactly("next");
    held = null;
    timers.advance(Duration.ofSeconds(1));
    assertThat(finished.succeeded()).isTrue();
  }

  @Test
  void outcomes_that_the_store_took_with_one_that_it_refuses_are_known_to_have_been_stored() {
    List<JobData> jobs = jobs(3);
    guilty = jobs.get(1);
    othersStored = true;
    List<Future<FinishResult>> finished = jobs.stream().map(this::finish).toList();

    takeTurns();

    assertThat(calls).containsExactly(3, 1, 1, 1);
    assertThat(code(finished.get(1))).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(List.of(finished.get(0).result(), finished.get(2).result()))
        .hasOnlyElementsOfType(FinishResult.Finished.class);
  }

  @Test
  void
      an_outcome_that_a_trigger_refuses_is_stored_once_that_is_mended_and_keeps_no_other_waiting() {
    List<JobData> jobs = jobs(3);
    guilty = jobs.get(0);
    refusal = RunlaneException.of(ErrorCode.INTERNAL_ERROR, "finishJobs failed (SQLSTATE P0001)");
    Future<FinishResult> waits = finish(jobs.get(0));
    Future<FinishResult> beside = finish(jobs.get(1));
    List<String> log = CapturedErrors.during(() -> {
      takeTurns();
      timers.advance(Duration.ofMinutes(1));
    });
    assertThat(beside.succeeded()).isTrue();
    assertThat(waits.isComplete()).isFalse();
    assertThat(calls).as("with back-off").hasSizeBetween(10, 16);
    assertThat(gate.refused()).singleElement().satisfies(told -> {
      assertThat(told.jobId()).isEqualTo(jobs.get(0).id());
      assertThat(told.since()).isEqualTo(Instant.parse("2026-03-04T12:00:00Z"));
      assertThat(told.times()).isBetween(8, 16);
      assertThat(told.message()).contains("SQLSTATE P0001");
    });
    assertThat(log)
        .anyMatch(line -> line.contains("job " + jobs.get(0).id() + " of queue mail is kept"));

    Future<FinishResult> after = finish(jobs.get(2));
    takeTurns();
    assertThat(after.succeeded()).as("at once").isTrue();
    guilty = null;
    timers.advance(Duration.ofSeconds(12));

    assertThat(waits.result()).isInstanceOf(FinishResult.Finished.class);
    int sent = calls.size();
    timers.advance(Duration.ofMinutes(1));
    assertThat(calls).hasSize(sent);
  }

  @Test
  void an_outcome_that_is_refused_for_too_long_is_given_up() {
    gate = gate(new JobsOptions().setOutcomeTimeout(Duration.ofMinutes(1)));
    List<JobData> jobs = jobs(1);
    guilty = jobs.get(0);
    refusal = RunlaneException.adapterContractViolation("broke audit.note")
        .causedBy(new IllegalStateException("of the driver"));
    Future<FinishResult> finished = finish(jobs.get(0));
    takeTurns();

    timers.advance(Duration.ofSeconds(45));
    assertThat(finished.isComplete()).isFalse();
    timers.advance(Duration.ofSeconds(15));

    assertThat(code(finished)).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    int sent = calls.size();
    timers.advance(Duration.ofMinutes(5));
    assertThat(calls).hasSize(sent);
  }

  @Test
  void a_refused_outcome_that_waits_when_the_queue_closes_is_sent_no_more() {
    List<JobData> jobs = jobs(1);
    guilty = jobs.get(0);
    refusal = RunlaneException.of(ErrorCode.INTERNAL_ERROR, "finishJobs failed (SQLSTATE P0001)");
    Future<FinishResult> finished = finish(jobs.get(0));
    takeTurns();
    int sent = calls.size();

    gate.close();
    timers.advance(Duration.ofMinutes(5));

    assertThat(code(finished)).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(calls).hasSize(sent);
  }

  @Test
  void an_outcome_that_was_stored_before_the_fetch_it_went_with_failed_is_known_to_have_been() {
    JobData job = jobs(1).get(0);
    answer = call -> call.get().transform(done -> Future.failedFuture(refusal));
    Future<FinishResult> finished = finish(job);

    Future<List<JobData>> fetched = gate.fetch(fetchCommand());
    takeTurns();

    assertThat(fetches).containsExactly(1);
    assertThat(fetched.failed()).isTrue();
    assertThat(finished.result()).isInstanceOf(FinishResult.Finished.class);
  }

  @Test
  void an_outcome_that_is_refused_and_cannot_be_read_fails() {
    List<JobData> jobs = jobs(1);
    guilty = jobs.get(0);
    readable = false;
    Future<FinishResult> finished = finish(jobs.get(0));

    takeTurns();

    assertThat(code(finished)).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void what_is_sent_alone_after_a_refusal_goes_along_with_no_fetch() {
    gate = gate(new JobsOptions().setOutcomeCalls(1));
    List<JobData> jobs = jobs(3);
    guilty = jobs.get(1);
    finish(jobs.get(0)).onSuccess(free -> gate.fetch(fetchCommand()));
    finish(jobs.get(1));
    Future<FinishResult> last = finish(jobs.get(2));

    takeTurns();

    assertThat(fetches).containsExactly(0);
    assertThat(calls).containsExactly(3, 1, 1, 1);
    assertThat(last.succeeded()).isTrue();
  }

  @Test
  void an_outcome_that_comes_meanwhile_does_not_join_one_that_is_sent_alone() {
    gate = gate(new JobsOptions().setOutcomeCalls(1));
    List<JobData> jobs = jobs(3);
    guilty = jobs.get(0);
    finish(jobs.get(0)).onFailure(refused -> finish(jobs.get(2)));
    finish(jobs.get(1));

    takeTurns();

    assertThat(calls).containsExactly(2, 1, 1, 1);
  }

  @Test
  void closing_fails_what_waits_and_offers_nothing_any_more() {
    Future<FinishResult> waiting = finish(jobs(1).get(0));

    List<String> log = CapturedErrors.during(gate::close);
    takeTurns();

    assertThat(code(waiting)).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(calls).isEmpty();
    assertThat(log).singleElement().asString().contains("1 outcomes of jobs are given up");
  }

  @Test
  void closing_without_open_outcomes_says_nothing() {
    finish(jobs(1).get(0));
    takeTurns();

    assertThat(CapturedErrors.during(gate::close)).isEmpty();
  }

  @Test
  void what_comes_after_closing_fails_at_once() {
    JobData job = jobs(1).get(0);
    gate.close();

    Future<FinishResult> finished = finish(job);
    takeTurns();

    assertThat(code(finished)).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(calls).isEmpty();
  }

  @Test
  void an_end_whose_answer_was_lost_and_that_cannot_be_read_counts_as_lost() {
    Future<FinishResult> finished = finish(jobs(1).get(0));
    loseAnswers();
    takeTurns();
    answer = Supplier::get;
    readable = false;

    timers.advance(Duration.ofSeconds(1));

    assertThat(finished.result()).isInstanceOf(FinishResult.LockLost.class);
  }

  @Test
  void a_job_that_goes_with_its_end_is_known_to_have_ended_where_the_answer_was_lost() {
    List<JobData> jobs = jobs(2);
    loseAnswers();
    Future<FinishResult> goes = finish(jobs.get(0), new JobOutcome.Completed(null), true);
    Future<FinishResult> stays = finish(jobs.get(1), new JobOutcome.Completed(null), false);
    takeTurns();
    jobs.forEach(job -> real.removeJob("mail", job.id(), clock.now()));
    answer = Supplier::get;

    timers.advance(Duration.ofSeconds(1));

    assertThat(((FinishResult.Finished) goes.result()).change().job())
        .isEqualTo(new JobChange("mail", jobs.get(0).id(), JobState.COMPLETED, null, false, true));
    assertThat(stays.result()).isInstanceOf(FinishResult.LockLost.class);
  }

  @Test
  void a_refused_end_of_a_job_that_is_gone_is_not_taken_for_stored() {
    JobData job = jobs(1).get(0);
    guilty = job;
    real.removeJob("mail", job.id(), clock.now());

    Future<FinishResult> finished = finish(job, new JobOutcome.Completed(null), true);
    takeTurns();

    assertThat(code(finished)).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void an_end_whose_answer_was_lost_is_known_with_its_cancellation() {
    List<JobData> jobs = jobs(2);
    real.cancelJob("mail", jobs.get(1).id(), clock.now());
    loseAnswers();
    Future<FinishResult> failed = finish(jobs.get(0), new JobOutcome.Failed("no", null));
    Future<FinishResult> cancelled = finish(jobs.get(1), new JobOutcome.Cancelled());
    takeTurns();
    answer = Supplier::get;

    timers.advance(Duration.ofSeconds(1));

    assertThat(List.of(failed, cancelled))
        .extracting(this::isCancelled)
        .containsExactly(false, true);
    assertThat(real.countJobs("mail", JobState.FAILED).result()).isEqualTo(2);
  }

  private boolean isCancelled(Future<FinishResult> finished) {
    return ((FinishResult.Finished) finished.result()).change().job().cancelled();
  }

  @Test
  void outcomes_that_cannot_be_stored_for_too_long_are_given_up_and_counted() {
    gate = gate(new JobsOptions().setOutcomeTimeout(Duration.ofMinutes(1)));
    answer = call -> Future.failedFuture(away());
    List<JobData> jobs = jobs(3);
    List<Future<FinishResult>> finished =
        jobs.subList(0, 2).stream().map(this::finish).toList();
    List<Future<FinishResult>> later = new ArrayList<>();

    List<String> log = CapturedErrors.during(() -> {
      takeTurns();
      timers.advance(Duration.ofSeconds(50));
      assertThat(finished).noneMatch(Future::isComplete);
      later.add(finish(jobs.get(2)));
      timers.advance(Duration.ofSeconds(10));
    });
    answer = Supplier::get;
    timers.advance(Duration.ofSeconds(10));

    assertThat(finished)
        .extracting(OutcomeWriterTest::code)
        .containsOnly(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(log)
        .filteredOn(line -> line.contains("were not stored"))
        .singleElement()
        .asString()
        .contains("2 outcomes of jobs", "PT1M");
    assertThat(later).as("what is not late").allMatch(Future::succeeded);
  }

  @Test
  void a_store_that_is_away_is_told_of_when_it_goes_and_when_it_is_back() {
    answer = call -> Future.failedFuture(away());
    finish(jobs(1).get(0));

    List<String> gone = CapturedErrors.during(this::takeTurns);
    timers.advance(Duration.ofSeconds(2));
    answer = Supplier::get;
    List<String> back = CapturedErrors.during(() -> timers.advance(Duration.ofSeconds(5)));

    assertThat(gone)
        .filteredOn(line -> line.contains("WARN"))
        .singleElement()
        .asString()
        .contains("storing how jobs ended");
    assertThat(back)
        .singleElement()
        .asString()
        .contains("storing how jobs ended works again after failing");
  }
}
