package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.host.AttemptUnwound;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.io.IOError;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How an attempt's outcome is stored while others write to the run, replies are lost and storage fails. */
class OutcomeTest {
  private static final Duration LEASE = RunlaneOptions.DEFAULT_LEASE_DURATION;
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        contexts.add(context);
        return handler.future();
      });
  private final Runlane other = fleet.process(task);

  private Runlane runlane;
  private String runId;
  private Future<Optional<RunRecord>> executed;

  /** A process, whose faults are the fleet's, makes the first attempt. */
  private void begin() {
    begin(fleet.process(task));
  }

  private void begin(Runlane process) {
    runlane = process;
    runId = done(runlane.trigger(task, "x")).run().id();
    executed = runlane.executeNext();
    assertThat(handlers).hasSize(1);
  }

  /** The process is paused beyond its lease, and another one takes the run. */
  private void otherTakesOver() {
    fleet.clock.advance(LEASE.plusSeconds(1));
    other.executeNext();
    assertThat(handlers).hasSize(2);
  }

  private void endFirst(TaskResult result) {
    handlers.get(0).complete(result);
    fleet.settle();
  }

  private RunRecord run() {
    return fleet.run(other, runId);
  }

  private List<String> types() {
    return fleet.types(other, runId);
  }

  private void append(RunEvent event) {
    RunRecord run = run();
    List<RunEvent> events = List.of(event);
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    done(fleet.storage.appendRunEvents(AppendRunEvents.of(projected, events, fleet.clock.now())));
  }

  private EventHeader header() {
    return EventHeader.bySystem(run().environment(), runId, fleet.clock.now());
  }

  /** Something in the run's history that changes nothing but its sequence. */
  private void somebodyWrites() {
    RunRecord run = done(other.runs().get(runId)).orElseThrow();
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(
        EventHeader.bySystem(run.environment(), runId, fleet.clock.now()), run.lease());
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    done(fleet.storage.heartbeatRunLease(new HeartbeatRunLease(
        run.environment(), runId, run.eventSequence(), event, projected, fleet.clock.now())));
  }

  private void assertAbandoned() {
    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_whose_reply_was_lost_is_recognised_in_the_history_after_others_went_on() {
    begin();
    fleet.faults.loseReply("appendRunEvents");
    fleet.faults.before("getRun", () -> other.executeNext());

    endFirst(contexts.get(0).release(Duration.ZERO));
    fleet.pass(Duration.ofSeconds(1));

    RunRecord answered = done(executed).orElseThrow();
    assertThat(run().counters().attempts()).as("the other's attempt").isEqualTo(2);
    assertThat(answered.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(answered.counters().attempts()).as("as the outcome left it").isEqualTo(1);
    assertThat(types()).containsOnlyOnce("run.released");
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    handlers.get(1).complete(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void without_a_readable_history_such_an_outcome_counts_as_lost() {
    Set<StorageCapability> without = EnumSet.copyOf(fleet.storage.capabilities());
    without.remove(StorageCapability.READS_RUN_HISTORY);
    Faults faults = new Faults(fleet.storage.reporting(without));
    begin(fleet.process(faults.storage(), new RunlaneOptions(), QUEUES, task));
    faults.loseReply("appendRunEvents");
    faults.before("getRun", () -> other.executeNext());

    endFirst(contexts.get(0).release(Duration.ZERO));
    fleet.pass(Duration.ofSeconds(1));

    assertAbandoned();
    assertThat(types()).containsOnlyOnce("run.released");
  }

  @Test
  void the_same_outcome_of_the_next_owner_is_not_taken_for_the_own_one() {
    begin();
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done("by the other"));
    RunRecord ended = run();

    endFirst(TaskResult.done("by the first"));

    assertAbandoned();
    assertThat(run()).isEqualTo(ended);
    assertThat(ended.output().text()).isEqualTo("\"by the other\"");
  }

  @Test
  void an_outcome_is_dropped_when_the_run_was_pruned_meanwhile() {
    begin();
    RunRecord before = run();
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done());
    fleet.clock.advance(Duration.ofDays(1));
    Instant now = fleet.clock.now();
    done(fleet.storage.pruneRuns(
        new PruneRuns(before.environment(), Set.of(), now, now, null, null)));

    endFirst(TaskResult.done());

    assertAbandoned();
    assertThat(done(other.runs().get(runId))).isEmpty();
  }

  private static List<Error> errors() {
    return List.of(
        new ServiceConfigurationError("no provider"),
        new OutOfMemoryError("unable to create native thread"),
        new IOError(new IOException("broken")),
        new NoClassDefFoundError("Missing"),
        new StackOverflowError(),
        new AssertionError(),
        new AttemptUnwound("run_of_another"));
  }

  @Test
  void the_end_of_another_attempt_in_a_future_of_a_handlers_is_a_failure_of_its_own() {
    Promise<TaskResult> shared = Promise.promise();
    Task<String> sharing =
        Task.define("sharing", String.class).handler((payload, context) -> shared.future());
    runlane = fleet.process(sharing);
    String runId = done(runlane.trigger(sharing, "x")).run().id();
    runlane.executeNext();

    shared.fail(new AttemptUnwound("run_of_another"));
    fleet.settle();

    assertThat(done(runlane.runs().get(runId)).orElseThrow().status()).isEqualTo(RunStatus.FAILED);
  }

  @ParameterizedTest
  @MethodSource("errors")
  void whatever_a_handler_throws_ends_its_attempt_and_no_other(Error error) {
    Task<String> broken = Task.define("broken", String.class).handler((payload, context) -> {
      if (payload.equals("well")) {
        return Future.succeededFuture(TaskResult.done());
      }
      throw error;
    });
    runlane = fleet.process(broken);
    List<String> runs = Stream.of("well", "broken", "well")
        .map(payload -> done(runlane.trigger(broken, payload)).run().id())
        .toList();

    done(runlane.worker(new WorkerOptions().setConcurrency(3)));
    fleet.settle();

    assertThat(runs)
        .extracting(id -> done(runlane.runs().get(id)).orElseThrow().status())
        .containsExactly(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.SUCCEEDED);
  }

  /** A value of the application's that cannot be read. */
  public static final class Unreadable {
    /** Throws what Jackson lets pass. */
    public String getValue() {
      throw new NoClassDefFoundError("Missing");
    }
  }

  @Test
  void an_output_and_a_result_of_a_step_whose_getters_throw_errors_are_failures() {
    Task<String> output = Task.define("output", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done(new Unreadable())));
    Task<String> step = Task.define("step", String.class).handler((payload, context) -> context
        .step("unreadable", Unreadable.class, () -> Future.succeededFuture(new Unreadable()))
        .map(read -> TaskResult.done()));
    runlane = fleet.process(output, step);

    for (Task<String> task : List.of(output, step)) {
      runId = done(runlane.trigger(task, "x")).run().id();
      runlane.executeNext();
      fleet.settle();
      assertThat(run().status()).as(task.id()).isEqualTo(RunStatus.FAILED);
    }
  }

  @Test
  void a_future_of_the_applications_own_kind_that_throws_ends_its_attempt_and_no_other() {
    Task<String> own = Task.define("own", String.class)
        .handler((payload, context) -> payload.equals("well")
            ? Future.succeededFuture(TaskResult.done())
            : futureThatThrowsAt(payload));
    runlane = fleet.process(own);
    List<String> runs = Stream.of("cause", "well", "isComplete", "onComplete", "well")
        .map(payload -> done(runlane.trigger(own, payload)).run().id())
        .toList();

    done(runlane.worker(new WorkerOptions().setConcurrency(5)));
    fleet.settle();

    assertThat(runs)
        .extracting(id -> done(runlane.runs().get(id)).orElseThrow().status())
        .containsExactly(
            RunStatus.FAILED,
            RunStatus.SUCCEEDED,
            RunStatus.FAILED,
            RunStatus.FAILED,
            RunStatus.SUCCEEDED);
  }

  @Test
  void
      a_step_whose_future_throws_when_it_is_listened_to_fails_and_one_that_throws_late_counts_once() {
    Task<String> throwing = Task.define("throwing", String.class)
        .handler((payload, context) -> context
            .step("own", String.class, () -> futureThatThrowsAt(payload))
            .map(TaskResult::done));
    Task<String> twice = Task.define("twice", String.class).handler((payload, context) -> context
        .step("own", String.class, OutcomeTest::futureThatAnswersTwiceAndThrows)
        .compose(first -> context.step("next", String.class, () -> Future.succeededFuture("next")))
        .map(TaskResult::done));
    runlane = fleet.process(throwing, twice);
    String failing = done(runlane.trigger(throwing, "onComplete")).run().id();
    String counted = done(runlane.trigger(twice, "x")).run().id();

    done(runlane.worker(new WorkerOptions().setConcurrency(2)));
    fleet.settle();

    assertThat(done(runlane.runs().get(failing)).orElseThrow().status())
        .isEqualTo(RunStatus.FAILED);
    assertThat(done(runlane.runs().get(counted)).orElseThrow().output().text())
        .isEqualTo("\"next\"");
    assertThat(fleet.types(runlane, counted).stream().filter("run.step_completed"::equals))
        .hasSize(2);
  }

  @SuppressWarnings("unchecked")
  private static <T> Future<T> futureThatAnswersTwiceAndThrows() {
    return (Future<T>) Proxy.newProxyInstance(
        Future.class.getClassLoader(),
        new Class<?>[] {Future.class},
        (proxy, called, arguments) -> {
          if (called.getName().equals("onComplete")) {
            Handler<AsyncResult<T>> listener = (Handler<AsyncResult<T>>) arguments[0];
            listener.handle(Future.succeededFuture());
            listener.handle(Future.succeededFuture());
            throw new LinkageError("late");
          }
          return called.getReturnType() == boolean.class ? Boolean.FALSE : null;
        });
  }

  @SuppressWarnings("unchecked")
  static <T> Future<T> futureThatThrowsAt(String method) {
    return (Future<T>) Proxy.newProxyInstance(
        Future.class.getClassLoader(),
        new Class<?>[] {Future.class},
        (proxy, called, arguments) -> {
          if (called.getName().equals(method)) {
            throw new LinkageError(method);
          }
          return called.getReturnType() == boolean.class ? Boolean.FALSE : null;
        });
  }

  @Test
  void failures_whose_messages_cannot_be_read_end_their_attempts_and_free_their_slots() {
    Task<String> handler = Task.define("handler", String.class)
        .handler((payload, context) -> Future.failedFuture(new Mute()));
    Task<String> step = Task.define("step", String.class).handler((payload, context) -> context
        .step("mute", String.class, () -> Future.failedFuture(new Mute()))
        .map(read -> TaskResult.done()));
    runlane = fleet.process(handler, step);
    WorkerHandle worker = done(runlane.worker(new WorkerOptions().setConcurrency(1)));

    for (int each = 0; each < 4; each++) {
      for (Task<String> task : List.of(handler, step)) {
        runId = done(runlane.trigger(task, "x")).run().id();
        fleet.settle();
        assertThat(run().status()).as(task.id()).isEqualTo(RunStatus.FAILED);
      }
    }
    done(worker.stop());
  }

  /** Of an application that makes its messages when they are asked for. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no resource bundle");
    }
  }

  @Test
  void a_hand_back_that_finds_the_run_delivered_anew_writes_nothing() {
    Task<String> polite = Task.define("polite", String.class)
        .handler((payload, context) ->
            context.untilSignalled(Promise.<TaskResult>promise().future()));
    runlane = fleet.process(polite);
    runId = done(runlane.trigger(polite, "x")).run().id();
    WorkerHandle worker = done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    fleet.clock.advance(LEASE.plusSeconds(1)); // the process is paused
    fleet.faults.before("appendRunEvents", () -> {
      Instant now = fleet.clock.now();
      append(new RunEvent.DeliveryRequested(
          header(),
          new DeliveryIntent(run().environment(), runId, "default", now, now, null, null)));
    });

    done(worker.stop());

    assertThat(run().status()).isEqualTo(RunStatus.QUEUED);
    assertThat(types()).doesNotContain("run.released").endsWith("run.delivery_requested");
  }

  @Test
  void an_outcome_behind_a_heartbeat_that_finds_the_lease_lost_is_not_sent() {
    begin();
    otherTakesOver();
    Promise<Void> reply = fleet.faults.hold("heartbeatRunLease");
    fleet.pass(Duration.ofSeconds(12));
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(1);
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());
    assertThat(executed.isComplete()).isFalse();
    reply.complete();

    assertAbandoned();
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(appendsBefore);
    assertThat(fleet.faults.calls("releaseRunLease")).isZero();
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void an_outcome_that_keeps_losing_races_is_given_up_after_a_bounded_number() {
    begin();
    for (int race = 0; race < 200; race++) {
      fleet.faults.before("appendRunEvents", this::somebodyWrites);
    }
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());

    assertThat(failed(executed).conflictKind()).contains(StorageConflictKind.EVENT_SEQUENCE);
    assertThat(fleet.faults.calls("appendRunEvents") - appendsBefore).isEqualTo(100);
    assertThat(done(other.runs().get(runId)).orElseThrow().status())
        .as("left to its lease")
        .isEqualTo(RunStatus.RUNNING);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_the_storage_refuses_is_not_sent_again_and_the_run_is_left_to_its_lease() {
    begin();
    fleet.faults.fail(
        "appendRunEvents", RunlaneException.adapterContractViolation("broken by this test"));
    int appendsBefore = fleet.faults.calls("appendRunEvents");

    endFirst(TaskResult.done());

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, executed);
    assertThat(fleet.faults.calls("appendRunEvents") - appendsBefore).isEqualTo(1);
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run().counters().attempts()).isEqualTo(2);
  }

  /** As of a trigger of the user's that raises, and of a column that it may not leave empty. */
  private static List<RunlaneException> refusals() {
    RunlaneException trigger =
        RunlaneException.of(ErrorCode.INTERNAL_ERROR, "appendRunEvents failed (SQLSTATE P0001)");
    RunlaneException column = RunlaneException.adapterContractViolation("broke audit.note")
        .causedBy(new IllegalStateException("of the driver"));
    return List.of(trigger, column);
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void an_outcome_that_the_database_refuses_keeps_its_lease_until_that_is_mended(
      RunlaneException refusal) {
    begin();
    fleet.faults.refuse("appendRunEvents", refusal);

    endFirst(TaskResult.done("finished"));
    for (int lease = 0; lease < 10; lease++) {
      fleet.pass(LEASE);
      assertThat(done(other.executeNext())).as("nobody else makes it again").isEmpty();
    }
    assertThat(handlers).hasSize(1);
    assertThat(fleet.faults.calls("appendRunEvents")).as("with back-off").isBetween(30, 50);
    fleet.faults.mend("appendRunEvents");
    fleet.pass(LEASE.dividedBy(3));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run().counters().attempts()).as("finished work is not repeated").isEqualTo(1);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    int heartbeats = fleet.faults.calls("heartbeatRunLease");
    fleet.pass(LEASE);
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(heartbeats);
  }

  @Test
  void an_outcome_that_is_refused_is_told_by_its_process_and_explained_by_every_one() {
    begin();
    done(runlane.worker(new WorkerOptions().setWorkerId("w").setConcurrency(2)));
    fleet.faults.refuse("appendRunEvents", refusals().get(0));
    Instant refusedAt = fleet.clock.now();

    endFirst(TaskResult.done());
    assertThat(done(runlane.refusedOutcomes()).outcomes())
        .singleElement()
        .extracting(RefusedOutcome::runId, RefusedOutcome::since, RefusedOutcome::attempt)
        .containsExactly(runId, refusedAt, 1);
    assertThat(refusal(runlane).details())
        .containsEntry("code", "internal_error")
        .containsEntry("message", "appendRunEvents failed (SQLSTATE P0001)");
    fleet.pass(LEASE);
    assertThat(refusal(other).text()).contains(refusedAt.toString(), "internal_error");
    assertThat(refusal(other).details()).containsEntry("refusedSince", refusedAt.toString());
    assertThat(done(runlane.refusedOutcomes()).takeAllPlaces()).as("one of two").isFalse();

    fleet.faults.mend("appendRunEvents");
    fleet.pass(LEASE.dividedBy(3));
    assertThat(done(runlane.refusedOutcomes()).outcomes()).isEmpty();
    assertThat(codes(other)).doesNotContain(RunExplanation.Code.OUTCOME_REFUSED);
  }

  private RunExplanation.Reason refusal(Runlane process) {
    return done(process.runs().explain(runId)).reasons().stream()
        .filter(each -> each.code() == RunExplanation.Code.OUTCOME_REFUSED)
        .findFirst()
        .orElseThrow();
  }

  private List<RunExplanation.Code> codes(Runlane process) {
    return done(process.runs().explain(runId)).reasons().stream()
        .map(RunExplanation.Reason::code)
        .toList();
  }

  @Test
  void an_outcome_that_is_refused_for_too_long_is_given_up_and_its_lease_ends() {
    begin(
        fleet.process(new RunlaneOptions().setOutcomeTimeout(Duration.ofMinutes(5)), QUEUES, task));
    fleet.faults.refuse("appendRunEvents", refusals().get(0));

    endFirst(TaskResult.done());
    fleet.pass(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(executed.isComplete()).isFalse();
    fleet.pass(LEASE.dividedBy(3).plusSeconds(1));

    assertFails(ErrorCode.INTERNAL_ERROR, executed);
    int heartbeats = fleet.faults.calls("heartbeatRunLease");
    otherTakesOver();
    handlers.get(1).complete(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.faults.calls("heartbeatRunLease")).isEqualTo(heartbeats);
  }

  @Test
  void an_outcome_that_is_refused_with_its_heartbeats_is_offered_until_another_takes_the_run() {
    begin();
    fleet.faults.refuse("appendRunEvents", refusals().get(0));
    fleet.faults.refuse("heartbeatRunLease", refusals().get(0));

    endFirst(TaskResult.done("by the first"));
    fleet.pass(LEASE.plusSeconds(1));
    assertThat(executed.isComplete()).isFalse();
    other.executeNext();
    assertThat(handlers).hasSize(2);
    fleet.faults.mend("appendRunEvents");
    fleet.faults.mend("heartbeatRunLease");
    fleet.pass(LEASE.dividedBy(2));

    assertAbandoned();
    handlers.get(1).complete(TaskResult.done("by the other"));
    assertThat(run().output().text()).isEqualTo("\"by the other\"");
  }

  @Test
  void a_heartbeat_of_a_refused_outcome_that_finds_a_cancellation_leaves_the_outcome_to_decide() {
    begin();
    fleet.faults.refuse("appendRunEvents", refusals().get(0));
    endFirst(TaskResult.done());
    for (int heartbeat = 0; heartbeat < 5; heartbeat++) {
      fleet.faults.before("heartbeatRunLease", this::somebodyWrites);
    }
    fleet.pass(LEASE.multipliedBy(2));
    done(other.runs().cancel(runId, new RunActionOptions()));

    fleet.faults.mend("appendRunEvents");
    fleet.pass(LEASE.dividedBy(3));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(run().counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_refused_outcome_that_was_stored_after_all_is_recognised_by_its_heartbeat() {
    begin();
    fleet.faults.fail("appendRunEvents", refusals().get(0));
    endFirst(contexts.get(0).release(Duration.ofDays(1)));
    Promise<Void> late = fleet.faults.hang("appendRunEvents");
    fleet.faults.before("heartbeatRunLease", late::complete); // just before the lease is renewed

    fleet.pass(LEASE);

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.RELEASED);
    assertThat(types()).containsOnlyOnce("run.released");
  }

  @Test
  void a_result_of_a_step_that_the_database_refuses_is_stored_once_that_is_mended() {
    List<String> made = new ArrayList<>();
    Task<String> steps = Task.define("steps", String.class).handler((payload, context) -> context
        .step("charge", String.class, () -> {
          made.add(payload);
          return Future.succeededFuture("charged");
        })
        .map(TaskResult::done));
    runlane = fleet.process(steps);
    runId = done(runlane.trigger(steps, "x")).run().id();
    fleet.faults.refuse("appendRunEvents", refusals().get(0));
    executed = runlane.executeNext();

    fleet.pass(LEASE.multipliedBy(5));
    fleet.faults.mend("appendRunEvents");
    fleet.pass(LEASE.dividedBy(3));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(made).hasSize(1);
    assertThat(done(runlane.runs().get(runId)).orElseThrow().counters().attempts())
        .isEqualTo(1);
  }

  @Test
  void a_runtime_that_closes_gives_a_refused_outcome_up_after_its_close_timeout() {
    begin();
    fleet.faults.refuse("appendRunEvents", refusals().get(0));
    endFirst(TaskResult.done());

    Future<Void> closed = runlane.close();
    fleet.pass(RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.plusSeconds(1));

    assertThat(closed.isComplete()).isTrue();
    int calls = fleet.faults.calls("appendRunEvents");
    fleet.pass(LEASE.multipliedBy(2));
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(calls);
  }

  @Test
  void an_outcome_is_offered_beyond_its_lease_and_stored_after_the_outage() {
    begin();
    fleet.faults.fail("appendRunEvents", 40);

    endFirst(TaskResult.done("finished"));
    fleet.pass(LEASE.plusSeconds(20));
    assertThat(executed.isComplete()).isFalse();
    fleet.pass(LEASE.multipliedBy(2));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run().counters().attempts()).as("finished work is not repeated").isEqualTo(1);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void an_outcome_whose_run_cannot_be_read_is_offered_beyond_its_lease_too() {
    begin();
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun", 40);

    endFirst(TaskResult.done());
    fleet.pass(LEASE.multipliedBy(4));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(types()).containsOnlyOnce("run.succeeded");
  }

  @Test
  void an_outcome_is_not_offered_any_more_once_somebody_has_taken_the_run_over() {
    begin();
    fleet.faults.fail("appendRunEvents", 20);
    endFirst(TaskResult.done("by the first"));
    fleet.pass(LEASE.plusSeconds(1));
    assertThat(executed.isComplete()).isFalse();

    other.executeNext();
    fleet.pass(LEASE);

    assertAbandoned();
    handlers.get(1).complete(TaskResult.done("by the other"));
    assertThat(run().output().text()).isEqualTo("\"by the other\"");
    assertThat(types()).containsOnlyOnce("run.succeeded");
  }

  @Test
  void an_outcome_that_cannot_be_stored_for_too_long_is_given_up() {
    begin(
        fleet.process(new RunlaneOptions().setOutcomeTimeout(Duration.ofMinutes(5)), QUEUES, task));
    fleet.faults.fail("appendRunEvents", 1_000);

    endFirst(TaskResult.done());
    fleet.pass(Duration.ofMinutes(4));
    assertThat(executed.isComplete()).isFalse();
    fleet.pass(Duration.ofMinutes(1).plusSeconds(5));

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, executed);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    int sent = fleet.faults.calls("appendRunEvents");
    fleet.pass(Duration.ofMinutes(10));
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(sent);
  }

  @Test
  void an_outcome_is_stored_after_an_outage_of_hours_and_thousands_of_offers() {
    begin(
        fleet.process(new RunlaneOptions().setOutcomeTimeout(Duration.ofHours(12)), QUEUES, task));
    fleet.faults.fail("appendRunEvents", 5_000);

    endFirst(TaskResult.done());
    fleet.pass(Duration.ofHours(4));

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    assertThat(types()).containsOnlyOnce("run.succeeded");
  }

  @Test
  void a_process_that_dies_while_it_offers_an_outcome_has_its_attempt_made_again() {
    begin();
    fleet.faults.fail("appendRunEvents", 1_000);
    endFirst(TaskResult.done());
    fleet.pass(LEASE.plusSeconds(1));

    fleet.faults.kill();
    other.executeNext();
    fleet.pass(LEASE);

    assertThat(contexts.get(1).attempt()).isEqualTo(2);
    handlers.get(1).complete(TaskResult.done("again"));
    assertThat(run().output().text()).isEqualTo("\"again\"");
    assertThat(types()).containsOnlyOnce("run.succeeded");
  }

  @Test
  void an_outcome_that_takes_effect_after_it_was_given_up_is_recognised() {
    begin();
    Promise<Void> late = fleet.faults.hang("appendRunEvents");
    fleet.faults.before("appendRunEvents", late::complete); // just before it is offered again

    endFirst(contexts.get(0).release(Duration.ofMinutes(1)));
    fleet.pass(LEASE);

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.RELEASED);
    assertThat(types()).containsOnlyOnce("run.released");
  }

  @Test
  void a_token_that_comes_again_in_a_later_attempt_is_not_the_own_lease() {
    begin();
    Lease first = run().lease();
    fleet.clock.advance(LEASE.plusSeconds(1));
    RunRecord run = run();
    EventHeader header = header();
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(header, first.until(fleet.clock.now().plus(LEASE))),
        new RunEvent.Started(header, 2));
    done(fleet.storage.claimRunLease(new ClaimRunLease(
            run.environment(),
            runId,
            run.eventSequence(),
            events,
            RunReducer.projectRunEvents(run, run.eventSequence(), events),
            QueuePolicy.unbounded("default"),
            fleet.clock.now())))
        .orElseThrow();

    endFirst(TaskResult.done("by the first attempt"));

    assertAbandoned();
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(run().counters().attempts()).isEqualTo(2);
  }

  @Test
  void a_read_the_storage_refuses_after_an_outage_ends_the_attempt_without_another_try() {
    begin();
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun", RunlaneException.adapterContractViolation("broken by this test"));

    endFirst(TaskResult.done());
    fleet.pass(Duration.ofSeconds(1));

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, executed);
    assertThat(fleet.faults.calls("getRun")).isEqualTo(1);
  }

  @Test
  void an_outcome_stands_when_its_lease_could_not_be_released() {
    begin();
    fleet.faults.fail("releaseRunLease");

    endFirst(TaskResult.done());

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.faults.calls("releaseRunLease")).isEqualTo(1);
    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void an_outcome_under_way_when_the_drain_timeout_is_over_is_still_stored() {
    runlane = fleet.process(task);
    runId = done(runlane.trigger(task, "x")).run().id();
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3))));
    fleet.settle();
    fleet.faults.fail("appendRunEvents", 3);
    endFirst(TaskResult.done());
    Promise<Void> read = fleet.faults.hold("getRun");
    fleet.pass(Duration.ofSeconds(1));
    assertThat(fleet.faults.calls("getRun")).isPositive();

    Future<Void> stopped = worker.stop();
    fleet.pass(Duration.ofSeconds(3));
    done(stopped);
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
    read.complete();
    fleet.pass(Duration.ofSeconds(5));

    assertThat(run().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_cancellation_heard_while_the_outcome_is_sent_costs_no_read_of_its_own() {
    begin();
    fleet.faults.before(
        "appendRunEvents", () -> done(other.runs().cancel(runId, new RunActionOptions())));

    endFirst(TaskResult.done());

    assertThat(done(executed).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(fleet.faults.calls("getRun")).as("after the lost race").isEqualTo(1);
    assertThat(contexts.get(0).isSignalled()).as("its handler was done").isFalse();
  }

  @Test
  void a_cancellation_that_was_heard_but_could_not_be_read_is_found_by_the_next_heartbeat() {
    begin();
    fleet.faults.fail("getRun");

    done(other.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();
    assertThat(contexts.get(0).isCancellationRequested()).isFalse();
    fleet.pass(Duration.ofSeconds(12));

    assertThat(contexts.get(0).isCancellationRequested()).isTrue();
    endFirst(TaskResult.done());
    assertThat(run().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_cancellation_makes_its_own_run_be_read_and_no_other() {
    begin();
    String otherRunId = done(runlane.trigger(task, "y")).run().id();
    runlane.executeNext();
    assertThat(handlers).hasSize(2);

    done(other.runs().cancel(otherRunId, new RunActionOptions()));

    assertThat(contexts.get(1).isCancellationRequested()).isTrue();
    assertThat(contexts.get(0).isSignalled()).isFalse();
    assertThat(fleet.faults.calls("getRun")).isEqualTo(1);
  }

  @Test
  void heartbeats_that_find_the_run_changed_but_cannot_read_it_do_not_extend_the_lease() {
    begin();
    somebodyWrites();
    fleet.faults.fail("getRun", 1_000);

    fleet.pass(LEASE.minusSeconds(1));
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(Duration.ofSeconds(1));

    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.LEASE_LOST);
  }
}
