package dev.runlane.runtime.operate;

import static dev.runlane.runtime.Fleet.NOON;
import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OperatorTest {
  private static final RunActionOptions ANNA =
      RunActionOptions.by("anna").setReason("the server is moved");
  private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return handler.future();
      });
  private final Runlane runlane = fleet.process(task);

  private RunRecord triggered() {
    return done(runlane.trigger(task, "x")).run();
  }

  private Runlane process(StorageAdapter storage) {
    return fleet.process(
        storage, new RunlaneOptions(), List.of(TaskQueue.of("default").asDefault()), task);
  }

  private void worker(Runlane process, WorkerMode mode) {
    done(process.worker(new WorkerOptions().setMode(mode).setPollInterval(Duration.ofMinutes(5))));
    fleet.settle();
  }

  private List<Reason> reasons(RunRecord run) {
    return done(runlane.runs().explain(run.id())).reasons();
  }

  @Test
  void a_paused_queue_is_claimed_by_no_process_after_two_seconds() {
    Runlane other = fleet.process(task);
    worker(other, WorkerMode.POLL);

    assertThat(done(runlane.operator().pauseQueue("default", ANNA))).isTrue();
    fleet.pass(TWO_SECONDS);
    RunRecord run = triggered();
    other.wake();
    fleet.settle();

    assertThat(handlers).isEmpty();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(done(runlane.operator().pausedQueues()))
        .extracting(PausedQueue::queue, PausedQueue::actor, PausedQueue::reason)
        .containsExactly(tuple("default", Actor.operator("anna"), "the server is moved"));
  }

  @Test
  void a_resume_wakes_the_workers_of_every_process_those_too_that_wait_behind_consumers() {
    Runlane other = fleet.process(task);
    worker(other, WorkerMode.SAFETY_NET);
    done(runlane.operator().pauseQueue("default", ANNA));
    fleet.pass(TWO_SECONDS);
    RunRecord run = triggered();
    assertThat(done(other.executeDelivery(Fleet.wakeup(run))))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.QUEUE_PAUSED));
    fleet.pass(Duration.ofMinutes(1));

    assertThat(done(runlane.operator().resumeQueue("default", ANNA))).isTrue();
    fleet.pass(TWO_SECONDS);

    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_resume_requests_new_wakeups_for_the_runs_whose_wakeups_were_ignored() {
    Runlane consumer = fleet.process(task);
    done(runlane.operator().pauseQueue("default", ANNA));
    List<RunRecord> runs = List.of(triggered(), triggered(), triggered());
    runs.forEach(run -> assertThat(done(consumer.executeDelivery(Fleet.wakeup(run))))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.QUEUE_PAUSED)));
    fleet.pass(Duration.ofMinutes(1));
    done(runlane.operator().resumeQueue("default", ANNA));

    Dispatcher lost =
        new Dispatcher(fleet.process(task).context(), new DispatcherOptions().setSweepLimit(2));
    assertThat(done(lost.recoverDeliveries())).isEqualTo(new PhaseCount(2, true));
    fleet.pass(Duration.ofSeconds(5));
    RunRecord later = triggered();
    Dispatcher next = new Dispatcher(consumer.context(), new DispatcherOptions());
    done(next.recoverDeliveries());
    fleet.pass(Duration.ofMinutes(1));

    runs.forEach(run -> assertThat(fleet.types(runlane, run.id()))
        .endsWith("run.delivery_requested", "run.delivery_requested"));
    assertThat(fleet.types(runlane, later.id()))
        .containsExactly("run.created", "run.delivery_requested");
    assertThat(done(next.recoverDeliveries())).isEqualTo(PhaseCount.NOTHING);
  }

  @Test
  void a_wakeup_is_ignored_only_for_a_pause_that_is_read_after_it_came() {
    Cut cut = new Cut();
    Runlane consumer = process(cut);
    done(runlane.operator().pauseQueue("default", ANNA));
    RunRecord run = triggered();
    done(consumer.executeDelivery(Fleet.wakeup(run)));
    int before = cut.reads;

    done(runlane.operator().resumeQueue("default", ANNA));
    Future<DeliveryResult> delivered = consumer.executeDelivery(Fleet.wakeup(run));
    fleet.settle();

    assertThat(handlers).hasSize(1);
    assertThat(cut.reads).isGreaterThan(before);
    handlers.get(0).complete(TaskResult.done());
    fleet.settle();
    assertThat(done(delivered)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @Test
  void a_delivery_of_a_paused_queue_is_ignored_with_that_reason() {
    RunRecord run = triggered();
    done(runlane.operator().pauseQueue("default", ANNA));

    assertThat(done(runlane.executeDelivery(Fleet.wakeup(run))))
        .isEqualTo(new DeliveryResult.Ignored(IgnoredReason.QUEUE_PAUSED));
  }

  @Test
  void run_now_fails_with_a_conflict_of_that_kind_and_stores_nothing() {
    done(runlane.operator().pauseQueue("default", ANNA));

    assertThat(failed(runlane.runNow(task, "x")).conflictKind())
        .contains(StorageConflictKind.QUEUE_PAUSED);
    assertThat(done(runlane.runs().list(RunFilter.ALL)).data()).isEmpty();
  }

  @Test
  void nothing_is_reserved_of_a_paused_queue_and_attempts_that_run_go_on() {
    Runlane bounded = fleet.process(
        new RunlaneOptions(), List.of(TaskQueue.of("few").concurrencyLimit(2).asDefault()), task);
    worker(bounded, WorkerMode.POLL);
    RunRecord first = done(bounded.trigger(task, "x")).run();
    Dispatcher dispatcher = new Dispatcher(bounded.context(), new DispatcherOptions());
    fleet.settle();
    assertThat(handlers).hasSize(1);

    done(bounded.operator().pauseQueue("few", ANNA));
    RunRecord second = done(bounded.trigger(task, "x")).run();
    done(dispatcher.reserveDispatches());
    handlers.get(0).complete(TaskResult.done());
    fleet.pass(TWO_SECONDS);

    assertThat(fleet.run(bounded, first.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.run(bounded, second.id()).reservation()).isNull();
    assertThat(handlers).hasSize(1);

    done(bounded.operator().resumeQueue("few", ANNA));
    fleet.settle();
    assertThat(handlers).hasSize(2);
  }

  @Test
  void nothing_is_claimed_where_it_cannot_be_read_for_two_seconds_which_queues_are_paused() {
    Cut cut = new Cut();
    Runlane process = process(cut);
    worker(process, WorkerMode.POLL);
    cut.isCut = true;
    fleet.pass(TWO_SECONDS);
    triggered();
    process.wake();
    fleet.settle();
    assertThat(handlers).isEmpty();

    cut.isCut = false;
    process.wake();
    fleet.pass(Duration.ofMinutes(1));
    assertThat(handlers).hasSize(1);
  }

  @Test
  void a_process_with_nothing_to_do_does_not_read_what_is_paused() {
    Cut cut = new Cut();
    Runlane process = process(cut);
    worker(process, WorkerMode.POLL);
    Dispatcher dispatcher = new Dispatcher(process.context(), new DispatcherOptions());
    fleet.pass(Duration.ofSeconds(5));
    int before = cut.reads;

    for (int second = 0; second < 60; second++) {
      done(dispatcher.sweepOnce());
      fleet.pass(Duration.ofSeconds(1));
    }
    assertThat(cut.reads - before).isZero();

    done(runlane.operator().pauseQueue("default", ANNA));
    done(process.trigger(task, "x"));
    fleet.settle();
    assertThat(handlers).isEmpty();
    assertThat(cut.reads - before).isEqualTo(1);
  }

  @Test
  void a_run_of_a_paused_queue_is_explained_by_that_and_by_whom() {
    RunRecord run = triggered();
    done(runlane.operator().pauseQueue("default", ANNA));

    assertThat(reasons(run)).first().satisfies(reason -> {
      assertThat(reason.code()).isEqualTo(Code.QUEUE_PAUSED);
      assertThat(reason.text()).contains("anna").contains("the server is moved");
      assertThat(reason.details()).containsEntry("pausedBy", "anna");
    });
    assertThat(reasons(run)).extracting(Reason::code).doesNotContain(Code.WAITING_FOR_WORKER);
  }

  @Test
  void workers_that_share_an_id_are_counted_together_and_end_one_by_one() {
    WorkerOptions three = new WorkerOptions().setWorkerId("w1").setConcurrency(3);
    WorkerHandle first = done(runlane.worker(three));
    done(runlane.worker(three));
    for (int run = 0; run < 4; run++) {
      triggered();
    }
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));
    assertThat(onlyProcess().process().slots()).isEqualTo(6);
    assertThat(onlyProcess().process().running()).isEqualTo(4);

    first.stop();
    handlers.forEach(each -> each.tryComplete(TaskResult.done()));
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));

    assertThat(onlyProcess().process().slots()).isEqualTo(3);
    assertThat(onlyProcess().process().workerIds()).contains("w1");
  }

  @Test
  void a_process_with_a_worker_says_every_five_seconds_that_it_lives() {
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setWorkerId("w1").setConcurrency(3)));
    triggered();
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));

    KnownProcess known = onlyProcess();
    assertThat(known.lastSeen())
        .isBetween(NOON.plus(OperatorStore.SIGN_INTERVAL), fleet.clock.now());
    assertThat(known.isGoneAt(fleet.clock.now())).isFalse();
    RuntimeProcess said = known.process();
    assertThat(said.queues()).containsExactly("default");
    assertThat(said.taskIds()).containsExactly("task");
    assertThat(said.workerIds()).contains("w1");
    assertThat(said.slots()).isEqualTo(3);
    assertThat(said.running()).isEqualTo(1);
    assertThat(said.startedAt()).isEqualTo(NOON);

    handlers.get(0).complete(TaskResult.done());
    Future<Void> stopped = worker.stop();
    fleet.pass(Duration.ofSeconds(5));
    done(stopped);
    assertThat(onlyProcess().process().slots()).isZero();

    Future<Void> closed = runlane.close();
    fleet.settle();
    done(closed);
    assertThat(done(fleet.process(task).operator().processes(null, null)).data())
        .isEmpty();
  }

  @Test
  void a_process_says_of_its_queues_those_that_its_workers_take_and_all_while_it_has_none() {
    Task<String> filed = Task.define("filed", String.class)
        .queue(TaskQueue.of("files"))
        .handler((payload, context) -> Promise.<TaskResult>promise().future());
    Runlane two = fleet.process(
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault(), TaskQueue.of("files")),
        task,
        filed);
    WorkerHandle worker = done(two.worker(new WorkerOptions().setQueues(List.of("files"))));
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));
    assertThat(onlyProcess().process().queues()).containsExactly("files");

    DeliveryWorker delivered =
        two.deliveryWorker(new WorkerOptions().setQueues(List.of("default")));
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));
    assertThat(onlyProcess().process().queues()).containsExactly("default", "files");

    worker.stop();
    delivered.stop();
    fleet.pass(OperatorStore.SIGN_INTERVAL.plusSeconds(1));
    assertThat(onlyProcess().process().slots()).isZero();
    assertThat(onlyProcess().process().queues()).containsExactly("default", "files");
  }

  @Test
  void a_process_without_any_role_says_nothing() {
    triggered();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(done(runlane.operator().processes(null, null)).data()).isEmpty();
  }

  @Test
  void a_count_that_takes_long_makes_no_living_process_look_gone() {
    Cut storage = new Cut();
    storage.isLate = true;
    worker(process(storage), WorkerMode.POLL);

    fleet.pass(OperatorStore.GONE_AFTER.multipliedBy(2));

    assertThat(onlyProcess().isGoneAt(fleet.clock.now())).isFalse();
  }

  @Test
  void a_dispatcher_looks_for_resumed_queues_every_ten_seconds_and_at_once_after_a_resume() {
    Cut storage = new Cut();
    Runlane mine = process(storage);
    Dispatcher dispatcher = new Dispatcher(mine.context(), new DispatcherOptions());
    dispatcher.listen(Runnable::run, delay -> {});

    for (int second = 0; second < 30; second++) {
      done(dispatcher.sweepOnce());
      fleet.pass(Duration.ofSeconds(1));
    }
    assertThat(storage.looks).isEqualTo(3);

    done(mine.operator().pauseQueue("default", ANNA));
    done(mine.operator().resumeQueue("default", ANNA));
    fleet.settle();
    done(dispatcher.sweepOnce());
    assertThat(storage.looks).isEqualTo(4);
  }

  @Test
  void callers_that_ask_at_once_share_one_read_of_the_paused_queues() {
    Cut storage = new Cut();
    Runlane mine = process(storage);
    storage.isLate = true;
    List<Future<?>> asked = new ArrayList<>();

    for (int caller = 0; caller < 100; caller++) {
      asked.add(mine.runNow(task, "x"));
    }
    fleet.settle();
    assertThat(storage.reads).isEqualTo(1);
    storage.answersLate.complete();
    fleet.settle();

    assertThat(handlers).hasSize(100);
  }

  @Test
  void the_leases_of_a_process_that_is_gone_are_told_before_they_expire() {
    Cut cut = new Cut();
    Runlane lost = fleet.process(
        cut, new RunlaneOptions(), List.of(TaskQueue.of("default").asDefault()), task);
    done(lost.worker(new WorkerOptions().setWorkerId("lost")));
    RunRecord run = done(lost.trigger(task, "x")).run();
    fleet.settle();
    assertThat(handlers).hasSize(1);
    assertThat(reasons(run)).extracting(Reason::code).doesNotContain(Code.OWNER_GONE);

    cut.isCut = true;
    fleet.pass(OperatorStore.GONE_AFTER);

    KnownProcess gone = onlyProcess();
    assertThat(gone.isGoneAt(fleet.clock.now())).isTrue();
    assertThat(done(runlane.operator().leasesOf(gone.process().processId(), 10)))
        .extracting(HeldLease::runId, HeldLease::workerId)
        .containsExactly(tuple(run.id(), "lost"));
    assertThat(reasons(run)).first().satisfies(reason -> {
      assertThat(reason.code()).isEqualTo(Code.OWNER_GONE);
      assertThat(reason.details()).containsEntry("workerId", "lost");
    });
  }

  @Test
  void depths_are_counted_by_a_process_with_roles_from_its_beginning_on() {
    assertThat(done(runlane.operator().depths())).isEmpty();
    done(runlane.operator().pauseQueue("default", ANNA));
    triggered();
    worker(runlane, WorkerMode.POLL);
    fleet.pass(Duration.ofSeconds(35));

    assertThat(done(runlane.operator().depths()).orElseThrow().queues())
        .containsExactly(new QueueDepth("default", 1, 0, 0, NOON));
  }

  @Test
  void dead_letters_are_listed_with_their_reason_and_published_again_when_they_are_redriven() {
    RunRecord run = done(runlane.trigger(
            task, "x", new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run();
    FailureRecord failure =
        new FailureRecord(ErrorCode.TRANSPORT_UNAVAILABLE, "no such topic", false, null);
    ClaimedOutboxMessage claimed = done(fleet.storage.claimOutboxMessages(new ClaimOutboxMessages(
            run.environment(), NOON.plus(Duration.ofDays(1)), Duration.ofMinutes(1), 1, null)))
        .get(0);
    done(fleet.storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        run.environment(),
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            claimed.id(), claimed.claimToken(), failure)),
        NOON)));

    List<OutboxEntry> dead = done(runlane
            .operator()
            .outbox(OutboxMessageStatus.DEAD_LETTERED, null, null))
        .data();
    assertThat(dead).extracting(OutboxEntry::runId).containsExactly(run.id());
    assertThat(dead).extracting(OutboxEntry::failure).containsExactly(failure);

    assertThat(done(runlane.operator().redrive(List.of(claimed.id()), ANNA)))
        .containsExactly(claimed.id());
    assertThat(done(runlane.operator().outbox(OutboxMessageStatus.PENDING, null, null))
            .data())
        .hasSize(1);
    assertThat(done(runlane.operator().redriveDeadLetters(10, ANNA))).isEmpty();
  }

  @Test
  void every_action_stands_in_the_log_with_who_why_and_how_it_ended() {
    done(runlane.operator().pauseQueue("default", ANNA));
    fleet.pass(Duration.ofSeconds(1));
    Future<String> broken = runlane
        .operator()
        .recorded("jobs.drain", "mail", ANNA, () -> Future.failedFuture("no such queue"));
    assertThat(broken.failed()).isTrue();

    assertThat(done(runlane.operator().actions(null, null)).data())
        .extracting(
            OperatorAction::action,
            OperatorAction::target,
            OperatorAction::actor,
            OperatorAction::reason,
            OperatorAction::succeeded,
            OperatorAction::result)
        .containsExactly(
            tuple(
                "jobs.drain",
                "mail",
                Actor.operator("anna"),
                "the server is moved",
                false,
                "no such queue"),
            tuple(
                "queue.pause",
                "default",
                Actor.operator("anna"),
                "the server is moved",
                true,
                "paused"));
  }

  @Test
  void a_key_of_an_ended_run_is_freed_and_it_stands_in_the_log_with_the_run_that_had_it() {
    Task<String> quick = Task.define("quick", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
    Runlane process = fleet.process(quick);
    TriggerOptions keyed = new TriggerOptions().setIdempotencyKey("A-1");
    Operator operator = process.operator();
    String owner = done(process.trigger(quick, "x", keyed)).run().id();
    Throwable active = failed(operator.resetKey("quick", "A-1", ANNA));
    assertThat(((RunlaneException) active).conflictKind())
        .contains(StorageConflictKind.IDEMPOTENCY_KEY);
    done(process.executeNext());
    fleet.pass(Duration.ofSeconds(1));
    assertThat(done(process.trigger(quick, "x", keyed)).outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);

    assertThat(done(operator.resetKey("quick", "A-1", ANNA))).contains(owner);
    fleet.pass(Duration.ofSeconds(1));
    assertThat(done(process.trigger(quick, "x", keyed)).outcome())
        .isEqualTo(TriggerOutcome.CREATED);
    assertThat(done(operator.resetKey("no such task", "A-1", ANNA))).isEmpty();

    assertThat(done(operator.actions(null, null)).data())
        .extracting(
            OperatorAction::action,
            OperatorAction::target,
            OperatorAction::actor,
            OperatorAction::reason,
            OperatorAction::succeeded)
        .contains(tuple(
            Operator.RESET_KEY, "quick/A-1", Actor.operator("anna"), "the server is moved", true))
        .contains(tuple(
            Operator.RESET_KEY, "quick/A-1", Actor.operator("anna"), "the server is moved", false));
    assertThat(done(operator.actions(null, null)).data())
        .extracting(OperatorAction::result)
        .contains("taken from run " + owner, "was free");
  }

  @Test
  void work_that_answers_no_future_has_failed_in_the_log_too() {
    Future<String> broken = runlane.operator().recorded("jobs.drain", "mail", ANNA, () -> null);

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, broken);
    assertThat(done(runlane.operator().actions(null, null)).data())
        .extracting(OperatorAction::succeeded)
        .containsExactly(false);
  }

  @Test
  void what_recorded_work_throws_reaches_who_asked_for_it_as_it_was_thrown() {
    IllegalStateException refusal = new IllegalStateException("not from here");
    Future<String> refused = runlane.operator().recorded("jobs.drain", "mail", ANNA, () -> {
      throw refusal;
    });

    assertThat(refused.cause()).isSameAs(refusal);
    assertThat(done(runlane.operator().actions(null, null)).data())
        .extracting(OperatorAction::succeeded)
        .containsExactly(false);
  }

  @Test
  void a_malformed_key_is_refused_and_not_recorded() {
    for (String key : List.of("a:b", "")) {
      assertFails(ErrorCode.VALIDATION_FAILED, runlane.operator().resetKey(task.id(), key, ANNA));
    }
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.operator().resetKey("", "A-1", ANNA));

    assertThat(done(runlane.operator().actions(null, null)).data()).isEmpty();
  }

  @Test
  void a_storage_that_keeps_nothing_for_operators_works_without() {
    Runlane plain = fleet.process(
        new ForwardingStorageAdapter(fleet.storage) {
          @Override
          public Optional<OperatorStore> operator() {
            return Optional.empty();
          }
        },
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        task);
    done(plain.worker(new WorkerOptions()));
    done(plain.trigger(task, "x"));
    fleet.settle();

    assertThat(handlers).hasSize(1);
    assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, plain.operator().pausedQueues());
    assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, plain.operator().pauseQueue("default", ANNA));
  }

  private KnownProcess onlyProcess() {
    List<KnownProcess> known = done(runlane.operator().processes(null, null)).data();
    assertThat(known).hasSize(1);
    return known.get(0);
  }

  /** A storage that one process cannot tell anything for operators any more. */
  private final class Cut extends ForwardingStorageAdapter {
    private final Promise<Void> answersLate = Promise.promise();
    private boolean isCut;
    private boolean isLate;
    private int reads;
    private int looks; // for runs of resumed queues

    Cut() {
      super(fleet.storage);
    }

    @Override
    public Optional<OperatorStore> operator() {
      return super.operator().map(real -> new ForwardingOperatorStore(real) {
        @Override
        public Future<Void> signOfLife(SignOfLife command) {
          return isCut ? Future.failedFuture("cut") : super.signOfLife(command);
        }

        @Override
        public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
          looks++;
          return super.takeResumedRuns(command);
        }

        @Override
        public Future<Boolean> takeSample(TakeSample command) {
          return isLate ? answersLate.future().map(true) : super.takeSample(command);
        }

        @Override
        public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
          reads++;
          if (isLate) {
            return answersLate.future().compose(now -> super.listPausedQueues(query));
          }
          return isCut ? Future.failedFuture("cut") : super.listPausedQueues(query);
        }
      });
    }
  }

  @Test
  void a_silence_of_no_length_fails_in_its_future() {
    assertFails(
        ErrorCode.VALIDATION_FAILED, runlane.alerts().silenceFor("gone", Duration.ZERO, ANNA));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.alerts().silenceFor("gone", Duration.ofDays(366), ANNA));
  }
}
