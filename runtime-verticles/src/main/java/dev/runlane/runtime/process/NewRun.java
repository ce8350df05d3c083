package dev.runlane.runtime.process;

import dev.runlane.json.PayloadHash;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.registry.RegisteredSchedule;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run to create, with everything checked and resolved.
 *
 * @param runId its id
 * @param taskId its task, registered
 * @param queue its queue, registered
 * @param payload checked JSON
 * @param runAt not before this instant; null: at once
 * @param keys all valid
 * @param source where it comes from
 * @param actor who wants it
 * @param traceCarrier the trace it belongs to, or null
 * @param meta a JSON object, or null
 * @param tags what people find it by, checked
 * @param refusesOtherPayload whether an owner of its idempotency key that has another payload is no answer
 */
public record NewRun(
    String runId,
    String taskId,
    QueuePolicy queue,
    Json payload,
    @Nullable Instant runAt,
    RunKeys keys,
    RunSource source,
    Actor actor,
    @Nullable Map<String, String> traceCarrier,
    @Nullable Json meta,
    Map<String, String> tags,
    boolean refusesOtherPayload) {
  /** Whether the two are equal as JSON values: numbers by value (1 is 1.0), fields in any order. */
  boolean hasPayload(Json other) {
    return payload.equals(other) || PayloadHash.of(payload).equals(PayloadHash.of(other));
  }

  /** The run one fire of a schedule makes. */
  public static NewRun ofSchedule(
      RegisteredSchedule schedule, String runId, String occurrenceId, Instant fireAt) {
    return new NewRun(
        runId,
        schedule.task().id(),
        schedule.queue().policy(),
        schedule.payload(),
        null,
        schedule.keys(),
        RunSource.schedule(schedule.schedule().id(), occurrenceId, fireAt),
        ContractDefaults.SYSTEM_ACTOR,
        null,
        null,
        schedule.task().tagsOf(schedule.payload()),
        false);
  }
}
