package dev.runlane.runtime.process;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Faults;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.operate.PruneOptions;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A process whose clock differs from the storage's by more than leases bear. */
class ClockMonitorTest {
  private static final Duration OFF = Duration.ofSeconds(90);

  private final Fleet fleet = new Fleet();
  private final MemoryStorage storage =
      new MemoryStorage(new Ids(fleet.clock, fleet.randomness), fleet.clock);
  private final Faults faults = new Faults(storage);
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .retry(RetryPolicy.attempts(9))
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        contexts.add(context);
        return handler.future();
      });
  private Duration ahead = Duration.ZERO; // of the process that is made next, and may be changed
  private int outages; // readings of the storage's clock that fail

  /** A process whose clock is {@link #ahead} of everybody's. */
  private Runlane skewed() {
    Clock skewed = () -> fleet.clock.now().plus(ahead);
    return process(skewed);
  }

  private Runlane process(Clock clock) {
    return process(clock, faults, task);
  }

  /** A process that goes its own way to the storage. */
  private Runlane process(Clock clock, Faults way, Task<String> given) {
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(way.storage(), fleet.transport))
        .clock(clock)
        .randomness(fleet.randomness)
        .queues(List.of(
            TaskQueue.of("default").asDefault(), TaskQueue.of("bounded").concurrencyLimit(1)))
        .task(given)
        .build();
    done(runlane.start());
    return runlane;
  }

  private String leasedByALivingWorker() {
    Runlane living = process(fleet.clock);
    String runId = done(living.trigger(task, "x")).run().id();
    done(living.worker(new WorkerOptions()));
    fleet.settle();
    assertThat(handlers).hasSize(1);
    return runId;
  }

  private RunRecord run(Runlane runlane, String runId) {
    return done(runlane.runs().get(runId)).orElseThrow();
  }

  @Test
  void a_process_that_is_ahead_takes_no_lease_from_a_living_worker() {
    String runId = leasedByALivingWorker();
    ahead = OFF;
    Runlane wrong = skewed();

    done(wrong.worker(new WorkerOptions()));
    assertFails(ErrorCode.OPERATION_CANCELLED, wrong.tick());
    assertFails(ErrorCode.OPERATION_CANCELLED, wrong.executeNext());
    assertFails(ErrorCode.OPERATION_CANCELLED, wrong.runNow(task, "y"));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(handlers).hasSize(1);
    assertThat(run(wrong, runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_process_that_is_behind_claims_nothing_either() {
    ahead = OFF.negated();
    Runlane wrong = skewed();
    done(wrong.worker(new WorkerOptions()));
    Runlane right = process(fleet.clock);
    done(right.trigger(task, "x"));

    fleet.pass(Duration.ofMinutes(2));

    assertThat(handlers).isEmpty();
  }

  @Test
  void a_lease_that_is_held_goes_by_the_storages_time_while_the_clock_is_off() {
    for (Duration step : List.of(OFF.negated(), OFF)) {
      handlers.clear();
      contexts.clear();
      ahead = Duration.ZERO;
      Runlane stepping = skewed();
      String runId = done(stepping.trigger(task, "x")).run().id();
      done(stepping.worker(new WorkerOptions()));
      fleet.settle();
      done(process(fleet.clock).worker(new WorkerOptions()));

      ahead = step;
      fleet.pass(Duration.ofMinutes(2));

      assertThat(handlers).hasSize(1);
      assertThat(contexts.get(0).isSignalled()).isFalse();
      assertThat(run(stepping, runId).lease().expiresAt())
          .isBetween(fleet.clock.now(), fleet.clock.now().plus(Duration.ofSeconds(31)));
      handlers.get(0).complete(TaskResult.done());
      fleet.settle();
    }
  }

  @Test
  void a_difference_that_leases_bear_keeps_nobody_from_working() {
    ahead = Duration.ofSeconds(2);
    Runlane wrong = skewed();
    done(wrong.trigger(task, "x"));

    done(wrong.worker(new WorkerOptions()));
    fleet.settle();

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_clock_that_jumps_is_noticed_before_anything_is_claimed_by_it() {
    Runlane wrong = skewed();
    done(wrong.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(10));
    int before = faults.calls("claimRuns");

    ahead = OFF;
    fleet.pass(Duration.ofSeconds(30));

    assertThat(faults.calls("claimRuns")).isEqualTo(before);
  }

  @Test
  void a_clock_that_jumps_while_the_storage_answers_claims_nothing_of_what_it_found() {
    faults.withoutBatch();
    Runlane jumping = skewed();
    done(jumping.trigger(task, "y"));
    faults.before("getRuns", () -> ahead = OFF);

    done(jumping.worker(new WorkerOptions()));
    fleet.settle();

    assertThat(ahead).as("the clock has jumped").isEqualTo(OFF);
    assertThat(faults.calls("claimRunLease")).isZero();
    assertThat(handlers).isEmpty();
  }

  @Test
  void a_clock_that_is_mended_claims_again() {
    ahead = OFF;
    Runlane wrong = skewed();
    done(wrong.worker(new WorkerOptions()));
    String runId = done(process(fleet.clock).trigger(task, "x")).run().id();
    fleet.pass(Duration.ofMinutes(1));
    assertThat(handlers).isEmpty();

    ahead = Duration.ZERO;
    fleet.pass(Duration.ofSeconds(2));

    assertThat(run(wrong, runId).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void after_the_machine_was_suspended_the_clocks_are_compared_anew() {
    Runlane process = skewed();
    done(process.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(10));
    fleet.clock.advance(OFF); // all clocks went on, but the timers of this process did not
    done(process.trigger(task, "x"));

    fleet.pass(Duration.ofSeconds(3));

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_measurement_that_fails_while_the_clocks_differ_is_made_again_soon() {
    ClockMonitor watch = monitor(fleet.clock);
    done(watch.start());
    fleet.pass(Duration.ofSeconds(10));
    fleet.clock.advance(OFF); // all clocks went on, but the timers of this process did not
    outages = 13;
    assertThat(watch.mayClaim()).isFalse();

    fleet.pass(Duration.ofSeconds(6));

    assertThat(watch.mayClaim()).isTrue();
  }

  @Test
  void a_reading_that_fails_leaves_the_others_their_say() {
    outages = 4; // of the five of a measurement
    ClockMonitor watch = monitor(() -> fleet.clock.now().plus(OFF));

    done(watch.start());

    assertThat(watch.mayClaim()).isFalse();
  }

  @Test
  void the_first_reading_counts_before_the_others_are_there() {
    List<Promise<Instant>> unanswered = new ArrayList<>();
    ClockMonitor watch = new ClockMonitor(
        Optional.of(() -> {
          unanswered.add(Promise.promise());
          return unanswered.size() == 1
              ? Future.succeededFuture(fleet.clock.now())
              : unanswered.get(unanswered.size() - 1).future();
        }),
        () -> fleet.clock.now().plus(OFF),
        RuntimeHost.singleThread(fleet.timers),
        Duration.ofSeconds(3));

    watch.start();

    assertThat(unanswered).hasSize(2);
    assertThat(watch.mayClaim()).isFalse();
  }

  @Test
  void a_process_that_has_never_read_the_storages_clock_asks_again_soon() {
    outages = 12;
    ClockMonitor watch = monitor(() -> fleet.clock.now().plus(OFF));
    done(watch.start());
    assertThat(watch.mayClaim()).isTrue(); // as far as is known

    fleet.pass(Duration.ofSeconds(6));

    assertThat(watch.mayClaim()).isFalse();
  }

  /** Of a process with this clock, beside a storage whose next readings fail. */
  private ClockMonitor monitor(Clock clock) {
    return new ClockMonitor(
        Optional.of(() -> outages-- > 0
            ? Future.failedFuture(Faults.outage())
            : Future.succeededFuture(fleet.clock.now())),
        clock,
        RuntimeHost.singleThread(fleet.timers),
        Duration.ofSeconds(3));
  }

  @Test
  void an_operator_whose_clock_is_ahead_prunes_no_younger_runs_than_was_asked_for() {
    String runId = leasedByALivingWorker();
    handlers.get(0).complete(TaskResult.done());
    fleet.settle();
    ahead = Duration.ofDays(60);
    Runlane operator = skewed();

    PrunedRuns pruned = done(operator.runs().prune(PruneOptions.olderThan(Duration.ofDays(30))));

    assertThat(pruned.prunedRuns()).isZero();
    assertThat(run(operator, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_run_of_a_process_that_dies_with_a_clock_that_is_ahead_is_taken_over_after_its_lease() {
    Faults dying = new Faults(storage);
    Runlane wrong = process(() -> fleet.clock.now().plus(ahead), dying, task);
    String runId = done(wrong.trigger(task, "x")).run().id();
    done(wrong.worker(new WorkerOptions()));
    fleet.settle();
    ahead = Duration.ofHours(1);
    fleet.pass(Duration.ofSeconds(15));
    assertThat(dying.calls("heartbeatRunLease")).isPositive();

    dying.kill();
    Runlane right = process(fleet.clock);
    done(right.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(45));

    assertThat(handlers).hasSize(2);
    assertThat(run(right, runId).counters().attempts()).isEqualTo(2);
  }

  @Test
  void what_is_handed_back_or_tried_again_by_a_clock_that_is_ahead_is_due_for_others() {
    Runlane wrong = skewed();
    List<String> runIds = List.of(
        done(wrong.trigger(task, "failing")).run().id(),
        done(wrong.trigger(task, "stopping")).run().id());
    WorkerHandle worker = done(wrong.worker(new WorkerOptions()));
    fleet.settle();
    ahead = Duration.ofHours(1);
    fleet.pass(Duration.ofSeconds(5));
    handlers.get(0).fail(new IllegalStateException("the first try"));
    fleet.settle();
    worker.stop();
    handlers.get(1).fail(RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "asked to stop"));
    fleet.settle();

    Runlane right = process(fleet.clock);
    done(right.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(1));

    assertThat(handlers).hasSize(4);
    assertThat(runIds)
        .allSatisfy(runId -> assertThat(run(right, runId).status()).isEqualTo(RunStatus.RUNNING));
  }

  @Test
  void a_trigger_by_a_clock_that_is_ahead_is_due_when_it_was_asked_for() {
    ahead = Duration.ofHours(1);
    Runlane wrong = skewed();
    done(process(fleet.clock).worker(new WorkerOptions()));

    done(wrong.trigger(task, "now"));
    done(wrong.trigger(task, "later", new TriggerOptions().setDelay(Duration.ofMinutes(1))));
    fleet.settle();
    assertThat(handlers).hasSize(1);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(handlers).hasSize(2);
  }

  @Test
  void a_dead_letter_that_is_redriven_by_a_clock_that_is_ahead_is_due_at_once() {
    RunRecord run = done(process(fleet.clock)
            .trigger(task, "x", new TriggerOptions().setDelay(Duration.ofMinutes(1))))
        .run();
    ClaimedOutboxMessage claimed =
        outbox(run, fleet.clock.now().plus(Duration.ofHours(1))).get(0);
    FailureRecord failure =
        new FailureRecord(ErrorCode.TRANSPORT_UNAVAILABLE, "no such topic", false, null);
    done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        run.environment(),
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            claimed.id(), claimed.claimToken(), failure)),
        fleet.clock.now())));
    ahead = Duration.ofHours(1);
    Runlane wrong = skewed();

    done(wrong.operator().redrive(List.of(claimed.id()), RunActionOptions.by("anna")));

    assertThat(outbox(run, fleet.clock.now()))
        .extracting(ClaimedOutboxMessage::id)
        .containsExactly(claimed.id());
    assertThat(done(wrong.operator().actions(null, null)).data())
        .extracting(OperatorAction::at)
        .containsExactly(fleet.clock.now());
  }

  /** What is claimed then. */
  private List<ClaimedOutboxMessage> outbox(RunRecord run, Instant at) {
    return done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(run.environment(), at, Duration.ofMinutes(1), 1, null)));
  }

  @Test
  void a_key_that_is_retained_is_not_given_away_by_a_clock_that_is_ahead() {
    Runlane right = process(fleet.clock);
    TriggerOptions keyed = new TriggerOptions()
        .setIdempotencyKey("k")
        .setIdempotencyTtl(IdempotencyTtl.of(Duration.ofHours(1)));
    done(right.trigger(task, "x", keyed));
    done(right.worker(new WorkerOptions()));
    fleet.settle();
    handlers.get(0).complete(TaskResult.done());
    ahead = Duration.ofHours(2);
    Runlane wrong = skewed();

    assertThat(done(wrong.trigger(task, "x", keyed)).outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    fleet.pass(Duration.ofMinutes(61));
    assertThat(done(wrong.trigger(task, "x", keyed)).outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void a_sleep_that_begins_by_a_clock_that_is_ahead_lasts_as_long_as_it_was_asked_for() {
    Promise<Void> begins = Promise.promise();
    List<String> went = new ArrayList<>();
    Task<String> sleepy = Task.define("sleepy", String.class).handler((payload, context) -> begins
        .future()
        .compose(begun -> context.sleep(Duration.ofMinutes(5)))
        .onSuccess(over -> went.add("on"))
        .map(over -> TaskResult.done()));
    Runlane wrong = process(() -> fleet.clock.now().plus(ahead), faults, sleepy);
    done(wrong.trigger(sleepy, "x"));
    done(wrong.worker(new WorkerOptions()));
    fleet.settle();
    ahead = Duration.ofHours(1);
    fleet.pass(Duration.ofSeconds(15));

    begins.complete();
    done(process(fleet.clock, faults, sleepy).worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(4));
    assertThat(went).isEmpty();
    fleet.pass(Duration.ofMinutes(2));

    assertThat(went).hasSize(1);
  }

  @Test
  void a_difference_is_believed_once_it_was_measured() {
    ClockMonitor watch = monitor(() -> fleet.clock.now().plus(ahead));
    done(watch.start());
    ahead = OFF;
    assertThat(watch.mayClaim()).isFalse();
    assertThat(watch.eventTime())
        .as("the timers may have stood")
        .isEqualTo(fleet.clock.now().plus(OFF));

    fleet.pass(Duration.ofSeconds(2));
    assertThat(watch.eventTime()).isEqualTo(fleet.clock.now());

    ahead = OFF.negated();
    fleet.pass(Duration.ofSeconds(2));
    assertThat(watch.eventTime()).as("the earlier").isEqualTo(fleet.clock.now().minus(OFF));
  }

  @Test
  void maintenance_rests_meanwhile() {
    String runId = leasedByALivingWorker();
    ahead = OFF;
    Runlane wrong = skewed();
    RoleLoop dispatcher = new RoleLoop(
        wrong.context(),
        "dispatcher",
        new Dispatcher(wrong.context(), new DispatcherOptions()),
        new DispatcherOptions(),
        Runnable::run);

    dispatcher.start();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(faults.calls("listRunsNeedingDelivery")).isZero();
    assertThat(run(wrong, runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_dispatcher_whose_clock_jumps_while_it_waits_for_the_storage_reserves_nothing() {
    Runlane stepping = skewed();
    faults.before("listRunsNeedingDelivery", () -> ahead = OFF);

    done(new Dispatcher(stepping.context(), new DispatcherOptions()).sweepOnce());

    assertThat(faults.calls("listRunsNeedingDelivery")).isOne();
    assertThat(faults.calls("listRunsNeedingDispatch")).isZero();
  }

  @Test
  void a_tick_whose_clock_jumps_in_one_phase_fails_the_later_ones() {
    Runlane stepping = skewed();
    faults.before("listRunsNeedingDelivery", () -> ahead = OFF);

    assertFails(ErrorCode.OPERATION_CANCELLED, stepping.tick());

    assertThat(faults.calls("listRunsNeedingDispatch")).isZero();
    assertThat(faults.calls("claimOutboxMessages")).isZero();
  }

  @Test
  void a_wakeup_that_comes_meanwhile_is_not_used_up() {
    Runlane wrong = skewed();
    RunRecord run = run(wrong, done(wrong.trigger(task, "x")).run().id());
    ahead = OFF;

    assertFails(ErrorCode.OPERATION_CANCELLED, wrong.executeDelivery(Fleet.wakeup(run)));
    ahead = Duration.ZERO;
    wrong.executeDelivery(Fleet.wakeup(run));

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_reading_that_took_longer_than_the_tolerance_says_nothing_and_one_quick_one_says_it_all() {
    List<Duration> trips = new ArrayList<>(List.of(
        Duration.ofSeconds(8), // a connection was opened
        Duration.ofSeconds(4),
        Duration.ofMillis(10),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2)));
    ClockMonitor watch = new ClockMonitor(
        Optional.of(() -> {
          Instant read = fleet.clock.now();
          return fleet.timers.after(trips.remove(0)).map(answered -> read);
        }),
        fleet.clock,
        RuntimeHost.singleThread(fleet.timers),
        Duration.ofSeconds(3));

    Future<Void> measured = watch.measure();
    fleet.pass(Duration.ofSeconds(16));

    done(measured);
    assertThat(watch.ahead()).isEqualTo(Duration.ofMillis(5)); // half of the quickest trip
    assertThat(watch.mayClaim()).isTrue();
  }

  @Test
  void a_storage_that_answers_slowly_only_is_not_a_wrong_clock() {
    ClockMonitor watch = new ClockMonitor(
        Optional.of(() -> {
          Instant read = fleet.clock.now();
          return fleet.timers.after(Duration.ofSeconds(8)).map(answered -> read);
        }),
        fleet.clock,
        RuntimeHost.singleThread(fleet.timers),
        Duration.ofSeconds(3));

    Future<Void> measured = watch.measure();
    fleet.pass(Duration.ofSeconds(40));

    done(measured);
    assertThat(watch.mayClaim()).isTrue();
  }
}
