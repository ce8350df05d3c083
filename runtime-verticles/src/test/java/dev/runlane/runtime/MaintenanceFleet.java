package dev.runlane.runtime;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.GuardedObserver;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RunCreations;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Several processes on one storage, in virtual time and in one thread. */
public final class MaintenanceFleet {
  public static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
  public static final Environment ENVIRONMENT = new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT);
  public static final TaskQueue QUEUE = TaskQueue.of("default").asDefault();
  public static final TaskQueue BOUNDED = TaskQueue.of("bounded").concurrencyLimit(2);
  public static final Task<String> TASK =
      Task.define("test.task", String.class).handler((payload, context) -> done());

  public final ManualClock clock = ManualClock.at(NOON);
  public final ManualTimers timers = new ManualTimers(clock);
  public final MemoryStorage storage = new MemoryStorage(new Ids(clock, Randomness.seeded(7)));
  private int processes;

  public static Future<TaskResult> done() {
    return Future.succeededFuture(TaskResult.done());
  }

  /** A process that knows {@link #TASK} and both queues. */
  public Process process() {
    return process(TASK);
  }

  public Process process(Task<?>... tasks) {
    return new Process(
        new ScriptedStorage(storage),
        new ScriptedTransport(),
        Randomness.seeded(processes++),
        tasks);
  }

  /** What one process has of its own. */
  public final class Process {
    public final ScriptedStorage storage;
    public final ScriptedTransport transport;
    private final Randomness randomness;
    private final Task<?>[] tasks;
    private @Nullable RuntimeContext context;

    private Process(
        ScriptedStorage storage,
        ScriptedTransport transport,
        Randomness randomness,
        Task<?>[] tasks) {
      this.storage = storage;
      this.transport = transport;
      this.randomness = randomness;
      this.tasks = tasks;
    }

    public Process withoutBatch() {
      storage.withoutBatch();
      return this;
    }

    public Process boundTo(TaskQueue... queues) {
      transport.boundTo(List.of(queues).stream()
          .map(TaskQueue::policy)
          .toArray(dev.runlane.run.QueuePolicy[]::new));
      return this;
    }

    public RuntimeContext context() {
      if (context == null) {
        context = runlane().context();
      }
      return context;
    }

    /** Its schedules were notified of then, if they were not before. */
    public Process knowsSchedulesSince(Instant since) {
      await(MaintenanceFleet.this
          .storage
          .schedules()
          .orElseThrow()
          .registerSchedules(new RegisterSchedules(
              ENVIRONMENT,
              context().registry().schedules().stream()
                  .map(RegisteredSchedule::definition)
                  .toList(),
              since,
              SchedulerOptions.DEFAULT_DEFINITION_KEPT)));
      return this;
    }

    public Runlane runlane() {
      return Runlane.builder(
              RuntimeHost.singleThread(timers), Lanes.create(storage.adapter(), transport))
          .queues(List.of(QUEUE, BOUNDED))
          .tasks(List.of(tasks))
          .clock(clock)
          .randomness(randomness)
          .build();
    }
  }

  public void advance(Duration step) {
    timers.advance(step);
  }

  /** A new run of {@link #TASK}, queued, with a due outbox message unless its queue is bounded. */
  public RunRecord create(String runId, TaskQueue queue) {
    return create(runId, queue, null);
  }

  public RunRecord create(String runId, TaskQueue queue, @Nullable String concurrencyKey) {
    NewRun wanted = new NewRun(
        runId,
        TASK.id(),
        queue.policy(),
        Json.ofChecked("\"hello\""),
        null,
        RunKeys.NONE.withConcurrencyKey(concurrencyKey),
        RunSource.TRIGGER,
        ContractDefaults.SYSTEM_ACTOR,
        null,
        null,
        Map.of(),
        false);
    return await(new RunCreations(
                ENVIRONMENT,
                storage,
                clock,
                new LocalNotifications(),
                timers,
                new GuardedObserver(
                    List.of(), RuntimeHost.singleThread(timers), new RunlaneOptions().metaLimits()))
            .create(wanted))
        .run();
  }

  /** The run under a lease of 30 s, in its first attempt. */
  public RunRecord start(String runId) {
    RunRecord run = run(runId);
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(
            appends().header(run),
            new Lease("tok_" + runId, "worker", clock.now().plusSeconds(30))),
        new RunEvent.Started(appends().header(run), run.counters().attempts() + 1));
    return await(storage.claimRunLease(new ClaimRunLease(
            ENVIRONMENT,
            runId,
            run.eventSequence(),
            events,
            RunAppends.project(run, events),
            run.queue().equals(BOUNDED.name()) ? BOUNDED.policy() : QUEUE.policy(),
            clock.now())))
        .orElseThrow()
        .run();
  }

  public RunRecord append(RunRecord run, RunEvent event) {
    return await(storage.appendRunEvents(AppendRunEvents.of(
            RunAppends.project(run, List.of(event)), List.of(event), clock.now())))
        .run();
  }

  /** The run released and due again after the delay. */
  public RunRecord release(String runId, Duration delay) {
    RunRecord run = start(runId);
    return append(
        run,
        new RunEvent.Released(
            appends().header(run), run.counters().attempts(), clock.now().plus(delay), null));
  }

  public RunRecord succeed(RunRecord run) {
    return append(
        run, new RunEvent.Succeeded(appends().header(run), run.counters().attempts(), null));
  }

  public RunRecord requestCancellation(RunRecord run) {
    return append(run, new RunEvent.CancellationRequested(appends().header(run), null));
  }

  public RunAppends appends() {
    return new RunAppends(storage, clock, new LocalNotifications());
  }

  public RunRecord run(String runId) {
    return await(storage.getRun(new GetRun(ENVIRONMENT, runId))).orElseThrow();
  }

  /** All runs, in the order of their creation. */
  public List<RunSummary> runs() {
    return await(storage.listRuns(
            new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, 200, null)))
        .data()
        .stream()
        .sorted(java.util.Comparator.comparing(RunSummary::createdAt).thenComparing(RunSummary::id))
        .toList();
  }

  public List<RunEventType> history(String runId) {
    return await(storage.listRunEvents(new ListRunEvents(
            ENVIRONMENT, RunEventFilter.ofRun(runId), RunEventSort.HISTORY, 200, null)))
        .data()
        .stream()
        .map(record -> record.event().type())
        .toList();
  }

  /** Takes the due outbox messages away for 30 s. */
  public List<ClaimedOutboxMessage> claimOutbox() {
    return await(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, clock.now(), Duration.ofSeconds(30), 10_000, null)));
  }

  /** What is left in the outbox, due at any time; leaves it claimed far in the future. */
  public List<ClaimedOutboxMessage> restOfOutbox() {
    return await(storage.claimOutboxMessages(new ClaimOutboxMessages(
        ENVIRONMENT,
        clock.now().plus(Duration.ofDays(3650)),
        Duration.ofSeconds(1),
        10_000,
        null)));
  }

  /** The result of a future that must be complete by now. */
  public static <T> T await(Future<T> future) {
    if (!future.isComplete()) {
      throw new AssertionError("still open: " + future);
    }
    if (future.failed()) {
      throw new AssertionError("failed: " + future.cause(), future.cause());
    }
    return future.result();
  }

  public static Throwable failure(Future<?> future) {
    if (!future.failed()) {
      throw new AssertionError("must have failed, but: " + future);
    }
    return future.cause();
  }
}
