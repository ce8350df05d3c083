package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.storage.run.AppendRunEvents;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a run is created. Runs of unbounded queues are created with their delivery request, those of
 * bounded ones without, as the runtime does it.
 */
record NewRun(
    Environment environment,
    String id,
    String taskId,
    QueuePolicy queue,
    Json payload,
    RunKeys keys,
    @Nullable Instant runAt,
    Instant at,
    Map<String, String> tags) {
  static NewRun of(String id) {
    return new NewRun(
        Given.ENVIRONMENT,
        id,
        Given.TASK,
        Given.UNBOUNDED,
        Given.PAYLOAD,
        RunKeys.NONE,
        null,
        Given.NOON,
        Map.of());
  }

  NewRun withEnvironment(Environment other) {
    return new NewRun(other, id, taskId, queue, payload, keys, runAt, at, tags);
  }

  NewRun withTask(String other) {
    return new NewRun(environment, id, other, queue, payload, keys, runAt, at, tags);
  }

  NewRun withQueue(QueuePolicy other) {
    return new NewRun(environment, id, taskId, other, payload, keys, runAt, at, tags);
  }

  NewRun withPayload(Json other) {
    return new NewRun(environment, id, taskId, queue, other, keys, runAt, at, tags);
  }

  NewRun withKeys(RunKeys other) {
    return new NewRun(environment, id, taskId, queue, payload, other, runAt, at, tags);
  }

  NewRun withRunAt(Instant other) {
    return new NewRun(environment, id, taskId, queue, payload, keys, other, at, tags);
  }

  NewRun withAt(Instant other) {
    return new NewRun(environment, id, taskId, queue, payload, keys, runAt, other, tags);
  }

  NewRun withTags(Map<String, String> other) {
    return new NewRun(environment, id, taskId, queue, payload, keys, runAt, at, other);
  }

  AppendRunEvents command() {
    List<RunEvent> events = new ArrayList<>(List.of(created()));
    if (!queue.isBounded()) {
      Instant availableAt = runAt == null ? at : runAt;
      events.add(new RunEvent.DeliveryRequested(
          header(),
          new DeliveryIntent(environment, id, queue.queue(), at, availableAt, null, null)));
    }
    return append(events);
  }

  /** The creation that takes the first lease and starts the first attempt, with the queue's policy. */
  AppendRunEvents commandWithLease(Lease lease) {
    return append(List.of(
            created(),
            new RunEvent.LeaseClaimed(header(), lease),
            new RunEvent.Started(header(), 1)))
        .in(queue);
  }

  private AppendRunEvents append(List<RunEvent> events) {
    return AppendRunEvents.of(RunReducer.projectRunEvents(null, 0, events), events, at);
  }

  private RunEvent.Created created() {
    return new RunEvent.Created(
        header(), taskId, queue.queue(), payload, runAt, keys, RunSource.TRIGGER, tags);
  }

  private EventHeader header() {
    return EventHeader.bySystem(environment, id, at);
  }
}
