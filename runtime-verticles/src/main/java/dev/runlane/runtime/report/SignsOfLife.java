package dev.runlane.runtime.report;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.runtime.registry.Registry;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.SweepLoop;
import dev.runlane.transport.PartitionLag;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what this process is and does, every 5 s from its first role or worker on, which tasks it has, hourly, and takes
 * its turn at counting what waits. Does nothing where the storage keeps nothing for operators. On the home context.
 */
public final class SignsOfLife {
  private static final Logger LOG = LoggerFactory.getLogger(SignsOfLife.class);
  private static final Duration LAST_WORD = Duration.ofSeconds(1);

  private final Environment environment;
  private final Optional<OperatorStore> store;
  private final Registry registry;
  private final Clock clock;
  private final RuntimeHost home;
  private final Duration leaseDuration;
  private final Supplier<List<PartitionLag>> lags;
  private final FailureLog failedSamples;
  private final FailureLog failedLags;
  private final FailureLog failedTasks;
  private final String hostName;
  private final String version;
  private final Map<Object, Worker> workers = new LinkedHashMap<>(); // several may share an id
  private final Map<String, Integer> roles = new LinkedHashMap<>();
  private @Nullable String processId;
  private @Nullable Instant startedAt;
  private @Nullable Duration triedToSampleAt; // on the timers' own time
  private @Nullable Duration toldTasksAt; // on the timers' own time
  private boolean isTellingTasks;
  private @Nullable SweepLoop loop;
  private boolean closed;

  /** Of a process that has not said anything yet. */
  public SignsOfLife(
      Environment environment,
      Optional<OperatorStore> store,
      Registry registry,
      Clock clock,
      RuntimeHost home,
      Duration leaseDuration,
      Supplier<List<PartitionLag>> lags) {
    this.environment = environment;
    this.store = store;
    this.registry = registry;
    this.clock = clock;
    this.home = home;
    this.leaseDuration = leaseDuration;
    this.lags = lags;
    failedSamples = new FailureLog(LOG, "counting what waits", home.timers());
    failedLags = new FailureLog(LOG, "asking how far the consumers are behind", home.timers());
    failedTasks = new FailureLog(LOG, "telling the tasks of this process", home.timers());
    hostName = Optional.ofNullable(System.getenv("HOSTNAME"))
        .or(() -> Optional.ofNullable(System.getenv("COMPUTERNAME")))
        .orElse("pid " + ProcessHandle.current().pid());
    version = Optional.ofNullable(SignsOfLife.class.getPackage().getImplementationVersion())
        .orElse("");
  }

  /** Remembers who this is; says nothing before the first role or worker. */
  public void start(String process) {
    if (processId == null) {
      processId = process;
      startedAt = clock.now();
    }
  }

  /** A role has begun. */
  public void roleBegun(String role) {
    roles.merge(role, 1, Integer::sum);
    begin();
  }

  /** A role has ended. */
  public void roleEnded(String role) {
    roles.computeIfPresent(role, (name, count) -> count == 1 ? null : count - 1);
  }

  /**
   * What a worker of this process says of itself.
   *
   * @param workerId how it names itself in its leases, as others may
   * @param queues the queues that it takes runs of
   * @param slots how many it works on at most
   * @param running how many it works on
   */
  public record Worker(String workerId, Set<String> queues, int slots, IntSupplier running) {
    /** Copies the queues. */
    public Worker {
      queues = Set.copyOf(queues);
    }
  }

  /** A worker has begun. */
  public void workerBegun(Object worker, Worker described) {
    workers.put(worker, described);
    begin();
  }

  /** A worker has ended. */
  public void workerEnded(Object worker) {
    workers.remove(worker);
  }

  /** How many runs the workers of this process work on at most. */
  public int slots() {
    return workers.values().stream().mapToInt(Worker::slots).sum();
  }

  /** Says that this process ends, if that can be done soon; else it is gone after missing its signs of life. */
  public Future<Void> close() {
    closed = true;
    SweepLoop running = loop;
    if (running == null) {
      return Future.succeededFuture();
    }
    loop = null;
    Future<Void> ended = running
        .stop()
        .transform((stopped, failure) -> AdapterCall.of("operator.endProcess", () -> store
            .orElseThrow()
            .endProcess(new EndProcess(environment, String.valueOf(processId)))));
    return home.timers()
        .within(
            LAST_WORD,
            ended,
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED, "the storage did not answer within %s", LAST_WORD))
        .otherwise(failure -> {
          LOG.debug("this process ends without having said so", failure);
          return null;
        });
  }

  private void begin() {
    if (loop == null && !closed && processId != null && store.isPresent()) {
      loop = new SweepLoop(
          home.timers(), "sign of life", this::sign, home.pollPause(OperatorStore.SIGN_INTERVAL));
      loop.start();
    }
  }

  private Future<Boolean> sign() {
    return AdapterCall.of("operator.signOfLife", () -> store
            .orElseThrow()
            .signOfLife(new SignOfLife(environment, described(), clock.now())))
        .compose(signed -> home.call(() -> {
          tellTasks();
          sample();
          return Future.succeededFuture(false);
        }));
  }

  /**
   * Told at the start and then hourly, so that what another process told or the storage lost comes back. No sign of
   * life waits for it. Told with the next one where it fails.
   */
  private void tellTasks() {
    Duration now = home.timers().elapsed();
    boolean isFresh =
        toldTasksAt != null && now.minus(toldTasksAt).compareTo(KnownTask.PUBLISHED_EVERY) < 0;
    if (isFresh || isTellingTasks || registry.tasks().isEmpty()) {
      return;
    }
    isTellingTasks = true;
    List<RuntimeTask> tasks =
        registry.tasks().stream().map(RegisteredTask::described).toList();
    Future<Void> told = Future.succeededFuture();
    for (int from = 0; from < tasks.size(); from += PublishTasks.MOST_TASKS) {
      List<RuntimeTask> some =
          tasks.subList(from, Math.min(from + PublishTasks.MOST_TASKS, tasks.size()));
      told = told.compose(before -> AdapterCall.of(
          "operator.publishTasks", () -> store.orElseThrow().publishTasks(published(some))));
    }
    told.onComplete(done -> home.execute(() -> {
      isTellingTasks = false;
      if (done.succeeded()) {
        toldTasksAt = now;
        failedTasks.succeeded();
      } else {
        failedTasks.failed(done.cause(), OperatorStore.SIGN_INTERVAL);
      }
    }));
  }

  private PublishTasks published(List<RuntimeTask> tasks) {
    Instant now = clock.now();
    return new PublishTasks(
        environment, String.valueOf(processId), startedAt == null ? now : startedAt, tasks, now);
  }

  /**
   * Each process asks once a minute; whoever is first when the counts are old enough counts. No sign of life waits for
   * it: a long count would make a living process look gone.
   */
  private void sample() {
    Duration now = home.timers().elapsed();
    if (triedToSampleAt != null && now.minus(triedToSampleAt).compareTo(TakeSample.EVERY) < 0) {
      return;
    }
    triedToSampleAt = now;
    AdapterCall.of("operator.takeSample", () -> store
            .orElseThrow()
            .takeSample(new TakeSample(environment, clock.now(), TakeSample.EVERY)))
        .onComplete(taken -> home.execute(() -> {
          if (taken.succeeded()) {
            failedSamples.succeeded();
          } else {
            failedSamples.failed(taken.cause(), TakeSample.EVERY);
          }
        }));
  }

  private RuntimeProcess described() {
    TreeSet<String> workerIds = new TreeSet<>();
    workers.values().forEach(each -> workerIds.add(each.workerId()));
    workerIds.add(String.valueOf(processId)); // owns the leases of what callers run one by one
    return new RuntimeProcess(
        String.valueOf(processId),
        hostName,
        version,
        List.copyOf(new TreeSet<>(roles.keySet())),
        queues(),
        List.copyOf(registry.handledTaskIds()),
        List.copyOf(workerIds),
        slots(),
        workers.values().stream().mapToInt(each -> each.running().getAsInt()).sum(),
        leaseDuration,
        startedAt == null ? clock.now() : startedAt,
        furthestBehind());
  }

  /** Those that its workers take; all that it has while it has no worker, which its slots say. */
  private List<String> queues() {
    Set<String> taken = new HashSet<>();
    workers.values().forEach(each -> taken.addAll(each.queues()));
    return registry.policies().stream()
        .map(QueuePolicy::queue)
        .filter(each -> taken.isEmpty() || taken.contains(each))
        .toList();
  }

  /** Of very many partitions those that are behind most. */
  private List<PartitionLag> furthestBehind() {
    List<PartitionLag> all = tellableLags();
    return all.size() <= RuntimeProcess.MOST_LAGS
        ? all
        : all.stream()
            .sorted(Comparator.comparingLong(PartitionLag::records).reversed())
            .limit(RuntimeProcess.MOST_LAGS)
            .toList();
  }

  /** What a transport says of itself keeps no process from its sign of life. */
  private List<PartitionLag> tellableLags() {
    try {
      List<PartitionLag> all =
          lags.get().stream().filter(OperatorChecks::isTellable).toList();
      failedLags.succeeded();
      return all;
    } catch (RuntimeException | LinkageError | AssertionError failure) {
      failedLags.failed(failure, "it is left out");
      return List.of();
    }
  }
}
