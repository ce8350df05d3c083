package dev.runlane.simulation.fleet;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.TickOptions;
import dev.runlane.runtime.TickResult;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.maintenance.CancellationFinalizer;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.maintenance.Retention;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.remote.StepDispatcher;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.remote.StepResultConsumer;
import dev.runlane.runtime.remote.StepResultVerticle;
import dev.runlane.runtime.schedule.Scheduler;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.sweep.SweepOptions;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.webhook.WebhookOptions;
import dev.runlane.runtime.webhook.WebhookSender;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.simulation.network.ClaimWatch;
import dev.runlane.simulation.network.GroupMember;
import dev.runlane.simulation.network.WakeupTransport;
import dev.runlane.simulation.operator.EndWatch;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * One life of a process: the real runtime with all its roles, as a deployment of verticles has them, on the clock, the
 * timers and the connections of this life.
 */
final class SimulatedProcess {
  /** How long a close may take: its timeout, and two seconds. */
  static final Duration CLOSE_BOUND =
      RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.plus(Duration.ofSeconds(2));

  /** How long workers may take to stop before that. */
  static final Duration WORKERS_BOUND = WorkerOptions.DEFAULT_DRAIN_TIMEOUT;

  /** How long workers and then roles may take to stop before that. */
  static final Duration STOP_BOUND = WORKERS_BOUND.plus(SweepOptions.DEFAULT_DRAIN_TIMEOUT);

  /** Where the storage fails over: what it gives back is begun while whoever had claimed it works on it. */
  private static final Duration OFTEN = Duration.ofMillis(500);

  private static final int PASSES = 3;

  /** How many passes at most may follow each other at once. */
  private static final int MOST_AT_ONCE = 20;

  private final Lifetime life;
  private final Setup setup;
  private final WakeupTransport transport;
  private final EndWatch ends;
  private final ClaimWatch claims;
  private final Set<String> workerIds = new HashSet<>();
  private final Runlane runlane;
  private final Runnable passes;
  private final Runnable exit;
  private final Timers timers;
  private final Executor home;
  private final List<RoleLoop> loops = new ArrayList<>();
  private final List<WorkerHandle> workers = new ArrayList<>();
  private final List<GroupMember> consumers = new ArrayList<>();
  private Optional<StepResultDelivery> results = Optional.empty();
  private boolean stopping;

  /**
   * What this life shares with others.
   *
   * @param storage over a line of its own
   * @param claims what it claims over that
   * @param transport wakeups
   * @param steps over the same line as the storage
   * @param ends who is told of the ends of runs
   * @param passes is called when a pass of {@code tick} begins
   * @param exit ends this life in order
   */
  record Connections(
      StorageAdapter storage,
      ClaimWatch claims,
      WakeupTransport transport,
      Optional<StepTransport> steps,
      EndWatch ends,
      Runnable passes,
      Runnable exit) {}

  SimulatedProcess(
      Lifetime life,
      Setup setup,
      Connections connections,
      Clock clock,
      ProcessTimers timers,
      long seed,
      Handlers handlers,
      Deployment deployment) {
    this.life = life;
    this.setup = setup;
    transport = connections.transport();
    ends = connections.ends();
    claims = connections.claims();
    passes = connections.passes();
    exit = connections.exit();
    this.timers = timers;
    home = action -> timers.time().after(0, life, action);
    RunlaneBuilder builder = Runlane.builder(
            RuntimeHost.singleThread(timers),
            Lanes.create(setup.habits().storage(connections.storage()), transport.of(life)))
        .clock(clock)
        .randomness(Randomness.seeded(seed))
        .options(setup
            .habits()
            .runlane()
            .setLeaseDuration(setup.lease())
            .setQueueLimitInterval(Duration.ofSeconds(20)))
        .countThroughput(setup.operating().counts())
        .queues(deployment.queues())
        .tasks(deployment.tasks(handlers, setup.isClocked(), setup.manner().many() > 0));
    connections.steps().ifPresent(builder::stepTransport);
    runlane = builder.build();
  }

  Lifetime life() {
    return life;
  }

  /** Whether it was told to end. */
  boolean isStopping() {
    return stopping;
  }

  /** What it claimed. */
  ClaimWatch claims() {
    return claims;
  }

  /** Who owns the leases of its workers and its consumer. */
  Set<String> workerIds() {
    return Set.copyOf(workerIds);
  }

  Runlane runlane() {
    return runlane;
  }

  /** A task as this deployment has it; empty where it has none, or one with another payload. */
  @SuppressWarnings("unchecked") // the payload says so
  Optional<TaskDescription<Item>> task(String id) {
    return runlane.tasks().stream()
        .filter(task -> task.id().equals(id) && task.payloadType() == Item.class)
        .map(task -> (TaskDescription<Item>) task)
        .findFirst();
  }

  /** Starts everything; fails where the storage cannot be reached. */
  Future<Void> start() {
    return runlane
        .start()
        .compose(started -> listen())
        .compose(listening -> startWorkers())
        .map(working -> {
          if (setup.isTicking()) {
            tick(PASSES);
          } else if (setup.isPassing()) {
            passOn();
          } else {
            startRoles();
          }
          return null;
        });
  }

  private Future<Void> listen() {
    if (!setup.operating().listens()) {
      return Future.succeededFuture();
    }
    EndWatch.Listener listener = ends.listener(life);
    return runlane.subscribe(RunFilter.ALL, listener).map(subscribed -> {
      listener.begins();
      return null;
    });
  }

  /** One pass over everything, with the options that roles have here. */
  Future<TickResult> tick() {
    passes.run();
    return runlane.tick(new TickOptions()
        .setScheduler(schedulerOptions())
        .setOutboxPublisher(setup.habits().publisher(setup.transport())));
  }

  /** A few passes with a drain after each, and the end, as a job of cron does it. */
  private void tick(int left) {
    if (left == 0 || stopping) {
      exit.run();
      return;
    }
    pass(MOST_AT_ONCE)
        .transform(ticked ->
            work(new WorkerOptions().setConcurrency(setup.concurrency()).setMode(WorkerMode.DRAIN)))
        .compose(started -> workers.get(workers.size() - 1).closed())
        .onComplete(drained -> timers.schedule(setup.sweep(), () -> tick(left - 1)));
  }

  /** As whoever keeps consumers and lets a timer call for the rest does it. */
  private void passOn() {
    if (!stopping) {
      pass(MOST_AT_ONCE).onComplete(passed -> timers.schedule(setup.sweep(), this::passOn));
    }
  }

  /**
   * A pass, and another at once as long as one says that more is waiting, as whoever is called now and then has to: a
   * pass publishes one batch. Where that is one message, and a pass over slow lines takes half a minute, the next call
   * comes too late, since schedules ask for a message as often, so that the outbox would never be empty.
   */
  private Future<TickResult> pass(int most) {
    return tick()
        .compose(done -> done.moreWaiting() && most > 1 && !stopping
            ? pass(most - 1)
            : Future.succeededFuture(done));
  }

  /** As a deployment does it: where consumers take the wakeups, workers are a net for what none came for. */
  private Future<Void> startWorkers() {
    if (setup.isTicking()) {
      return Future.succeededFuture();
    }
    WorkerOptions options = new WorkerOptions().setConcurrency(setup.concurrency());
    if (setup.isFailingOver()) {
      options.setPollInterval(OFTEN);
    }
    DeliveryWorker delivered = runlane.deliveryWorker(options);
    workerIds.add(delivered.workerId());
    transport.consumer(life, delivered).ifPresent(consumer -> {
      consumers.add(consumer);
      consumer.start();
    });
    return switch (setup.transport()) {
      case HINTS -> work(options);
      case SHARED ->
        work(setup.habits().isWithoutNet() ? options : options.setMode(WorkerMode.SAFETY_NET));
      case SHARED_ALONE -> Future.succeededFuture();
    };
  }

  private Future<Void> work(WorkerOptions options) {
    return runlane.worker(options).map(worker -> {
      workers.add(worker);
      workerIds.add(worker.workerId());
      return null;
    });
  }

  /** Works off what is due and ends; completes with what completes then. */
  Future<WorkerHandle> drain() {
    return work(new WorkerOptions().setConcurrency(1).setMode(WorkerMode.DRAIN))
        .map(started -> workers.get(workers.size() - 1));
  }

  private void startRoles() {
    Duration sweep = setup.sweep();
    DispatcherOptions dispatcher = new DispatcherOptions().setIdleDelay(sweep);
    role("dispatcher", new Dispatcher(runlane.context(), dispatcher), dispatcher);
    OutboxPublisherOptions publisher =
        setup.habits().publisher(setup.transport()).setIdleDelay(sweep);
    role("outbox publisher", new OutboxPublisher(runlane.context(), publisher), publisher);
    SchedulerOptions scheduler = schedulerOptions().setIdleDelay(sweep);
    role("scheduler", new Scheduler(runlane.context(), scheduler), scheduler);
    CancellationFinalizerOptions finalizer = new CancellationFinalizerOptions().setIdleDelay(sweep);
    role(
        "cancellation finalizer",
        new CancellationFinalizer(runlane.context(), finalizer),
        finalizer);
    runlane.context().remoteSteps().ifPresent(steps -> startSteps(steps, sweep));
    if (setup.operating().tells()) {
      WebhookOptions options = new WebhookOptions().setIdleDelay(sweep);
      role(
          "teller of webhooks",
          new WebhookSender(
              runlane.context(), Tagging.webhooks(), options, request -> ends.post(life, request)),
          options);
    }
    RetentionOptions retention = setup.habits().retention().setIdleDelay(Duration.ofMinutes(1));
    if (!setup.kept().isZero()) {
      retention.setOlderThan(setup.kept());
      role("retention", new Retention(runlane.context(), retention), retention);
    }
  }

  private static SchedulerOptions schedulerOptions() {
    return new SchedulerOptions().setSkipTolerance(Clockwork.TOLERANCE);
  }

  /** Beside the sweeps, one role takes what workers of steps have answered. */
  private void startSteps(RemoteSteps steps, Duration sweep) {
    StepDispatcherOptions options =
        new StepDispatcherOptions().setIdleDelay(sweep).setCheckInterval(Duration.ofMinutes(1));
    role("step dispatcher", new StepDispatcher(runlane.context(), options), options);
    StepResultDelivery made = new StepResultDelivery(
        steps.transport(),
        new StepResultConsumer(runlane.context(), steps),
        runlane.context().ids().workerId(),
        new StepDeliveryOptions(),
        runlane.context().clock(),
        timers);
    results = Optional.of(made);
    made.start();
    StepResultVerticle.pollAfterDispatches(runlane.context(), made, home);
  }

  private Future<Void> stopResults() {
    return results
        .map(delivery -> runlane.context().closeDeadline().orExpired(delivery.stop()))
        .orElse(Future.succeededFuture());
  }

  private void role(String name, SweepRole role, SweepOptions<?> options) {
    RoleLoop loop = new RoleLoop(runlane.context(), name, role, options, home);
    loops.add(loop);
    loop.start();
  }

  /**
   * Workers first, so that what they hand back is still published, then the other roles, then the runtime; or
   * everything at once, as one does it who only closes the runtime. Never fails.
   */
  Future<Stopped> stop(boolean atOnce) {
    stopping = true;
    Duration from = timers.elapsed();
    if (atOnce) {
      Future<Duration> closed = close();
      return Future.join(closed, stopRoles(), Future.join(stopConsumers()))
          .transform(stopped -> Future.succeededFuture(
              new Stopped(Duration.ZERO, closed.otherwise(Duration.ZERO).result())));
    }
    List<Future<Void>> working = stopConsumers();
    workers.forEach(worker -> working.add(worker.stop()));
    return Future.join(working).transform(drained -> {
      Duration workersTook = timers.elapsed().minus(from);
      return stopRoles()
          .transform(stopped -> close())
          .map(closeTook -> new Stopped(workersTook, closeTook));
    });
  }

  private List<Future<Void>> stopConsumers() {
    List<Future<Void>> stopping = new ArrayList<>();
    consumers.forEach(consumer -> stopping.add(consumer.stop()));
    return stopping;
  }

  private Future<Void> stopRoles() {
    return Future.join(loops.stream().map(RoleLoop::stop).toList())
        .transform(stopped -> stopResults());
  }

  private Future<Duration> close() {
    Duration from = timers.elapsed();
    return runlane
        .close()
        .transform(closed -> Future.succeededFuture(timers.elapsed().minus(from)));
  }

  /**
   * How long a stop took.
   *
   * @param workers until the workers had stopped; zero where they were not asked to before the runtime was
   * @param close of the runtime
   */
  record Stopped(Duration workers, Duration close) {}
}
