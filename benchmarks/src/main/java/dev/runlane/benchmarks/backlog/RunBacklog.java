package dev.runlane.benchmarks.backlog;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.benchmarks.subject.Payload;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** What a claim costs while very many runs are due that the process has no handler for. */
public final class RunBacklog {
  private static final int A_CALL = 250;
  private static final int CALLS = 200;
  private static final Duration LEASE = Duration.ofHours(1);
  private static final Environment ENVIRONMENT = new Environment("default");
  private static final TaskQueue QUEUE = TaskQueue.of("load").asDefault();
  private static final TaskDescription<Payload> FOREIGN = described("foreign");
  private static final TaskDescription<Payload> OWN = described("own");

  private final PgStorageAdapter storage;
  private final Runlane runlane;
  private final Context context;
  private final TimedCalls calls;

  /** Of a storage on an empty database. */
  public RunBacklog(Vertx vertx, PgStorageAdapter storage, TimedCalls calls) {
    this.storage = storage;
    this.calls = calls;
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(QUEUE)
        .task(FOREIGN)
        .task(OWN)
        .build();
    context = vertx.getOrCreateContext();
  }

  /** Claims of one run each, and claims that find none: with an empty queue, and behind {@code count} other runs. */
  public List<JsonObject> measure(int count, Runnable vacuum) {
    TimedCalls.await(runlane.start());
    claim(calls); // warm
    JsonObject before = claim(calls);
    JsonObject emptyBefore = claimNothing();
    trigger(FOREIGN, count);
    vacuum.run();
    JsonObject behind = claim(calls);
    JsonObject emptyBehind = claimNothing();
    TimedCalls.await(runlane.close());
    return List.of(
        before.put("foreignRuns", 0),
        emptyBefore.put("foreignRuns", 0),
        behind.put("foreignRuns", count),
        emptyBehind.put("foreignRuns", count));
  }

  private JsonObject claim(TimedCalls calls) {
    int runs = CALLS + CALLS / 10; // the warm-up's too
    trigger(OWN, runs);
    return calls.measure("claim", CALLS, () -> claimOne().map(claimed -> {
      if (claimed.runs().size() != 1) {
        throw new IllegalStateException("no run was claimed");
      }
      return claimed;
    }));
  }

  private JsonObject claimNothing() {
    return calls.measure("claim-nothing", CALLS, this::claimOne);
  }

  private Future<ClaimedRuns> claimOne() {
    return storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(QueuePolicy.unbounded(QUEUE.name())),
            List.of(OWN.id()),
            "bench",
            UUID.randomUUID().toString(),
            LEASE,
            Instant.now(),
            1));
  }

  private void trigger(TaskDescription<Payload> task, int count) {
    TimedCalls.await(Bursts.run(
        context,
        2,
        0,
        (count + A_CALL - 1) / A_CALL,
        call -> runlane.triggerAll(
            task,
            IntStream.range(call * A_CALL, Math.min(count, (call + 1) * A_CALL))
                .mapToObj(Payload::of)
                .toList(),
            new TriggerOptions())));
  }

  private static TaskDescription<Payload> described(String taskId) {
    return Task.define(taskId, Payload.class).queue(QUEUE).description();
  }
}
