package dev.runlane.storage.memory;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The life of runs in tests, on a storage that answers at once. */
final class Flow {
  static final Environment ENVIRONMENT = new Environment("test");
  static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  static final String TASK = "orders.charge";

  private final StorageAdapter storage;

  Flow(StorageAdapter storage) {
    this.storage = storage;
  }

  static <T> T done(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  RunRecord create(String id, String queue, RunKeys keys) {
    List<RunEvent> events = List.of(
        created(id, queue, keys), new RunEvent.DeliveryRequested(header(id), delivery(id, queue)));
    return append(RunReducer.projectRunEvents(null, 0, events), events);
  }

  RunRecord append(RunRecord projected, List<RunEvent> events) {
    return done(storage.appendRunEvents(AppendRunEvents.of(projected, events, NOON)))
        .run();
  }

  Optional<AppendedRun> claim(String id, QueuePolicy policy) {
    RunRecord run = done(storage.getRun(new GetRun(ENVIRONMENT, id))).orElseThrow();
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(
            header(id), new Lease("tok_" + id, "worker_1", NOON.plus(Duration.ofMinutes(1)))),
        new RunEvent.Started(header(id), run.counters().attempts() + 1));
    RunRecord projected = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    return done(storage.claimRunLease(
        new ClaimRunLease(ENVIRONMENT, id, run.eventSequence(), events, projected, policy, NOON)));
  }

  RunRecord succeed(RunRecord run) {
    return follow(run, new RunEvent.Succeeded(header(run.id()), run.counters().attempts(), null));
  }

  RunRecord follow(RunRecord run, RunEvent event) {
    return append(
        RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event)), List.of(event));
  }

  static EventHeader header(String id) {
    return EventHeader.bySystem(ENVIRONMENT, id, NOON);
  }

  static List<RunEvent> creation(String id, String queue, RunKeys keys) {
    return List.of(
        created(id, queue, keys), new RunEvent.DeliveryRequested(header(id), delivery(id, queue)));
  }

  static RunRecord projected(List<RunEvent> creation) {
    return RunReducer.projectRunEvents(null, 0, creation);
  }

  private static RunEvent.Created created(String id, String queue, RunKeys keys) {
    return new RunEvent.Created(
        header(id), TASK, queue, Json.ofChecked("{\"order\":7}"), null, keys, RunSource.TRIGGER);
  }

  private static DeliveryIntent delivery(String id, String queue) {
    return new DeliveryIntent(ENVIRONMENT, id, queue, NOON, NOON, null, null);
  }
}
