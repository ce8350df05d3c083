package dev.runlane.testing;

import dev.runlane.jobs.queue.JobTesting;
import dev.runlane.jobs.queue.JobsBuilder;
import dev.runlane.json.JsonCodec;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.memory.MemoryStepTransport;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.testing.history.RunHistory;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualTime;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tasks and jobs for tests: the runtime with all its roles on a lane in memory, on the thread of the test, under a
 * clock that stands still until the test moves it. Nothing runs but within {@link #runDue()}, {@link #advance} and
 * {@link #runUntilIdle()}; then all of it does, in an order that is the same each time: retries after hours, sleeps of
 * months, schedules, timeouts, leases that are lost. Ids are the same in each run of a test; back-off has no jitter.
 *
 * <p>Handlers answer with futures that are complete, or completed by {@link #timers()}, by the test or by remote steps;
 * blocking handlers have a thread of their own, which runs while the test's waits. Used by one thread at a time.
 */
public final class RunlaneTesting {
  /**
   * For how long {@link #runUntilIdle()} waits for something that has no time of its own, such as an attempt whose
   * future nobody completes.
   */
  public static final Duration QUIET = JobTesting.QUIET;

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final int PAGE = 200;

  private final ManualTime time;
  private final MemoryStorage storage;
  private final MemoryTransport transport = new MemoryTransport();
  private final MemoryStepTransport steps = new MemoryStepTransport();
  private final Randomness randomness = new TestRandomness();
  private final Faults faults = new Faults(StorageLine.callable());
  private final HandlerFailures failures = new HandlerFailures();
  private final HandlerTurns turns = new HandlerTurns();
  private final Fires fires = new Fires(this::stored, turns);
  private final Idleness idleness;
  private final StepWorker worker;
  private final JobTesting jobs;
  private final Set<TaskQueue> queues = new LinkedHashSet<>();
  private final ProcessTimers handlerTimers;
  private Consumer<RunlaneBuilder> settings = builder -> {};
  private Consumer<JobsBuilder> jobSettings = builder -> {};
  private boolean hasJobs;
  private @Nullable JsonCodec codec; // of the latest deployment; null: there was none
  private RunlaneOptions options = new RunlaneOptions();
  private Set<RunlaneRole> roles = EnumSet.allOf(RunlaneRole.class);
  private @Nullable TestProcess process;

  private RunlaneTesting(Instant start) {
    time = ManualTime.at(start);
    storage = new MemoryStorage(new Ids(time.clock(), randomness));
    handlerTimers = new ProcessTimers(time.timers(), turns);
    idleness = new Idleness(time);
    worker = new StepWorker(steps, time.clock(), time.timers(), this::withFaults, this::codec);
    steps.signals().orElseThrow().listen(worker);
    jobs = JobTesting.on(time, this::makeJobs);
  }

  /** Nothing deployed and nothing stored, at noon of 1 January 2026, UTC. */
  public static RunlaneTesting create() {
    return at(NOON);
  }

  /** The same at this instant. */
  public static RunlaneTesting at(Instant start) {
    return new RunlaneTesting(start);
  }

  /** Adds a queue that no task names, for the deployments to come. */
  public RunlaneTesting queue(TaskQueue queue) {
    queues.add(queue);
    return this;
  }

  /** Sets limits and durations of the deployments to come; the options are copied. */
  public RunlaneTesting options(RunlaneOptions options) {
    this.options = new RunlaneOptions(options);
    return this;
  }

  /** Sets which roles the deployments to come have. */
  RunlaneTesting roles(Set<RunlaneRole> roles) {
    this.roles = Set.copyOf(roles);
    return this;
  }

  /** What the latest deployment reads and writes outputs and steps with; before the first one, what that would. */
  JsonCodec codec() {
    if (codec != null) {
      return codec;
    }
    RunlaneBuilder first = Runlane.builder(
        new TestHost(new ProcessTimers(time.timers())), Lanes.create(storage, transport));
    settings.accept(first);
    return first.codec();
  }

  /** What processes of the test reach over their lines. */
  MemoryStorage storage() {
    return storage;
  }

  /**
   * Sets what else the deployments to come are built with, such as an object mapper or an observer. Queues, tasks,
   * options, clock, randomness and step transport are set already.
   */
  public RunlaneTesting settings(Consumer<RunlaneBuilder> settings) {
    this.settings = settings;
    return this;
  }

  /**
   * Sets what else {@link #jobs() the jobs} are made with, such as options or an observer. Clock, randomness and the
   * object mapper, which is that of the runs, are set already. Throws {@link IllegalStateException} when queues or
   * workers of jobs were asked for before: they are made once.
   */
  public RunlaneTesting jobSettings(Consumer<JobsBuilder> settings) {
    if (hasJobs) {
      throw new IllegalStateException(
          "the jobs are made already; set this before jobs().jobs() is called");
    }
    jobSettings = settings;
    return this;
  }

  private void makeJobs(JobsBuilder builder) {
    hasJobs = true;
    jobSettings.accept(builder.codec(codec()).observer(turns));
  }

  /**
   * Starts a process with these tasks: their queues, an unbounded default queue {@code default} unless one of the
   * queues is the default, a worker and all other roles. A process that runs already is stopped first, as in a rolling
   * restart: what it works on is given back and goes on in the new one. Throws {@code ConfigurationInvalid} where tasks
   * and queues do not fit together.
   */
  public RunlaneTesting deploy(TaskDescription<?>... tasks) {
    return deploy(Arrays.asList(tasks));
  }

  /** The same for a list. */
  public RunlaneTesting deploy(Collection<? extends TaskDescription<?>> tasks) {
    stop();
    StorageLine line = new StorageLine(faults, idleness::changed);
    ProcessTimers timers = new ProcessTimers(time.timers());
    TestProcess started = new TestProcess(built(tasks, line, timers), line, timers);
    await(started.start(TestRoles.deployment().setRoles(roles)));
    process = started;
    summaries(RunFilter.ALL.withStatuses(Idleness.OPEN))
        .forEach(open -> wakeWhenFree(run(open.id())));
    return this;
  }

  /** What another process left, or a lost lease, is found by a look, but a test need not wait for one. */
  void wakeWhenFree(TestRun run) {
    RunRecord record = run.record();
    TestProcess waking = running();
    Instant free = record.lease() == null ? record.runAt() : record.lease().expiresAt();
    Duration wait = free == null ? Duration.ZERO : Duration.between(now(), free);
    waking.timers().schedule(wait, waking.runlane()::wake);
  }

  private Runlane built(
      Collection<? extends TaskDescription<?>> tasks, StorageLine line, ProcessTimers timers) {
    FaultyTasks faulty =
        new FaultyTasks(faults, failures, line::isCut, this::pausesBeforeAnotherTry);
    Lane lane = Lanes.create(
        line.to(storage), transport.another(), new LaneOptions().setOperatorReads(true));
    RunlaneBuilder builder = Runlane.builder(new TestHost(timers), lane)
        .clock(time.clock())
        .randomness(randomness)
        .observer(turns)
        .stepTransport(line.toOther(StepTransport.class, steps))
        .options(new RunlaneOptions(options)
            .setQueueLimitInterval(max(TestRoles.LOOK, options.getQueueLimitInterval())))
        .queues(queuesOf(tasks))
        .tasks(tasks.stream()
            .<TaskDescription<?>>map(
                task -> task instanceof Task<?> handled ? faulty.of(handled) : task)
            .toList());
    settings.accept(builder);
    codec = builder.codec();
    return builder.build();
  }

  private void pausesBeforeAnotherTry(String runId, Backoff backoff, int failures) {
    Duration mean = new Backoff(backoff.first(), backoff.most(), 0).delay(failures, randomness);
    idleness.goesOn(
        runId,
        mean.multipliedBy(2)); // more than chance can make of it, and no draw of the test's numbers
  }

  private List<TaskQueue> queuesOf(Collection<? extends TaskDescription<?>> tasks) {
    Set<TaskQueue> all = new LinkedHashSet<>(queues);
    tasks.forEach(task -> {
      task.queue().ifPresent(all::add);
      task.schedules().stream().map(Schedule::queue).forEach(queue -> queue.ifPresent(all::add));
    });
    if (all.stream().noneMatch(TaskQueue::isDefault)) {
      all.add(TaskQueue.of("default").asDefault());
    }
    return List.copyOf(all);
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** Stops the process, if one runs: workers give back what they work on. */
  public void stop() {
    TestProcess running = process;
    process = null;
    if (running != null) {
      await(running.stop());
    }
  }

  /**
   * Kills the process, as {@code SIGKILL} does: nothing it began goes on, neither handlers nor what they scheduled, and
   * its leases end by themselves. The storage keeps what it has; {@link #deploy} starts another process. Workers of
   * {@link #jobs() jobs} are not of this process: they go on, and so do the timers that their handlers have set.
   */
  public void kill() {
    TestProcess running = running();
    process = null;
    running.kill();
    handlerTimers.dropUnless(HandlerTurns.Owner::isJob);
    worker.abandon(); // its functions may have waited for these timers
  }

  /** The runtime of the process, for whatever this class has no shorter way to. */
  public Runlane runlane() {
    return running().runlane();
  }

  private TestProcess running() {
    if (process == null) {
      throw new IllegalStateException("no process runs; deploy(tasks) starts one");
    }
    return process;
  }

  /**
   * Jobs in the same time: whatever moves it moves them too. They read and write as the runs do by the {@link
   * #settings} of when {@code jobs().jobs()} is first called.
   */
  public JobTesting jobs() {
    return jobs;
  }

  /** What goes wrong, and when. */
  public Faults faults() {
    return faults;
  }

  /**
   * Serves remote steps of this name in the place of a worker elsewhere. A step that nobody serves fails at its
   * deadline.
   */
  public RunlaneTesting serve(String step, StepFunction function) {
    return serve(RemoteStep.of(step), function);
  }

  /** The same for a step with a group of its own. */
  public RunlaneTesting serve(RemoteStep<?> step, StepFunction function) {
    worker.serve(step.name(), step.group(), function);
    return this;
  }

  private StepFunction withFaults(StepFunction function) {
    return request -> {
      RunlaneException failure = faults.ofStep(request.name());
      return failure == null ? function.work(request) : Future.failedFuture(failure);
    };
  }

  /** The present instant. */
  public Instant now() {
    return time.clock().now();
  }

  /** The clock, for the code under test. */
  public Clock clock() {
    return time.clock();
  }

  /**
   * Timers for the code under test, such as a service that answers after a while; {@link #kill()} drops them, but for
   * those of handlers of jobs.
   */
  public Timers timers() {
    return handlerTimers;
  }

  /** Creates a run, as {@link Runlane#trigger(TaskDescription, Object)} does. Throws what that fails with. */
  public <P> TestRun trigger(TaskDescription<P> task, P payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  /** Creates a run, or finds the one that owns its key, as {@link Runlane} does. Throws what that fails with. */
  public <P> TestRun trigger(TaskDescription<P> task, P payload, TriggerOptions options) {
    return run(result(runlane().trigger(task, payload, options)).run().id());
  }

  /**
   * Runs everything that is due, and what follows from it at once. Throws {@link IllegalStateException} when that has
   * no end.
   */
  public void runDue() {
    time.runDue();
  }

  /** Advances the clock and runs everything that becomes due, each at its instant. Throws as {@link #runDue()}. */
  public void advance(Duration step) {
    time.advance(step);
  }

  /**
   * Lets time pass until every run and every job has ended, however long retries, sleeps and delays take; fires of
   * schedules to come are not waited for, nor are the runs that they make meanwhile and what the handlers of those
   * trigger, nor is a timer of the code under test that a thousand others, one set by the other, have led to: it
   * repeats for ever. Stops earlier where nothing is left to wait for: neither a due time nor a timer of the code under
   * test, and {@link #QUIET} in which no run went on. Such a run waits for something that only the test can bring, such
   * as the completion of a promise; {@link TestRun#explain()} says what. Throws as {@link #runDue()}.
   */
  public void runUntilIdle() {
    fires.countFrom(now());
    idleness.begin();
    time.runDue();
    Duration rest = rest();
    while (!rest.isNegative() && time.runNext(rest)) {
      rest = rest();
    }
  }

  private Duration rest() {
    Duration ofRuns = idleness.rest(
        () -> summaries(RunFilter.ALL.withStatuses(Idleness.OPEN)).stream()
            .filter(run -> !fires.isOfLaterOne(run.id()))
            .toList(),
        handlerTimers.isWaiting(fires::isOfLaterOne),
        this::attemptTimeout);
    return jobs.untilIdle().map(ofJobs -> max(ofRuns, ofJobs)).orElse(ofRuns);
  }

  private Optional<Duration> attemptTimeout(RunSummary run) {
    return process == null
        ? Optional.empty()
        : process.runlane().tasks().stream()
            .filter(task -> task.id().equals(run.taskId()))
            .flatMap(task -> task.attemptTimeout().stream())
            .map(timeout -> timeout.plus(options.getAttemptTimeoutGrace()))
            .findFirst();
  }

  private Optional<RunRecord> stored(String runId) {
    return result(storage.getRun(new GetRun(options.environment(), runId)));
  }

  /** All runs, in the order of their creation. */
  public List<TestRun> runs() {
    return runs(RunFilter.ALL);
  }

  /** The runs of a task, in the order of their creation, such as those of its schedules. */
  public List<TestRun> runs(TaskDescription<?> task) {
    return runs(RunFilter.ALL.withTaskIds(List.of(task.id())));
  }

  private List<TestRun> runs(RunFilter filter) {
    return summaries(filter).stream()
        .sorted(Comparator.comparing(RunSummary::createdAt).thenComparing(RunSummary::id))
        .map(run -> run(run.id()))
        .toList();
  }

  /** A run by its id; whether there is one is seen when it is asked for something. */
  public TestRun run(String runId) {
    return new TestRun(this, runId);
  }

  /** The history of a run so far. Throws {@code RunNotFound} where there is no such run. */
  public RunHistory history(TestRun run) {
    RunEventFilter filter = RunEventFilter.ofRun(run.id());
    List<RunEventRecord> events = all(cursor -> storage.listRunEvents(
        new ListRunEvents(options.environment(), filter, RunEventSort.HISTORY, PAGE, cursor)));
    if (events.isEmpty()) {
      throw RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "there is no run %s", run.id());
    }
    return new RunHistory(events);
  }

  /** The timelines of all runs, one below the other; empty where there is no run. */
  public String timelines() {
    return runs().stream().map(run -> run.history().timeline()).collect(Collectors.joining("\n\n"));
  }

  /** What the handler of a run failed with, a line for each attempt. */
  String handlerFailures(TestRun run) {
    return failures.of(run.id());
  }

  private List<RunSummary> summaries(RunFilter filter) {
    return all(cursor -> storage.listRuns(
        new ListRuns(options.environment(), filter, RunSort.NEWEST_FIRST, PAGE, cursor)));
  }

  private <T> List<T> all(Function<@Nullable String, Future<Page<T>>> page) {
    List<T> rows = new ArrayList<>();
    String cursor = null;
    do {
      Page<T> next = result(page.apply(cursor));
      rows.addAll(next.data());
      cursor = next.nextCursor();
    } while (cursor != null);
    return rows;
  }

  /**
   * What a future has come to by now. Throws its failure, and {@link IllegalStateException} while it is still open.
   */
  public <T extends @Nullable Object> T result(Future<T> future) {
    return jobs.result(future);
  }

  /** Lets time pass until the future is complete. */
  private void await(Future<?> future) {
    boolean more = true;
    while (!future.isComplete() && more) {
      more = time.runNext(QUIET);
    }
    result(future);
  }
}
