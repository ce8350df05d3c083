package dev.runlane.runtime.task;

import dev.runlane.run.Actor;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as a trigger would create it, checked and resolved, but not stored: for what stores it by itself, such as a
 * transaction over JDBC.
 *
 * @param runId its id, the caller's or a new one
 * @param taskId its task
 * @param queue its queue, with the limit
 * @param payload as the task's own codec writes it
 * @param runAt not before this instant, in microseconds; null: at once
 * @param keys the caller's, or those that the task makes of the payload
 * @param actor who asks
 * @param traceCarrier the trace it belongs to, with what observers added; null: none
 * @param tags the caller's, and those that the task makes of the payload
 */
public record PreparedRun(
    String runId,
    String taskId,
    QueuePolicy queue,
    Json payload,
    @Nullable Instant runAt,
    RunKeys keys,
    Actor actor,
    @Nullable Map<String, String> traceCarrier,
    Map<String, String> tags) {}
