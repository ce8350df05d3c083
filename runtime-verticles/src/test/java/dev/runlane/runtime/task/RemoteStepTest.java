package dev.runlane.runtime.task;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.RemoteFleet.asking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Awaiting;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Faults;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.RemoteFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.TickOptions;
import dev.runlane.runtime.TickResult;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.remote.StepDispatcher;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that workers of other processes do. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemoteStepTest {
  private static final Duration MOMENT = Duration.ofMillis(200);

  private final RemoteFleet remote = new RemoteFleet();
  private final List<String> effects = new ArrayList<>();
  private Runlane runlane;

  /** Triggers the task in a process with all it takes. */
  private String start(Task<String> task) {
    runlane = remote.process(task);
    remote.work(runlane);
    return trigger(task);
  }

  private String trigger(Task<String> task) {
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(MOMENT);
    return runId;
  }

  private RunRecord run(String runId) {
    return remote.run(runlane, runId);
  }

  private <T extends RunEvent> List<T> events(String runId, Class<T> type) {
    return remote.events(runlane, runId, type);
  }

  private List<PendingStep> pending(String runId) {
    return done(runlane
        .context()
        .remoteSteps()
        .orElseThrow()
        .storage()
        .listPendingSteps(new ListPendingSteps(runlane.context().environment(), runId, null)));
  }

  private void crash(Task<String> task) {
    remote.fleet.faults.kill();
    runlane = remote.process(task);
    remote.work(runlane);
  }

  @Test
  void a_step_whose_request_was_lost_in_a_failover_is_asked_for_again() {
    String runId = start(asking(context -> {
      if (context.attempt() == 1) {
        remote.fleet.faults.forgetAppend();
      }
      return context.remote("charge", null, String.class).map(TaskResult::done);
    }));

    remote.pass(Duration.ofMinutes(2));
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(MOMENT);

    assertThat(run(runId).output().text()).isEqualTo("\"paid\"");
    assertThat(run(runId).counters().failures()).isZero();
  }

  private static Task<String> charging() {
    return charging(RemoteStep.of("charge", String.class));
  }

  /** A run whose step another process stores the result of, right before its handler is released. */
  private Asked completedElsewhereBeforeTheRelease(Task<String> task) {
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    remote.dispatch(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));
    Faults faults = remote.fleet.faults; // of the process that asks
    Runlane other = remote.process(task);
    ClaimedStepTask asked = remote.takeOne("charge");
    faults.before("appendRunEvents", () -> {
      remote.complete(asked, "\"paid\"");
      remote.deliver(other);
    });

    remote.pass(MOMENT);
    return new Asked(runId, faults);
  }

  /** A run and the storage of the process that it is leased to. */
  private record Asked(String runId, Faults faults) {}

  private static Task<String> charging(RemoteStep<String> step) {
    return asking(context -> context.remote(step, Map.of("amount", 7)).map(TaskResult::done));
  }

  @Test
  void a_request_is_stored_before_anybody_is_asked() {
    Task<String> task = charging();
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = trigger(task);

    assertThat(remote.take("charge")).isEmpty();
    assertThat(remote.fleet.types(runlane, runId))
        .endsWith("run.started", "run.step_requested", "run.released");
    RunEvent.StepRequested request = events(runId, RunEvent.StepRequested.class).get(0);
    assertThat(request.group()).isEqualTo("charge");
    assertThat(request.input()).isEqualTo(Json.ofChecked("{\"amount\":7}"));
    assertThat(request.dispatch().deadlineAt())
        .isBetween(
            Fleet.NOON.plus(Duration.ofHours(24)),
            remote.fleet.clock.now().plus(Duration.ofHours(24)));

    remote.sweep(runlane);

    ClaimedStepTask asked = remote.takeOne("charge");
    assertThat(asked.task().stepId()).isEqualTo(runId + ":0");
    assertThat(asked.task().input()).isEqualTo(request.input());
    assertThat(asked.task().attempt()).isEqualTo(1);
  }

  @Test
  void a_run_that_awaits_a_worker_holds_nothing_and_goes_on_with_the_result() {
    String runId = start(charging());

    RunRecord waiting = run(runId);
    assertThat(waiting.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(waiting.awaiting()).isEqualTo(Awaiting.STEPS);
    assertThat(waiting.lease()).isNull();
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    remote.pass(Duration.ofHours(3));
    assertThat(run(runId)).isEqualTo(waiting);
    Instant dispatchedAt = pending(runId).get(0).dispatchedAt();
    Instant startedAt = remote.fleet.clock.now();
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
    RunEvent.StepCompleted result = events(runId, RunEvent.StepCompleted.class).get(0);
    assertThat(result.tries()).isEqualTo(1);
    assertThat(result.startedAt()).isEqualTo(startedAt);
    assertThat(result.dispatchedAt()).isEqualTo(dispatchedAt);
    assertThat(pending(runId)).isEmpty();
    assertThat(events(runId, RunEvent.DeliveryRequested.class)).as("woken").hasSize(2);
  }

  @Test
  void a_result_that_comes_at_once_finds_the_handler_still_waiting() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMillis(30));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
    assertThat(events(runId, RunEvent.Released.class)).isEmpty();
  }

  @Test
  void after_a_dispatch_results_are_looked_for_soon_where_no_signals_tell_of_them() {
    remote.silent = true;
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    remote.pass(Duration.ofMinutes(1));
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMillis(30));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_result_that_another_process_stores_before_the_release_lets_the_handler_go_on() {
    Task<String> task = charging();
    String runId = completedElsewhereBeforeTheRelease(task).runId();

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
    assertThat(events(runId, RunEvent.Released.class)).isEmpty();
  }

  @Test
  void a_handler_that_goes_on_instead_of_being_released_keeps_its_lease() {
    Promise<TaskResult> rest = Promise.promise();
    Task<String> task = asking(context -> context
        .remote(RemoteStep.of("charge", String.class), Map.of("amount", 7))
        .compose(paid -> rest.future()));
    Asked asked = completedElsewhereBeforeTheRelease(task);

    assertThat(asked.faults().calls("releaseRunLease")).isZero();
    assertThat(run(asked.runId()).lease()).isNotNull();
    rest.complete(TaskResult.done());
    remote.pass(MOMENT);
    assertThat(run(asked.runId()).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(asked.faults().calls("releaseRunLease"))
        .as("at the end of the run")
        .isEqualTo(1);
  }

  @Test
  void a_handler_that_was_released_does_not_go_on_when_the_next_attempt_has_begun() {
    List<Integer> paidIn = new ArrayList<>();
    Task<String> task = asking(
        context -> context.remote(RemoteStep.of("charge", String.class), 7).compose(paid -> {
          paidIn.add(context.attempt());
          return Promise.<TaskResult>promise().future();
        }));
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    remote.dispatch(runlane);
    Faults faults = remote.fleet.faults;
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));
    Runlane other = remote.process(task);
    remote.deliver(other);
    faults.loseReply("appendRunEvents"); // of the release
    faults.before("getRun", () -> {
      remote.complete(remote.takeOne("charge"), "\"paid\"");
      other.executeNext();
    });

    remote.pass(Duration.ofSeconds(1));

    assertThat(events(runId, RunEvent.Released.class)).hasSize(1);
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
    assertThat(paidIn).containsExactly(2);
  }

  @Test
  void a_result_that_this_process_stores_reaches_the_handler_without_being_read_again() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));
    Faults faults = remote.fleet.faults;
    int runsRead = faults.calls("getRun");

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMillis(30));

    assertThat(faults.calls("listRunEvents")).isZero();
    assertThat(faults.calls("getRun")).isEqualTo(runsRead);
    assertThat(faults.calls("getRuns")).as("its run is known from its lease").isZero();
    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
  }

  @Test
  void results_are_left_where_they_are_while_the_storage_of_a_run_that_is_held_is_silent() {
    Task<String> task = asking(
        context -> context.remote(RemoteStep.of("charge", String.class), 7).map(TaskResult::done));
    Runlane runlane = remote.process(task, new RunlaneOptions().setStepWait(Duration.ofMinutes(5)));
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofSeconds(1));
    ClaimedStepTask asked = remote.takeOne("charge");
    Faults faults = remote.fleet.faults;
    List<String> storage =
        List.of("heartbeatRunLease", "getRun", "getRuns", "listPendingSteps", "appendRunEvents");
    storage.forEach(method -> faults.refuse(method, Faults.outage()));

    remote.pass(Duration.ofSeconds(17));
    remote.complete(asked, "\"paid\"");
    remote.pass(Duration.ofSeconds(5));
    assertThat(faults.calls("claimStepResults")).isZero();
    storage.forEach(faults::mend);
    remote.pass(Duration.ofSeconds(15));

    RunRecord run = remote.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.output().text()).isEqualTo("\"paid\"");
    assertThat(run.counters().attempts()).isEqualTo(1);
    assertThat(faults.calls("claimStepResults")).isEqualTo(1);
  }

  @Test
  void a_result_takes_no_lease_from_who_got_it_where_a_failover_lost_the_claim_of_this_process() {
    remote.withoutBatch = true;
    Task<String> task = asking(context -> context
        .remote(RemoteStep.of("charge", String.class), 7)
        .compose(answer -> Promise.<TaskResult>promise().future()));
    runlane = remote.process(task);
    Faults faults = remote.fleet.faults;
    faults.forget(
        "claimRunLease",
        claim -> Optional.of(
            new AppendedRun(((ClaimRunLease) claim).projectedRun(), List.of(), List.of())));
    String runId = done(runlane.trigger(task, "x")).run().id();
    faults.forgetAppend();
    runlane.executeNext();
    remote.pass(Duration.ofMillis(5));
    Runlane other = remote.process(task);
    other.executeNext();
    remote.pass(Duration.ofMillis(5));
    RunRecord held = remote.run(other, runId);
    assertThat(runlane.context().leases().heldRuns(Set.of(runId)).get(runId).eventSequence())
        .as("the same sequence twice")
        .isEqualTo(held.eventSequence());
    remote.sweep(other);

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.deliver(runlane);
    remote.pass(Duration.ofMillis(5));

    RunRecord run = remote.run(other, runId);
    assertThat(run.lease()).isEqualTo(held.lease());
    assertThat(run.counters().attempts()).isEqualTo(1);
    assertThat(remote.events(other, runId, RunEvent.StepCompleted.class)).hasSize(1);
  }

  @Test
  void a_result_that_another_process_stores_reaches_the_handler_while_it_waits() {
    Task<String> task = charging();
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    remote.dispatch(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(10));
    Runlane other = remote.process(task);
    remote.deliver(other);

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMillis(30));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(events(runId, RunEvent.Released.class)).isEmpty();
  }

  @Test
  void a_result_that_is_stored_while_the_next_attempt_reads_the_history_is_not_missed() {
    Task<String> task = asking(context -> Future.all(
            context.remote(RemoteStep.of("charge", String.class), 7),
            context.remote(RemoteStep.of("ship", String.class), 7))
        .map(TaskResult.done()));
    String runId = start(task);
    ClaimedStepTask charge = remote.takeOne("charge");
    ClaimedStepTask ship = remote.takeOne("ship");
    remote.pass(MOMENT);
    Promise<Void> history = remote.fleet.faults.hold("listRunEvents");
    remote.complete(charge, "\"paid\"");
    remote.pass(MOMENT);
    assertThat(run(runId).counters().attempts()).isEqualTo(2);

    remote.complete(ship, "\"shipped\"");
    remote.pass(MOMENT);
    assertThat(events(runId, RunEvent.StepCompleted.class)).hasSize(2);
    history.complete();
    remote.pass(MOMENT);

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_result_that_comes_before_the_answer_to_its_request_is_not_missed() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    Faults faults = remote.fleet.faults;
    String runId = done(runlane.trigger(task, "x")).run().id();
    faults.loseReply("appendRunEvents");
    faults.before("getRun", () -> {
      remote.sweep(runlane);
      remote.complete(remote.takeOne("charge"), "\"paid\"");
      remote.deliver(remote.process(task));
    });
    remote.pass(Duration.ofSeconds(10));

    assertThat(events(runId, RunEvent.StepCompleted.class)).hasSize(1);
    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_result_that_is_stored_while_the_answer_to_its_request_is_on_its_way_is_not_missed() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    Promise<Void> answer = remote.fleet.faults.hold("appendRunEvents");
    remote.pass(MOMENT);
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(MOMENT);
    assertThat(events(runId, RunEvent.StepCompleted.class)).hasSize(1);

    answer.complete();
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_run_that_only_waits_does_not_keep_another_from_its_slot_for_the_whole_wait() {
    Task<String> task = charging();
    runlane = remote.process(
        task,
        new RunlaneOptions()
            .setStepWait(Duration.ofMinutes(5))
            .setStepWaitWithoutSlot(Duration.ZERO));
    done(runlane.worker(new WorkerOptions().setConcurrency(2)));
    String first = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMinutes(2));
    assertThat(run(first).status()).as("a slot is free").isEqualTo(RunStatus.RUNNING);

    done(runlane.trigger(task, "x"));
    String third = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMinutes(2));

    assertThat(run(first).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run(third).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_heartbeat_between_a_request_and_its_result_costs_nothing_but_a_read() {
    Task<String> task = charging();
    runlane = remote.process(task, new RunlaneOptions().setStepWait(Duration.ofMinutes(5)));
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofSeconds(20));
    assertThat(events(runId, RunEvent.LeaseHeartbeat.class)).isNotEmpty();

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofSeconds(6));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_failure_that_may_be_retried_is_retried_without_calling_the_handler() {
    RemoteStep<String> step = RemoteStep.of("charge", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMinutes(2)));
    String runId = start(charging(step));
    remote.fail(remote.takeOne("charge"), StepError.of("busy", "not now"));
    remote.pass(Duration.ofMinutes(1));

    assertThat(remote.take("charge")).as("pausing").isEmpty();
    assertThat(pending(runId).get(0).attempt()).isEqualTo(2);
    remote.pass(Duration.ofMinutes(2));
    ClaimedStepTask second = remote.takeOne("charge");
    assertThat(second.task().attempt()).isEqualTo(2);
    remote.complete(second, "\"paid\"");
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
    assertThat(events(runId, RunEvent.StepCompleted.class))
        .extracting(RunEvent.StepCompleted::tries)
        .containsExactly(2);
  }

  @Test
  void the_last_failure_that_may_be_retried_is_the_steps() {
    RemoteStep<String> step = RemoteStep.of("charge", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)));
    String runId = start(charging(step));
    for (int attempt = 1; attempt <= 2; attempt++) {
      remote.fail(remote.takeOne("charge"), StepError.of("busy", "not now"));
      remote.pass(Duration.ofSeconds(20));
    }

    FailureRecord failure = events(runId, RunEvent.StepCompleted.class).get(0).failure();
    assertThat(failure.code()).isEqualTo(ErrorCode.TASK_FAILED);
    assertThat(failure.message()).isEqualTo("not now");
    assertThat(failure.retryable()).isTrue();
    assertThat(failure.meta()).isEqualTo(Json.ofChecked("{\"stepCode\":\"busy\"}"));
    assertThat(events(runId, RunEvent.StepCompleted.class).get(0).tries()).isEqualTo(2);
    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void a_failure_that_may_not_be_retried_ends_the_step_at_once_and_the_handler_may_deal_with_it() {
    RemoteStep<String> step = RemoteStep.of("charge", String.class).retry(RetryPolicy.attempts(5));
    String runId = start(asking(context -> context
        .remote(step, null)
        .recover(failure ->
            Future.succeededFuture(((RunlaneException) failure).meta().get("stepCode")))
        .map(TaskResult::done)));

    remote.fail(remote.takeOne("charge"), StepError.fatal("no_card", "there is no card"));
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"no_card\""));
    assertThat(events(runId, RunEvent.StepCompleted.class).get(0).tries()).isEqualTo(1);
  }

  @Test
  void a_step_without_a_result_fails_at_its_deadline_and_its_task_is_taken_away() {
    RemoteStep<String> step =
        RemoteStep.of("charge", String.class).deadline(Duration.ofMinutes(20));
    String runId = start(charging(step));
    ClaimedStepTask slow = remote.takeOne("charge");

    remote.pass(Duration.ofMinutes(19));
    assertThat(run(runId).status()).isEqualTo(RunStatus.RELEASED);
    remote.pass(Duration.ofMinutes(2));

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(events(runId, RunEvent.StepCompleted.class).get(0).failure().meta())
        .isEqualTo(Json.ofChecked("{\"reason\":\"step_deadline\"}"));
    assertThat(remote.complete(slow, "\"late\"")).isEqualTo(RecordOutcome.LEASE_LOST);
  }

  @Test
  void a_result_that_was_recorded_while_no_engine_ran_counts_after_the_deadline_too() {
    RemoteStep<String> step =
        RemoteStep.of("charge", String.class).deadline(Duration.ofMinutes(20));
    Task<String> task = charging(step);
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = trigger(task);
    remote.pass(MOMENT);
    remote.sweep(runlane);
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.fleet.clock.advance(Duration.ofMinutes(30));

    remote.sweep(runlane);
    assertThat(pending(runId)).hasSize(1);
    remote.deliver(runlane);
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_result_that_nobody_takes_is_not_waited_for_for_ever() {
    RemoteStep<String> step =
        RemoteStep.of("charge", String.class).deadline(Duration.ofMinutes(20));
    Task<String> task = charging(step);
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = trigger(task);
    remote.pass(MOMENT);
    remote.sweep(runlane);
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.fleet.clock.advance(Duration.ofMinutes(81));

    remote.sweep(runlane);
    remote.pass(MOMENT);

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void tasks_that_somebody_keeps_locked_keep_no_other_step_from_its_deadline() {
    Task<String> task =
        charging(RemoteStep.of("charge", String.class).deadline(Duration.ofMinutes(20)));
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    List<String> runIds = new ArrayList<>();
    for (int run = 0; run < 5; run++) {
      runIds.add(trigger(task));
    }
    remote.pass(MOMENT);
    remote.sweep(runlane);
    List<String> held = List.of(runIds.get(1), runIds.get(4));
    held.forEach(runId -> remote.locked.add(runId + ":0"));
    remote.fleet.clock.advance(Duration.ofMinutes(21));

    Future<Boolean> swept = new StepDispatcher(runlane.context(), remote.dispatching).sweepOnce();
    remote.pass(MOMENT);

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, swept);
    assertThat(runIds)
        .filteredOn(runId -> run(runId).status() != RunStatus.FAILED)
        .containsExactlyElementsOf(held);
    remote.locked.clear();
    remote.pass(remote.dispatching.getRepeatDelay());
    remote.sweep(runlane);
    remote.pass(MOMENT);
    assertThat(held).allMatch(runId -> run(runId).status() == RunStatus.FAILED);
  }

  @Test
  void a_task_that_vanished_is_dispatched_again() {
    String runId = start(charging());
    done(remote.transport.withdrawSteps(new WithdrawSteps(List.of(runId + ":0"))));

    remote.pass(StepDispatcherOptions.DEFAULT_CHECK_INTERVAL.plusSeconds(5));

    ClaimedStepTask again = remote.takeOne("charge");
    assertThat(again.task().attempt()).isEqualTo(1);
    remote.complete(again, "\"paid\"");
    remote.pass(Duration.ofSeconds(10));
    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_task_that_is_dispatched_after_its_attempt_failed_is_taken_away() {
    Task<String> task = charging(RemoteStep.of("charge", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMinutes(1))));
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    remote.dispatch(runlane);
    Faults faults = remote.fleet.faults;
    faults.fail("reschedulePendingSteps"); // that it was dispatched is not known
    String runId = trigger(task);
    Promise<Void> claimed = faults.hold("claimDueSteps");
    remote.pass(Duration.ofSeconds(10));
    remote.deliver(remote.process(task));
    remote.fail(remote.takeOne("charge"), StepError.of(null, "no"));
    remote.pass(MOMENT);
    assertThat(pending(runId)).extracting(PendingStep::attempt).containsExactly(2);

    claimed.complete();
    remote.pass(MOMENT);

    assertThat(remote.take("charge")).isEmpty();
    remote.pass(Duration.ofMinutes(1).plusSeconds(5));
    assertThat(remote.takeOne("charge").task().attempt()).isEqualTo(2);
  }

  @Test
  void a_run_that_ends_takes_its_tasks_away() {
    String cancelled = start(charging());
    ClaimedStepTask held = remote.takeOne("charge");
    done(runlane.runs().cancel(cancelled, new RunActionOptions()));
    remote.pass(Duration.ofSeconds(2));

    assertThat(run(cancelled).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(pending(cancelled)).isEmpty();
    assertThat(remote.complete(held, "\"paid\"")).isEqualTo(RecordOutcome.LEASE_LOST);
  }

  @Test
  void a_handler_that_does_not_wait_for_its_step_leaves_no_task() {
    String runId = start(asking(context -> {
      context.remote("charge", null);
      return context
          .step("other", String.class, () -> Future.succeededFuture("done"))
          .map(TaskResult::done);
    }));
    remote.pass(Duration.ofSeconds(2));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(pending(runId)).isEmpty();
    assertThat(remote.take("charge")).isEmpty();
  }

  @Test
  void a_result_that_comes_twice_counts_once() {
    RemoteStep<String> step = RemoteStep.of("charge", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMinutes(1)));
    String runId = start(charging(step));
    remote.fleet.faults.loseReply("retryStep");

    remote.fail(remote.takeOne("charge"), StepError.of(null, "not now"));
    remote.pass(Duration.ofMinutes(2));

    assertThat(pending(runId).get(0).attempt()).as("counted once").isEqualTo(2);
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.fleet.faults.loseReply("listPendingSteps");
    remote.pass(Duration.ofMinutes(2));
    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(events(runId, RunEvent.StepCompleted.class)).hasSize(1);
  }

  @Test
  void results_of_unknown_runs_are_left_to_their_owner() {
    start(charging());
    remote.dispatchForeign("run_of_others", "theirs");
    remote.complete(remote.takeOne("theirs"), "1");

    remote.pass(Duration.ofMinutes(10));

    assertThat(waitingResults()).extracting(StepResultRef::runId).containsExactly("run_of_others");
  }

  private List<StepResultRef> waitingResults() {
    return done(remote.transport.listStepResults(
        new ListStepResults(remote.fleet.clock.now(), RemoteFleet.LEASE, null, 10)));
  }

  @Test
  void results_of_runs_that_can_be_none_of_ours_keep_no_other_back() {
    String runId = start(charging());
    remote.dispatchForeign("parent:child", "theirs");
    remote.dispatchForeign("r".repeat(ContractDefaults.MAX_ID_BYTES + 1), "theirs");
    remote.take("theirs").forEach(each -> remote.complete(each, "1"));
    remote.pass(Duration.ofMinutes(1));

    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(waitingResults()).as("left to their owner").hasSize(2);
    remote.fleet.clock.advance(StepDeliveryOptions.DEFAULT_FOREIGN_GRACE);
    remote.pass(Duration.ofMinutes(1));
    assertThat(waitingResults()).as("that never came").isEmpty();
  }

  @Test
  void a_process_that_dies_after_the_request_leaves_nothing_to_its_successor_but_to_wait() {
    Task<String> task = charging();
    String runId = start(task);
    remote.fleet.faults.kill();
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    crash(task);
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(events(runId, RunEvent.StepRequested.class)).hasSize(1);
  }

  @Test
  void a_process_that_dies_while_its_handler_waits_is_followed_by_one_that_asks_nobody_again() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    remote.pass(Duration.ofMillis(20));
    crash(task);

    remote.pass(Duration.ofMinutes(2));
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(events(runId, RunEvent.StepRequested.class)).hasSize(1);
  }

  /** The row says nothing of the dispatch, as after one whose process was killed, or that timed out. */
  @ParameterizedTest
  @ValueSource(strings = {"died", "was told of an outage"})
  void a_step_whose_result_stands_is_not_asked_for_again_by_whoever_goes_on(String first) {
    Task<String> task = charging();
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = trigger(task);
    if (first.equals("died")) {
      remote.fleet.faults.dieBefore("reschedulePendingSteps", 0);
    } else {
      remote.fleet.faults.fail("reschedulePendingSteps");
    }
    new StepDispatcher(runlane.context(), new StepDispatcherOptions()).sweepOnce();
    remote.complete(remote.takeOne("charge"), "\"paid\"");

    runlane = remote.process(task);
    remote.pass(Duration.ofSeconds(31));
    for (int sweep = 0; sweep < 3; sweep++) {
      remote.sweep(runlane);
      assertThat(remote.take("charge")).as("its result is still there").isEmpty();
      remote.pass(Duration.ofSeconds(1));
    }
    assertThat(pending(runId)).extracting(PendingStep::dispatchedAt).containsOnlyNulls();

    remote.work(runlane);
    remote.pass(Duration.ofMinutes(1));
    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(remote.take("charge")).isEmpty();
  }

  @Test
  void a_next_attempt_is_not_asked_for_before_the_result_of_the_one_before_is_gone() {
    RemoteStep<String> step = RemoteStep.of("charge", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)));
    Task<String> task = charging(step);
    String runId = start(task);
    remote.fleet.faults.dieAfter("retryStep", 0);
    remote.fail(remote.takeOne("charge"), StepError.of("busy", "not now"));
    remote.pass(Duration.ofSeconds(6));
    assertThat(remote.fleet.faults.calls("retryStep")).isEqualTo(1);

    crash(task);
    remote.pass(Duration.ofSeconds(20));
    assertThat(remote.take("charge")).as("its result is still there").isEmpty();
    remote.pass(Duration.ofSeconds(40));

    ClaimedStepTask second = remote.takeOne("charge");
    assertThat(second.task().attempt()).isEqualTo(2);
    remote.complete(second, "\"paid\"");
    remote.pass(Duration.ofMinutes(1));
    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
  }

  @Test
  void parallel_steps_are_asked_for_together_and_their_results_come_in_the_order_of_history() {
    List<String> order = new ArrayList<>();
    String runId = start(asking(context -> {
      order.clear();
      List<Future<Json>> asked = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        asked.add(context.remote(name, name).onSuccess(result -> order.add(name)));
      }
      return Future.all(asked).map(all -> TaskResult.done(order));
    }));

    assertThat(pending(runId)).hasSize(3);
    for (String name : List.of("c", "a", "b")) {
      remote.complete(remote.takeOne(name), "\"" + name + "\"");
      remote.pass(Duration.ofSeconds(5));
    }

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("[\"c\",\"a\",\"b\"]"));
  }

  @Test
  void more_parallel_steps_than_a_page_of_history_holds_are_all_answered() {
    List<Promise<String>> local = new ArrayList<>();
    String runId = start(asking(context -> {
      List<Future<?>> all = new ArrayList<>();
      all.add(context.remote("charge", null));
      for (int step = 0; step < ContractDefaults.MAX_PAGE_LIMIT; step++) {
        Promise<String> answer = Promise.promise();
        local.add(answer);
        all.add(context.step("local", String.class, answer::future));
      }
      return Future.all(all).map(TaskResult.done());
    }));
    remote.pass(Duration.ofSeconds(20)); // heartbeats, behind the first request

    local.forEach(answer -> answer.complete("done"));
    remote.complete(remote.takeOne("charge"), "1");
    remote.pass(Duration.ofSeconds(10));

    RunRecord ended = done(runlane.runs().get(runId)).orElseThrow();
    assertThat(ended.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(ended.counters().attempts()).isEqualTo(1);
  }

  @Test
  void local_steps_sleeps_and_remote_steps_replay_in_the_order_of_history() {
    List<String> order = new ArrayList<>();
    Task<String> task = asking(context -> {
      order.clear();
      Future<?> slept = context.sleep(Duration.ofMinutes(5)).onSuccess(done -> order.add("sleep"));
      Future<?> asked = context
          .remote("ask", 1, Integer.class)
          .onSuccess(done -> order.add("remote"))
          .compose(done -> context.step("after", String.class, () -> {
            effects.add("after");
            return Future.succeededFuture("x");
          }))
          .onSuccess(done -> order.add("after"));
      Future<?> local = context
          .step("local", String.class, () -> {
            effects.add("local");
            return Future.succeededFuture("x");
          })
          .onSuccess(done -> order.add("local"));
      return Future.all(slept, asked, local)
          .compose(all -> context.remote("last", null))
          .map(last -> TaskResult.done(order));
    });
    String runId = start(task);
    remote.complete(remote.takeOne("ask"), "1");
    remote.pass(Duration.ofMinutes(6));
    crash(task);
    remote.pass(Duration.ofMinutes(1));

    remote.complete(remote.takeOne("last"), "1");
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output())
        .isEqualTo(Json.ofChecked("[\"local\",\"remote\",\"after\",\"sleep\"]"));
    assertThat(effects).containsExactly("local", "after");
  }

  @Test
  void a_failed_step_is_asked_for_anew_though_another_branch_went_on() {
    Task<String> task = Task.define("asking", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(5)))
        .handler((payload, context) -> Future.join(
                context.remote("charge", null, String.class),
                context
                    .remote("pack", null)
                    .compose(packed -> context.remote("label", null, String.class)))
            .map(both -> TaskResult.done("all")));
    String runId = start(task);
    remote.fail(remote.takeOne("charge"), StepError.of(null, "not now"));
    remote.pass(Duration.ofSeconds(10));
    remote.complete(remote.takeOne("pack"), "1");
    remote.pass(Duration.ofSeconds(10));
    remote.complete(remote.takeOne("label"), "\"l\"");
    remote.pass(Duration.ofMinutes(1));

    ClaimedStepTask second = remote.takeOne("charge");
    assertThat(second.task().attempt()).isEqualTo(2);
    assertThat(remote.take("pack")).isEmpty();
    assertThat(remote.take("label")).isEmpty();
    remote.complete(second, "\"paid\"");
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"all\""));
  }

  @Test
  void a_failed_step_that_ended_its_attempt_is_asked_for_anew_in_the_next() {
    Task<String> task = Task.define("asking", String.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(5)))
        .handler((payload, context) ->
            context.remote("charge", null, String.class).map(TaskResult::done));
    String runId = start(task);
    remote.fail(remote.takeOne("charge"), StepError.of(null, "not now"));
    remote.pass(Duration.ofMinutes(1));

    ClaimedStepTask second = remote.takeOne("charge");
    assertThat(second.task().attempt()).isEqualTo(2);
    remote.complete(second, "\"paid\"");
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(runId).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(events(runId, RunEvent.StepRequested.class))
        .extracting(RunEvent.StepRequested::attempt)
        .containsExactly(1, 2);
  }

  @Test
  void another_remote_step_at_a_recorded_position_releases_the_run() {
    String runId = start(charging());
    remote.fleet.faults.kill();
    Task<String> other = charging(RemoteStep.of("refund", String.class));
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    runlane = remote.process(other);
    remote.work(runlane);
    remote.pass(Duration.ofMinutes(1));

    RunEvent.Released released = events(runId, RunEvent.Released.class).get(1);
    assertThat(released.reason()).isEqualTo("non_deterministic");
    assertThat(released.header().meta().text())
        .contains("remote step charge")
        .contains("remote step refund");
    assertThat(remote.take("refund")).isEmpty();
  }

  @Test
  void a_local_step_where_a_remote_one_is_recorded_is_another_step() {
    String runId = start(charging());
    remote.fleet.faults.kill();
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    runlane = remote.process(asking(context -> context
        .step("charge", String.class, () -> Future.succeededFuture("here"))
        .map(TaskResult::done)));
    remote.work(runlane);
    remote.pass(Duration.ofMinutes(1));

    assertThat(events(runId, RunEvent.Released.class).get(1).reason())
        .isEqualTo("non_deterministic");
  }

  @Test
  void a_run_of_a_bounded_queue_waits_for_a_slot_when_its_result_is_there() {
    Task<String> task = Task.define("asking", String.class)
        .queue(TaskQueue.of("narrow").concurrencyLimit(1))
        .handler((payload, context) ->
            context.remote("charge", null, String.class).map(TaskResult::done));
    runlane = remote.process(List.of(TaskQueue.of("narrow").concurrencyLimit(1)), task);
    remote.work(runlane);
    String first = trigger(task);
    String second = trigger(task);
    assertThat(remote.take("charge")).as("a waiting run holds no slot").hasSize(2);

    remote.pass(RemoteFleet.LEASE.plusSeconds(1));
    remote.take("charge").forEach(each -> remote.complete(each, "\"paid\""));
    remote.pass(Duration.ofMinutes(1));

    assertThat(run(first).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(second).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void explain_says_which_workers_are_waited_for() {
    String runId = start(charging(RemoteStep.of("charge", String.class).partition("eu")));

    RunExplanation explained = done(runlane.runs().explain(runId));

    RunExplanation.Reason reason = explained.reasons().stream()
        .filter(each -> each.code() == RunExplanation.Code.AWAITING_STEP)
        .findFirst()
        .orElseThrow();
    assertThat(reason.details())
        .containsEntry("name", "charge")
        .containsEntry("group", "charge@eu")
        .containsEntry("attempt", "1")
        .containsKey("dispatchedAt");
    assertThat(reason.text()).contains("group charge@eu").contains("attempt 1 of 1");
    assertThat(reason.details()).doesNotContainKey("leasedAt");

    remote.takeOne("charge@eu");

    assertThat(done(runlane.runs().explain(runId)).reasons())
        .anyMatch(each -> each.details().containsKey("leasedAt"));
  }

  @Test
  void without_a_step_transport_a_remote_step_is_refused() {
    Task<String> task = charging();
    runlane = remote.fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    remote.pass(MOMENT);

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(run(runId).failure().code()).isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED);
    assertThat(run(runId).failure().message()).contains("step transport");
  }

  @Test
  void an_input_that_is_no_json_fails_before_anything_is_stored() {
    String runId =
        start(asking(context -> context.remote("charge", new Object()).map(TaskResult::done)));

    assertThat(run(runId).failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(events(runId, RunEvent.StepRequested.class)).isEmpty();
  }

  @Test
  void a_maintenance_pass_asks_workers_takes_results_and_keeps_deadlines() {
    Task<String> task =
        charging(RemoteStep.of("charge", String.class).deadline(Duration.ofHours(1)));
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String paid = trigger(task);
    String late = trigger(task);

    assertThat(done(runlane.tick()).stepsProcessed()).isEqualTo(2);
    List<ClaimedStepTask> asked = remote.take("charge");
    asked.stream()
        .filter(each -> each.task().runId().equals(paid))
        .forEach(each -> remote.complete(each, "\"paid\""));
    TickResult second = done(runlane.tick());
    remote.pass(Duration.ofSeconds(1));

    assertThat(second.stepResultsTaken()).isEqualTo(1);
    assertThat(second.stepsProcessed()).isZero();
    assertThat(run(paid).status()).isEqualTo(RunStatus.SUCCEEDED);
    remote.pass(Duration.ofHours(1));
    assertThat(done(runlane.tick()).stepsProcessed()).isEqualTo(1);
    remote.pass(Duration.ofMinutes(1));
    assertThat(run(late).status()).isEqualTo(RunStatus.FAILED);
    assertThat(done(runlane.tick())).isEqualTo(new TickResult(0, 0, 0, 0, 0, 0, 0, 0, 0, false));
  }

  @Test
  void a_maintenance_pass_goes_past_results_of_others_and_ends_at_its_bound() {
    Task<String> task = charging();
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    for (int other = 0; other < 5; other++) {
      remote.dispatchForeign("run_of_others_" + other, "theirs");
    }
    remote.take("theirs").forEach(each -> remote.complete(each, "1"));
    for (int run = 0; run < 3; run++) {
      trigger(task);
    }
    remote.sweep(runlane);
    remote.take("charge").forEach(each -> remote.complete(each, "\"paid\""));
    TickOptions options = new TickOptions()
        .setStepResults(new StepDeliveryOptions().setPageSize(2).setMostInFlight(1));

    for (int pass = 0; pass < 3; pass++) {
      TickResult bounded = done(runlane.tick(options));
      assertThat(bounded.stepResultsTaken()).isEqualTo(1);
      assertThat(bounded.moreWaiting()).isTrue();
    }
    assertThat(done(runlane.tick(options)).stepResultsTaken()).isZero();
  }

  @Test
  void an_outage_of_the_step_transport_delays_and_loses_nothing() {
    Task<String> task = charging();
    runlane = remote.process(task);
    done(runlane.worker(new WorkerOptions()));
    String runId = trigger(task);
    remote.fleet.faults.fail("reschedulePendingSteps");
    Future<Boolean> swept = new StepDispatcher(runlane.context(), remote.dispatching).sweepOnce();
    assertFails(ErrorCode.STORAGE_UNAVAILABLE, swept);

    remote.work(runlane);
    remote.pass(Duration.ofMinutes(1));
    remote.complete(remote.takeOne("charge"), "\"paid\"");
    remote.pass(Duration.ofSeconds(10));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_thousand_waiting_runs_hold_nothing_and_all_go_on() {
    Task<String> task = charging();
    runlane = remote.process(task);
    remote.work(runlane);
    List<String> runIds = new ArrayList<>();
    for (int run = 0; run < 1_000; run++) {
      runIds.add(done(runlane.trigger(task, "x")).run().id());
    }
    remote.pass(Duration.ofMinutes(1));

    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    for (int batch = 0; batch < 10; batch++) {
      remote.take("charge").forEach(each -> remote.complete(each, "\"paid\""));
    }
    remote.pass(Duration.ofMinutes(2));

    assertThat(runIds).allSatisfy(runId -> assertThat(
            done(runlane.runs().get(runId)).orElseThrow().status())
        .isEqualTo(RunStatus.SUCCEEDED));
  }
}
