package dev.runlane.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Processes on one storage in memory, in one thread and in virtual time. */
public final class Fleet {
  public static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  public final ManualClock clock = ManualClock.at(NOON);
  public final ManualTimers timers = new ManualTimers(clock);
  public final Randomness randomness = Randomness.seeded(7);
  public final MemoryTransport transport = new MemoryTransport();
  public final MemoryStorage storage = new MemoryStorage(new Ids(clock, randomness));

  /** Those of the process made last. */
  public Faults faults = new Faults(storage);

  /** A started process with these tasks and one unbounded default queue. */
  public Runlane process(TaskDescription<?>... tasks) {
    return process(new RunlaneOptions(), List.of(TaskQueue.of("default").asDefault()), tasks);
  }

  /** A started process with these options, queues and tasks. */
  public Runlane process(
      RunlaneOptions options, List<TaskQueue> queues, TaskDescription<?>... tasks) {
    faults = new Faults(storage);
    return process(faults.storage(), options, queues, tasks);
  }

  /** A started process that reaches the storage in its own way. */
  public Runlane process(
      StorageAdapter storage,
      RunlaneOptions options,
      List<TaskQueue> queues,
      TaskDescription<?>... tasks) {
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(timers), Lanes.create(storage, transport))
        .clock(clock)
        .randomness(randomness)
        .options(options)
        .queues(queues)
        .tasks(Arrays.asList(tasks))
        .build();
    done(runlane.start());
    return runlane;
  }

  /** Lets time pass, with everything that is due meanwhile. */
  public void pass(Duration time) {
    timers.advance(time);
  }

  /** Lets what is due at once happen. */
  public void settle() {
    pass(Duration.ofMillis(50));
  }

  public static DeliveryMessage wakeup(RunRecord run) {
    return new DeliveryMessage(run.environment(), run.id(), run.queue(), NOON, null);
  }

  /** The result of a future that must be complete and have succeeded. */
  public static <T> T done(Future<T> future) {
    assertThat(future.isComplete()).as("the future is complete").isTrue();
    if (future.failed()) {
      throw new AssertionError("the future failed", future.cause());
    }
    return future.result();
  }

  /** The failure of a future that must have failed. */
  public static RunlaneException failed(Future<?> future) {
    assertThat(future.failed()).as("the future failed").isTrue();
    return (RunlaneException) future.cause();
  }

  public static void assertFails(ErrorCode code, Future<?> future) {
    assertThat(failed(future).code()).isEqualTo(code);
  }

  /** The run as it is, after checking that its history makes it. */
  public RunRecord run(Runlane runlane, String runId) {
    RunRecord run = done(runlane.runs().get(runId)).orElseThrow();
    List<RunEvent> events = events(runlane, runId);
    assertThat(RunReducer.projectRunEvents(null, 0, events))
        .as("the history makes the projection")
        .isEqualTo(run);
    return run;
  }

  public List<RunEvent> events(Runlane runlane, String runId) {
    return done(runlane.runs().events(runId)).data().stream()
        .map(RunEventRecord::event)
        .toList();
  }

  public List<String> types(Runlane runlane, String runId) {
    return events(runlane, runId).stream().map(event -> event.type().value()).toList();
  }
}
