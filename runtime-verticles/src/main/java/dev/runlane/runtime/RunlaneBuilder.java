package dev.runlane.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.json.JsonCodec;
import dev.runlane.lane.Lane;
import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.lease.LeaseHeartbeater;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.process.CloseDeadline;
import dev.runlane.runtime.process.GuardedObserver;
import dev.runlane.runtime.process.GuardedStorage;
import dev.runlane.runtime.process.GuardedTransport;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.QueueLimits;
import dev.runlane.runtime.process.QueuePauses;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RunCreations;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.Registry;
import dev.runlane.runtime.registry.RuntimeChecks;
import dev.runlane.runtime.report.AttemptLog;
import dev.runlane.runtime.report.HandlerLog;
import dev.runlane.runtime.report.SignsOfLife;
import dev.runlane.runtime.report.ThroughputCounter;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.step.StepStorage;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliverySource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Puts a runtime together. Everything is checked by {@link #build()}, which throws {@code ConfigurationInvalid}. */
public final class RunlaneBuilder {
  private final RuntimeHost host;
  private final Lane lane;
  private final List<TaskQueue> queues = new ArrayList<>();
  private final List<TaskDescription<?>> tasks = new ArrayList<>();
  private final List<RuntimeObserver> observers = new ArrayList<>();
  private boolean countsThroughput = true;
  private RunlaneOptions options = new RunlaneOptions();
  private JsonCodec codec = JsonCodec.standard();
  private Clock clock = Clock.system();
  private Randomness randomness = Randomness.system();
  private Optional<StepTransport> stepTransport = Optional.empty();
  private boolean operatorOnly;

  RunlaneBuilder(RuntimeHost host, Lane lane) {
    this.host = host;
    this.lane = lane;
  }

  /** Adds a queue. */
  public RunlaneBuilder queue(TaskQueue queue) {
    queues.add(queue);
    return this;
  }

  /** Adds queues. */
  public RunlaneBuilder queues(Collection<TaskQueue> queues) {
    this.queues.addAll(queues);
    return this;
  }

  /** Adds a task, or the description alone of one that this process only triggers. */
  public RunlaneBuilder task(TaskDescription<?> task) {
    tasks.add(task);
    return this;
  }

  /** Adds tasks, or the descriptions alone of those that this process only triggers. */
  public RunlaneBuilder tasks(Collection<? extends TaskDescription<?>> tasks) {
    this.tasks.addAll(tasks);
    return this;
  }

  /** Sets environment, limits and durations; the options are copied. */
  public RunlaneBuilder options(RunlaneOptions options) {
    this.options = new RunlaneOptions(options);
    return this;
  }

  /**
   * Sets what reads and writes payloads, outputs, and inputs and results of steps: {@link JsonCodec#of} this
   * mapper, that is a copy of it that knows {@code JsonObject}, {@code JsonArray}, {@code Buffer} and {@code Json}
   * as well. The default is {@link JsonCodec#standard()}.
   */
  public RunlaneBuilder objectMapper(ObjectMapper mapper) {
    codec = JsonCodec.of(mapper);
    return this;
  }

  /** What reads and writes them, as set so far. */
  public JsonCodec codec() {
    return codec;
  }

  /**
   * Sets what {@link TaskContext#remote(RemoteStep, Object)} goes through. The runtime starts and closes it with
   * the lane. Without one a handler that asks for a remote step fails with {@code CapabilityUnsupported}.
   */
  public RunlaneBuilder stepTransport(StepTransport transport) {
    this.stepTransport = Optional.of(transport);
    return this;
  }

  /**
   * Sets where now is read; the machine's clock unless set. Where the storage shows a clock, a process whose own
   * differs from it by more than a tenth of the lease claims nothing until that is mended.
   */
  public RunlaneBuilder clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** Sets where random numbers are drawn; unpredictable ones unless set. */
  public RunlaneBuilder randomness(Randomness randomness) {
    this.randomness = randomness;
    return this;
  }

  /**
   * Adds who is notified of what the runtime does, such as metrics. There may be several; without one nothing is
   * reported and nothing is paid.
   */
  public RunlaneBuilder observer(RuntimeObserver observer) {
    observers.add(observer);
    return this;
  }

  /**
   * Sets whether what this process does is counted by minute, queue and task, for {@code operator().throughput}, the
   * console's charts and alerts of failing tasks: added to the storage's counts by one call in each minute in which
   * something happened, where the storage keeps something for operators. True unless set.
   */
  public RunlaneBuilder countThroughput(boolean counts) {
    countsThroughput = counts;
    return this;
  }

  /**
   * Makes the runtime an operator's, such as a console's: it has neither queues nor tasks, publishes none, and
   * claims nothing. {@link Runlane#runs()} reads, explains and acts on every run of the environment; what it creates
   * again keeps queue, payload, concurrency and singleton key of the original, with the limit that living processes
   * have published for the queue. {@link Runlane#triggerJson} takes any task, for a queue that a living process has;
   * the keys are those of its options alone, kept as long as a process says of the task, and only the worker checks the
   * payload's type. Wakeups are left to the publishers of other processes, so the lane's transport need not be theirs.
   */
  public RunlaneBuilder operatorOnly() {
    operatorOnly = true;
    return this;
  }

  /**
   * The runtime, not started. Throws {@code ConfigurationInvalid} when queues, tasks and schedules do not fit
   * together or the transport has no equal binding for a queue, and {@code CapabilityUnsupported} when the
   * lane does not promise what they, or a step transport, need.
   */
  public Runlane build() {
    Registry registry = new Registry(queues, tasks, codec, options.payloadLimits());
    if (operatorOnly) {
      RuntimeChecks.checkOperatorOnly(queues, tasks);
    } else {
      RuntimeChecks.check(registry, lane);
    }
    LocalNotifications notifications = new LocalNotifications();
    Environment environment = options.environment();
    ClockMonitor clockMonitor = new ClockMonitor(
        GuardedStorage.clockOf(lane.storage()), clock, host, options.toleratedSkew());
    Clock eventClock = clockMonitor::eventTime;
    QueueLimits limits = new QueueLimits(
        environment,
        lane.storage().queueLimits(),
        registry.policies(),
        eventClock,
        host.timers(),
        notifications,
        options.getQueueLimitInterval());
    StorageAdapter storage = new GuardedStorage(lane.storage(), limits);
    Optional<ThroughputCounter> throughput = countsThroughput
        ? storage.operator().map(store -> new ThroughputCounter(environment, store, clock, host))
        : Optional.empty();
    List<RuntimeObserver> all = new ArrayList<>(observers);
    throughput.ifPresent(all::add);
    GuardedObserver observer = new GuardedObserver(all, host, options.metaLimits());
    LeaseHeartbeater leases = new LeaseHeartbeater(host, clockMonitor, options.getLeaseDuration());
    RuntimeContext context = new RuntimeContext(
        environment,
        storage,
        new GuardedTransport(lane.transport()),
        storage.batch(),
        storage.withWakeups(lane.transport()),
        limits,
        new QueuePauses(environment, storage.operator(), host, notifications),
        new SignsOfLife(
            environment,
            storage.operator(),
            registry,
            clock,
            host,
            options.getLeaseDuration(),
            () -> lane.transport().deliveries().map(DeliverySource::lags).orElse(List.of())),
        new HandlerLog(environment, storage.operator(), clock, host),
        throughput,
        clock,
        host,
        new Ids(clock, randomness),
        randomness,
        registry,
        notifications,
        new RunAppends(storage, eventClock, notifications),
        new RunCreations(environment, storage, eventClock, notifications, host.timers(), observer),
        leases,
        new AttemptLog(host.timers()),
        observer,
        clockMonitor,
        new CloseDeadline(),
        new RunlaneOptions(options),
        stepTransport.map(transport -> new RemoteSteps(transport, pendingSteps(storage))));
    return new Runlane(lane, context, leases, codec);
  }

  private static StepStorage pendingSteps(StorageAdapter storage) {
    Capabilities.require(
        storage.capabilities(), StorageCapability.PERSISTS_STEPS, "a step transport");
    return storage
        .steps()
        .orElseThrow(() -> RunlaneException.adapterContractViolation(
            "the storage reports %s, but offers no pending steps",
            StorageCapability.PERSISTS_STEPS.value()));
  }
}
