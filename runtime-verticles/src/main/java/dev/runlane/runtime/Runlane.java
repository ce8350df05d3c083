package dev.runlane.runtime;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.json.JsonCodec;
import dev.runlane.lane.Lane;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.alert.Alerts;
import dev.runlane.runtime.create.CommittedRuns;
import dev.runlane.runtime.create.NewRuns;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.lease.LeaseHeartbeater;
import dev.runlane.runtime.observe.ClockState;
import dev.runlane.runtime.observe.RefusedOutcomes;
import dev.runlane.runtime.operate.IdempotencyKeys;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.operate.RunEndListener;
import dev.runlane.runtime.operate.RunSubscription;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.operate.Schedules;
import dev.runlane.runtime.process.GuardedStorage;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.runtime.task.PreparedRun;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.RunNow;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.runtime.worker.WorkerRuntime;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryExecutor;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A runtime: tasks and queues on a lane. Made by a builder, started once, closed once, shared by everything
 * in the process. Safe for use by any thread; a caller on a Vert.x context gets its answers there. No method
 * throws once the runtime is built: every failure comes through the future.
 */
public final class Runlane implements DeliveryExecutor, WorkerRuntime {
  private static final Logger LOG = LoggerFactory.getLogger(Runlane.class);

  /** How much later than the close timeout the roles may end. */
  private static final Duration ROLES_GRACE = Duration.ofMillis(500);

  /** The same of the lane, whose connections to silent servers are given up 1 s after its close began. */
  private static final Duration LANE_GRACE = Duration.ofMillis(1_750);

  /** The same of the host, and so of all. */
  private static final Duration HOST_GRACE = Duration.ofMillis(1_900);

  private final Lane lane;
  private final RuntimeContext context;
  private final Engine engine;
  private final NewRuns newRuns;
  private final Triggers triggers;
  private final CommittedRuns committed;
  private final Runs runs;
  private final Operator operator;
  private final Schedules schedules;
  private final IdempotencyKeys idempotencyKeys;
  private final Tick tick;
  private final String workerId;
  private final List<DeployedRunlane> deployments = new ArrayList<>(); // on the home context
  private final Set<Future<TickResult>> passes = new LinkedHashSet<>(); // on the home context
  private final OwningVerticle owner = OwningVerticle.ofCaller(this::close);
  private boolean closing; // on the home context

  Runlane(Lane lane, RuntimeContext context, LeaseHeartbeater leases, JsonCodec codec) {
    this.lane = lane;
    this.context = context;
    newRuns = new NewRuns(
        context.registry(),
        context.ids(),
        context::eventTime,
        context.options().metaLimits(),
        context.observer());
    triggers = Triggers.of(context, newRuns);
    committed = new CommittedRuns(context);
    workerId = context.ids().workerId();
    engine = new Engine(context, leases, triggers, codec, workerId);
    runs = new Runs(context, newRuns, triggers, lane.capabilities().operatorReads());
    operator = new Operator(context, triggers);
    schedules = new Schedules(context, operator, newRuns, triggers);
    idempotencyKeys = new IdempotencyKeys(context);
    tick = new Tick(context, new TickOptions());
  }

  /**
   * A builder of a runtime on {@code vertx}. A runtime that was started lives until it is closed, until Vert.x is, or
   * until the verticle is undeployed on whose context it was built. That verticle closes it in its {@code stop()} best:
   * what it leaves open is closed behind it, when its roles and whatever else it deployed are gone.
   */
  public static RunlaneBuilder builder(Vertx vertx, Lane lane) {
    return new RunlaneBuilder(RuntimeHost.of(vertx), lane);
  }

  /** A builder of a runtime on another host, such as a simulation's. */
  public static RunlaneBuilder builder(RuntimeHost host, Lane lane) {
    return new RunlaneBuilder(host, lane);
  }

  /**
   * Starts the lane, storage before transport, then the step transport, and compares the clocks, for 2 s at most.
   * Completes when the runtime can be used; fails with {@code OperationCancelled} where it is closed meanwhile.
   */
  public Future<Void> start() {
    owner.watch();
    return context
        .host()
        .start()
        .compose(started -> lane.start())
        .compose(started -> context
            .remoteSteps()
            .map(steps -> AdapterCall.of("stepTransport.start", steps.transport()::start))
            .orElse(Future.succeededFuture()))
        .compose(started -> context.host().call(() -> open()
            .compose(yes -> context.clockMonitor().start())))
        .compose(started -> context.host().call(() -> open().compose(yes -> {
          context.signs().start(workerId);
          return context.limits().start(workerId);
        })));
  }

  /** Fails where this was closed while it started: whoever did so stops nothing that begins later. */
  private Future<Void> open() {
    return closing
        ? Future.failedFuture(RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "the runtime was closed while it started"))
        : Future.succeededFuture();
  }

  /**
   * Undeploys what {@link #deploy} deployed and is still there, stops what else this runtime runs, waits for the
   * passes of {@link #tick} under way and the wakeups of its triggers, and closes the step transport and the lane:
   * transport, then storage. Ends within the close timeout and 2 s, whatever does not answer any more: attempts that
   * continue then are left to their leases, an outcome that is not stored is given up, and a lane that has not closed
   * fails the future with {@code OperationCancelled}. So does a Vert.x that is closed already, at once: lane and
   * threads are closed then too, without anybody waiting for them. Where a handler blocks the event loop that the
   * future completes on, it completes when that goes on: who waits on a thread bounds the wait.
   *
   * <p>A handler may call it and must not wait for it: it waits for the handler's own attempt, which would be made
   * again after its lease, and close the next process.
   */
  public Future<Void> close() {
    owner.forget();
    Timers timers = context.timers();
    Timers.Timer over;
    try {
      over = startCloseTimeout();
    } catch (RejectedExecutionException vertxIsClosed) {
      closeUnawaited("step transport", this::closeSteps);
      closeUnawaited("lane", lane::close);
      closeUnawaited("host", context.host()::close);
      return Future.failedFuture(RunlaneException.of(
          ErrorCode.OPERATION_CANCELLED, "the Vert.x of the runtime is closed already"));
    }
    Duration until = timers.elapsed().plus(context.options().getCloseTimeout());
    return closing("roles", until.plus(ROLES_GRACE), context.host().call(this::stopAll))
        .transform(stopped -> closing("lane", until.plus(LANE_GRACE), closeLane()))
        .eventually(() -> {
          over.cancel();
          return closing("host", until.plus(HOST_GRACE), context.host().close());
        });
  }

  /** Where neither a timer is left to bound a wait nor, it may be, a loop to be told of its end. */
  private static void closeUnawaited(String what, Supplier<Future<Void>> close) {
    try {
      close
          .get()
          .onFailure(
              failure -> LOG.debug("the {} of a closed Vert.x did not close", what, failure));
    } catch (Throwable failure) {
      LOG.debug("the {} of a closed Vert.x did not close", what, failure);
    }
  }

  /** It was undeployed by the application; on the home context. */
  void forget(DeployedRunlane undeployed) {
    deployments.remove(undeployed);
  }

  /** What is deployed and stopped with this; on the home context. */
  List<DeployedRunlane> deployments() {
    return List.copyOf(deployments);
  }

  /** What stops from now on gives up when the close timeout is over. */
  Timers.Timer startCloseTimeout() {
    return context.timers().schedule(context.options().getCloseTimeout(), this::endClosing);
  }

  private void endClosing() {
    context.host().execute(context.closeDeadline()::expire);
  }

  private Future<Void> stopAll() {
    closing = true;
    engine.beginClose();
    List<DeployedRunlane> all = deployments();
    deployments.clear();
    return each(all, DeployedRunlane::undeployWorkersIfThere)
        .transform(undeployed -> engine.close())
        .transform(closed -> each(all, DeployedRunlane::undeployMaintenanceIfThere))
        .transform(
            undeployed -> context.closeDeadline().orExpired(context.host().call(this::passesDone)))
        .transform(
            passed -> context.closeDeadline().orExpired(context.host().call(triggers::published)))
        .transform(published ->
            context.closeDeadline().orExpired(context.host().call(context.limits()::close)))
        .transform(closed ->
            context.closeDeadline().orExpired(context.host().call(context.handlerLog()::close)))
        .transform(closed -> context
            .throughput()
            .map(counter -> context.closeDeadline().orExpired(context.host().call(counter::close)))
            .orElse(Future.succeededFuture()))
        .transform(closed ->
            context.closeDeadline().orExpired(context.host().call(context.signs()::close)))
        .transform(closed ->
            context.closeDeadline().orExpired(context.host().call(context.pauses()::close)))
        .eventually(() -> {
          context.host().execute(context.clockMonitor()::stop);
          return Future.succeededFuture();
        });
  }

  private static Future<Void> each(
      List<DeployedRunlane> all, Function<DeployedRunlane, Future<Void>> undeploy) {
    return Future.join(all.stream().map(undeploy).toList()).<Void>mapEmpty().recover(failure -> {
      LOG.warn("a role of the runtime did not stop", failure);
      return Future.succeededFuture();
    });
  }

  private Future<Void> closeLane() {
    return closeSteps().transform(closed -> lane.close());
  }

  private Future<Void> closing(String what, Duration until, Future<Void> closed) {
    Duration left = until.minus(context.timers().elapsed());
    return context
        .timers()
        .within(
            left,
            closed,
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED,
                "the %s of the runtime did not close within its close timeout of %s",
                what,
                context.options().getCloseTimeout()));
  }

  /** Creates a run, to be worked on elsewhere; see {@link #trigger(TaskDescription, Object, TriggerOptions)}. */
  public <P> Future<TriggerResult> trigger(TaskDescription<P> task, P payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  /**
   * Creates a run, to be worked on elsewhere. When the future succeeds the run is durable. Where another run
   * owns the idempotency or singleton key, that run is the answer. Unless deferred, the wakeup is published at once,
   * but behind this call, which never waits for a transport: one that is slow or fails leaves it to the outbox
   * publishers, and {@link #close} waits for it within its bound.
   *
   * <p>Fails with {@code ValidationFailed} for an invalid payload or option, {@code TaskNotFound} for a task
   * that is not this runtime's, {@code StorageUnavailable}, and with whatever else the storage fails with; in
   * each case but the last two nothing is stored.
   */
  public <P> Future<TriggerResult> trigger(
      TaskDescription<P> task, P payload, TriggerOptions options) {
    return triggers.trigger(task, payload, new TriggerOptions(options));
  }

  /**
   * What {@link #trigger(TaskDescription, Object, TriggerOptions)} would store, which somebody else stores: a door for
   * transactions that are not the storage's own, such as that of JDBC. Stores nothing; observers are asked what the run
   * carries as by a trigger, and told of its creation by {@link #committed}. For any thread.
   *
   * <p>Throws {@code ValidationFailed} and {@code TaskNotFound} as a trigger fails, and {@code ConfigurationInvalid}
   * for a task that {@link Task.Definition#refuseOtherPayload refuses other payloads}: its storage has to be asked.
   */
  public <P> PreparedRun prepare(TaskDescription<P> task, P payload, TriggerOptions options) {
    return triggers.prepare(task, payload, new TriggerOptions(options));
  }

  /**
   * Tells that what {@link #prepare} made was stored by somebody else and is committed. Observers are told as of a
   * trigger's run once it is stored: counters of triggered runs count it. Where this process has no outbox publisher,
   * its wakeup is published, as that of an eager trigger is, unless the run is due later or of a bounded queue; roles
   * of this process are told by {@link #wake}. Not for a run whose key another one owned. Reads nothing, waits for
   * nothing, and throws neither for observers nor for a transport that is away, in whose place sweeps find the run;
   * nothing happens before the start and after the close. For any thread.
   */
  public void committed(PreparedRun run) {
    committed.committed(run);
  }

  /**
   * A trigger of a task that is known by its id, with a payload that is JSON text. An operator's runtime takes any task
   * and needs a queue in the options, known by its name alone; it fails with {@code ValidationFailed} where no living
   * process has that queue.
   */
  public Future<TriggerResult> triggerJson(String taskId, String payload, TriggerOptions options) {
    return triggers.triggerJson(taskId, payload, new TriggerOptions(options));
  }

  /**
   * Creates many runs, in one statement where the storage can; answers in order. One invalid payload fails
   * the call with nothing stored, and so does one that {@link Task.Definition#refuseOtherPayload()} refuses
   * because of another of the call or of a run that owns its key when the call begins. An owner that comes
   * between fails the call too, but the other runs exist then. At most 10 000 payloads.
   */
  public <P> Future<List<TriggerResult>> triggerAll(
      TaskDescription<P> task, List<P> payloads, TriggerOptions options) {
    return triggers.triggerAll(task, new ArrayList<>(payloads), new TriggerOptions(options));
  }

  /**
   * Triggers through a storage that joins a transaction of the caller, such as {@code
   * PgStorageAdapter.on(connection)}: the runs exist if and only if the caller commits.
   */
  public TransactionTriggers inTransaction(StorageAdapter storage) {
    StorageAdapter guarded = new GuardedStorage(storage, context.limits());
    return new TransactionTriggers(new Triggers(
        newRuns,
        context.creations().in(guarded, new LocalNotifications()),
        guarded.batch(),
        Optional.empty(),
        Optional.empty(),
        context));
  }

  /** Notifies this process's own roles that there may be work, for example after a commit of the caller's. */
  public void wake() {
    context.registry().queues().forEach(queue -> {
      context.notifications().workAvailable(queue.name());
      context.notifications().dispatchChanged(queue.name());
    });
    context.notifications().outboxChanged(context.clock().now());
  }

  /** Creates a run and makes its first attempt here; see {@link #runNow(TaskDescription, Object, TriggerOptions)}. */
  public <P> Future<TriggerResult> runNow(TaskDescription<P> task, P payload) {
    return runNow(task, payload, new TriggerOptions());
  }

  /**
   * Creates a run, leased and started in the same step, and makes exactly one attempt in this process;
   * completes with the run as the attempt left it. An owner of one of its keys is answered without being run.
   * Fails as trigger does, with {@code TaskNotFound} where this runtime has no handler of the task, with a conflict
   * of kind {@code QUEUE_CAPACITY} when its bounded queue is full, of kind {@code QUEUE_PAUSED} when it is paused, and
   * of kind {@code LEASE_OWNERSHIP} when the lease was lost on the way; a delay is {@code ValidationFailed}.
   */
  public <P> Future<TriggerResult> runNow(
      TaskDescription<P> task, P payload, TriggerOptions options) {
    return runNow(options, () -> {
      RegisteredTask<P> registered = context.registry().require(task);
      return new Wanted(registered, () -> registered.codec().encode(payload));
    });
  }

  /** The same for a task that is known by its id and a payload that is JSON text. */
  public Future<TriggerResult> runNowJson(String taskId, String payload, TriggerOptions options) {
    return runNow(options, () -> {
      RegisteredTask<?> registered = context.registry().requireTask(taskId);
      return new Wanted(registered, () -> registered.codec().check(payload));
    });
  }

  private Future<TriggerResult> runNow(TriggerOptions options, Supplier<Wanted> wanted) {
    TriggerOptions copy = new TriggerOptions(options);
    Executor executor = context.host().callerExecutor();
    return Future.<Void>succeededFuture()
        .compose(
            start -> { // in the caller's turn, as trigger is
              requireLeases("runNow");
              if (copy.getRunAt().isPresent() || copy.getDelay().isPresent()) {
                throw RunlaneException.validationFailed(
                    "runNow runs at once, without delay or runAt");
              }
              Wanted asked = wanted.get();
              asked.task().requireHandler();
              NewRun run = newRuns.triggered(asked.task(), asked.payload().get(), copy);
              return context.host().call(() -> new RunNow(
                      context, context.creations(), engine.claims(), engine.attempts())
                  .run(run, workerId, executor));
            });
  }

  /** A task, and its payload once it is known that there is a handler. */
  private record Wanted(RegisteredTask<?> task, Supplier<Json> payload) {}

  /**
   * Claims one due run and makes one attempt; completes with the run as the attempt left it, or empty when
   * nothing could be claimed. Fails with a conflict of kind {@code LEASE_OWNERSHIP} when the lease was lost
   * on the way.
   */
  public Future<Optional<RunRecord>> executeNext() {
    Executor executor = context.host().callerExecutor();
    return context.host().call(() -> {
      requireQueues("executeNext");
      requireLeases("executeNext");
      return engine
          .claims()
          .claimDue(context.registry().policies(), workerId, 1)
          .compose(claimed -> claimed.runs().isEmpty()
              ? Future.succeededFuture(Optional.empty())
              : engine
                  .attempts()
                  .start(claimed.runs(), claimed.sentAt(), executor)
                  .get(0)
                  .closed()
                  .map(run -> {
                    if (run.isEmpty()) {
                      throw RunlaneException.conflict(
                          StorageConflictKind.LEASE_OWNERSHIP,
                          "the lease of run %s ended while this process ran it",
                          claimed.runs().get(0).id());
                    }
                    return run;
                  }));
    });
  }

  @Override
  public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
    return engine.deliveries().executeDelivery(message);
  }

  /**
   * An executor of deliveries with an end of its own, for one consumer: so many handlers at the same time, on
   * the contexts of its calls, and of these queues alone. Of the options it takes worker id, queues,
   * concurrency and drain timeout. It lives until it is stopped or the runtime is closed. Throws {@code
   * ConfigurationInvalid} for an unknown queue, {@code CapabilityUnsupported} where runs cannot be leased.
   */
  public DeliveryWorker deliveryWorker(WorkerOptions options) {
    requireQueues("a delivery worker");
    requireLeases("a delivery worker");
    return engine.deliveryWorker(new WorkerOptions(options));
  }

  /**
   * Starts a worker whose handlers are called on the context of this call, or on one of the runtime's own
   * where there is none. Fails with {@code ConfigurationInvalid} for an unknown queue, {@code CapabilityUnsupported}
   * where runs cannot be leased, and {@code OperationCancelled} once the runtime is being closed.
   */
  @Override
  public Future<WorkerHandle> worker(WorkerOptions options) {
    Executor executor = context.host().callerExecutor();
    return Future.<Void>succeededFuture()
        .compose(start -> {
          requireQueues("worker");
          requireLeases("worker");
          return engine.start(engine.worker(options, executor));
        })
        .map(worker -> worker);
  }

  /**
   * Starts the runtime, if nobody has, and deploys a verticle for each role of this process. If one of them
   * does not start, the others are undeployed again and the future fails; so it does, with {@code OperationCancelled},
   * when the runtime is closed meanwhile. A role for which the storage lacks the capability fails it with {@code
   * CapabilityUnsupported}.
   */
  public Future<DeployedRunlane> deploy(Vertx vertx, RunlaneDeployment deployment) {
    return Future.<Void>succeededFuture()
        .compose(begin -> {
          requireQueues("deploy");
          return start();
        })
        .compose(started -> DeployedRunlane.deploy(this, vertx, deployment))
        .compose(deployed -> context
            .host()
            .call(() -> {
              if (engine.isClosing()) {
                return Future.<DeployedRunlane>failedFuture(Engine.isBeingClosed());
              }
              deployments.add(deployed);
              return Future.succeededFuture(deployed);
            })
            .recover(closed ->
                deployed.undeploy().transform(undeployed -> Future.failedFuture(closed))));
  }

  /**
   * Starts the roles of this process on the runtime's own host, without verticles: for tests and simulations in virtual
   * time. The runtime is started before. Consumers are left out, since they are verticles of a transport. A role for
   * which the storage lacks the capability fails the future with {@code CapabilityUnsupported}.
   */
  public Future<HostedRoles> host(RunlaneDeployment deployment) {
    return context.host().call(() -> {
      requireQueues("host");
      return HostedRoles.start(this, deployment);
    });
  }

  /**
   * One pass of all maintenance, bounded; see {@link TickResult}. Whoever calls it now and then calls it again at once
   * where more is waiting, or the outbox grows where more is asked for between two calls than one publishes. Safe to
   * run in several processes.
   */
  public Future<TickResult> tick() {
    return context.host().call(() -> {
      requireQueues("tick");
      return underWay(tick.run());
    });
  }

  /** The same pass with other limits and durations. */
  public Future<TickResult> tick(TickOptions options) {
    TickOptions copy = new TickOptions(options);
    return context.host().call(() -> {
      requireQueues("tick");
      return underWay(new Tick(context, copy).run());
    });
  }

  private Future<TickResult> underWay(Future<TickResult> pass) {
    passes.add(pass);
    return pass.onComplete(done -> passes.remove(pass));
  }

  private Future<Void> passesDone() {
    return Future.join(List.copyOf(passes)).<Void>mapEmpty().otherwiseEmpty(); // its caller is told
  }

  /**
   * Notifies a listener of runs that fit the filter and end from now on, whichever process ends them: of those of this
   * process with their commit, of others within about 2 s. Each end is reported once, in no certain order, perhaps also
   * some of the last 5 s before. It is no queue: what ends while this process does not run is not reported later, nor
   * what is committed more than 5 s after it occurred; {@link RunEndListener#missed} says what else may be missing.
   * Fails with {@code CapabilityUnsupported} where the storage reads no histories.
   */
  public Future<RunSubscription> subscribe(RunFilter filter, RunEndListener listener) {
    return context.host().call(() -> engine.ends().subscribe(filter, listener));
  }

  /**
   * Completes with the run once it has ended: at once for what this process ends itself, else within about
   * 2 s. Fails with {@code RunNotFound}, and with a retryable {@code OperationCancelled} after the timeout.
   */
  public Future<RunRecord> awaitRun(String runId, Duration timeout) {
    return context.host().call(() -> {
      Identifiers.requireId("runId", runId);
      if (timeout.isNegative() || timeout.isZero()) {
        throw RunlaneException.validationFailed("timeout must be positive, but is %s", timeout);
      }
      return engine.waiters().await(runId, timeout);
    });
  }

  /** Reading, cancelling, repeating, explaining and pruning runs. */
  public Runs runs() {
    return runs;
  }

  /** Processes, paused queues, depths, the outbox and the log of actions. */
  public Operator operator() {
    return operator;
  }

  /** Rules that look for what is wrong, and the alerts they opened. */
  public Alerts alerts() {
    return new Alerts(context, operator);
  }

  /** The schedules of the environment, and their pauses. */
  public Schedules schedules() {
    return schedules;
  }

  /** Ownership of idempotency keys. */
  public IdempotencyKeys idempotencyKeys() {
    return idempotencyKeys;
  }

  /** How long {@link #close} waits for what is under way, but for the 2 s after it. */
  public Duration closeTimeout() {
    return context.options().getCloseTimeout();
  }

  /** The lane the runtime was built on. */
  public Lane lane() {
    return lane;
  }

  /** The scope of all data of this runtime. */
  public Environment environment() {
    return context.environment();
  }

  /** How this process's clock stands to the storage's, by the last measurement. */
  public ClockState clock() {
    return new ClockState(context.clockMonitor().ahead(), context.options().toleratedSkew());
  }

  /**
   * What attempts of this process came to that its storage refuses, and that is offered again: each has a place of one
   * of the process's workers, and its run says by {@code runs().explain} that it waits. None before the start and after
   * the close.
   */
  public Future<RefusedOutcomes> refusedOutcomes() {
    return context
        .host()
        .call(() -> Future.succeededFuture(new RefusedOutcomes(
            context.leases().refusedOutcomes(), context.signs().slots())))
        .otherwise(new RefusedOutcomes(List.of(), 0));
  }

  /** The registered tasks, and descriptions of those that are only triggered, in order. */
  public List<TaskDescription<?>> tasks() {
    return context.registry().tasks().stream()
        .<TaskDescription<?>>map(RegisteredTask::task)
        .toList();
  }

  /** The registered queues, in order. */
  public List<TaskQueue> queues() {
    return context.registry().queues();
  }

  @Override
  public RuntimeContext context() {
    return context;
  }

  /** What the roles of this runtime are made with; for this module. */
  public Engine engine() {
    return engine;
  }

  /** An operator's runtime claims nothing and publishes nothing: other processes have the transport for it. */
  private void requireQueues(String method) {
    if (context.registry().isOperatorOnly()) {
      throw RunlaneException.configurationInvalid(
          "%s needs queues and tasks, which an operator's runtime does not have", method);
    }
  }

  private void requireLeases(String method) {
    Capabilities.require(context.storage().capabilities(), StorageCapability.LEASES_RUNS, method);
  }

  private Future<Void> closeSteps() {
    return context
        .remoteSteps()
        .map(steps -> AdapterCall.of("stepTransport.close", steps.transport()::close)
            .recover(failure -> {
              LOG.warn("the step transport did not close", failure);
              return Future.succeededFuture();
            }))
        .orElse(Future.succeededFuture());
  }
}
